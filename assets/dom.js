// Small pieces of page. Text goes in as text only, never as markup.
const SPACE = 'http://www.w3.org/2000/svg';
const ICONS = {
  home: 'M6 5v14M19 5l-9 7 9 7z',
  back: 'M15 5l-8 7 8 7',
  play: 'M7 4l12 8-12 8z',
  pause: 'M8 5v14M16 5v14',
  next: 'M9 5l8 7-8 7',
  end: 'M18 5v14M5 5l9 7-9 7z',
  fork: 'M4 12h6l8-7M10 12l8 7M14 5h4v4M14 19h4v-4',
  help: 'M9 9a3 3 0 1 1 4.2 2.8c-.9.4-1.2 1-1.2 2.2M12 17.6v.4',
  link: 'M10 14l4-4M8.5 11.5l-2 2a3.5 3.5 0 0 0 5 5l2-2M15.500 12.5l2-2a3.500 3.5 0 0 0-5-5l-2 2',
  larger: 'M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5',
  smaller: 'M9 4v5H4M15 4v5h5M9 20v-5H4M15 20v-5h5',
  plus: 'M12 5v14M5 12h14',
  minus: 'M5 12h14',
  fit: 'M5 9V5h4M19 9V5h-4M5 15v4h4M19 15v4h-4M9 12h6',
  only: 'M9 5a7 7 0 1 0 0 14M15 5a7 7 0 1 1 0 14M12 4v16',
  image: 'M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M8.500 8.500v.01',
  vector: 'M5 19L19 5M4 18h3v3H4zM17 3h3v3h-3z',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  close: 'M6 6l12 12M18 6L6 18',
  sun: 'M12 8a4 4 0 1 0 0 8a4 4 0 1 0 0-8M12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.5 1.5M17.5 17.5L19 19M5 19l1.5-1.5M17.5 6.5L19 5',
  moon: 'M19 14.5A7.500 7.500 0 0 1 9.500 5a7.500 7.500 0 1 0 9.500 9.500z',
};

function dress(node, name, attributes, text) {
  if (name) node.setAttribute('class', name);
  for (const [key, value] of Object.entries(attributes ?? {})) node.setAttribute(key, value);
  if (text !== undefined) node.textContent = text;
  return node;
}

eagley.make = (tag, name, attributes, text) =>
  dress(document.createElement(tag), name, attributes, text);

eagley.shape = (tag, attributes, text) =>
  dress(document.createElementNS(SPACE, tag), '', attributes, text);

eagley.icon = (name) => {
  const svg = eagley.shape('svg', { viewBox: '0 0 24 24', 'aria-hidden': 'true', class: 'icon' });
  svg.append(eagley.shape('path', { d: ICONS[name] }));
  return svg;
};

// A button that shows an icon and says its title to who cannot see it.
eagley.button = (icon, title, action) => {
  const button = eagley.make('button', `key ${icon}`, { type: 'button', title, 'aria-label': title });
  button.append(eagley.icon(icon));
  button.addEventListener('click', action);
  return button;
};

// Label and value pairs as a description list; a third part is the label's definition, which a
// pointer over the label shows, and a press on it unfolds.
eagley.rows = (rows) => {
  const list = eagley.make('dl', 'rows');
  for (const [label, value, definition] of rows) {
    const term = eagley.make('dt', '', {}, definition ? undefined : label);
    list.append(term, eagley.make('dd', '', {}, value));
    if (definition) list.append(unfolding(term, label, definition));
  }
  return list;
};

function unfolding(term, label, definition) {
  const text = eagley.make('dd', 'definition', { hidden: '' }, definition);
  const state = { type: 'button', title: definition, 'aria-expanded': 'false' };
  const button = eagley.make('button', 'defined', state, label);
  button.addEventListener('click', () => {
    text.hidden = !text.hidden;
    button.setAttribute('aria-expanded', String(!text.hidden));
  });
  term.append(button);
  return text;
}

// Sentences in the page's language, with their placeholders filled.
eagley.sayer = (words) => (sentence, values = {}) =>
  (words?.[sentence] ?? sentence).replace(/\{(\w+)\}/g, (all, name) => values[name] ?? all);

// Waits that last longer than a blink are shown, so that quick ones do not flicker.
eagley.patiently = (show) => {
  const timer = setTimeout(show, 150);
  return () => clearTimeout(timer);
};

// A line that says why there is nothing to see, with a button where trying again can help.
eagley.notice = (text, retry, label) => {
  const notice = eagley.make('p', retry ? 'notice failed' : 'notice', { role: 'status' }, text);
  if (retry) {
    const again = eagley.make('button', 'again', { type: 'button' }, label);
    again.addEventListener('click', retry);
    notice.append(' ', again);
  }
  return notice;
};
