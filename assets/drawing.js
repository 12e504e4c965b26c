// Draws the lines, markers and texts of a tree's Plotly figure as SVG: a step takes milliseconds,
// nodes are elements of the page, and the picture can be saved as it is.
const { shape } = eagley;
const GLYPH = 6.7; // pixels per character of a label
const ROOM = 21; // pixels that a label keeps off its node

const POINTS = {
  square: [[-1, -1], [1, -1], [1, 1], [-1, 1]],
  diamond: [[0, -1.3], [1.3, 0], [0, 1.3], [-1.3, 0]],
  hexagon: [[-0.5, -0.87], [0.5, -0.87], [1, 0], [0.5, 0.87], [-0.5, 0.87], [-1, 0]],
};
const ENTITIES = { '&lt;': '<', '&gt;': '>', '&amp;': '&', '&quot;': '"', '&#x27;': "'" };

const plain = (text) => text.replace(/&(lt|gt|amp|quot|#x27);/g, (entity) => ENTITIES[entity]);
const nth = (value, index) => (Array.isArray(value) ? value[index] : value);
const dashes = (dash) => (dash ?? 'solid').replace('solid', 'none').replace('dash', '6 4')
  .replace('dot', '2 3').replaceAll('px', '').replaceAll(',', ' ');

// From data to pixels, for a picture of this width.
eagley.scales = ({ margin, height, xaxis, yaxis }, width) => {
  const [left, right] = xaxis.range;
  const [bottom, top] = yaxis.range;
  const [w, h] = [width - margin.l - margin.r, height - margin.t - margin.b];
  return {
    x: (x) => margin.l + ((x - left) / (right - left)) * w,
    y: (y) => height - margin.b - ((y - bottom) / (top - bottom)) * h,
    pitch: w / (right - left),
    width,
  };
};

function line({ x, y, line: style }, scales) {
  let d = '';
  x.forEach((value, i) => {
    if (value === null) return;
    const start = i === 0 || x[i - 1] === null;
    d += `${start ? 'M' : 'L'}${scales.x(value).toFixed(1)} ${scales.y(y[i]).toFixed(1)}`;
  });
  return shape('path', {
    class: 'edge',
    d,
    fill: 'none',
    stroke: style.color,
    'stroke-width': style.width,
    'stroke-dasharray': dashes(style.dash),
    'stroke-linejoin': 'round',
  });
}

function outline(symbol, radius) {
  const points = POINTS[symbol];
  if (!points) return shape('circle', { r: radius });
  return shape('polygon', { points: points.map(([x, y]) => `${x * radius},${y * radius}`).join(' ') });
}

function fill({ color, cmin, cmax, colorscale }, index) {
  const value = nth(color, index);
  if (typeof value === 'string') return value;
  return eagley.mixed(colorscale, Math.max(0, Math.min(1, (value - cmin) / (cmax - cmin))));
}

function node(trace, index, scales) {
  const { marker } = trace;
  const symbol = nth(marker.symbol, index) ?? 'circle';
  const place = `translate(${scales.x(trace.x[index])} ${scales.y(trace.y[index])})`;
  const group = shape('g', { class: 'node', transform: place, 'data-node': trace.customdata[index] });
  const mark = outline(symbol, nth(marker.size, index) / 2);
  mark.setAttribute('fill', fill(marker, index));
  mark.setAttribute('fill-opacity', nth(marker.opacity, index) ?? 1);
  mark.setAttribute('stroke', nth(marker.line?.color, index) ?? 'none');
  mark.setAttribute('stroke-width', nth(marker.line?.width, index) ?? 0);
  group.append(mark);
  if (symbol === 'circle-dot') group.append(shape('circle', { r: 2, fill: nth(marker.line.color, index) }));
  const letter = nth(trace.text, index);
  if (letter) group.append(text(letter, 0, 3.2, trace.textfont, index));
  return group;
}

function text(words, x, y, font, index) {
  return shape('text', {
    x,
    y,
    'text-anchor': 'middle',
    'font-size': font.size,
    fill: nth(font.color, index),
    ...(font.family && { 'font-family': font.family }),
  }, words);
}

const isLast = ({ x, y }, index) => !x.some((other, i) => y[i] === y[index] && other > x[index]);

// Beside a node that ends a lower row there is room; all others have their label above them. It is
// cut to the room that it has; the card has it in full.
function label(trace, index, scales) {
  const [x, y] = [scales.x(trace.x[index]), scales.y(trace.y[index])];
  const whole = plain(trace.text[index]);
  const beside = Math.floor((scales.width - x - ROOM) / GLYPH);
  const isBeside = trace.y[index] > 0 && isLast(trace, index) && beside >= Math.min(whole.length, 6);
  const shown = cut(whole, isBeside ? beside : Math.floor((scales.pitch - 6) / GLYPH));
  const [left, top] = isBeside ? [x + ROOM - 4, y + 4] : [x, y - ROOM / 2 - 4];
  const found = text(shown, left, top, trace.textfont, index);
  if (isBeside) found.setAttribute('text-anchor', 'start');
  found.setAttribute('class', 'label');
  return found;
}

const cut = (text, most) => (text.length > most ? `${text.slice(0, Math.max(2, most - 1))}…` : text);

// Over the line to a reused node: the row that it was kept from.
function badge(trace, index, scales) {
  const [x, y] = [scales.x(trace.x[index]), scales.y(trace.y[index])];
  const found = text(trace.text[index], x, y - 5, trace.textfont, index);
  found.setAttribute('class', 'badge');
  return found;
}

function grid({ xaxis, height, margin }, scales) {
  const bottom = height - margin.b;
  const font = { size: 10.5, color: xaxis.tickfont.color };
  return xaxis.tickvals.flatMap((value, i) => {
    const x = scales.x(value);
    const stroke = { stroke: xaxis.gridcolor, 'stroke-width': 1 };
    const rule = shape('line', { x1: x, x2: x, y1: margin.t, y2: bottom, ...stroke });
    return [rule, text(xaxis.ticktext[i], x, bottom + 16, font, 0)];
  });
}

// The parts of a figure, from back to front.
eagley.drawn = ({ data, layout }, scales) => {
  const at = (trace, part) => trace.x.map((_, index) => part(trace, index, scales));
  const lines = data.filter((trace) => trace.mode === 'lines');
  const nodes = data.filter((trace) => trace.customdata);
  const labels = data.filter((trace) => trace.meta?.labels);
  const badges = data.filter((trace) => trace.meta?.badges);
  return [
    ...grid(layout, scales),
    ...lines.map((trace) => line(trace, scales)),
    ...nodes.flatMap((trace) => at(trace, node)),
    ...labels.flatMap((trace) => at(trace, label)),
    ...badges.flatMap((trace) => at(trace, badge)),
  ];
};
