import stringWidth from 'string-width';
import type { Labels } from '../../../analysis/reference/labels.ts';
import { isIdentifier } from '../../../analysis/rows/column-profile.ts';
import { isRecord, type JsonObject } from '../../../core/json.ts';
import { isNumeric } from '../../../core/money.ts';
import { neutralise, neutralJson } from '../../../core/text.ts';
import { figureWriter } from '../../../mcp/answers/figures.ts';
import { paint } from '../paint.ts';
import { wrap } from '../wrap.ts';
import { viewCell } from './cell.ts';
import { viewRows } from './rows.ts';

/** Deeper than this, a member is one line of JSON. */
const maxDepth = 6;

/** An object as people read it: a line a value, then its members, indented, lists of rows as tables. */
export function viewObject(object: JsonObject, labels: Labels, width: number, depth = 0): string[] {
  const plain = Object.entries(object).filter(([, value]) => !isCompound(value));
  const amounts = viewAmounts(object);
  const keyWidth = Math.max(0, ...plain.map(([key]) => stringWidth(neutralise(key))));
  const lines = plain.flatMap(([key, value]) => {
    const title = neutralise(key);
    const room = Math.max(20, width - keyWidth - 2);
    const [first = '', ...more] = wrap(
      amounts.get(key) ?? (viewCell(key, value, labels) || 'none'),
      room,
    );
    const padding = ' '.repeat(Math.max(0, keyWidth - stringWidth(title)));
    const rest = more.map((line) => `${' '.repeat(keyWidth)}  ${line}`);
    return [`${paint('dim', title)}${padding}  ${first}`, ...rest];
  });
  const members = Object.entries(object).flatMap(([key, value]) => {
    if (!isCompound(value)) return [];
    const inner = viewMember(value, labels, width - 2, depth + 1);
    const indented = inner.map((line) => (line === '' ? '' : `  ${line}`));
    return ['', paint('bold', neutralise(key)), ...indented];
  });
  return [...lines, ...members];
}

/**
 * The amounts among an object's own values, right-aligned with two decimals. A value incl. VAT and the
 * one without are written alike, as a column would be: `3204.00` above `3667.56`.
 */
function viewAmounts(object: JsonObject): Map<string, string> {
  const figures = Object.entries(object).filter(
    (entry): entry is [string, number | string] => isNumeric(entry[1]) && !isIdentifier(entry[0]),
  );
  const stem = (key: string) => key.replace(/_(wt|ex)$/, '');
  const written = figures.flatMap(([key, value]): [string, string][] => {
    const alike = figures.filter(([other]) => stem(other) === stem(key)).map(([, it]) => it);
    const write = figureWriter(key, alike);
    return write === undefined ? [] : [[key, write(value)]];
  });
  const width = Math.max(0, ...written.map(([, text]) => text.length));
  return new Map(written.map(([key, text]) => [key, text.padStart(width)]));
}

function viewMember(value: unknown, labels: Labels, width: number, depth: number): string[] {
  if (Array.isArray(value)) return viewRows(value.filter(isRecord), labels, width);
  if (depth > maxDepth) return [neutralJson(value)];
  const lines = isRecord(value) ? viewObject(value, labels, width, depth) : [];
  return lines[0] === '' ? lines.slice(1) : lines;
}

/** What takes lines of its own: an object with members, or a list of rows. */
function isCompound(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0 && value.every(isRecord);
  return isRecord(value) && Object.keys(value).length > 0;
}
