// Plotly charts: one copy of the library, the page's colours, files of what is drawn.
let library = null;

function loaded(source) {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = (window.gradio_config?.root ?? '') + source;
    script.onload = () => resolve(window.Plotly);
    script.onerror = () => {
      library = null; // so that it can be tried again
      reject(new Error('plotly.js could not be loaded'));
    };
    document.head.append(script);
  });
}

// An exported file brings its own copy, packed.
eagley.plotly = (source) => (library ??= eagley.source.plotly?.() ?? loaded(source));

function saver(P, format, title) {
  return {
    name: `save-${format}`,
    title,
    icon: format === 'png' ? P.Icons.camera : P.Icons.disk,
    click: (plot) => {
      const background = eagley.background();
      const layout = { ...plot.layout, paper_bgcolor: background, plot_bgcolor: background };
      const size = { width: plot.clientWidth, height: plot.clientHeight, scale: 2 };
      P.downloadImage({ data: plot.data, layout }, { format, filename: 'eagley', ...size });
    },
  };
}

// Made once for an element: a new function in it would make Plotly start over and lose the zoom.
// `titles`: what the buttons say, by the format that they save.
eagley.plotSettings = (P, titles) => ({
  displaylogo: false,
  showSendToCloud: false,
  responsive: false,
  modeBarButtonsToRemove: ['toImage', 'select2d', 'lasso2d', 'autoScale2d'],
  modeBarButtonsToAdd: Object.entries(titles).map(([format, title]) => saver(P, format, title)),
});

// Draws a figure into `host`; drawn again in the same place, it keeps its zoom.
eagley.drawPlot = (P, host, figure, { twins, settings, shapes = [] }) => {
  const { data, layout } = eagley.themed(figure, twins);
  host.style.minWidth = `${layout.meta?.min_width ?? 0}px`;
  host.setAttribute('aria-label', layout.meta?.alt ?? 'Chart');
  layout.shapes = [...(layout.shapes ?? []), ...shapes];
  // A finger that scrolls the page must not zoom the chart.
  if (matchMedia('(pointer: coarse)').matches) layout.dragmode = false;
  return P.react(host, data, layout, settings);
};

// Calls back when an element comes near the window, and again when its width changes there.
eagley.whenNear = (element, callback) => {
  let isNear = false;
  let width = 0;
  const look = () => {
    if (!isNear || !element.clientWidth || element.clientWidth === width) return;
    width = element.clientWidth;
    callback();
  };
  new IntersectionObserver(
    ([entry]) => {
      isNear = entry.isIntersecting;
      look();
    },
    { rootMargin: '200px' },
  ).observe(element);
  new ResizeObserver(look).observe(element);
};
