// Steps and charts of the open comparison, asked for once and kept.
const CHUNK = 16; // steps per question
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

function chunk(method, number) {
  const { key } = eagley.view;
  return once(name(key, method, number), async () => {
    const first = number * CHUNK;
    const packets = checked(await eagley.source.packets(key, method, first, first + CHUNK));
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

// The next steps are there before they are asked for.
function prefetch(method, step) {
  const [number, place] = [Math.floor(step / CHUNK), step % CHUNK];
  const next = place >= CHUNK / 2 ? number + 1 : place < 4 ? number - 1 : number;
  const steps = eagley.lane(method)?.starts.length ?? 0;
  const isThere = kept.has(name(eagley.view.key, method, next * CHUNK, ''));
  if (next >= 0 && next * CHUNK < steps && !isThere) chunk(method, next).catch(() => {});
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
  if (!kept.has(id)) await (rule ? judged(method, step, rule) : chunk(method, Math.floor(step / CHUNK)));
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
