const box = element.querySelector('.meter');
const line = document.createElement('div');
const bar = document.createElement('progress');
bar.max = 1;
box.replaceChildren(line, bar);

function draw() {
  const { text = '', fraction = null, error = false } = props.value || {};
  line.textContent = text;
  box.classList.toggle('error', error);
  box.hidden = !text;
  bar.hidden = fraction === null;
  if (fraction !== null) bar.value = fraction;
}

watch('value', draw);
draw();
