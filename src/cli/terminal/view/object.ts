import stringWidth from 'string-width';
import type { Labels } from '../../../analysis/reference/labels.ts';
import { isRecord, type JsonObject } from '../../../core/json.ts';
import { neutralise, neutralJson } from '../../../core/text.ts';
import { paint } from '../paint.ts';
import { wrap } from '../wrap.ts';
import { sameDecimals, viewCell } from './cell.ts';
import { viewRows } from './rows.ts';

/** Deeper than this, a member is one line of JSON. */
const maxDepth = 6;

/** An object as people read it: a line a value, then its members, indented, lists of rows as tables. */
export function viewObject(object: JsonObject, labels: Labels, width: number, depth = 0): string[] {
  const plain = Object.entries(object).filter(([, value]) => !isCompound(value));
  const keyWidth = Math.max(0, ...plain.map(([key]) => stringWidth(neutralise(key))));
  const lines = plain.flatMap(([key, value]) => {
    const title = neutralise(key);
    const room = Math.max(20, width - keyWidth - 2);
    const [first = '', ...more] = wrap(viewValue(key, value, labels) || 'none', room);
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

function viewValue(key: string, value: unknown, labels: Labels): string {
  const cell = viewCell(key, value, labels);
  return typeof value === 'number' ? (sameDecimals(key, [cell])[0] ?? cell) : cell;
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
