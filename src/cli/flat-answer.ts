import type { Answer, FinishedContext } from '../analysis/answer.ts';
import type { ToolDefinition } from '../analysis/define-tool.ts';
import type { Figure } from '../analysis/figure/figure.ts';
import { figureMarks, figureSummary, headingOf } from '../analysis/figure/figure-text.ts';
import { type Labels, labelPayload } from '../analysis/reference/reference.ts';
import { type Columns, type Row, readColumns } from '../analysis/rows/rows.ts';
import type { Services } from '../analysis/services.ts';
import { answerRows } from '../analysis/tables/table-rows.ts';
import { timezone } from '../core/calendar.ts';
import { type JsonObject, toNumber } from '../core/json.ts';
import type { Period } from '../core/periods.ts';
import { version } from '../core/program.ts';
import { neutralise } from '../core/text.ts';
import { sayFacts, writeContext, writeWarning } from '../mcp/answers/catalogue/catalogue.ts';
import { selectRequested } from '../mcp/answers/table.ts';
import { withNames } from './layout.ts';
import { person, personReader } from './terminal/catalogue/catalogue.ts';
import type { MissingRows } from './terminal/catalogue/usage.ts';

/** All of an answer for a file, and what its reader has to know that rows cannot say. */
export interface FlatAnswer extends Pick<Answer, 'toolCall'> {
  context: FinishedContext;
  /** The names of the columns, where they are known without a row. */
  columns: readonly string[];
  rows: readonly Row[];
  /** The answer as clients have it, with all of its rows. */
  payload: JsonObject;
  labels: Labels;
  figure: Figure | undefined;
  /** What a row is, in the plural. */
  noun: string;
  /** Which rows there are that are not in it. */
  missing: MissingRows | undefined;
  warnings: readonly string[];
  /** Where the figures are from; undefined for the sandbox, which invents them. */
  from: string | undefined;
}

/**
 * All of an answer; its rows are a list's own, a report's facts, or one record.
 *
 * @param hasNames whether it has the names of ids
 * @throws {InputError} for a field that none of the rows has.
 */
export async function flattenAnswer(
  tool: ToolDefinition,
  services: Services,
  answer: Answer,
  { baseUrl, hasNames }: { baseUrl: string; hasNames: boolean },
): Promise<FlatAnswer> {
  const { toolCall } = answer;
  const found = answer.kind === 'figure' ? answer.drawnFrom : answer;
  const list = 'rows' in found ? found : undefined;
  const rows = selectRequested(answer, answerRows(answer).slice(0, list?.wanted?.count));
  const payload = list ? { ...list.payload, data: rows } : found.payload;
  const { labels, warnings } = hasNames
    ? await labelPayload(services, [payload, rows])
    : { labels: {}, warnings: [] };
  const reader = personReader(services.hasTool);
  const context = writeContext(answer.context, reader);
  const total = toNumber(payload.total);
  const hasAll = 'all' in tool.input.shape;
  return {
    toolCall,
    context,
    rows,
    payload,
    labels,
    columns: list?.ofStatement?.names ?? [],
    noun: list?.noun ?? 'figures',
    figure: answer.kind === 'figure' ? answer.figure : undefined,
    from: context.source === 'sandbox' ? undefined : new URL(baseUrl).host,
    missing: list?.rest && { total, rows: rows.length, noun: list.noun, hasAll },
    warnings: [...(answer.context.warnings ?? []), ...warnings].map(
      (it) => writeWarning(it, reader).text,
    ),
  };
}

/** What stands beside the rows on a terminal: invented figures, missing rows, warnings. */
export function notesOf({ context, missing, warnings }: FlatAnswer): string[] {
  return [
    ...(context.source === 'sandbox' ? [person.say({ code: 'invented_figures' })] : []),
    ...(missing === undefined ? [] : [person.say({ code: 'file_not_complete', missing })]),
    ...warnings.map((it) => `Warning: ${neutralise(it)}`),
  ];
}

/** Something to know of an answer, and what it is. */
export type AboutLine = readonly [what: string, value: unknown];

/** What of a payload is its rows, or counts them. */
const ofRows = ['data', 'explained', 'count', 'total', 'start', 'limit'];

/** What was asked, of where and when, what the figures say, what is not complete, and the warnings. */
export function aboutLines(flat: FlatAnswer): AboutLine[] {
  const { toolCall, context, payload, figure, noun, missing, warnings, from } = flat;
  const { as_of, cached, period, reference_period: against, usual } = context;
  const { data } = payload;
  const beside = Object.entries(payload).filter(([name]) => !ofRows.includes(name));
  const lines = (what: string, values: object = {}) =>
    Object.entries(values).map(([name, value]): AboutLine => [what + name, value]);
  const days = ({ from, to, given }: Period) => {
    return { 'first day': from, 'last day': to, 'as asked': given };
  };
  const texts = (what: string, values: readonly string[]) =>
    values.map((value): AboutLine => [what, value]);
  return [
    ['Asked', toolCall.tool],
    ...lines('Asked, ', toolCall.arguments),
    ...Object.entries(context.resolved ?? {}).map(
      ([name, it]): AboutLine => [`Meant by ${name}`, `${it.name} (${it.id})`],
    ),
    ['From', `${from ?? person.say({ code: 'invented' })}, ${context.endpoint}`],
    [`Read${cached ? ' (from the cache)' : ''}`, as_of],
    ...lines('Period, ', period && days(period)),
    ...lines('Held against, ', against && days(against)),
    ...(usual?.periods ?? []).map((it): AboutLine => ['Held against', `${it.from} to ${it.to}`]),
    ...texts('Summary', [
      ...(figure ? [headingOf(figure), figureSummary(figure, 'en'), ...figureMarks(figure)] : []),
      ...(context.summary ?? []),
    ]),
    ...(context.notes ?? []).map(({ day, note }): AboutLine => [`Note of ${day}`, note]),
    ...(Array.isArray(data)
      ? [[noun === 'figures' ? 'Figures' : 'Rows', data.length] as const]
      : []),
    ['Complete', person.say({ code: 'file_complete', noun, missing })],
    ...texts('Warning', warnings),
    ...lines('Left open: ', context.left_open),
    ...lines('Definition of ', context.definitions),
    ...texts('Empty days', context.empty_days ? [context.empty_days.text] : []),
    ...texts('Not shown', sayFacts(context, person).more),
    ...(Array.isArray(data) ? lines('Beside the rows, ', Object.fromEntries(beside)) : []),
    ...(context.tables ?? []).map(({ table, rows, complete, as_of, period }): AboutLine => {
      const days = period ? ` of ${period.from} to ${period.to}` : '';
      return [
        'Table',
        `${table}: ${rows} rows${days}, ${complete ? '' : 'not '}complete, ${as_of}`,
      ];
    }),
    ['Times', `${timezone}: days and moments are those of its clock`],
    ['Amounts', 'Decimal euros; _wt includes VAT, a plain name or _ex excludes it'],
    ['Written by', `commerce-mcp ${version}`],
  ];
}

/** The columns of the rows with `shop_name` behind `shop_id`, where the names were read. */
export function namedColumns({ rows, labels, columns }: FlatAnswer): Columns {
  const known = new Map(columns.map((name) => [name, []]));
  const read = [...(rows.length > 0 ? readColumns(rows) : known)];
  const named = withNames(
    read.map(([name, values]) => ({ name, values })),
    labels,
  );
  return new Map(named.map(({ name, values }) => [name, values]));
}
