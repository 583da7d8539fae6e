import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { isRecord, parseJson, toText } from '../../core/json.ts';
import { sayCount } from '../../core/text.ts';
import { type CommandLine, UsageError } from '../command-line.ts';
import { alignRows } from '../terminal/table.ts';

/**
 * What is counted. Refused are requests that were not served and calls of tools that are not the caller's; exports are
 * the times that kept rows left as a file.
 */
const figures = ['calls', 'failed', 'refused', 'requests', 'rows', 'exports'] as const;

const names = ['business', 'person'] as const;

type Usage = Record<(typeof names)[number], string> & Record<(typeof figures)[number], number>;

/** Prints who used what, from the lines of an audit. */
export async function usage({ operands, flags, env }: CommandLine): Promise<0> {
  const [file = env.COMMERCE_AUDIT_FILE?.trim() || '-'] = operands;
  const sinceMs = Date.now() - readAge(flags.since ?? '7d');
  const input = file === '-' ? process.stdin : createReadStream(file);
  const usages = await gatherUsage(createInterface({ input }), sinceMs);
  const rows = usages.map((it) => [
    ...names.map((title) => it[title]),
    ...figures.map((title) => sayCount(it[title])),
  ]);
  console.log(alignRows([...names, ...figures], rows).join('\n'));
  return 0;
}

/** What the lines of an audit say from a moment on, the busiest first; other lines are passed over. */
export async function gatherUsage(
  lines: AsyncIterable<string>,
  sinceMs: number,
): Promise<readonly Usage[]> {
  const found = new Map<string, Usage>();
  for await (const text of lines) {
    const line = parseJson(text);
    if (!isRecord(line) || (line.msg !== 'call' && line.msg !== 'refused')) continue;
    if (!(Number(line.time) >= sinceMs)) continue;
    const business = toText(line.account) || '-';
    const person = toText(line.caller) || '-';
    const key = JSON.stringify([business, person]);
    const none = { calls: 0, failed: 0, refused: 0, requests: 0, rows: 0, exports: 0 };
    const usage = found.get(key) ?? { business, person, ...none };
    found.set(key, usage);
    if (line.msg === 'call') usage.calls++;
    if (line.msg === 'refused' || line.outcome === 'scope') usage.refused++;
    else if (line.outcome !== 'ok') usage.failed++;
    usage.requests += Number(line.upstream_requests) || 0;
    usage.rows += Number(line.rows) || 0;
    if (toText(line.tool).startsWith('commerce://results/')) usage.exports++;
  }
  return [...found.values()].sort((a, b) => b.requests - a.requests || b.calls - a.calls);
}

const unitMs = { h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** `7d`, `12h` or `4w` in milliseconds. */
function readAge(text: string): number {
  const [, count, unit] = /^(\d{1,4})([hdw])$/.exec(text) ?? [];
  if (unit === 'h' || unit === 'd' || unit === 'w') return Number(count) * unitMs[unit];
  throw new UsageError({ code: 'bad_age', text });
}
