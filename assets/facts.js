const box = element.querySelector('.facts');

function part(tag, name, text) {
  const node = document.createElement(tag);
  node.className = name;
  node.textContent = text;
  return node;
}

function row([label, value, definition]) {
  const name = part('dt', '', label);
  const figure = part('dd', '', value);
  for (const node of definition ? [name, figure] : []) node.title = definition;
  name.classList.toggle('defined', Boolean(definition));
  return [name, figure];
}

function draw() {
  const { title = '', note = '', rows = [] } = props.value || {};
  const list = document.createElement('dl');
  list.append(...rows.flatMap(row));
  const parts = [title && part('div', 'title', title), note && part('p', 'note', note)];
  box.replaceChildren(...parts.filter(Boolean), ...(rows.length ? [list] : []));
}

watch('value', draw);
draw();
