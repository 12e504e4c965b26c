// Keys of the whole page. They are left alone where somebody types or a widget has its own.
const OWN_KEYS =
  'input:not(.range, [type=checkbox]), textarea, select, [contenteditable], [role=listbox], [role=grid], ' +
  '[role=tab], [role=slider], [role=radio], dialog[open]';
const PRESSED = 'button, summary, a, [type=checkbox]'; // a space bar presses these

const { walk } = eagley;
const MOVES = {
  ArrowLeft: (event) => (event.shiftKey ? walk.token(-1) : walk.step(-1)),
  ArrowRight: (event) => (event.shiftKey ? walk.token(1) : walk.step(1)),
  ArrowUp: () => walk.node(-1),
  ArrowDown: () => walk.node(1),
  Home: () => walk.first(),
  End: () => walk.last(),
  ' ': () => walk.play(),
  n: () => walk.divergence(),
  l: () => walk.lock(),
  d: () => walk.differs(),
  '?': () => eagley.help?.(),
};

// Where no tree is in sight, the keys that scroll the page go on doing so.
function isTreeInSight() {
  return [...document.querySelectorAll('.tree-frame')].some((frame) => {
    const { top, bottom, width } = frame.getBoundingClientRect();
    return width && bottom > 80 && top < innerHeight - 80;
  });
}

function isOurs(event) {
  if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return false;
  if (!eagley.view || !(event.key in MOVES)) return false;
  if (event.target.closest?.(OWN_KEYS)) return false;
  if (event.key === ' ') return !event.target.closest?.(PRESSED);
  return !/^Arrow(Up|Down)$/.test(event.key) || isTreeInSight();
}

document.addEventListener('keydown', (event) => {
  if (!isOurs(event)) return;
  event.preventDefault();
  if (event.key !== ' ') walk.pause();
  MOVES[event.key](event);
});
