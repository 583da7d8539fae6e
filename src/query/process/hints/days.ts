/** Moments held against bare days, and days that are not Amsterdam's. */
import { quoteText } from '../database.ts';
import { type Node, nodeOf, nodesOf, textOf } from '../tree.ts';
import { constantText, count, numbersOf, type Place } from './places.ts';

/** From a midnight on, and before one, is what it says; these are not. */
const signs: Readonly<Record<string, string>> = {
  COMPARE_LESSTHANOREQUALTO: '<=',
  COMPARE_GREATERTHAN: '>',
  COMPARE_EQUAL: '=',
};

/** The same with the day before the sign. */
const turnedSigns: Readonly<Record<string, string>> = {
  COMPARE_GREATERTHANOREQUALTO: '<=',
  COMPARE_LESSTHAN: '>',
  COMPARE_EQUAL: '=',
};

/** Comparisons of a moment with a day's midnight where its rest is meant as well. */
export async function bareDays(node: Node, place: Place): Promise<string | undefined> {
  const [moment, limit, sign] = comparisonIn(node);
  const day = constantText(limit) ?? '';
  const found = place.columnOf(moment);
  if (!found?.type.startsWith('TIMESTAMP') || !/^\d{4}-\d\d-\d\d$/.test(day)) return undefined;
  const { column, sql, from } = found;
  const [rows = 0] = await numbersOf(
    place,
    `SELECT count(*) FROM ${from} WHERE CAST(${sql} AS DATE) = DATE '${day}' AND ${sql} > TIMESTAMPTZ '${day}'`,
  );
  if (rows === 0) return undefined;
  const lower = constantText(nodeOf(node, 'lower')) ?? '...';
  const written = sign === 'BETWEEN' ? `BETWEEN '${lower}' AND '${day}'` : `${sign} '${day}'`;
  const effect = sign === '>' ? 'keeps' : 'leaves out';
  return `${column} ${written} ${effect} ${count(rows)} rows of ${day} itself, for a bare day is its midnight. By whole days: CAST(${column} AS DATE) ${written}.`;
}

/** A moment, what it is held against, and how. */
function comparisonIn(node: Node): [Node | undefined, Node | undefined, string] | [] {
  if (node.class === 'BETWEEN') return [nodeOf(node, 'input'), nodeOf(node, 'upper'), 'BETWEEN'];
  if (node.class !== 'COMPARISON') return [];
  const [left, right] = [nodeOf(node, 'left'), nodeOf(node, 'right')];
  const [type, isTurned] = [textOf(node, 'type'), constantText(left) !== undefined];
  const sign = (isTurned ? turnedSigns : signs)[type];
  if (sign === undefined) return [];
  return isTurned ? [right, left, sign] : [left, right, sign];
}

/** Days, weeks or hours of a moment that are cut elsewhere than at Amsterdam's midnight. */
export async function otherDays(node: Node, place: Place): Promise<string | undefined> {
  const cut = cutIn(node);
  const found = place.columnOf(cut?.moment);
  if (cut === undefined || found?.type !== 'TIMESTAMP WITH TIME ZONE') return undefined;
  const { table, column, sql, from } = found;
  const [rows = 0] = await numbersOf(
    place,
    `SELECT count(*) FROM ${from} WHERE CAST(${sql} AS DATE) <> CAST(timezone(${quoteText(cut.zone)}, ${sql}) AS DATE)`,
  );
  if (rows === 0) return undefined;
  return `${cut.said} cuts days by ${cut.zone}, not Amsterdam: ${count(rows)} rows of ${table} fall on another day. Write ${cut.write(column)}.`;
}

interface Cut {
  said: string;
  moment: Node | undefined;
  zone: string;
  write(column: string): string;
}

function cutIn(node: Node): Cut | undefined {
  if (node.class !== 'FUNCTION') return undefined;
  const [first, second, ...more] = nodesOf(node, 'children');
  const name = textOf(node, 'function_name').toLowerCase();
  const given = constantText(first) ?? '';
  if (name === 'timezone' && given !== '' && !/amsterdam/i.test(given)) {
    return {
      said: `AT TIME ZONE '${given}'`,
      moment: second,
      zone: given,
      write: (column) => `CAST(${column} AS DATE) or date_trunc('day', ${column})`,
    };
  }
  const bucket = /^(?:1 )?(day|week|month)s?$/i.exec(given)?.[1]?.toLowerCase();
  if (name === 'time_bucket' && bucket !== undefined && more.length === 0) {
    const write = (column: string) => `date_trunc('${bucket}', ${column})`;
    return { said: `time_bucket('${given}', ...)`, moment: second, zone: 'UTC', write };
  }
  const seconds = textOf(first, 'function_name').toLowerCase() === 'epoch';
  if (/^\/\/?$/.test(name) && seconds && constantText(second) === '86400') {
    const [moment] = nodesOf(first, 'children');
    const write = (column: string) => `CAST(${column} AS DATE)`;
    return { said: 'epoch(...) / 86400', moment, zone: 'UTC', write };
  }
  return undefined;
}
