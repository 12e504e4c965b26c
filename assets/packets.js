// Steps and charts of the open comparison, asked for once and kept.
const CHUNK = 8; // steps that are fetched at once
const AHEAD = [0, 1, -1, 2, 3, 4]; // chunks from the one that is shown
const KEPT = 400; // packets
const kept = new Map(); // oldest first
const asked = new Map(); // questions under way
const charts = new Map();
let isFetching = false;

const name = (...parts) => parts.join('\n');
const ruled = (method, step) => name(eagley.view.key, method, step, eagley.selection.rule ?? '');

function keep(id, packet) {
  kept.delete(id);
  kept.set(id, packet);
  while (kept.size > KEPT) kept.delete(kept.keys().next().value);
}

// One question at a time for the same thing; one that failed can be asked again.
function once(id, question) {
  if (!asked.has(id)) asked.set(id, question().finally(() => asked.delete(id)));
  return asked.get(id);
}

// An answer that says why it could not be given is one line.
function checked(answer) {
  if (answer?.error) throw new Error(answer.error);
  return answer;
}

// Asks for the steps first..stop-1; a source may give more.
function fetched(method, first, stop) {
  const { key } = eagley.view;
  return once(name(key, method, first, stop), async () => {
    const packets = checked(await eagley.source.packets(key, method, first, stop));
    packets.forEach((packet) => keep(name(key, method, packet.step, ''), packet));
  });
}

function judged(method, step, rule) {
  const { key } = eagley.view;
  return once(name(key, method, step, rule), async () => {
    const packet = checked(await eagley.source.judge(key, method, step, rule));
    keep(name(key, method, step, rule), packet);
  });
}

// The steps that are fetched together with this one, as [method, first, stop].
function chunk(method, step) {
  const first = step - (step % CHUNK);
  return [method, first, Math.min(first + CHUNK, eagley.lane(method).starts.length)];
}

// The nearest steps of the shown trees that have not come yet.
function missing() {
  for (const away of AHEAD) {
    for (const method of eagley.view?.trees ?? []) {
      const place = eagley.place(method);
      const step = place ? place.step + away * CHUNK : -1;
      const found = step >= 0 ? chunk(method, step) : [];
      if (found.length && !isThere(...found)) return found;
    }
  }
  return null;
}

function isThere(method, first, stop) {
  for (let step = first; step < stop; step += 1) {
    if (!kept.has(name(eagley.view.key, method, step, ''))) return false;
  }
  return true;
}

// Fetches what will be asked next, one question at a time: what is asked now must not queue.
async function prefetch() {
  const next = isFetching ? null : missing();
  if (!next) return;
  isFetching = true;
  try {
    await fetched(...next);
  } catch {
    return; // who asks for it will hear why
  } finally {
    isFetching = false;
  }
  prefetch();
}

// A step's packet if it has come, as the asked rule judges it.
eagley.packetNow = (method, step) => {
  const id = ruled(method, step);
  const packet = kept.get(id);
  if (packet) keep(id, packet);
  return packet;
};

eagley.packet = async (method, step) => {
  const { rule } = eagley.selection;
  const id = ruled(method, step);
  if (!kept.has(id)) await (rule ? judged(method, step, rule) : fetched(...chunk(method, step)));
  prefetch();
  if (!kept.has(id)) throw new Error(`step ${step} did not come`);
  return kept.get(id);
};

// {figure, table, machine} of the open comparison.
eagley.chart = (chart) => {
  const { key } = eagley.view;
  const id = name(key, chart);
  if (!charts.has(id)) {
    const answer = Promise.resolve(eagley.source.chart(key, chart)).then(checked);
    charts.set(id, answer);
    answer.catch(() => charts.delete(id));
  }
  return charts.get(id);
};
