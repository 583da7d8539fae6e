/**
 * How many cases a property tries. Those of the fixed seed are the same each time, so a few of them guard
 * what was proved; PROPERTY_RUNS multiplies them (vitest.config.ts), as PROPERTY_SEED=roam does by three.
 */
export function runs(cases: number): number {
  return Math.ceil(cases * Number(process.env.PROPERTY_RUNS));
}
