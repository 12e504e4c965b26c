// The popover with a card's first facts, one for the whole page.
const ROWS = 9; // more would hide what is read
const GRACE = 150; // milliseconds: a text scrolls to the token that it shows
let box = null;
let shownAt = 0;

function placed() {
  box ??= eagley.make('div', 'eagley-hint', { role: 'tooltip', id: 'eagley-hint' });
  if (!box.isConnected) document.body.append(box);
  return box;
}

// Shows a card beside a rectangle of the window, on the side where there is room.
eagley.hint = ({ title, rows }, { left, top, bottom, width }) => {
  const hint = placed();
  hint.replaceChildren(eagley.make('div', 'title', {}, title), eagley.rows(rows.slice(0, ROWS)));
  hint.hidden = false;
  shownAt = performance.now();
  const size = hint.getBoundingClientRect();
  const x = Math.max(8, Math.min(left + width / 2 - size.width / 2, innerWidth - size.width - 8));
  const y = bottom + size.height + 16 > innerHeight ? top - size.height - 8 : bottom + 8;
  hint.style.transform = `translate(${Math.round(x)}px, ${Math.round(Math.max(8, y))}px)`;
};

eagley.unhint = () => {
  if (box) box.hidden = true;
};

document.addEventListener(
  'scroll',
  () => performance.now() - shownAt > GRACE && eagley.unhint(),
  { capture: true, passive: true },
);
document.addEventListener('keydown', (event) => event.key === 'Escape' && eagley.unhint());
