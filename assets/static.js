// An exported file: gives each element's script what the app gives it, with the data of the file.
const STEPS = 16; // per block; what the store asks for never crosses two

async function unpacked(id) {
  const block = document.getElementById(id);
  if (!block) throw new Error(`the file has no ${id}`);
  const bytes = Uint8Array.from(atob(block.textContent.trim()), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).text();
}

const json = async (id) => JSON.parse(await unpacked(id));

async function plotly() {
  const script = document.createElement('script');
  script.textContent = await unpacked('plotly');
  document.head.append(script);
  return window.Plotly;
}

eagley.source = {
  isFile: true,
  packets: (key, method, first) => json(`packets-${method}-${Math.floor(first / STEPS)}`),
  chart: (key, name) => json(`chart-${name}`),
  plotly,
};

function mount(place, { script, template, props }) {
  place.innerHTML = template; // a constant of the element's class
  window.eagleyElements[script](place, props, () => {}, () => {}, {});
}

function turn(isDark) {
  document.body.classList.toggle('dark', isDark);
  button.replaceChildren(eagley.icon(isDark ? 'sun' : 'moon'));
}

const button = document.getElementById('theme');
const asked = new URLSearchParams(location.search).get('__theme');
turn(asked ? asked === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches);
button.addEventListener('click', () => turn(!eagley.isDark()));

// Tabs: arrow keys move between them, as in every list of tabs.
const tabs = [...document.querySelectorAll('[role=tab]')];

function choose(tab) {
  for (const other of tabs) {
    const isChosen = other === tab;
    other.setAttribute('aria-selected', isChosen);
    other.tabIndex = isChosen ? 0 : -1;
    document.getElementById(other.getAttribute('aria-controls')).hidden = !isChosen;
  }
}

tabs.forEach((tab, index) => {
  tab.addEventListener('click', () => choose(tab));
  tab.addEventListener('keydown', ({ key }) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[key];
    if (!by) return;
    const next = tabs[(index + by + tabs.length) % tabs.length];
    next.focus();
    choose(next);
  });
});
if (tabs.length) choose(tabs[0]);

json('elements')
  .then((elements) => {
    document.querySelectorAll('[data-element]').forEach((place) => {
      mount(place, elements[Number(place.dataset.element)]);
    });
  })
  .catch((error) => {
    console.warn(error);
    document.body.prepend(eagley.notice(document.querySelector('noscript').textContent));
  });
