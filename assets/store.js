// The comparison on the page, and the one selection that moves every element.
const START = { position: 0, method: '', node: null, lock: 'position', rule: null, differs: false };
const followers = new Set();
let isTelling = false;

const eagley = { source: {}, view: null, selection: { ...START } };
window.eagley = eagley;

eagley.lane = (method) => eagley.view?.lanes.find((lane) => lane.method === method) ?? null;

// The lane whose steps the keys walk.
eagley.walked = () => eagley.lane(eagley.selection.method) ?? eagley.view?.lanes[0] ?? null;

// The step of a lane that emitted its output token at `position`.
eagley.stepAt = ({ starts }, position) => {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (starts[middle] <= position) low = middle;
    else high = middle - 1;
  }
  return low;
};

// Output positions first..stop-1 came from this step.
eagley.span = ({ starts, length }, step) => [starts[step], starts[step + 1] ?? length];

function standing(lane, position) {
  if (!(position < lane.length)) return null;
  return { step: eagley.stepAt(lane, position), node: lane.nodes[position], position };
}

function atStep(lane, step, offset) {
  if (!(step >= 0 && step < lane.starts.length)) return null;
  const [first, stop] = eagley.span(lane, step);
  return standing(lane, Math.max(first, Math.min(first + offset, stop - 1)));
}

// The step that was under way at a time; -1 when the lane had ended by then.
const underWay = ({ ends }, seconds) => ends.findIndex((end) => end >= seconds);

function locked(lane, walked) {
  const { position, lock } = eagley.selection;
  const here = standing(walked, position);
  if (lane === walked || lock === 'position' || !here) return standing(lane, position);
  if (lock === 'clock') return atStep(lane, underWay(lane, walked.ends[here.step]), 0);
  return atStep(lane, here.step, position - walked.starts[here.step]);
}

// {step, node, position} that the selection points at in a lane; null past its end.
eagley.place = (method) => {
  const [lane, walked] = [eagley.lane(method), eagley.walked()];
  const found = lane && locked(lane, walked);
  const { node } = eagley.selection;
  return found && lane === walked && node !== null ? { ...found, node } : found;
};

const hasTrees = () => eagley.view.lanes.some((lane) => lane.tree);

// Keys keep walking a lane that has trees when a token of another is picked.
function walkable(method) {
  const isWalkable = (lane) => lane && (lane.tree || !hasTrees());
  const found = [method, eagley.selection.method].find((name) => isWalkable(eagley.lane(name)));
  return found ?? eagley.view.opening.method;
}

function clamped({ position, method, node, lock, rule, differs }) {
  const last = Math.max((eagley.view?.length ?? 1) - 1, 0);
  return {
    position: Math.max(0, Math.min(Math.trunc(position) || 0, last)),
    method: eagley.view ? walkable(method) : method,
    node: Number.isInteger(node) && node >= -1 ? node : null,
    lock: ['position', 'step', 'clock'].includes(lock) ? lock : 'position',
    rule: (eagley.source.judge && rule) || null, // an exported file has no rules to ask
    differs: Boolean(differs),
  };
}

// Merges a change into the selection. Another token or lane forgets the node picked by hand.
eagley.move = (change) => {
  const isElsewhere = 'position' in change || 'method' in change;
  eagley.selection = clamped({ ...eagley.selection, ...(isElsewhere && { node: null }), ...change });
  tell();
};

// A step was picked somewhere, perhaps at one depth or node of its tree.
eagley.pick = ({ method, step, depth = 1, node = null }) => {
  const lane = eagley.lane(method);
  if (!lane) return;
  const [first, stop] = eagley.span(lane, Math.max(0, Math.min(step, lane.starts.length - 1)));
  const last = Math.max(stop, first + 1) - 1;
  const position = Math.min(first + Math.max(depth ?? 1, 1) - 1, last, lane.length - 1);
  eagley.move({ method, position, node });
};

const run = (view) => view?.key.split('~')[0]; // its key without the choice of lanes

// A comparison came onto the page. The same one again changes nothing; other lanes of it keep the
// token.
eagley.open = (view) => {
  const isSame = view?.key === eagley.view?.key;
  const isSameRun = run(view) === run(eagley.view);
  eagley.view = view;
  if (view && !isSame) {
    const { lock, differs } = eagley.selection;
    const kept = isSameRun ? eagley.selection : { ...START, lock, differs, ...view.opening };
    eagley.selection = clamped({ ...kept, node: null, ...eagley.asked(view.key) });
  }
  tell();
};

// Calls back when a comparison is opened and on each move, once per frame, while the element lives.
eagley.follow = (element, callback) => {
  const follower = { element, callback, wasShown: element.isConnected };
  followers.add(follower);
  if (eagley.view) callback();
};

function tell() {
  if (isTelling) return;
  isTelling = true;
  requestAnimationFrame(() => {
    isTelling = false;
    followers.forEach(inform);
  });
}

function inform(follower) {
  const { element, callback } = follower;
  if (!element.isConnected && follower.wasShown) return followers.delete(follower);
  follower.wasShown ||= element.isConnected;
  try {
    return callback();
  } catch (error) {
    return console.error(error); // one element's fault must not stop the others
  }
}
