import type { TableUse } from '../../analysis/answer.ts';
import { isRecord } from '../../core/json.ts';
import { sayDays } from '../../core/periods.ts';
import { countNoun, neutralise, neutralJson } from '../../core/text.ts';

/** Most arguments that the line names. */
const maxArguments = 4;

/** What a statement read, in one line: which tables, of which days, how many rows, whole or not. */
export function tablesLine(tables: readonly TableUse[]): string {
  return `Read ${tables.map(sayTable).join('; ')}.`;
}

function sayTable(use: TableUse): string {
  const { table, period, reference_period: reference, rows } = use;
  const { complete, calls, cached, kept, result, left_open: open = {} } = use;
  const about = [
    ...(period ? [sayDays(period)] : []),
    ...(reference ? [`against ${sayDays(reference)}`] : []),
    ...sayArguments(use),
    ...Object.entries(open).map(([name, note]) => `${name} ${note}`),
  ];
  const counted = countNoun(rows, 'row');
  const state = complete ? 'whole' : 'not whole: more exist';
  const cost = cached ? 'kept from before' : countNoun(calls, 'call');
  const where = result === undefined ? '' : `, ${result}`;
  const from = kept ? `, ${sayKept(kept)}` : '';
  const called = about.length > 0 ? `${table} (${about.join(', ')})` : table;
  return `${called}: ${counted}, ${state}, ${cost}${from}${where}`;
}

/** Payments and shipments need not move an order's stamp, so it says how old they may be. */
function sayKept({ orders, of, since }: NonNullable<TableUse['kept']>): string {
  const count = (value: number) => value.toLocaleString('en-US');
  const read = since === undefined ? '' : ` and read since ${since.slice(0, 16).replace('T', ' ')}`;
  return `lines of ${count(orders)} of ${count(of)} orders kept${read}`;
}

/** The arguments but for the days, which the periods say better, and empty ones, which are left out. */
function sayArguments({ arguments: given, period, reference_period }: TableUse): string[] {
  const days = new Set([
    ...(period === undefined ? [] : ['period', 'from', 'to', 'date']),
    ...(reference_period === undefined ? [] : ['against', 'against_from', 'against_to']),
  ]);
  return Object.entries(given)
    .filter(([name, value]) => value !== '' && (!days.has(name) || Array.isArray(value)))
    .slice(0, maxArguments)
    .map(([name, value]) => `${name} ${sayValue(value)}`);
}

function sayValue(value: unknown): string {
  return Array.isArray(value) || isRecord(value) ? neutralJson(value) : neutralise(String(value));
}
