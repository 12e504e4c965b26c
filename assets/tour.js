const { make } = eagley;
const say = eagley.sayer(props.words);
const start = element.querySelector('.start');
const halo = element.querySelector('.halo');
const card = element.querySelector('.guide');
let at = null; // which station; null while the tour is not under way
let key = null; // of the comparison that is toured

const stations = () => eagley.view?.tour ?? [];
const shown = () => {
  const found = [...document.querySelectorAll(stations()[at]?.show || 'nothing')];
  return found.find((node) => node.getClientRects().length) ?? null;
};

// The ring keeps to what it is around, however the page scrolls or grows.
function keep() {
  if (at === null) return;
  const box = shown()?.getBoundingClientRect();
  halo.hidden = !box;
  if (box) {
    const room = 6;
    const [width, height] = [box.width + 2 * room, box.height + 2 * room];
    halo.style.transform = `translate(${box.left - room}px, ${box.top - room}px)`;
    halo.style.width = `${width}px`;
    halo.style.height = `${height}px`;
  }
  requestAnimationFrame(keep);
}

// Scrolls what is pointed at between the bar that stays at the top and the card at the bottom.
function reveal() {
  const box = shown()?.getBoundingClientRect();
  if (!box) return;
  const bar = document.getElementById('navigator')?.offsetHeight ?? 0;
  const [top, bottom] = [bar + 20, innerHeight - card.offsetHeight - 40];
  const isTall = box.height > bottom - top;
  if (!isTall && box.top >= top && box.bottom <= bottom) return;
  const by = isTall ? box.top - top : (box.top + box.bottom - top - bottom) / 2;
  const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
  window.scrollBy({ top: by, behavior: calm ? 'auto' : 'smooth' });
}

function button(name, text, action) {
  const made = make('button', name, { type: 'button' }, text);
  made.addEventListener('click', action);
  return made;
}

function draw() {
  const found = stations();
  const { title, text } = found[at];
  const count = make('span', 'count', {}, say('{n} of {all}', { n: at + 1, all: found.length }));
  const head = make('header');
  head.append(make('h2', '', {}, title), count, eagley.button('close', say('Leave the tour (Esc)'), leave));
  const foot = make('footer');
  const isLast = at === found.length - 1;
  const back = button('back', say('Back'), () => go(at - 1));
  back.disabled = at === 0;
  foot.append(back, button('next', isLast ? say('Done') : say('Next'), () => (isLast ? leave() : go(at + 1))));
  card.setAttribute('aria-label', title);
  card.replaceChildren(head, make('p', '', {}, text), foot);
  foot.querySelector('.next').focus({ preventScroll: true });
}

function go(station) {
  const found = stations();
  if (!found.length) return;
  at = Math.max(0, Math.min(station, found.length - 1));
  eagley.walk.pause();
  eagley.pick(found[at].at);
  draw();
  const { method, step } = found[at].at;
  const settle = () => setTimeout(reveal, 150); // when tree and text have followed the selection
  eagley.packet(method, step).then(settle, settle);
}

function begin() {
  key = eagley.view.key;
  card.hidden = false;
  at = 0;
  keep();
  go(0);
}

function leave() {
  at = null;
  card.hidden = true;
  halo.hidden = true;
  start.focus({ preventScroll: true });
}

// The tour has the arrow keys while it is under way, before the page's own.
function pressed(event) {
  if (at === null || !element.isConnected || event.altKey || event.ctrlKey || event.metaKey) return;
  const action = { Escape: leave, ArrowRight: () => go(at + 1), ArrowLeft: () => go(at - 1) }[event.key];
  if (!action || event.target.closest?.('dialog[open], input, textarea, select')) return;
  event.preventDefault();
  event.stopPropagation();
  action();
}

function follow() {
  start.hidden = !stations().length;
  if (at !== null && eagley.view?.key !== key) leave();
}

start.textContent = say('Take the tour');
start.addEventListener('click', begin);
document.addEventListener('keydown', pressed, true);
eagley.follow(element, follow);
