// The speed-ups of `eagley_core/theory.py`, term by term; a test holds the two against each other.
const formulas = {};
eagley.formulas = formulas;

formulas.chainTokens = (alpha, k) =>
  alpha === 1 ? k + 1 : (1 - alpha ** (k + 1)) / (1 - alpha);

formulas.chains = (alpha, most) =>
  Array.from({ length: most + 1 }, (_, k) => ({ tokens: formulas.chainTokens(alpha, k), levels: k }));

function byChance(alpha, most) {
  const places = [];
  const [deeper, later] = [Math.log(alpha), Math.log(1 - alpha)];
  for (let depth = 1; depth <= most; depth += 1) {
    for (let rank = 0; rank < most; rank += 1) {
      places.push({ depth, rank, order: Math.round((depth * deeper + rank * later) * 1e9) });
    }
  }
  return places.sort((a, b) => b.order - a.order || a.depth - b.depth || a.rank - b.rank);
}

// n over k, as far as a float holds it.
function choose(n, k) {
  let ways = 1;
  for (let i = 1; i <= k; i += 1) ways = (ways * (n - k + i)) / i;
  return Math.round(ways);
}

formulas.bestTrees = (alpha, most) => {
  const found = [{ tokens: 1, levels: 0 }];
  for (const { depth, rank } of byChance(alpha, most)) {
    const count = Math.min(choose(depth - 1 + rank, rank), most + 1 - found.length);
    for (let i = 0; i < count; i += 1) {
      const { tokens, levels } = found[found.length - 1];
      const chance = alpha ** depth * (1 - alpha) ** rank;
      found.push({ tokens: tokens + chance, levels: Math.max(levels, depth) });
    }
  }
  return found;
};

formulas.shapeSpeedup = ({ tokens, levels }, nodes, { draft, row }) =>
  tokens / (1 + row * nodes + levels * draft);

formulas.seedChain = (alpha, k, { draft, row }, beta = 0) =>
  (alpha * k) / (draft * k + (1 + row * k) * (1 - beta * (1 - alpha)));
