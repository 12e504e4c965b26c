const { make } = eagley;
const say = eagley.sayer(props.words);
const box = element.querySelector('.what-if');
const id = `rules-${Math.random().toString(36).slice(2)}`;
const label = make('label', 'what-if-label', {}, say('What if the rule had been'));
const field = make('input', 'what-if-rule', { list: id, placeholder: say('as recorded') });
const list = make('datalist', '', { id });
list.append(...props.rules.map((rule) => make('option', '', { value: rule })));
const clear = eagley.button('close', say('Back to the recorded rule'), () => ask(''));
label.append(field);
box.append(label, list, clear);

const ask = (rule) => eagley.move({ rule: rule.trim() || null });
field.addEventListener('change', () => ask(field.value));

eagley.follow(element, () => {
  const rule = eagley.selection.rule ?? '';
  if (document.activeElement !== field || field.value.trim() !== rule) field.value = rule;
  clear.hidden = !rule;
});
