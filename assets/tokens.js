const { make } = eagley;
const say = eagley.sayer(props.words);
const box = element.querySelector('.tokens');
let key = null;
let spans = [];
let marked = { selected: null, first: 0, stop: 0 };

// Line ends and lone blanks get a faint glyph; the text itself stays as it is.
function write(span, text) {
  for (const part of text.split(/(\n)/)) {
    if (part === '\n') span.append(glyph('↵'), '\n');
    else if (part) span.append(part);
  }
  if (/^ +$/.test(text)) span.append(glyph('␣'));
  if (text === '') span.append(glyph('∅'));
}

const glyph = (mark) => make('span', 'glyph', { 'aria-hidden': 'true' }, mark);

function token([text, source, step], index, before) {
  const isFirst = !before || before[2] !== step;
  const span = make('span', `token ${source}${isFirst ? ' first' : ''}`);
  span.dataset.position = index;
  write(span, text);
  return span;
}

const value = () => props.value || { key: '', tokens: [], empty: '' };
const isLive = () => value().key.startsWith('live ');
const lane = () => (isLive() ? null : eagley.lane(props.method));

function draw() {
  const { key: now, tokens, empty } = value();
  if (now !== key || tokens.length < spans.length) {
    box.replaceChildren();
    [key, spans, marked] = [now, [], { selected: null, first: 0, stop: 0 }];
  }
  const done = spans.length;
  const fresh = tokens.slice(done).map((item, i) => token(item, done + i, tokens[done + i - 1]));
  box.append(...fresh);
  spans.push(...fresh);
  if (!spans.length) box.textContent = empty;
  else if (fresh.length && isLive()) box.scrollTop = box.scrollHeight;
  box.classList.toggle('vacant', !spans.length);
  select();
}

// Changes the classes of what was and of what is selected, and of nothing else.
function select() {
  const here = lane() && eagley.place(props.method);
  const [first, stop] = here ? eagley.span(lane(), here.step) : [0, 0];
  const position = here?.position ?? null;
  toggle(marked, false);
  marked = { selected: position, first, stop };
  toggle(marked, true);
  if (position !== null) reveal(spans[position]);
  if (box.matches(':focus-visible')) hint(spans[position]);
}

function toggle({ selected, first, stop }, isOn) {
  spans.slice(first, stop).forEach((span) => span.classList.toggle('together', isOn));
  const span = spans[selected];
  if (!span) return;
  span.classList.toggle('selected', isOn);
  if (isOn) span.setAttribute('aria-current', 'true');
  else span.removeAttribute('aria-current');
}

// Scrolls the box, never the page.
function reveal(span) {
  if (!span) return;
  const top = span.offsetTop - box.offsetTop;
  if (top >= box.scrollTop && top <= box.scrollTop + box.clientHeight - 24) return;
  box.scrollTop = top - box.clientHeight / 2;
}

let hinted = null;

// What the target thought there, from the card of the node that became the token.
async function hint(span) {
  hinted = span ?? null;
  if (!span || !lane()) return eagley.unhint();
  const position = Number(span.dataset.position);
  const step = eagley.stepAt(lane(), position);
  const node = lane().nodes[position];
  try {
    const packet = await eagley.packet(props.method, step);
    const card = packet.cards[node + 1];
    if (card && hinted === span && span.isConnected) eagley.hint(card, span.getClientRects()[0]);
  } catch {
    eagley.unhint();
  }
  return undefined;
}

const spanOf = (event) => event.target.closest?.('.token');

box.addEventListener('click', (event) => {
  const span = spanOf(event);
  if (!span || !lane()) return;
  eagley.walk.pause();
  eagley.move({ method: props.method, position: Number(span.dataset.position) });
});
box.addEventListener('pointerover', (event) => {
  if (event.pointerType !== 'touch') hint(spanOf(event));
});
for (const event of ['pointerleave', 'blur']) box.addEventListener(event, () => hint(null));
box.addEventListener('focus', () => box.matches(':focus-visible') && hint(spans[marked.selected]));
box.setAttribute('aria-label', props.label ?? say('Output tokens'));
watch('value', draw);
draw();
eagley.follow(element, select);
