// Figures come in light colours; on a dark page each is swapped for its twin.
eagley.isDark = () => document.body.classList.contains('dark');

eagley.themed = (value, twins) => (eagley.isDark() ? swapped(value, twins) : structuredClone(value));

function swapped(value, twins) {
  if (typeof value === 'string') return twins[value.toLowerCase()] ?? value;
  if (Array.isArray(value)) return value.map((item) => swapped(item, twins));
  if (!value || typeof value !== 'object') return value;
  const entries = Object.entries(value).map(([name, inner]) => [name, swapped(inner, twins)]);
  return Object.fromEntries(entries);
}

eagley.background = () =>
  getComputedStyle(document.body).getPropertyValue('--body-background-fill').trim() || '#ffffff';

// Calls back when the page turns dark or light, while the element lives.
eagley.onTheme = (element, callback) => {
  const observer = new MutationObserver(() => {
    if (element.isConnected) callback();
    else observer.disconnect();
  });
  observer.observe(document.body, { attributeFilter: ['class'] });
};

// The colour at a share 0…1 of a scale of two colours.
eagley.mixed = ([[, low], [, high]], share) => {
  const at = (colour, i) => parseInt(colour.slice(1 + 2 * i, 3 + 2 * i), 16);
  const part = (i) => Math.round(at(low, i) + (at(high, i) - at(low, i)) * share);
  return `rgb(${[0, 1, 2].map(part)})`;
};
