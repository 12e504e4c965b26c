const { make } = eagley;
const say = eagley.sayer(props.words);
const box = element.querySelector('.card-box');

function link(method, origin) {
  const { step, node } = origin;
  const name = node === null || step === 0
    ? say('Go to step {step}', { step })
    : say('Go to step {step}, node {node}', { step, node });
  const button = make('button', 'origin', { type: 'button' }, `↩ ${name}`);
  button.addEventListener('click', () => eagley.visit(method, origin));
  return button;
}

function show(packet, place, lane) {
  const node = Math.min(place.node, packet.cards.length - 2);
  const card = packet.cards[node + 1];
  const where = say('{lane}, step {step}', { lane: lane.label, step: packet.step });
  box.replaceChildren(
    make('div', 'where', {}, where),
    make('h3', 'title', {}, card.title),
    eagley.rows(card.rows),
    ...(card.origin ? [link(lane.method, card.origin)] : []),
  );
  element.removeAttribute('aria-busy');
}

async function fetched(method, step) {
  const isStill = () => eagley.walked()?.method === method && eagley.place(method)?.step === step;
  const calm = eagley.patiently(() => element.setAttribute('aria-busy', 'true'));
  try {
    await eagley.packet(method, step);
    if (isStill()) draw();
  } catch {
    if (isStill()) box.replaceChildren(eagley.notice(say('Its facts could not be loaded.'), draw, say('Try again')));
  } finally {
    calm();
  }
}

function draw() {
  const lane = eagley.walked();
  const place = lane && eagley.place(lane.method);
  if (!place) return box.replaceChildren(eagley.notice(say('Select a token or a node to see what is known of it.')));
  const packet = eagley.packetNow(lane.method, place.step);
  return packet ? show(packet, place, lane) : fetched(lane.method, place.step);
}

eagley.follow(element, draw);
