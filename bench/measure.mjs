// Measures both sides alternately, many times, and takes medians.

/**
 * Runs both sides alternately, A B A B, so that whatever else the machine does falls on both alike.
 * One run of each warms up and is thrown away.
 * @param {number} rounds where BENCH_ROUNDS does not say another number
 * @returns the samples of both sides, in turn
 */
export async function alternate(rounds, { ours, baseline }) {
  const samples = { ours: [], baseline: [] };
  const runs = Number(process.env.BENCH_ROUNDS ?? rounds);
  for (let round = 0; round <= runs; round++) {
    const pair = [await ours(), await baseline()];
    if (round === 0) continue;
    samples.ours.push(pair[0]);
    samples.baseline.push(pair[1]);
  }
  return samples;
}

/** Selects one value of each sample. */
export function part({ ours, baseline }, select) {
  return { ours: ours.map(select), baseline: baseline.map(select) };
}

/** The value below which a share (0 to 1) of the values lies, interpolated. */
export function quantile(values, share) {
  const sorted = values.toSorted((a, b) => a - b);
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)];
  return below + (sorted[Math.ceil(place)] - below) * (place % 1);
}

/**
 * A figure held against its baseline. The ratio is the middle of the ratios of neighbours in time,
 * which a machine that slows down and speeds up disturbs least.
 * @param {{ ours: number[], baseline: number[] }} samples taken alternately
 * @param {{ atMost?: number, atLeast?: number }} target for the ratio; none for information only
 */
export function compare(name, unit, { ours, baseline }, target = {}) {
  const ratio = spreadOf(ours.map((value, index) => value / baseline[index]));
  const { atMost = Infinity, atLeast = 0 } = target;
  const reached = ratio.median <= atMost && ratio.median >= atLeast;
  const sides = { ours: spreadOf(ours), baseline: spreadOf(baseline) };
  return {
    name,
    unit,
    ...sides,
    ratio,
    target,
    ...(Object.keys(target).length > 0 && { reached }),
  };
}

/** A figure that does not vary, measured once. */
export function count(name, unit, ours, baseline, target) {
  return compare(name, unit, { ours: [ours], baseline: [baseline] }, target);
}

function spreadOf(values) {
  const [from, median, to] = [0.25, 0.5, 0.75].map((share) => quantile(values, share));
  return { median, from, to, samples: values.length };
}
