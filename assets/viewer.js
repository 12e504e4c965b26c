const say = eagley.sayer(props.words);
const frame = element.querySelector('.viewer-frame');
const host = element.querySelector('.viewer-plot');
let settings = null;
let isDrawn = false;

async function draw() {
  const figure = props.value;
  host.hidden = !figure;
  if (!figure || !frame.clientWidth) return;
  try {
    const P = await eagley.plotly(props.source);
    settings ??= eagley.plotSettings(P, { png: say('Save as PNG'), svg: say('Save as SVG') });
    const shapes = eagley.themed(props.marks ?? [], props.twins);
    const drawing = eagley.drawPlot(P, host, figure, { twins: props.twins, settings, shapes });
    if (!isDrawn) host.on('plotly_click', report);
    isDrawn = true;
    await drawing;
  } catch (error) {
    console.warn(error);
    host.replaceChildren(eagley.notice(say('This chart could not be drawn.'), draw, say('Try again')));
  }
}

function report({ points: [point] }) {
  const { x, y, customdata: custom = null } = point;
  trigger('pick', { x, y, custom, meta: point.data.meta ?? null });
}

let isNear = false;
eagley.whenNear(frame, () => {
  isNear = true;
  draw();
});
eagley.onTheme(element, () => isNear && draw());
watch(['value', 'marks'], () => isNear && draw());
