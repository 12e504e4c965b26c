const { make } = eagley;
const say = eagley.sayer(props.words);
const dialog = element.querySelector('.help');

const KEYS = [
  [['←', '→'], say('Step back and on in the walked lane')],
  [['Shift', '←', '→'], say('Token back and on')],
  [['↑', '↓'], say('Node above and below, while a tree is in sight')],
  [['Home', 'End'], say('First and last token')],
  [['Space'], say('Play and pause')],
  [['n'], say('Next place where the two trees differ')],
  [['l'], say('What the lanes have in common: token, step or clock')],
  [['d'], say('Only what one of the two trees has')],
  [['Esc'], say('Close what lies over the page')],
  [['?'], say('This list')],
];

function row([keys, meaning]) {
  const name = make('dt');
  name.append(...keys.map((key) => make('kbd', '', {}, key)));
  return [name, make('dd', '', {}, meaning)];
}

const list = make('dl', 'help-keys');
list.append(...KEYS.flatMap(row));
const close = eagley.button('close', say('Close'), () => dialog.close());
const head = make('header', 'help-head');
head.append(make('h2', '', {}, say('Keys')), close);
dialog.append(head, list, make('p', 'help-note', {}, say('Everything can be clicked too: tokens, nodes, steps and the cells of the charts.')));
dialog.setAttribute('aria-label', say('Keys'));
dialog.addEventListener('click', (event) => event.target === dialog && dialog.close());
eagley.help = () => (dialog.open ? dialog.close() : dialog.showModal());
