const { make } = eagley;
const box = element.querySelector('.facts');
let isOpen = !props.fold; // as the reader left it, through all updates

function folded(list) {
  if (!props.fold) return list;
  const fold = make('details', 'fold');
  fold.open = isOpen;
  fold.addEventListener('toggle', () => (isOpen = fold.open));
  fold.append(make('summary', '', {}, props.fold), list);
  return fold;
}

function draw() {
  const { title = '', note = '', rows = [] } = props.value || {};
  box.replaceChildren(
    ...(title ? [make('div', 'title', {}, title)] : []),
    ...(note ? [make('p', 'note', {}, note)] : []),
    ...(rows.length ? [folded(eagley.rows(rows))] : []),
  );
}

watch('value', draw);
draw();
