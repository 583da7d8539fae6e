// Measures both sides alternately, many times, and takes medians.

/**
 * Runs both sides alternately, A B A B, so that whatever else the machine does falls on both alike.
 * One run of each warms up and is thrown away.
 * @template Sample
 * @param {number} rounds where BENCH_ROUNDS does not say another number
 * @param {{ ours: () => Promise<Sample>, baseline: () => Promise<Sample> }} sides
 * @returns {Promise<{ ours: Sample[], baseline: Sample[] }>}
 */
export async function alternate(rounds, { ours, baseline }) {
  const samples = { ours: [], baseline: [] };
  await ours();
  await baseline();
  const runs = Number(process.env.BENCH_ROUNDS ?? rounds);
  for (let round = 0; round < runs; round++) {
    samples.ours.push(await ours());
    samples.baseline.push(await baseline());
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

/** Median and quartiles. */
export function spreadOf(values) {
  return {
    median: quantile(values, 0.5),
    from: quantile(values, 0.25),
    to: quantile(values, 0.75),
    samples: values.length,
  };
}

/**
 * A figure held against its baseline. The ratio is the middle of the ratios of neighbours in time,
 * which a machine that slows down and speeds up disturbs least.
 * @param {string} name
 * @param {string} unit
 * @param {{ ours: number[], baseline: number[] }} samples taken alternately
 * @param {{ atMost?: number, atLeast?: number }} target for the ratio; none for information only
 */
export function compare(name, unit, samples, target = {}) {
  const ratios = samples.ours.map((value, index) => value / samples.baseline[index]);
  return judge({
    name,
    unit,
    ours: spreadOf(samples.ours),
    baseline: spreadOf(samples.baseline),
    ratio: spreadOf(ratios),
    target,
  });
}

/** A figure that does not vary, measured once. */
export function count(name, unit, ours, baseline, target = {}) {
  return compare(name, unit, { ours: [ours], baseline: [baseline] }, target);
}

function judge(figure) {
  const { atMost, atLeast } = figure.target;
  const { median } = figure.ratio;
  if (atMost === undefined && atLeast === undefined) return figure;
  const reached = atMost === undefined ? median >= atLeast : median <= atMost;
  return { ...figure, reached };
}
