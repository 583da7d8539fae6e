import type { FinishedAnswer, FinishedContext } from '../../analysis/answer.ts';
import { limits } from '../../analysis/finish.ts';
import type { Labels } from '../../analysis/reference/reference.ts';
import { isRecord, type JsonObject } from '../../core/json.ts';
import { type Period, sayDays } from '../../core/periods.ts';
import { asData, asOurs, countNoun, neutralise, neutralJson } from '../../core/text.ts';
import { describeColumns } from './column-profiles.ts';
import { tablesLine } from './tables-read.ts';

/**
 * An answer as text that is cheap to read: one line that says what it is, the rows as a table or
 * the object as compact JSON, then what to know about it.
 *
 * @param table the rows shown, as text
 */
export function writeText(tool: string, finished: FinishedAnswer, table: string): string {
  const { context, rows, payload, refusal = '' } = finished;
  const { count: _, total: __, start: ___, limit: ____, refusal: _____, ...envelope } = payload;
  const rest = Object.keys(envelope).length > 0 ? neutralJson(envelope) : '';
  const lines = [
    headline(tool, finished),
    asData(neutralise(refusal)),
    ...resolvedLines(context).map(asOurs),
    ...(rows === undefined ? objectLines(payload, context) : [table, rest]),
    ...(context.tables?.length ? [asOurs(tablesLine(context.tables))] : []),
    ...resultLines(context).map(asOurs),
    ...moreLines(context).map(asOurs),
    ...restLines(context, rows?.length ?? 0).map(asOurs),
    ...warningLines(context.warnings),
  ];
  return lines.filter((line) => line !== '').join('\n');
}

/** What a reader must not miss, each on a line of the server's own. */
export function warningLines(warnings: readonly string[] = []): string[] {
  return warnings.map((warning) => asOurs(`Warning: ${neutralise(warning)}`));
}

/** What the answer is, of which days and how fresh. */
export function headline(tool: string, { noun, context, rows, total }: FinishedAnswer): string {
  const { period, reference_period: reference, source, as_of, cached } = context;
  const about = [
    ...(rows === undefined ? [] : [countPhrase(rows.length, total, noun)]),
    ...(period === undefined ? [] : [periodPhrase(period)]),
    ...(reference === undefined ? [] : [`against ${periodPhrase(reference)}`]),
    `as of ${as_of}${cached ? ' (cached)' : ''}`,
    ...(source === 'sandbox' ? ['source: sandbox, invented figures'] : []),
  ];
  return `${tool}: ${about.join('; ')}`;
}

function countPhrase(shown: number, total: number | undefined, noun: string): string {
  if (shown === 0 && !total) return `no ${noun}`;
  const all = total !== undefined && total !== shown ? ` of ${total.toLocaleString('en-US')}` : '';
  // `shops` -> `shop`, `matches` -> `match`.
  const counted = (total ?? shown) === 1 ? noun.replace(/(?<=ch|sh|x)es$|s$/, '') : noun;
  return `${shown.toLocaleString('en-US')}${all} ${counted}`;
}

function periodPhrase(period: Period): string {
  const { from, to, given } = period;
  const days = sayDays(period);
  return given === days || given === `${from}..${to}` ? days : `${days} (${given})`;
}

/** What the arguments meant. */
function resolvedLines(context: FinishedContext): string[] {
  const { resolved = {}, since, left_open = {}, definitions = {} } = context;
  return [
    ...Object.entries(resolved).map(([name, { given, id, name: called, note }]) => {
      const has = name.endsWith('_id') ? 'is' : 'has the id';
      const meant =
        called === given
          ? `${name} ${neutralise(given)} ${has} ${id}`
          : `${name} "${neutralise(given)}" is ${neutralise(called)} (${id})`;
      return note === undefined ? meant : `${meant}, ${neutralise(note)}`;
    }),
    ...(since && since.given !== since.instant
      ? [`since "${neutralise(since.given)}" is ${since.instant}`]
      : []),
    ...Object.entries({ ...left_open, ...definitions }).map(([name, said]) => `${name} ${said}`),
  ];
}

/** An object as compact JSON, and the names of ids that it does not give itself. */
function objectLines(payload: JsonObject, { labels, resolved = {} }: FinishedContext): string[] {
  const json = neutralJson(payload);
  const room = limits.text - 4000;
  const cut = `Cut: ${room} of ${json.length} characters; structuredContent has all of it. Ask for less: one location or a shorter period.`;
  const unsaid = new Map<string, Set<string>>();
  collectUnsaid(payload, labels ?? {}, unsaid);
  // The question was asked with these.
  for (const [idField, { id }] of Object.entries(resolved)) unsaid.get(idField)?.delete(String(id));
  const legend = Object.entries(labels ?? {}).flatMap(([idField, names]) => {
    const pairs = Object.entries(names)
      .filter(([id]) => unsaid.get(idField)?.has(id))
      .map(([id, name]) => `${id} ${neutralise(name)}`);
    return pairs.length > 0 ? [asData(`${idField}: ${pairs.join(', ')}`)] : [];
  });
  return [...(json.length <= room ? [json] : [json.slice(0, room), asOurs(cut)]), ...legend];
}

/** The ids whose name is not in the same object each time they occur, as those of payment methods are. */
function collectUnsaid(value: unknown, labels: Labels, unsaid: Map<string, Set<string>>): void {
  if (Array.isArray(value)) for (const item of value) collectUnsaid(item, labels, unsaid);
  if (!isRecord(value)) return;
  const values = Object.values(value);
  for (const [field, inner] of Object.entries(value)) {
    if (typeof inner === 'object') collectUnsaid(inner, labels, unsaid);
    const names = Object.hasOwn(labels, field) ? labels[field] : undefined;
    if (names === undefined) continue;
    const missing = unsaid.get(field) ?? new Set();
    unsaid.set(field, missing);
    for (const id of [inner].flat())
      if ((typeof id === 'string' || typeof id === 'number') && !values.includes(names[id]))
        missing.add(String(id));
  }
}

/** Kept rows and their profile, whose lines begin as no row and no other line does. */
function resultLines({ result, labels }: FinishedContext): string[] {
  if (result === undefined) return [];
  const { id, rows, expires_at, columns } = result;
  return [
    `Kept as ${id}: ${countNoun(rows, 'row')} until ${expires_at}. Over all of them:`,
    ...describeColumns(columns, labels).map((line) => `- ${line}`),
  ];
}

/** What the platform also gives, by the argument that asks for it. */
function moreLines({ more = {} }: FinishedContext): string[] {
  return Object.entries(more).map(([argument, values]) => {
    const shown = values.slice(0, maxMore).map(neutralise).join(', ');
    const rest = values.length - maxMore;
    return `Also there, by ${argument}: ${shown}${rest > 0 ? ` and ${rest} more` : ''}`;
  });
}

const maxMore = 20;

/**
 * What of the rows is not here. Rows that were read and are not shown are one thing (every total
 * over the kept rows is whole), rows that were not read another.
 */
function restLines({ complete, next, read, result }: FinishedContext, shown: number): string[] {
  if (complete !== false) return [];
  const { rows = shown, of } = read ?? {};
  const call = next === undefined ? '' : ` Next: ${next.tool} ${neutralJson(next.arguments)}`;
  const count = (value: number) => value.toLocaleString('en-US');
  if (of !== undefined && rows >= of) {
    const kept = result === undefined ? '' : `, kept as ${result.id}`;
    const how = call === '' ? ' Ask for fewer days or fields to see the others.' : call;
    return [`Read whole${kept}; ${count(shown)} of ${countNoun(rows, 'row')} shown.${how}`];
  }
  const all = of === undefined ? 'more exist' : `${count(of)} exist`;
  const were = rows === 1 ? 'was' : 'were';
  return [
    `Not read whole: ${countNoun(rows, 'row')} ${were} read, ${all}; totals over them are not totals.${call}`,
  ];
}
