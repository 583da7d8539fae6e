import { isRecord } from '../../core/json.ts';
import { type Row, requireColumn } from './rows.ts';

/**
 * The rows with the named columns only, nested as they came: `address.city` leaves
 * `{address: {city}}`, and `address` leaves the whole object. Rows that lack a column go without.
 * @throws InputError naming the nearest column and all of them when no row has one of the fields.
 */
export function selectFields(rows: readonly Row[], fields: readonly string[]): Row[] {
  for (const field of fields) requireColumn(rows, field, 'fields');
  return rows.map((row) => {
    const selected: Row = {};
    for (const field of fields) copyField(row, field, selected);
    return selected;
  });
}

function copyField(from: Row, path: string, into: Row): boolean {
  if (Object.hasOwn(from, path)) {
    into[path] = from[path];
    return true;
  }
  for (let dot = path.indexOf('.'); dot !== -1; dot = path.indexOf('.', dot + 1)) {
    const key = path.slice(0, dot);
    const child = Object.hasOwn(from, key) ? from[key] : undefined;
    if (!isRecord(child)) continue;
    const already = into[key];
    const copy: Row = isRecord(already) ? { ...already } : {};
    if (copyField(child, path.slice(dot + 1), copy)) {
      into[key] = copy;
      return true;
    }
  }
  return false;
}
