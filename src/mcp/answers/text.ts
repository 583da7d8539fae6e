import type { Row } from '../../analysis/rows/rows.ts';
import type { JsonObject } from '../../core/json.ts';
import { type Period, sayDays } from '../../core/periods.ts';
import { asData, asOurs, countNoun, neutralise, neutralJson } from '../../core/text.ts';
import { describeColumns } from './column-profiles.ts';
import type { PresentedContext } from './context.ts';
import { legend } from './legend.ts';
import { restLine } from './read-so-far.ts';
import { limits } from './size-limits.ts';
import { renderTable } from './table.ts';
import { tablesLine } from './tables-read.ts';

/** What the text of an answer is made from. */
export interface TextParts {
  tool: string;
  noun: string;
  payload: JsonObject;
  context: PresentedContext;
  /** The rows shown; undefined for an answer that is one object. */
  rows?: readonly Row[] | undefined;
  /** A sentence that stands above the rows. */
  lead?: string | undefined;
  /** How many rows there are in all, as far as is known. */
  total?: number | undefined;
  /** Columns that the caller named: they are always shown. */
  fields?: readonly string[];
}

/**
 * An answer as text that is cheap to read: one line that says what it is, the rows as a table or
 * the object as compact JSON, then what to know about it.
 */
export function renderAnswer(parts: TextParts): string {
  const { context, rows, payload } = parts;
  const body =
    rows === undefined
      ? boundedJson(payload)
      : rows.length === 0
        ? ''
        : renderTable(rows, context.labels, {
            isWhole: context.complete !== false,
            ...(parts.fields && { fields: parts.fields }),
          });
  const lines = [
    headline(parts),
    asData(neutralise(parts.lead ?? '')),
    ...resolvedLines(context).map(asOurs),
    body,
    ...(rows === undefined
      ? legend(payload, context.labels, context.resolved).map(asData)
      : envelopeLines(payload)),
    ...(context.tables?.length ? [asOurs(tablesLine(context.tables))] : []),
    ...resultLines(context),
    ...[...moreLines(context), restLine(context, rows?.length ?? 0)]
      .filter((line) => line !== '')
      .map(asOurs),
    ...warningLines(context.warnings),
  ];
  return lines.filter((line) => line !== '').join('\n');
}

/** What a reader must not miss, each on a line of ours. */
export function warningLines(warnings: readonly string[] = []): string[] {
  return warnings.map((warning) => asOurs(`Warning: ${neutralise(warning)}`));
}

/** What the answer is, of which days and how fresh. */
export function headline({ tool, noun, context, rows, total }: Omit<TextParts, 'payload'>): string {
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
  const counted = (total ?? shown) === 1 ? singular(noun) : noun;
  return `${shown.toLocaleString('en-US')}${all} ${counted}`;
}

/** `shops` -> `shop`, `matches` -> `match`. */
function singular(noun: string): string {
  return noun.replace(/(?<=ch|sh|x)es$|s$/, '');
}

function periodPhrase(period: Period): string {
  const { from, to, given } = period;
  const days = sayDays(period);
  return given === days || given === `${from}..${to}` ? days : `${days} (${given})`;
}

function resolvedLines(context: PresentedContext): string[] {
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

/** Fields of a list's envelope that say more than how many rows there are. */
function envelopeLines(payload: JsonObject): string[] {
  const { count: _, total: __, start: ___, limit: ____, ...rest } = payload;
  return Object.keys(rest).length > 0 ? [neutralJson(rest)] : [];
}

function resultLines({ result, labels }: PresentedContext): string[] {
  if (result === undefined) return [];
  const kept = `Kept as ${result.id}: ${countNoun(result.rows, 'row')} until ${result.expires_at}.`;
  return result.columns === undefined
    ? [asOurs(kept)]
    : [asOurs(`${kept} Over all of them:`), ...describeColumns(result.columns, labels)];
}

/** What the platform also gives, by the argument that asks for it. */
function moreLines({ more = {} }: PresentedContext): string[] {
  return Object.entries(more).map(([argument, values]) => {
    const shown = values.slice(0, maxMore).map(neutralise).join(', ');
    const rest = values.length - maxMore;
    return `Also there, by ${argument}: ${shown}${rest > 0 ? ` and ${rest} more` : ''}`;
  });
}

const maxMore = 20;

function boundedJson(payload: JsonObject): string {
  const json = neutralJson(payload);
  const room = limits.text - 4000;
  return json.length <= room
    ? json
    : `${json.slice(0, room)}\n${asOurs(`Cut: ${room} of ${json.length} characters; structuredContent has all of it. Ask for less: one location or a shorter period.`)}`;
}
