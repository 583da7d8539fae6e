import fc from 'fast-check';
import { runs } from './property-runs.ts';

/** One character, anywhere in Unicode. fast-check's own `binary`, and its `webPath`, make a table of all million of them first. */
const character = fc
  .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((codePoint) => String.fromCodePoint(codePoint));

/** Any text at all, of so many characters at most. */
export function anyText(maxLength?: number): fc.Arbitrary<string> {
  return fc.string({ unit: character, ...(maxLength !== undefined && { maxLength }) });
}

/** How long each property goes on, in seconds; 0: with as many inputs as it says. */
const seconds = Number(process.env.FUZZ_SECONDS ?? 0);

/** Longest that the test of such a property may take, in milliseconds. */
export const fuzzTimeoutMs = 180_000 + 2000 * seconds;

/**
 * Holds a property against so many inputs, and with FUZZ_SECONDS against as many again, with another
 * seed each time, until the time is over: then it says how many there were. The seed that a failure
 * prints brings the same inputs back as PROPERTY_SEED.
 *
 * @param kind what the inputs are: `frames`, `arguments`
 */
export async function fuzz<Inputs>(
  kind: string,
  cases: number,
  property: fc.IAsyncProperty<Inputs> | fc.IProperty<Inputs>,
): Promise<void> {
  const numRuns = runs(cases);
  if (seconds === 0) return fc.assert(property, { numRuns });
  const endsAtMs = performance.now() + seconds * 1000;
  let count = 0;
  for (let seed = fc.readConfigureGlobal().seed ?? 0; performance.now() < endsAtMs; seed += 1) {
    await fc.assert(property, { numRuns, seed });
    count += numRuns;
  }
  console.info(`fuzzed: ${count} ${kind}`);
}
