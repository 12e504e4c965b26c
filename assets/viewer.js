const frame = element.querySelector('.viewer-frame');
const host = element.querySelector('.viewer-plot');

// One copy of plotly.js for all viewers of the page.
function library() {
  if (!window.eagleyPlotly) {
    window.eagleyPlotly = new Promise((resolve, reject) => {
      const script = document.createElement('script');
      script.src = (window.gradio_config?.root ?? '') + props.source;
      script.onload = () => resolve(window.Plotly);
      script.onerror = () => reject(new Error('plotly.js could not be loaded'));
      document.head.append(script);
    });
  }
  return window.eagleyPlotly;
}

const isDark = () => document.body.classList.contains('dark');
const style = (name, fallback) => getComputedStyle(element).getPropertyValue(name).trim() || fallback;

// A copy of the value with every colour swapped for its dark twin.
function themed(value) {
  if (!isDark()) return structuredClone(value);
  if (typeof value === 'string') return props.twins[value.toLowerCase()] ?? value;
  if (Array.isArray(value)) return value.map(themed);
  if (value && typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, themed(inner)]));
  }
  return value;
}

function saver(P, format) {
  return {
    name: `save-${format}`,
    title: `Save as ${format.toUpperCase()}`,
    icon: format === 'png' ? P.Icons.camera : P.Icons.disk,
    click: (plot) => {
      const background = style('--body-background-fill', isDark() ? '#14171b' : '#ffffff');
      const layout = { ...plot.layout, paper_bgcolor: background, plot_bgcolor: background };
      const size = { width: plot.clientWidth, height: plot.clientHeight, scale: 2 };
      P.downloadImage({ data: plot.data, layout }, { format, filename: 'eagley', ...size });
    },
  };
}

// Made once: a new function in it would make Plotly start over and forget the zoom.
let config = null;
function settings(P) {
  config ??= {
    displaylogo: false,
    showSendToCloud: false,
    responsive: false,
    modeBarButtonsToRemove: ['toImage', 'select2d', 'lasso2d', 'autoScale2d'],
    modeBarButtonsToAdd: [saver(P, 'png'), saver(P, 'svg')],
  };
  return config;
}

let drawn = null; // the value on screen
let isNear = false; // in sight, or soon

function draw(P) {
  const figure = props.value;
  host.hidden = !figure;
  if (!figure || !isNear || !frame.clientWidth) return;
  const { data, layout } = themed(figure);
  host.style.minWidth = `${layout.meta?.min_width ?? 0}px`;
  host.setAttribute('aria-label', layout.meta?.alt ?? 'Chart');
  layout.shapes = [...(layout.shapes ?? []), ...themed(props.marks ?? [])];
  // A finger that scrolls the page must not zoom the chart.
  if (matchMedia('(pointer: coarse)').matches) layout.dragmode = false;
  P.react(host, data, layout, settings(P));
  if (!drawn) host.on('plotly_click', report);
  drawn = figure;
}

function mark(P) {
  if (!isNear || !drawn) return;
  const own = themed(drawn.layout.shapes ?? []);
  P.relayout(host, { shapes: [...own, ...themed(props.marks ?? [])] });
}

function report(event) {
  const point = event.points[0];
  trigger('pick', {
    x: point.x,
    y: point.y,
    custom: point.customdata ?? null,
    meta: point.data.meta ?? null,
  });
}

function fail(error) {
  host.hidden = false;
  host.textContent = error.message;
}

// What is out of sight is drawn when it comes near.
function follow(P) {
  watch('value', () => draw(P));
  watch('marks', () => mark(P));
  new MutationObserver(() => draw(P)).observe(document.body, { attributeFilter: ['class'] });
  new IntersectionObserver(
    ([entry]) => {
      isNear = entry.isIntersecting;
      draw(P);
    },
    { rootMargin: '200px' },
  ).observe(frame);
  let width = frame.clientWidth;
  new ResizeObserver(() => {
    if (frame.clientWidth === width) return;
    width = frame.clientWidth;
    if (drawn && width && !host.hidden) P.Plots.resize(host);
    else draw(P);
  }).observe(frame);
}

library().then(follow).catch(fail);
