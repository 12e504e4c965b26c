const { make } = eagley;
const say = eagley.sayer(props.words);
const box = element.querySelector('.claims');
const charts = [];
let settings = null;

function part(tag, name, text, ...children) {
  const node = make(tag, name, {}, text);
  node.append(...children);
  return node;
}

function heading({ section, title, verdict, badge }) {
  const mark = part('span', `badge ${verdict}`, badge);
  return part('header', '', '', part('span', 'section', section), part('h3', '', title), mark);
}

// Label, figure, and the file that it comes from.
function finding([label, value, source]) {
  return [part('dt', '', label), part('dd', '', value, part('span', 'source', source))];
}

// Where all that was measured stands in the table, it alone tells it.
function measured({ findings, table }) {
  if (findings.length) {
    const list = part('dl', '', '', ...findings.flatMap(finding));
    return [labelled(say('Measured here'), list)];
  }
  const none = part('p', 'none', say('Nothing is shipped that measures this.'));
  return table ? [] : [labelled(say('Measured here'), none)];
}

function tableOf({ title, columns, rows, sources }) {
  const head = part('tr', '', '', ...columns.map((name) => part('th', '', name)));
  const body = rows.map((row) => part('tr', '', '', ...row.map((cell) => part('td', '', cell))));
  const grid = part('table', '', '', part('thead', '', '', head), part('tbody', '', '', ...body));
  const scroll = part('div', 'scroll', '', grid);
  scroll.tabIndex = 0;
  const summary = part('summary', '', title, part('span', 'source', sources.join(', ')));
  return part('details', 'twin', '', summary, scroll);
}

function how({ command, sources }) {
  const files = part('p', 'source', sources.map((name) => `assets/results/${name}`).join(', '));
  const summary = part('summary', '', say('How to measure it again'));
  return part('details', 'how', '', summary, files, part('code', '', command));
}

function labelled(name, inside) {
  return part('section', '', '', part('h4', '', name), inside);
}

function words(claim) {
  return part(
    'div',
    'words',
    '',
    labelled(say('The seed says'), part('p', 'seed', claim.seed)),
    ...measured(claim),
    labelled(say('Decided by'), part('p', 'rule', claim.rule)),
    ...(claim.note ? [part('p', 'note', claim.note)] : []),
  );
}

// Drawn when it comes near the window, and again when its width or the theme changes.
function chart(figure) {
  const host = make('div', 'plot', { role: 'group' });
  const frame = part('div', 'frame', '', host);
  const draw = async () => {
    const P = await eagley.plotly(props.source);
    settings ??= eagley.plotSettings(P, { png: say('Save as PNG'), svg: say('Save as SVG') });
    if (frame.clientWidth) eagley.drawPlot(P, host, figure, { twins: props.twins, settings });
  };
  charts.push(draw);
  eagley.whenNear(frame, draw);
  return frame;
}

function claimOf(claim) {
  const card = part('article', claim.figure ? 'claim drawn' : 'claim', '', heading(claim), words(claim));
  card.id = `claim-${claim.key}`;
  if (claim.figure) card.append(chart(claim.figure));
  if (claim.table) card.append(tableOf(claim.table));
  card.append(how(claim));
  return card;
}

const { title, notes, claims } = props.value;
const intro = notes.map((note) => part('p', 'intro', note));
box.append(...intro, part('p', 'tally', title), ...claims.map(claimOf));
eagley.onTheme(element, () => charts.forEach((draw) => draw()));
