// The address of a view, `?trace=…&position=…`; an exported file has it behind the `#`.
const NAMES = { trace: 'trace', position: 'position', method: 'lane', node: 'node', lock: 'lock' };
const MORE = { rule: 'rule', differs: 'differs' };
const ALL = { ...NAMES, ...MORE };
let wanted = null;
let writing = null;

// What an address asks for. `search` is the part behind `?` or `#`.
eagley.restore = (search) => {
  const found = new URLSearchParams(search.replace(/^[?#]/, ''));
  const entries = Object.entries(ALL).filter(([, name]) => found.has(name));
  wanted = Object.fromEntries(entries.map(([key, name]) => [key, read(key, found.get(name))]));
  return wanted;
};

function read(key, text) {
  if (key === 'position') return Number(text) - 1; // people count from 1
  if (key === 'node') return Number(text);
  return key === 'differs' ? text === '1' : text;
}

// What the address asked of this comparison, once.
eagley.asked = (key) => {
  const { trace, ...change } = wanted ?? {};
  if (trace !== undefined && trace !== key) return {};
  wanted = null;
  return change;
};

eagley.address = () => {
  const { position, method, node, lock, rule, differs } = eagley.selection;
  const { key, opening } = eagley.view;
  const url = new URL(location.href);
  const query = eagley.source.isFile ? new URLSearchParams() : url.searchParams;
  const texts = {
    trace: eagley.source.isFile ? null : key,
    position: position + 1,
    method: method === opening.method ? null : method,
    node,
    lock: lock === 'position' ? null : lock,
    rule,
    differs: differs ? 1 : null,
  };
  for (const [name, text] of Object.entries(texts)) {
    if (text === null) query.delete(ALL[name]);
    else query.set(ALL[name], text);
  }
  if (eagley.source.isFile) url.hash = query;
  return url.href;
};

// The browser's own address follows a little later: browsers refuse hundreds of changes.
function write() {
  clearTimeout(writing);
  writing = setTimeout(() => {
    try {
      history.replaceState(history.state, '', eagley.address());
    } catch {
      // Inside some frames an address cannot be changed; the copied link is the same.
    }
  }, 400);
}

const { move, open } = eagley;
eagley.move = (change) => {
  move(change);
  if (eagley.view) write();
};

// What a page opens with needs no address; what comes after it does.
eagley.open = (view) => {
  const before = eagley.view?.key;
  open(view);
  if (before && view && view.key !== before) write();
};

eagley.restore(location.hash.length > 1 ? location.hash : location.search);

addEventListener('hashchange', () => {
  eagley.restore(location.hash);
  if (eagley.view) move(eagley.asked(eagley.view.key));
});
