const { make } = eagley;
const say = eagley.sayer(props.words);
const box = element.querySelector('.chart-box');
const frame = element.querySelector('.chart-frame');
const host = element.querySelector('.chart-plot');
const state = make('div', 'chart-state');
const lane = make('h4', 'chart-lane'); // where two charts differ only by it
const machine = make('p', 'chart-machine'); // what the times were taken on
const name = () => props.value?.name;
let settings = null;
let drawn = null; // {key, figure}
let isNear = false;
let later = null;

const larger = eagley.button('larger', say('Fill the window'), enlarge);
box.prepend(lane);
box.append(larger);
frame.append(state);
box.append(machine);

function enlarge() {
  const isLarge = box.classList.toggle('enlarged');
  larger.title = isLarge ? say('Back to the page (Esc)') : say('Fill the window');
  larger.setAttribute('aria-label', larger.title);
  larger.replaceChildren(eagley.icon(isLarge ? 'smaller' : 'larger'));
  if (drawn) eagley.plotly(props.source).then(paint);
}

box.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape' || !box.classList.contains('enlarged')) return;
  event.stopPropagation();
  enlarge();
});

// A frame around the selected step of each lane that the figure can point at.
function marks(figure) {
  const follow = figure.layout.meta?.follow ?? {};
  const line = { color: eagley.themed(props.ring, props.twins), width: 2 };
  return Object.entries(follow).flatMap(([method, how]) => {
    const step = eagley.place(method)?.step;
    const found = step === undefined ? null : framed(how, step);
    return found ? [{ type: 'rect', line, ...found }] : [];
  });
}

function framed({ axis, boxes }, step) {
  if (boxes) {
    if (!boxes[step]) return null;
    const [x0, x1, y0, y1] = boxes[step];
    return { x0, x1, y0, y1 };
  }
  const [low, high] = [step - 0.5, step + 0.5];
  if (axis === 'x') return { x0: low, x1: high, y0: 0, y1: 1, yref: 'paper' };
  return { y0: low, y1: high, x0: 0, x1: 1, xref: 'paper' };
}

function sized(figure) {
  if (!box.classList.contains('enlarged')) return figure;
  return { ...figure, layout: { ...figure.layout, height: innerHeight - 120 } };
}

async function paint(P) {
  const { figure } = drawn;
  host.hidden = false;
  state.replaceChildren();
  settings ??= eagley.plotSettings(P, { png: say('Save as PNG'), svg: say('Save as SVG') });
  const options = { twins: props.twins, settings, shapes: marks(figure) };
  const drawing = eagley.drawPlot(P, host, sized(figure), options);
  host.removeAllListeners('plotly_click');
  host.on('plotly_click', picked);
  await drawing;
}

function value(point, kind) {
  if (kind === 'custom') return point.customdata;
  return kind ? point[kind] : undefined;
}

function picked({ points: [point] }) {
  const { pick } = point.data.meta ?? {};
  if (!pick) return;
  const found = value(point, pick.step);
  const [method, step] = Array.isArray(found) ? found : [pick.method, found];
  if (step === null || step === undefined) return;
  eagley.walk.pause();
  eagley.pick({ method, step: Number(step), depth: Number(value(point, pick.depth) ?? 1) });
}

function blank(text, retry) {
  host.hidden = true;
  state.replaceChildren(eagley.notice(text, retry, say('Try again')));
}

// The label of the lane that the chart is about, if it is about one.
function call() {
  const method = props.side === null ? null : eagley.view?.trees[props.side];
  lane.textContent = eagley.lane(method)?.label ?? '';
}

async function load() {
  const { key } = eagley.view;
  const calm = eagley.patiently(() => blank(say('Loading the chart …')));
  try {
    const [P, found] = await Promise.all([eagley.plotly(props.source), eagley.chart(name())]);
    if (eagley.view?.key !== key) return;
    drawn = { key, figure: found.figure };
    machine.textContent = found.figure ? found.machine : '';
    calm();
    if (found.figure) await paint(P);
    else blank(say('This run has nothing to show here.'));
  } catch (error) {
    calm();
    console.warn(error);
    if (eagley.view?.key === key) blank(say('This chart could not be loaded.'), load);
  }
}

// Frames follow a little later than trees and text, which are what is read while a key is held.
function follow() {
  call();
  if (!isNear || !eagley.view || !name()) return;
  if (drawn?.key !== eagley.view.key) {
    load();
    return;
  }
  clearTimeout(later);
  later = setTimeout(move, 80);
}

async function move() {
  if (!drawn?.figure || host.hidden || !host.clientWidth) return;
  const P = await eagley.plotly(props.source);
  const own = eagley.themed(drawn.figure.layout.shapes ?? [], props.twins);
  P.relayout(host, { shapes: [...own, ...marks(drawn.figure)] });
}

function near() {
  isNear = true;
  if (drawn?.key === eagley.view?.key && drawn?.figure) eagley.plotly(props.source).then(paint);
  else follow();
}

watch('value', follow);
eagley.whenNear(frame, near);
eagley.follow(element, follow);
eagley.onTheme(element, () => drawn?.figure && eagley.plotly(props.source).then(paint));
