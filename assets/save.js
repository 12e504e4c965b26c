const { make } = eagley;
const say = eagley.sayer(props.words);
const box = element.querySelector('.save');
const state = make('span', 'save-state', { role: 'status' });
const name = make('span', 'save-name', {}, say('Save as'));
box.append(name, ...Object.entries(props.kinds).map(option), state);
box.setAttribute('aria-label', say('Save as'));

function option([kind, label]) {
  const button = make('button', 'save-kind', { type: 'button', 'data-kind': kind }, label);
  button.addEventListener('click', () => save(kind, button));
  return button;
}

async function save(kind, button) {
  if (!eagley.view) return;
  button.disabled = true;
  const calm = eagley.patiently(() => (state.textContent = say('Making the file …')));
  try {
    const file = await server.save([eagley.view.key, kind]);
    if (file.error) throw new Error(file.error);
    await download(file);
    state.textContent = '';
  } catch (error) {
    state.textContent = error.message;
  } finally {
    calm();
    button.disabled = false;
  }
}

async function download({ name: file, type, data }) {
  const bytes = await fetch(`data:${type};base64,${data}`).then((answer) => answer.blob());
  const link = make('a', '', { href: URL.createObjectURL(bytes), download: file });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}
