/** A megabyte of anything in any argument: refused in a moment, and no other caller waits for it. */
import { expect, test } from 'vitest';
import { readArguments } from '../../src/analysis/read-arguments.ts';
import type { JsonObject } from '../../src/core/json.ts';
import { Catalogue, type Tool } from '../../src/mcp/tools/catalogue.ts';
import { unbounded } from '../mcp/tools/unbounded.ts';

const tools = new Catalogue().list();
const size = 1_000_000;

/** Milliseconds that one reading may cost. */
const most = 50;

/** Shapes that patterns, splits and nesting are slow at. */
const shapes: Readonly<Record<string, unknown>> = {
  commas: ','.repeat(size),
  'open brackets': `${'('.repeat(size / 2)}${','.repeat(size / 2)}`,
  dots: 'a.'.repeat(size / 2),
  spaces: ' '.repeat(size),
  'a letter after spaces': `${' '.repeat(size)}a`,
  'lists in lists': `${'['.repeat(size / 2)}${']'.repeat(size / 2)}`,
  'objects in objects': '{"a":'.repeat(size / 5),
  'combining accents': `e${'\u0301'.repeat(size)}`,
  periods: 'last_'.repeat(size / 5),
  'names in parentheses': `${'a ('.repeat(size / 3)}1)`,
  'a list of texts': Array.from({ length: size / 4 }, () => 'a'),
  'a list of dotted texts': Array.from({ length: 1000 }, () => 'a.'.repeat(500)),
  'a list of wrong kinds': Array.from({ length: 1000 }, (_, index) => ({ a: index })),
  'nested lists': nested(100_000, (inner) => [inner]),
  'an object of many keys': Object.fromEntries(
    Array.from({ length: size / 50 }, (_, index) => [`${index}`.padStart(40, 'k'), index]),
  ),
};

function nested(depth: number, wrap: (inner: unknown) => unknown): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = wrap(value);
  return value;
}

/**
 * Processor time in milliseconds; of what seems slow the best of a dozen readings: neighbours do not count,
 * nor what is collected meanwhile of the tests before.
 */
function costOf(tool: Tool, input: JsonObject, readings = 12): number {
  const before = process.cpuUsage();
  try {
    readArguments(tool, input);
  } catch (error) {
    expect(error).toMatchObject({ code: 'bad_input' });
    expect(String(error).length).toBeLessThan(6000);
  }
  const { user, system } = process.cpuUsage(before);
  const cost = (user + system) / 1000;
  return cost < most || readings === 1 ? cost : Math.min(cost, costOf(tool, input, readings - 1));
}

test.each(tools)('in $tool it holds nobody up, and every argument has a bound', (tool) => {
  const slow = Object.entries(shapes).flatMap(([shape, value]) => {
    const named = Object.keys(tool.input.shape).map((name) => ({ [name]: value }));
    const asName = typeof value === 'string' ? [{ [value]: 1 }] : [];
    return [...named, ...asName].flatMap((input) => {
      const cost = costOf(tool, input);
      return cost < most ? [] : [`${Object.keys(input)[0]?.slice(0, 20)}: ${shape} ${cost} ms`];
    });
  });
  expect(slow).toEqual([]);
  expect(unbounded(tool.input)).toEqual([]);
});
