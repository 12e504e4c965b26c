const { make } = eagley;
const say = eagley.sayer(props.words);
const fold = element.querySelector('.table-fold');
const NOTHING = { columns: [], rows: [] };
const MANY = 300; // rows that are drawn at first
const summary = make('summary', '', {}, props.label ?? say('As a table'));
const copy = make('button', 'copy', { type: 'button' }, say('Copy as CSV'));
const tools = make('div', 'table-tools');
const count = make('span', 'count');
const box = make('div', 'table-box', { tabindex: 0, role: 'region' });
let shown = null; // {columns, rows}
let order = { column: null, isDown: false };
let isWhole = false;

tools.append(count, copy);
fold.append(summary, tools, box);

// What the table shows: its value, a lane's step, or a chart of the open comparison.
async function asked() {
  if (props.value?.columns) return props.value;
  if (props.chart) return (await eagley.chart(props.chart)).table;
  const method = eagley.view.trees[props.side];
  const place = eagley.place(method);
  return place ? (await eagley.packet(method, place.step)).table : NOTHING;
}

const isNumber = (cell) => typeof cell === 'number';

function compared(a, b) {
  if (a === b) return 0;
  if (a === null || a === '') return 1; // what is missing comes last
  if (b === null || b === '') return -1;
  return isNumber(a) && isNumber(b) ? a - b : String(a).localeCompare(String(b), undefined, { numeric: true });
}

function sorted() {
  const { column, isDown } = order;
  if (column === null) return shown.rows;
  const rows = shown.rows.toSorted((a, b) => compared(a[column], b[column]));
  return isDown ? rows.reverse() : rows;
}

function header(name, index) {
  const cell = make('th', '', { scope: 'col' });
  const button = make('button', 'sort', { type: 'button' }, name);
  const isOurs = order.column === index;
  cell.setAttribute('aria-sort', isOurs ? (order.isDown ? 'descending' : 'ascending') : 'none');
  button.addEventListener('click', () => {
    order = { column: index, isDown: isOurs && !order.isDown };
    draw();
  });
  cell.append(button);
  return cell;
}

const cell = (value) => make('td', isNumber(value) ? 'number' : '', {}, value ?? '');

function line(cells) {
  const row = make('tr');
  row.append(...cells);
  return row;
}

function draw() {
  const rows = sorted();
  const table = make('table');
  const [head, body] = [make('thead'), make('tbody')];
  head.append(line(shown.columns.map(header)));
  body.append(...rows.slice(0, isWhole ? undefined : MANY).map((row) => line(row.map(cell))));
  table.append(head, body);
  box.replaceChildren(rows.length ? table : eagley.notice(say('No rows.')), ...rest(rows.length));
  box.setAttribute('aria-label', summary.textContent);
  count.textContent = say('{count} rows', { count: rows.length });
}

function rest(length) {
  if (isWhole || length <= MANY) return [];
  const more = make('button', 'more', { type: 'button' }, say('Show all {count} rows', { count: length }));
  more.addEventListener('click', () => {
    isWhole = true;
    draw();
  });
  return [more];
}

async function update() {
  if (!fold.open || (!eagley.view && !props.value?.columns)) return;
  try {
    const found = await asked();
    if (found === shown) return;
    if (String(found.columns) !== String(shown?.columns)) order = { column: null, isDown: false };
    [shown, isWhole] = [found, false];
    draw();
  } catch (error) {
    console.warn(error);
    box.replaceChildren(eagley.notice(say('This table could not be loaded.'), update, say('Try again')));
  }
}

// A spreadsheet would run text that begins like a formula.
function quoted(value) {
  if (isNumber(value)) return value;
  const text = String(value ?? '').replace(/^([=+\-@\t\r])/, "'$1");
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

copy.addEventListener('click', async () => {
  if (!shown) return;
  const text = [shown.columns, ...sorted()].map((row) => row.map(quoted).join(',')).join('\n');
  let isDone = true;
  await navigator.clipboard.writeText(text).catch(() => (isDone = false));
  copy.textContent = isDone ? say('Copied') : say('The browser does not allow copying');
  setTimeout(() => (copy.textContent = say('Copy as CSV')), 1800);
});

fold.addEventListener('toggle', update);
watch('value', update);
eagley.follow(element, update);
if (props.open) fold.open = true;
