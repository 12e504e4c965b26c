const box = element.querySelector('.tokens');
let key = null;
let spans = [];

// Line ends and lone blanks get a faint glyph; the text itself stays as it is.
function write(span, text) {
  for (const part of text.split(/(\n)/)) {
    if (part === '\n') span.append(glyph('↵'), '\n');
    else if (part) span.append(part);
  }
  if (/^ +$/.test(text)) span.append(glyph('␣'));
  if (text === '') span.append(glyph('∅'));
}

function glyph(mark) {
  const span = document.createElement('span');
  span.className = 'glyph';
  span.setAttribute('aria-hidden', 'true');
  span.textContent = mark;
  return span;
}

function token([text, source, step], index) {
  const span = document.createElement('span');
  span.className = `token ${source}`;
  span.dataset.position = index;
  span.title = `token ${index + 1}, step ${step}: ${props.names[source] ?? source}`;
  write(span, text);
  return span;
}

function draw() {
  const value = props.value || { key: '', tokens: [], empty: '' };
  if (value.key !== key || value.tokens.length < spans.length) {
    box.replaceChildren();
    spans = [];
    key = value.key;
  }
  const fresh = value.tokens.slice(spans.length).map((item, i) => token(item, spans.length + i));
  fresh.forEach((span, i) => {
    const index = spans.length + i;
    const before = value.tokens[index - 1];
    span.classList.toggle('first', !before || before[2] !== value.tokens[index][2]);
  });
  box.append(...fresh);
  spans = [...spans, ...fresh];
  if (!spans.length) box.textContent = value.empty;
  else if (fresh.length && box.dataset.live) box.scrollTop = box.scrollHeight;
  box.classList.toggle('vacant', !spans.length);
  select();
}

function select() {
  const { selected = null, span: [start, stop] = [] } = props.at ?? {};
  spans.forEach((span, index) => {
    span.classList.toggle('selected', index === selected);
    span.classList.toggle('together', index >= start && index < stop);
    if (index === selected) span.setAttribute('aria-current', 'true');
    else span.removeAttribute('aria-current');
  });
  const chosen = spans[selected];
  if (!chosen) return;
  // Scroll the box, never the page.
  const top = chosen.offsetTop - box.offsetTop;
  if (top < box.scrollTop || top > box.scrollTop + box.clientHeight - 24) {
    box.scrollTop = top - box.clientHeight / 2;
  }
}

box.addEventListener('click', (event) => {
  const span = event.target.closest('.token');
  if (span) trigger('pick', { position: Number(span.dataset.position) });
});
box.setAttribute('aria-label', props.label ?? 'Output tokens');
watch('value', draw);
watch('at', select);
draw();
