const say = eagley.sayer(props.words);
const button = element.querySelector('.copylink');
const name = eagley.make('span', '', { role: 'status' }, say('Copy link'));
let calm = null;

button.append(eagley.icon('link'), name);
button.title = say('An address that opens exactly this view');
button.addEventListener('click', async () => {
  const address = eagley.view ? eagley.address() : location.href;
  try {
    await navigator.clipboard.writeText(address);
    name.textContent = say('Copied');
  } catch {
    prompt(say('The address of this view:'), address); // some frames have no clipboard
  }
  clearTimeout(calm);
  calm = setTimeout(() => (name.textContent = say('Copy link')), 1800);
});
