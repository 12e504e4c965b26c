const { make, shape } = eagley;
const say = eagley.sayer(props.words);
const frame = element.querySelector('.tree-frame');
const svg = element.querySelector('.tree-plot');
const zoom = eagley.zoom(svg);
const title = make('h3', 'tree-title');
const note = make('p', 'tree-note');
const state = make('div', 'tree-state');
const only = eagley.button('only', '', () => eagley.walk.differs());
let drawn = null; // {packet, width, scales, isDark, differs}

const method = () => eagley.view?.trees[props.side] ?? null;
const label = () => eagley.lane(method())?.label ?? '';
const file = () => `eagley-${method()}-step-${drawn?.packet.step}`;

const tools = make('div', 'tree-tools');
tools.append(
  only,
  eagley.button('minus', say('Zoom out'), () => zoom.by(1 / 1.4)),
  eagley.button('plus', say('Zoom in (or Ctrl and the wheel)'), () => zoom.by(1.4)),
  eagley.button('fit', say('Whole tree'), zoom.reset),
  eagley.button('image', say('Save as PNG'), () => drawn && eagley.saveImage(svg, file())),
  eagley.button('vector', say('Save as SVG'), () => drawn && eagley.saveVector(svg, file())),
);
const head = make('header', 'tree-head');
const words = make('div', 'tree-words');
words.append(title, note);
head.append(words, tools);
element.querySelector('.tree-box').prepend(head);
frame.append(state);

const pixels = (scales, [x, y]) => [scales.x(x), scales.y(y)];
const spot = (place) => pixels(drawn.scales, drawn.packet.spots[place + 1]);

// The badge of a node that was kept from a place of this run leads there.
function lead(badge) {
  const y = Number(badge.getAttribute('y'));
  const x = Number(badge.getAttribute('x'));
  const after = (place) => place[0] > x && Math.abs(place[1] - y) < 8;
  const places = drawn.packet.spots.map((_, i) => [...spot(i - 1), i - 1]);
  const [, , node] = places.filter(after).sort((a, b) => a[0] - b[0])[0] ?? [];
  const origin = drawn.packet.cards[node + 1]?.origin;
  if (!origin) return;
  badge.classList.add('origin');
  badge.dataset.node = node;
  badge.append(shape('title', {}, say('Kept from step {step}: go there', { step: origin.step })));
}

// What the other tree lacks has a dotted halo; what both have steps back.
function compare(parts, lone, colours) {
  for (const part of parts) {
    const node = part.classList.contains('badge') ? undefined : part.dataset.node;
    if (node === undefined) {
      if (part.classList.contains('edge')) part.setAttribute('opacity', 0.35);
    } else if (lone.has(Number(node))) {
      const halo = { r: 15, fill: 'none', stroke: colours.lone, 'stroke-width': 2 };
      part.prepend(shape('circle', { ...halo, 'stroke-dasharray': '1.5 3', 'stroke-linecap': 'round' }));
    } else {
      part.setAttribute('opacity', 0.3);
    }
  }
}

// Labels are cut here where they must be, so the columns may be narrower than in a plain figure.
const room = ({ meta }) => Math.max(frame.clientWidth, 0.68 * (meta?.min_width ?? 0));

function paint(packet) {
  const figure = eagley.themed(packet.figure, props.twins);
  const { layout } = figure;
  const width = room(layout);
  const scales = eagley.scales(layout, width);
  const { differs } = eagley.selection;
  const colours = eagley.themed(props.colours, props.twins);
  drawn = { packet, width, scales, differs, isDark: eagley.isDark() };
  const parts = eagley.drawn(figure, scales);
  if (differs) compare(parts, new Set(packet.only), colours);
  const ring = shape('circle', { class: 'ring', r: 13.5, fill: 'none', stroke: colours.ring, 'stroke-width': 2.5 });
  parts.filter((part) => part.classList.contains('badge')).forEach(lead);
  svg.replaceChildren(...parts, ring);
  svg.style.width = `${width}px`;
  svg.style.height = `${layout.height}px`;
  svg.setAttribute('aria-label', layout.meta?.alt ?? packet.title);
  zoom.fit(width, layout.height);
}

function isStale(packet) {
  if (drawn?.packet !== packet || drawn.isDark !== eagley.isDark()) return true;
  return drawn.differs !== eagley.selection.differs || drawn.width !== room(packet.figure.layout);
}

function ring(place) {
  const known = drawn.packet.spots[place.node + 1] ? place.node : drawn.packet.spots.length - 2;
  const [x, y] = spot(known);
  svg.querySelector('.ring').setAttribute('transform', `translate(${x} ${y})`);
  svg.classList.toggle('walked', eagley.walked()?.method === method());
  reveal(x);
}

// A tree that is wider than its frame is moved to where the selection is.
function reveal(x) {
  const { scrollLeft: left, clientWidth: width } = frame;
  if (x < left + 24 || x > left + width - 24) frame.scrollLeft = x - width / 2;
}

function show(packet, place) {
  if (isStale(packet)) paint(packet);
  ring(place);
  title.textContent = say('{lane}, step {step}', { lane: label(), step: packet.step });
  note.textContent = packet.note;
  svg.removeAttribute('hidden');
  state.replaceChildren();
  element.removeAttribute('aria-busy');
}

// Nothing to draw: the frame keeps its height, so that the page does not jump.
function blank(text, retry) {
  title.textContent = label();
  note.textContent = '';
  svg.setAttribute('hidden', '');
  drawn = null;
  element.removeAttribute('aria-busy');
  state.replaceChildren(eagley.notice(text, retry, say('Try again')));
}

function mark() {
  const { differs } = eagley.selection;
  const name = differs ? say('Show the whole tree (d)') : say('Show what only one tree has (d)');
  only.setAttribute('aria-pressed', differs);
  only.title = name;
  only.setAttribute('aria-label', name);
}

const isStill = ({ step }) => eagley.place(method())?.step === step;

async function fetched(place) {
  const calm = eagley.patiently(() => element.setAttribute('aria-busy', 'true'));
  try {
    await eagley.packet(method(), place.step);
    if (isStill(place)) draw();
  } catch (error) {
    console.warn(error);
    if (isStill(place)) blank(say('This step could not be loaded: {why}.', { why: error.message }), draw);
  } finally {
    calm();
  }
}

function draw() {
  mark();
  if (!eagley.view) return blank(say('Open a run to see its draft trees.'));
  if (!eagley.lane(method())) return blank(say('This lane was not run.'));
  const place = eagley.place(method());
  if (!place) return blank(say('This lane ended before the selected token.'));
  const packet = eagley.packetNow(method(), place.step);
  if (!packet) return fetched(place);
  if (frame.clientWidth) show(packet, place);
  return eagley.packet(method(), place.step); // also fetches what comes next
}

const nodeOf = (event) => event.target.closest?.('[data-node]');

function clicked(event) {
  const found = nodeOf(event);
  if (!found || !drawn) return;
  const [node, { packet }] = [Number(found.dataset.node), drawn];
  const { origin } = packet.cards[node + 1];
  if (found.classList.contains('origin')) eagley.visit(method(), origin);
  else eagley.pick({ method: method(), step: packet.step, depth: packet.spots[node + 1][0], node });
}

svg.addEventListener('click', clicked);
svg.addEventListener('pointerover', (event) => {
  const found = nodeOf(event);
  if (!found || !drawn || event.pointerType === 'touch') return eagley.unhint();
  const card = drawn.packet.cards[Number(found.dataset.node) + 1];
  return eagley.hint(card, found.getBoundingClientRect());
});
svg.addEventListener('pointerleave', eagley.unhint);
eagley.follow(element, draw);
eagley.onTheme(element, () => eagley.view && draw());
new ResizeObserver(() => eagley.view && draw()).observe(frame);
