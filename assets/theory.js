const { make, formulas } = eagley;
const say = eagley.sayer(props.words);
const controls = element.querySelector('.controls');
const told = element.querySelector('.told');
const hosts = [...element.querySelectorAll('.plot')];
const { most, start, sliders, figures } = props.value;
const at = { ...start };
let settings = null;

// A slider with what it is and where it stands.
function control({ name, label, low, high, step }) {
  const input = make('input', 'range', { type: 'range', min: low, max: high, step, 'aria-label': label });
  const output = make('output');
  input.value = at[name];
  const show = () => {
    output.textContent = Number(at[name]).toFixed(step < 1 ? (step < 0.01 ? 3 : 2) : 0);
    input.setAttribute('aria-valuetext', output.textContent);
  };
  input.addEventListener('input', () => {
    at[name] = Number(input.value);
    show();
    later();
  });
  show();
  const row = make('label', 'control');
  row.append(make('span', '', {}, label), input, output);
  return row;
}

function curves() {
  const counts = Array.from({ length: most }, (_, index) => index + 1);
  const [trees, chains] = [formulas.bestTrees(at.alpha, most), formulas.chains(at.alpha, most)];
  const speed = (shapes) => counts.map((n) => formulas.shapeSpeedup(shapes[n], n, at));
  const seed = (beta) => counts.map((n) => formulas.seedChain(at.alpha, n, at, beta));
  const tokens = (shapes) => counts.map((n) => shapes[n].tokens);
  return [
    { tree: tokens(trees), chain: tokens(chains), seed: counts.map((n) => at.alpha * n) },
    { tree: speed(trees), chain: speed(chains), seed: seed(0), seed_eagley: seed(at.beta) },
  ];
}

const two = (value) => value.toFixed(2);

function tell([tokens, speeds]) {
  const index = at.nodes - 1;
  const best = Math.max(...speeds.tree);
  told.textContent = [
    say('{n} nodes: a chain commits {chain} tokens per step, the best tree {tree}.', {
      n: at.nodes, chain: two(tokens.chain[index]), tree: two(tokens.tree[index]),
    }),
    say('Speed-up: chain {chain}, tree {tree}; the seed says {seed}, with β {eagley}.', {
      chain: two(speeds.chain[index]), tree: two(speeds.tree[index]),
      seed: two(speeds.seed[index]), eagley: two(speeds.seed_eagley[index]),
    }),
    say('The cost model would take {best} nodes, for {speed}.', {
      best: speeds.tree.indexOf(best) + 1, speed: two(best),
    }),
  ].join(' ');
}

// The chosen number of nodes as a line.
function mark() {
  const line = { color: eagley.themed('#626b76', props.twins), width: 1, dash: 'dot' };
  return [{ type: 'line', x0: at.nodes, x1: at.nodes, y0: 0, y1: 1, yref: 'paper', line }];
}

function redrawn({ data, layout }, values) {
  const traces = data.map((trace) => {
    const y = values[trace.meta?.curve];
    return y ? { ...trace, y } : trace;
  });
  const { free } = layout.meta;
  if (!free) return { data: traces, layout };
  const kept = traces.filter((trace) => !free.includes(trace.meta?.curve)).flatMap(({ y }) => y);
  const yaxis = { ...layout.yaxis, range: [0, 1.3 * Math.max(...kept)] };
  return { data: traces, layout: { ...layout, yaxis } };
}

function draw() {
  const values = curves();
  tell(values);
  eagley.plotly(props.source).then((P) => {
    settings ??= eagley.plotSettings(P, { png: say('Save as PNG'), svg: say('Save as SVG') });
    hosts.forEach((host, index) => {
      const figure = redrawn(figures[index], values[index]);
      if (host.clientWidth) eagley.drawPlot(P, host, figure, { twins: props.twins, settings, shapes: mark() });
    });
  });
}

let frame = 0;
function later() {
  cancelAnimationFrame(frame);
  frame = requestAnimationFrame(draw);
}

function formula([name, text, note]) {
  const meaning = make('dd');
  meaning.append(make('code', '', {}, text), make('span', '', {}, note));
  return [make('dt', '', {}, name), meaning];
}

element.querySelector('.formulas').append(...props.value.formulas.flatMap(formula));
element.querySelector('.source').textContent = props.value.source;
controls.append(...sliders.map(control));
const again = make('button', 'again', { type: 'button' }, say('As measured'));
again.addEventListener('click', () => {
  Object.assign(at, start);
  controls.replaceChildren(...sliders.map(control), again);
  draw();
});
controls.append(again);
eagley.whenNear(element.querySelector('.plots'), draw);
eagley.onTheme(element, draw);
tell(curves());
