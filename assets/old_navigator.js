const bar = element.querySelector('.navigator');
const run = () => props.value || { length: 1, lanes: [] };
let at = { position: 0, method: '' };
let playing = null;
let sent = null; // the move that is not answered yet

function make(tag, name, attributes = {}) {
  const node = document.createElement(tag);
  node.className = name;
  Object.entries(attributes).forEach(([key, value]) => node.setAttribute(key, value));
  return node;
}

const ICONS = {
  home: 'M6 5v14M19 5l-9 7 9 7z',
  back: 'M15 5l-8 7 8 7',
  play: 'M7 4l12 8-12 8z',
  pause: 'M8 5v14M16 5v14',
  next: 'M9 5l8 7-8 7',
  end: 'M18 5v14M5 5l9 7-9 7z',
};

function icon(name) {
  const space = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(space, 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS(space, 'path');
  path.setAttribute('d', ICONS[name]);
  svg.append(path);
  return svg;
}

function button(name, title, action) {
  const node = make('button', `key ${name}`, { type: 'button', title, 'aria-label': title });
  node.append(icon(name));
  node.addEventListener('click', () => {
    if (name !== 'play') pause();
    action();
  });
  return node;
}

const lane = () => run().lanes.find((l) => l.method === at.method) ?? run().lanes[0];

function stepIndex(starts) {
  let index = 0;
  while (index + 1 < starts.length && starts[index + 1] <= at.position) index += 1;
  return index;
}

function byStep(by) {
  const { starts } = lane() ?? { starts: [0] };
  const next = stepIndex(starts) + by;
  if (next < 0) return go(0);
  return go(next < starts.length ? starts[next] : at.position);
}

function go(position, method = at.method) {
  const clamped = Math.max(0, Math.min(position, run().length - 1));
  at = { position: clamped, method, token: null };
  show();
  if (!isWaiting()) report();
}

// One move is under way at a time; what happens meanwhile is reported when it is answered.
const isWaiting = () => sent && Date.now() - sent.time < 2000;

function report() {
  sent = { ...at, time: Date.now() };
  trigger('pick', { position: at.position, method: at.method });
}

function pause() {
  clearInterval(playing);
  playing = null;
  play.replaceChildren(icon('play'));
}

function toggle() {
  if (playing) return pause();
  const { starts = [0] } = lane() ?? {};
  if (stepIndex(starts) === starts.length - 1) go(0);
  play.replaceChildren(icon('pause'));
  playing = setInterval(() => {
    byStep(1);
    if (stepIndex((lane() ?? { starts: [0] }).starts) >= lane().starts.length - 1) pause();
  }, 900);
  return undefined;
}

const play = button('play', 'Play the run step by step', toggle);
const buttons = make('div', 'keys');
buttons.append(
  button('home', 'First token (Home)', () => go(0)),
  button('back', 'Step back (←)', () => byStep(-1)),
  play,
  button('next', 'Step on (→)', () => byStep(1)),
  button('end', 'Last token (End)', () => go(run().length - 1)),
);
const status = make('div', 'status', { 'aria-live': 'polite' });
const range = make('input', 'range', { type: 'range', min: 0, step: 1, 'aria-label': 'Output token' });
range.addEventListener('input', () => {
  pause();
  go(Number(range.value));
});
const rulers = make('div', 'rulers');
const track = make('div', 'track');
track.append(range, rulers);
bar.replaceChildren(buttons, track, status);

// A lane's steps as segments, each as wide as the tokens it emitted.
function ruler(item) {
  const row = make('div', 'ruler');
  const name = make('button', 'name', {
    type: 'button',
    title: `The arrow keys walk ${item.label}'s steps`,
  });
  name.textContent = item.label;
  name.addEventListener('click', () => go(at.position, item.method));
  const line = make('div', 'segments');
  line.append(
    ...item.starts.map((start, index) => {
      const stop = item.starts[index + 1] ?? item.length;
      const segment = make('span', 'segment', { title: `${item.label} step ${index}` });
      segment.style.flexGrow = stop - start;
      segment.addEventListener('click', () => go(start, item.method));
      return segment;
    }),
  );
  const rest = make('span', 'rest');
  rest.style.flexGrow = run().length - item.length;
  line.append(rest);
  row.append(name, line);
  return row;
}

function build() {
  pause();
  bar.hidden = !run().lanes.length;
  range.max = Math.max(run().length - 1, 1);
  rulers.replaceChildren(...run().lanes.map(ruler));
  arrive();
}

function arrive() {
  const moved = isWaiting() && (at.position !== sent.position || at.method !== sent.method);
  sent = null;
  if (moved) return report();
  at = { ...at, ...props.at };
  return show();
}

function show() {
  range.value = at.position;
  range.setAttribute('aria-valuetext', `token ${at.position + 1} of ${run().length}`);
  run().lanes.forEach((item, row) => {
    const node = rulers.children[row];
    node.classList.toggle('walked', item === lane());
    const current = at.position < item.length ? stepIndex(item.starts) : -1;
    [...node.querySelectorAll('.segment')].forEach((segment, index) => {
      segment.classList.toggle('current', index === current);
    });
  });
  status.replaceChildren(...sentence());
}

function sentence() {
  const place = make('span', 'place');
  place.textContent = `Token ${at.position + 1} of ${run().length}`;
  const token = make('span', 'chosen');
  token.textContent = at.token ?? '…';
  const steps = make('span', 'steps');
  steps.textContent = at.token === null ? '' : (at.steps ?? '');
  return [place, token, steps];
}

const WRITABLE = 'input:not(.range), textarea, select, [contenteditable], table, [role=listbox], [role=grid]';

function onKey(event) {
  if (!bar.isConnected) return document.removeEventListener('keydown', onKey);
  if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return undefined;
  if (event.target.closest?.(WRITABLE)) return undefined;
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  const end = { Home: 0, End: run().length - 1 }[event.key];
  if (by === undefined && end === undefined) return undefined;
  event.preventDefault();
  pause();
  if (end !== undefined) return go(end);
  return event.shiftKey ? go(at.position + by) : byStep(by);
}

document.addEventListener('keydown', onKey);
watch('value', build);
watch('at', arrive);
build();
