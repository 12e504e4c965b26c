// Steps and charts of the open comparison, asked for once and kept.
const CHUNK = 16; // steps that are fetched ahead at once, and the block of an exported file
const KEPT = 400; // packets
const kept = new Map(); // oldest first
const asked = new Map(); // questions under way
const charts = new Map();

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

// The steps around are there before they are asked for: those of the same chunk, of the next one,
// and of the nearest beyond.
function prefetch(method, step) {
  const steps = eagley.lane(method)?.starts.length ?? 0;
  const here = Math.floor(step / CHUNK);
  const far = step % CHUNK < CHUNK / 2 ? here - 1 : here + 2;
  for (const number of [here, here + 1, far]) {
    const [first, stop] = [Math.max(number, 0) * CHUNK, Math.min((number + 1) * CHUNK, steps)];
    if (!isThere(method, first, stop)) fetched(method, first, stop).catch(() => {});
  }
}

function isThere(method, first, stop) {
  for (let step = first; step < stop; step += 1) {
    if (!kept.has(name(eagley.view.key, method, step, ''))) return false;
  }
  return true;
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
  if (!kept.has(id)) await (rule ? judged(method, step, rule) : fetched(method, step, step + 1));
  if (!rule) prefetch(method, step);
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
