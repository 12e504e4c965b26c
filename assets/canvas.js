// Moving about in a picture, and saving it.
const MOST = 6;

// Zoom of an SVG: buttons, wheel with Ctrl, drag, double click. It outlives what is drawn.
eagley.zoom = (svg) => {
  const view = { x: 0, y: 0, scale: 1, width: 1, height: 1 };
  let held = null;

  function show() {
    const [w, h] = [view.width / view.scale, view.height / view.scale];
    view.x = Math.max(0, Math.min(view.x, view.width - w));
    view.y = Math.max(0, Math.min(view.y, view.height - h));
    svg.setAttribute('viewBox', `${view.x} ${view.y} ${w} ${h}`);
    svg.classList.toggle('zoomed', view.scale > 1);
  }

  // Keeps the point at the shares (x, y) of the picture where it is.
  function by(factor, x = 0.5, y = 0.5) {
    const before = view.scale;
    view.scale = Math.max(1, Math.min(MOST, before * factor));
    view.x += x * view.width * (1 / before - 1 / view.scale);
    view.y += y * view.height * (1 / before - 1 / view.scale);
    show();
  }

  function share(event) {
    const box = svg.getBoundingClientRect();
    return [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
  }

  function fit(width = view.width, height = view.height) {
    Object.assign(view, { width, height });
    show();
  }

  svg.addEventListener('wheel', (event) => {
    if (!event.ctrlKey && view.scale === 1) return; // the page scrolls
    event.preventDefault();
    by(event.deltaY < 0 ? 1.2 : 1 / 1.2, ...share(event));
  }, { passive: false });
  svg.addEventListener('pointerdown', (event) => {
    if (view.scale > 1) held = { x: event.clientX, y: event.clientY };
  });
  svg.addEventListener('pointermove', (event) => {
    if (!held || !event.buttons) return;
    if (!svg.hasPointerCapture(event.pointerId)) svg.setPointerCapture(event.pointerId);
    view.x -= (event.clientX - held.x) / view.scale;
    view.y -= (event.clientY - held.y) / view.scale;
    held = { x: event.clientX, y: event.clientY };
    show();
  });
  svg.addEventListener('pointerup', () => (held = null));
  svg.addEventListener('dblclick', () => by(view.scale > 1 ? 0 : 2));
  return { by, fit, reset: () => by(0) };
};

function download(blob, name) {
  const link = eagley.make('a', '', { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// A picture that stands alone: its size, a background, and the page's font.
function alone(svg) {
  const copy = svg.cloneNode(true);
  const { width, height } = svg.viewBox.baseVal;
  const font = getComputedStyle(svg).fontFamily;
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  for (const [key, value] of Object.entries({ width, height, 'font-family': font })) {
    copy.setAttribute(key, value);
  }
  const { x, y } = svg.viewBox.baseVal;
  copy.prepend(eagley.shape('rect', { x, y, width, height, fill: eagley.background() }));
  const text = new XMLSerializer().serializeToString(copy);
  return { width, height, blob: new Blob([text], { type: 'image/svg+xml' }) };
}

eagley.saveVector = (svg, name) => download(alone(svg).blob, `${name}.svg`);

eagley.saveImage = async (svg, name) => {
  const { width, height, blob } = alone(svg);
  const image = new Image();
  image.src = URL.createObjectURL(blob);
  await image.decode();
  const canvas = eagley.make('canvas', '', { width: 2 * width, height: 2 * height });
  canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
  canvas.toBlob((png) => download(png, `${name}.png`));
};
