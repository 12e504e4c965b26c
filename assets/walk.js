// Moves by step, token and node, for keys and buttons alike.
const PACE = 900; // milliseconds per step while playing
let playing = null;

const walk = {};
eagley.walk = walk;

const here = () => eagley.place(eagley.walked()?.method);

walk.step = (by) => {
  const lane = eagley.walked();
  if (!lane) return;
  const step = eagley.stepAt(lane, eagley.selection.position);
  const next = Math.max(0, Math.min(step + by, lane.starts.length - 1));
  if (next !== step || by < 0) eagley.move({ position: lane.starts[next] });
};

walk.token = (by) => eagley.move({ position: eagley.selection.position + by });
walk.first = () => eagley.move({ position: 0 });
walk.last = () => eagley.move({ position: (eagley.view?.length ?? 1) - 1 });

// The node above or below in the walked lane's tree, as it is drawn.
walk.node = (by) => {
  const [lane, place] = [eagley.walked(), here()];
  const packet = place && eagley.packetNow(lane.method, place.step);
  const order = packet?.order ?? [];
  const node = order[Math.max(0, Math.min(order.indexOf(place?.node) + by, order.length - 1))];
  if (node === undefined) return;
  eagley.pick({ method: lane.method, step: place.step, depth: packet.spots[node + 1][0], node });
};

// Behind the last place where the trees differ comes the first one again.
walk.divergence = () => {
  const places = eagley.view?.divergences ?? [];
  const next = places.find((position) => position > eagley.selection.position) ?? places[0];
  if (next !== undefined) eagley.move({ position: next });
};

const LOCKS = ['position', 'step', 'clock'];
walk.lock = () => {
  eagley.move({ lock: LOCKS[(LOCKS.indexOf(eagley.selection.lock) + 1) % LOCKS.length] });
};

walk.differs = () => eagley.move({ differs: !eagley.selection.differs });

const isAtEnd = () => {
  const lane = eagley.walked();
  return !lane || eagley.stepAt(lane, eagley.selection.position) >= lane.starts.length - 1;
};

walk.isPlaying = () => playing !== null;

walk.pause = () => {
  clearInterval(playing);
  if (playing === null) return;
  playing = null;
  eagley.move({ node: eagley.selection.node });
};

walk.play = () => {
  if (playing !== null) return walk.pause();
  if (isAtEnd()) walk.first();
  playing = setInterval(() => {
    walk.step(1);
    if (isAtEnd()) walk.pause();
  }, PACE);
  return eagley.move({ node: eagley.selection.node });
};

// Goes to where a node was kept from; of the prefill (step 0) there is no node to see.
eagley.visit = (method, { step, node }) => {
  eagley.pick({ method, step, node: step === 0 ? null : node });
};
