/** All rows of an answer for a file, and the facts that its reader needs. */
import type { Answer, FinishedContext, ToolCall } from '../../analysis/answer.ts';
import { type Labels, labelPayload } from '../../analysis/reference/reference.ts';
import { readColumnsInTurns } from '../../analysis/rows/column-profile.ts';
import type { Columns } from '../../analysis/rows/rows.ts';
import { asRows } from '../../analysis/tables/table-rows.ts';
import { timezone } from '../../core/calendar.ts';
import { fieldOf } from '../../core/column-name.ts';
import { cellText } from '../../core/column-type.ts';
import { type JsonObject, toNumber } from '../../core/json.ts';
import { sayDays } from '../../core/periods.ts';
import { version } from '../../core/program.ts';
import { finishContext } from '../answers/context.ts';
import { describeMissing, sayFacts, sayMoment } from '../answers/facts.ts';
import type { FinishSettings } from '../answers/finish.ts';
import { selectRequested } from '../answers/table.ts';

export type AboutLine = readonly [subject: string, text: string];

export interface RowsFile {
  columns: Columns;
  rows: number;
  /** The question, its days, when it was read, what is missing, and whether figures are invented. */
  about: readonly AboutLine[];
  /** Lines for a file that holds rows alone: invented figures, missing rows, warnings. */
  notes: readonly string[];
}

/** Arguments that ask for a part of a list: a file then holds that part. */
const pageArguments = ['limit', 'start', 'top', 'all'];

/** Completes the arguments of a call for a file, so that a list is read to its end. */
export function wholeInput({ input }: FinishSettings['tool'], args: JsonObject): JsonObject {
  const isPage = pageArguments.some((name) => name in args);
  return 'all' in input.shape && !isPage ? { ...args, all: true } : args;
}

/**
 * The rows of an answer: rows of a list, facts of a report, or one record.
 * @param hasNames whether a column of names follows each column of ids
 * @throws {InputError} for a requested column that no row has
 */
export async function rowsFileOf(
  { services, signal }: Pick<FinishSettings, 'services' | 'signal'>,
  answer: Answer,
  hasNames: boolean,
): Promise<RowsFile> {
  const list = asRows(answer);
  const rows = selectRequested(answer, list.rows.slice(0, list.wanted?.count));
  const { names = [], misnamed = [] } = list.statementColumns ?? {};
  const columns =
    rows.length > 0 ? await readColumnsInTurns(rows) : new Map(names.map((name) => [name, []]));
  const ids = [...columns].map(([name, values]) => ({ [fieldOf(name)]: values }));
  const named = hasNames ? await labelPayload(services, ids, signal) : undefined;
  const context = finishContext(answer.context, named);
  const facts = sayFacts(context);
  const total = toNumber(list.payload.total);
  const read = { rows: rows.length, of: total > rows.length ? total : undefined };
  const missing = list.rest && describeMissing({ ...context, read }, rows.length).text;
  return {
    columns: named ? addNames(columns, named.labels, misnamed) : columns,
    rows: rows.length,
    about: [
      ...askedLines(answer.toolCall, context),
      ['Rows', String(rows.length)],
      ['Complete', missing === undefined ? 'yes' : missing || 'no'],
      ...[...facts.summary, ...facts.meant, ...facts.tables].map(aboutLine('Note')),
      ...(context.warnings ?? []).map(({ text }) => text).map(aboutLine('Warning')),
      ['Clock', timezone],
      ['Amounts', 'Decimal euros; _wt includes VAT, a plain name or _ex excludes it'],
      ['Written by', `commerce-mcp ${version}`],
    ],
    notes: [
      ...(context.source === 'sandbox' ? ['source: sandbox, invented figures'] : []),
      ...(missing ? [missing] : []),
      ...facts.warnings,
    ],
  };
}

function aboutLine(subject: string): (text: string) => AboutLine {
  return (text) => [subject, text];
}

function askedLines({ tool, arguments: args }: ToolCall, context: FinishedContext): AboutLine[] {
  const { period, reference_period: reference, account, source, endpoint, as_of } = context;
  return [
    ['Asked', tool],
    ...Object.entries(args).map(([name, value]): AboutLine => [`Asked, ${name}`, cellText(value)]),
    ...[period ?? []].flat().map(sayDays).map(aboutLine('Days')),
    ...[reference ?? []].flat().map(sayDays).map(aboutLine('Against')),
    ['Read', sayMoment(as_of)],
    ['From', source === 'sandbox' ? 'the sandbox: every figure is invented' : endpoint],
    ...[account ?? []].flat().map(aboutLine('Account')),
  ];
}

/**
 * Adds a column of names behind ids, such as `shop_name` behind `shop_id`, except where a statement gave the ids
 * another meaning.
 */
function addNames(columns: Columns, labels: Labels, misnamed: readonly string[]): Columns {
  const namedColumns = [...columns].flatMap(([name, values]) => {
    const names = misnamed.includes(name) ? undefined : labels[fieldOf(name)];
    if (names === undefined) return [[name, values] as const];
    const nameOf = (id: unknown) => names[String(id)];
    const cells = values.map((value) => [value].flat().map(nameOf).join(', '));
    return [
      [name, values],
      [name.replace(/(_id)?$/, '_name'), cells],
    ] as const;
  });
  return new Map(namedColumns);
}
