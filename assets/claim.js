const box = element.querySelector('.claim');
const say = eagley.sayer(props.words);

function part(tag, name, text, ...children) {
  const node = document.createElement(tag);
  if (name) node.className = name;
  if (text) node.textContent = text;
  node.append(...children);
  return node;
}

function heading({ section, title, verdict, badge }) {
  const name = part('h3', '', title);
  const mark = part('span', `badge ${verdict}`, badge);
  return part('header', '', '', part('span', 'section', section), name, mark);
}

// Label, figure, and the file that it comes from.
function finding([label, value, source]) {
  const figure = part('dd', '', value, part('span', 'source', source));
  return [part('dt', '', label), figure];
}

function measured({ findings, table }) {
  if (findings.length) return part('dl', '', '', ...findings.flatMap(finding));
  const empty = table ? [] : [part('p', 'none', say('Nothing is shipped that measures this.'))];
  return part('div', '', '', ...empty);
}

function tableOf({ title, columns, rows }, sources) {
  const head = part('tr', '', '', ...columns.map((name) => part('th', '', name)));
  const body = rows.map((row) => part('tr', '', '', ...row.map((cell) => part('td', '', cell))));
  const grid = part('table', '', '', part('thead', '', '', head), part('tbody', '', '', ...body));
  const scroll = part('div', 'scroll', '', grid);
  scroll.tabIndex = 0;
  const named = part('span', 'source', sources.join(', '));
  return part('details', 'twin', '', part('summary', '', title, named), scroll);
}

function how({ command, sources }) {
  const files = part('p', 'source', sources.map((name) => `assets/results/${name}`).join(', '));
  const summary = part('summary', '', say('How to measure it again'));
  return part('details', 'how', '', summary, files, part('code', '', command));
}

function draw() {
  const claim = props.value;
  if (!claim) return;
  box.id = `claim-${claim.key}`;
  const labelled = (name, ...inside) => part('section', '', '', part('h4', '', name), ...inside);
  box.replaceChildren(
    heading(claim),
    labelled(say('The seed says'), part('p', 'seed', claim.seed)),
    labelled(say('Measured here'), measured(claim)),
    labelled(say('Decided by'), part('p', 'rule', claim.rule)),
    ...(claim.note ? [part('p', 'note', claim.note)] : []),
    ...(claim.table ? [tableOf(claim.table, claim.sources)] : []),
    how(claim),
  );
}

watch('value', draw);
draw();
