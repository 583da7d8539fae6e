import type { Labels } from '../../../analysis/reference/labels.ts';
import { isRecord } from '../../../core/json.ts';
import { neutralise } from '../../../core/text.ts';

/** One value as a person reads it: names before ids, local times without their offset, lists counted. */
export function viewCell(field: string, value: unknown, labels: Labels): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return viewList(value);
  if (typeof value === 'object') return neutralise(JSON.stringify(value));
  const text = String(value);
  const names = labels[field.slice(field.lastIndexOf('.') + 1)] ?? {};
  const name = Object.hasOwn(names, text) ? names[text] : undefined;
  return neutralise(name === undefined ? shortTime(text) : `${name} (${text})`);
}

/**
 * Figures of one column with equally many decimals: money has its cents (`_wt` and `_ex` say that it is
 * money), and where any figure has a fraction, all have as many places as the longest, two at least.
 */
export function sameDecimals(field: string, cells: readonly string[]): string[] {
  const places = cells.map((cell) => /^-?\d+\.(\d+)$/.exec(cell)?.[1]?.length ?? 0);
  const most = Math.max(0, ...places);
  if (most === 0 && !/_(wt|ex)$/.test(field)) return [...cells];
  return cells.map((cell) => {
    const [whole = '', fraction = ''] = cell.split('.');
    return /^-?\d+$/.test(whole) ? `${whole}.${fraction.padEnd(Math.max(2, most), '0')}` : cell;
  });
}

function viewList(values: readonly unknown[]): string {
  const isPlain = values.every((value) => !Array.isArray(value) && !isRecord(value));
  if (isPlain) return neutralise(values.map(String).join(', '));
  return values.length === 1 ? '1 row' : `${values.length} rows`;
}

/** Only a time that is Amsterdam's already: another one keeps the offset that says so. */
function shortTime(text: string): string {
  const local = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d(\.\d+)?\+0[12]:00$/.exec(text);
  return local ? `${local[1]} ${local[2]}` : text;
}
