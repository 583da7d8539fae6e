import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Answer, FinishedAnswer, FinishedContext } from '../../analysis/answer.ts';
import type { ToolDefinition } from '../../analysis/define-tool.ts';
import type { Figure } from '../../analysis/figure/figure.ts';
import { figureText } from '../../analysis/figure/text/figure-text.ts';
import {
  type Fit,
  finishAnswer,
  gatherWarnings,
  limits,
  type PageRows,
} from '../../analysis/finish.ts';
import type { Labels } from '../../analysis/reference/reference.ts';
import type { Services } from '../../analysis/services.ts';
import { isRecord, type JsonObject } from '../../core/json.ts';
import { type Period, sayDays } from '../../core/periods.ts';
import { asData, asOurs, countNoun, neutralise, neutralJson } from '../../core/text.ts';
import { profileLines, Table } from './table.ts';
import { tablesLine } from './tables-read.ts';

/** The tool that was called, and what its answer is finished with. */
export interface PresentSettings {
  tool: Pick<ToolDefinition, 'tool' | 'input' | 'output'>;
  services: Services;
}

/** An answer for a model: the same rows and facts as text and as JSON, as many rows as fit both. */
export async function presentAnswer(
  { tool, services }: PresentSettings,
  answer: Answer,
  signal?: AbortSignal,
): Promise<CallToolResult> {
  const { figure } = answer;
  const drawn = figure && writeFigure(tool, figure, answer.context);
  if (drawn) return toResult(tool, drawn.structured, drawn.text);
  const shown = figure ? { ...answer, refusal: sayTooLarge(figure) } : answer;
  let table: Table | undefined;
  const write = ({ lengths, ...shownRows }: PageRows): Fit => {
    const written = new Table({ ...shownRows, addressHint: addressHint(tool) });
    table = written;
    return (describe) => countFitting(tool.tool, written, lengths, describe);
  };
  const finished = await finishAnswer(services, tool, shown, write, signal);
  const { payload, rows, context } = finished;
  const isWhole = rows !== undefined && rows.length === context.read?.rows && context.complete;
  const text = writeText(tool.tool, finished, table?.text(rows?.length, isWhole) ?? '');
  const structured = { ...payload, ...(rows && { data: rows }), context };
  return toResult(tool, structured, text, finished);
}

/** Room for what is a little longer with more rows, such as the number of a row to go on from. */
const margin = 100;

/** How many rows are shown, which follows from their lengths and from what else the answer holds. */
function countFitting(
  tool: string,
  table: Table,
  lengths: readonly number[],
  describe: (shown: number) => FinishedAnswer,
): number {
  const countWith = (finished: FinishedAnswer) => {
    const { payload, context } = finished;
    const rest = writeText(tool, finished, table.text(1)).length;
    let text = limits.text - margin - rest;
    let json = limits.json - margin - JSON.stringify({ ...payload, data: [], context }).length;
    const tooMany = table.lines.findIndex((line, row) => {
      // The first line is in the rest.
      if (row > 0) text -= line.length + 1;
      json -= (lengths[row] ?? 0) + 1;
      return text < 0 || json < 0;
    });
    return tooMany === -1 ? table.lines.length : tooMany;
  };
  const all = lengths.length;
  return countWith(describe(all)) === all ? all : Math.min(all - 1, countWith(describe(0)));
}

/** How addresses can be had, where leaving them out of the text leaves a way to see them. */
function addressHint({ input: { shape } }: PresentSettings['tool']): string | undefined {
  if ('sql' in shape) return 'SELECT them by name to see them.';
  return 'fields' in shape ? 'Name them in fields to see them.' : undefined;
}

/**
 * A figure in both channels: the same numbers as text and in columns; undefined where they are too
 * many. Its words are English: a call does not say what its reader speaks, and the page that draws
 * it, which knows, writes its own.
 */
function writeFigure(
  { tool }: PresentSettings['tool'],
  figure: Figure,
  { warnings: _, ...given }: Answer['context'],
): { structured: JsonObject; text: string } | undefined {
  const { period: _period, asOf: _asOf, ...notes } = figure.notes;
  const { complete } = notes;
  const warnings = gatherWarnings(figure.notes.warnings);
  const context = { ...given, complete, ...(warnings.length > 0 && { warnings }) };
  const text = [
    headline(tool, { noun: figure.kind, payload: {}, context }),
    // The headline has said of which days, and when they were read; warnings come last, as everywhere.
    figureText({ ...figure, notes: { ...notes, warnings: [] } }, 'en'),
    ...(given.tables?.length ? [asOurs(tablesLine(given.tables))] : []),
    ...warningLines(warnings),
  ].join('\n');
  const structured = { figure: { ...figure, notes: { ...figure.notes, warnings } }, context };
  const isTooLarge = text.length > limits.text || JSON.stringify(structured).length > limits.json;
  return isTooLarge ? undefined : { structured, text };
}

function sayTooLarge({ axis, series }: Figure): string {
  return `Not drawn: ${axis.labels.length} labels of ${series.length} series are more numbers than one answer holds. Draw fewer series, or group by week or month.`;
}

function toResult(
  { output }: PresentSettings['tool'],
  structuredContent: JsonObject,
  text: string,
  finished?: FinishedAnswer,
): CallToolResult {
  const content: CallToolResult['content'] = [{ type: 'text', text }];
  const { result } = finished?.context ?? {};
  if (result)
    content.push({
      type: 'resource_link',
      uri: result.uri,
      name: result.id,
      mimeType: 'application/json',
      description: `All ${result.rows} rows of this answer`,
    });
  const [issue] = output.safeParse(structuredContent).error?.issues ?? [];
  if (issue === undefined) return { content, structuredContent };
  // A client would refuse the whole answer; as text it still arrives, with what is odd about it.
  const oddity = neutralise(`${issue.path.join('.')}: ${issue.message}`);
  content[0] = {
    type: 'text',
    text: `${text}\n${asOurs(`The platform's answer is not of the documented form (${oddity}), so it comes as text only.`)}`,
  };
  return { content, isError: true };
}

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
function warningLines(warnings: readonly string[] = []): string[] {
  return warnings.map((warning) => asOurs(`Warning: ${neutralise(warning)}`));
}

/** What the answer is, of which days and how fresh. */
function headline(tool: string, { noun, context, rows, total }: FinishedAnswer): string {
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
    ...profileLines(columns, labels).map((line) => `- ${line}`),
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
