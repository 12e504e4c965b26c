const { make, button, icon, walk } = eagley;
const say = eagley.sayer(props.words);
const bar = element.querySelector('.navigator');
const LOCKS = { position: say('token'), step: say('step'), clock: say('clock') };
let current = []; // the segments of the selected steps

// In the app the server answers; an exported file has set its own source.
const ask = (name) => (...question) => server[name](question);
if (!eagley.source.isFile) {
  eagley.source = { packets: ask('packets'), chart: ask('chart'), judge: ask('judge') };
}

function act(name, title, move) {
  return button(name, title, () => {
    if (name !== 'play') walk.pause();
    move();
  });
}

const play = act('play', say('Play the run step by step (space)'), walk.play);
const buttons = make('div', 'keys');
buttons.append(
  act('home', say('First token (Home)'), walk.first),
  act('back', say('Step back (←)'), () => walk.step(-1)),
  play,
  act('next', say('Step on (→)'), () => walk.step(1)),
  act('end', say('Last token (End)'), walk.last),
);

const range = make('input', 'range', { type: 'range', min: 0, step: 1, 'aria-label': say('Output token') });
range.addEventListener('input', () => {
  walk.pause();
  eagley.move({ position: Number(range.value) });
});
const rulers = make('div', 'rulers');
const track = make('div', 'track');
track.append(range, rulers);

const place = make('span', 'place');
const steps = make('span', 'steps');
const status = make('div', 'status', { role: 'status' });
status.append(place, steps);

const fork = act('fork', say('Next place where the two trees differ (n)'), walk.divergence);
const count = make('span', 'count');
fork.append(count);
const lock = make('div', 'lock', { role: 'group', 'aria-label': say('What the lanes have in common (l)') });
lock.append(make('span', 'lock-name', {}, say('same')), ...Object.keys(LOCKS).map(choice));
const more = make('div', 'more');
more.append(fork, lock, act('help', say('Keys (?)'), () => eagley.help?.()));
bar.replaceChildren(buttons, track, status, more);

function choice(name) {
  const hints = {
    position: say('The lanes show the same output token'),
    step: say('The lanes show the step of the same number'),
    clock: say('The lanes show the same moment'),
  };
  const option = make('button', 'choice', { type: 'button', title: hints[name] }, LOCKS[name]);
  option.dataset.lock = name;
  option.addEventListener('click', () => eagley.move({ lock: name }));
  return option;
}

// A lane's steps as segments, each as wide as the tokens it emitted.
function ruler(lane) {
  const row = make('div', 'ruler');
  const hint = say('The arrow keys walk the steps of {lane}', { lane: lane.label });
  const name = make('button', 'name', { type: 'button', title: hint }, lane.label);
  name.addEventListener('click', () => eagley.move({ method: lane.method }));
  const line = make('div', 'segments');
  line.dataset.method = lane.method;
  lane.starts.forEach((start, step) => line.append(segment(lane, step)));
  const rest = make('span', 'rest');
  rest.style.flexGrow = eagley.view.length - lane.length;
  line.append(rest);
  row.append(name, line);
  return row;
}

function segment(lane, step) {
  const [first, stop] = eagley.span(lane, step);
  const part = make('span', 'segment', { 'data-step': step });
  part.style.flexGrow = stop - first;
  return part;
}

rulers.addEventListener('click', (event) => {
  const { step } = event.target.dataset;
  if (step === undefined) return;
  walk.pause();
  eagley.pick({ method: event.target.parentElement.dataset.method, step: Number(step) });
});

const walkable = () => {
  const trees = eagley.view.lanes.filter((lane) => lane.tree);
  return trees.length ? trees : eagley.view.lanes.slice(0, 1);
};

let built = null; // the key of the view that the rulers show

function build() {
  built = eagley.view.key;
  current = [];
  range.max = Math.max(eagley.view.length - 1, 1);
  rulers.replaceChildren(...walkable().map(ruler));
  const { length } = eagley.view.divergences;
  fork.disabled = !length;
  count.textContent = length;
}

function mark(lane, row) {
  const node = rulers.children[row];
  node.classList.toggle('walked', lane === eagley.walked());
  const here = eagley.place(lane.method);
  const part = here ? node.lastChild.children[here.step] : null;
  if (current[row] === part) return;
  current[row]?.classList.remove('current');
  part?.classList.add('current');
  current[row] = part;
}

function told(lane) {
  const here = eagley.place(lane.method);
  const last = lane.starts.length - 1;
  if (!here) return say('{lane} has ended', { lane: lane.label });
  return say('{lane} step {step} of {last}', { lane: lane.label, step: here.step, last });
}

function show() {
  bar.hidden = !eagley.view;
  if (!eagley.view) return;
  if (built !== eagley.view.key) build();
  const { position, lock: chosen } = eagley.selection;
  const { length } = eagley.view;
  place.textContent = say('Token {n} of {length}', { n: position + 1, length });
  steps.textContent = walkable().map(told).join(' · ');
  range.value = position;
  range.setAttribute('aria-valuetext', place.textContent);
  walkable().forEach(mark);
  for (const option of lock.querySelectorAll('.choice')) {
    option.setAttribute('aria-pressed', option.dataset.lock === chosen);
  }
  play.replaceChildren(icon(walk.isPlaying() ? 'pause' : 'play'));
}

const open = () => eagley.open(props.value?.lanes ? props.value : null);
watch('value', open);
bar.hidden = true;
eagley.follow(element, show);
open();
