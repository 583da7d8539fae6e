/** The engine's failures in words from which the statement can be corrected. */
import { nearest } from '../../core/nearest.ts';
import { quote, quoted } from '../../core/text.ts';
import { named, outOfMemory, QueryError, type QueryErrorCode } from '../errors.ts';
import type { SqlColumn, Tables } from '../messages.ts';
import { engineWords, mostWords, tooDeep } from './engine-words.ts';

/** A table that the statement uses, with its columns as far as they are known. */
export interface NamedColumns {
  name: string;
  columns: readonly SqlColumn[];
}

/** How the engine says that something went wrong. */
export interface EngineFailure {
  /** Such as `Binder`, `Out of Memory`; `Engine` for what is no statement's fault. */
  type: string;
  message: string;
  /** The finer kind, such as `COLUMN_NOT_FOUND`. */
  subtype?: string;
  /** The name that was not found. */
  name?: string;
  /** Offset into the text that was parsed. */
  position?: number;
}

/** The error of a statement that the engine refused, or could not finish. */
export function explainFailure(
  sql: string,
  failure: EngineFailure,
  tables: readonly NamedColumns[],
  names: Tables,
): QueryError {
  const { type, subtype, message } = failure;
  if (type === 'Out of Memory') return outOfMemory();
  if (type === 'Oversize') {
    return new QueryError(
      'output_too_large',
      'A single row of the answer is larger than an answer may be. Select fewer columns, and cut long texts and lists.',
    );
  }
  if (type === 'Depth') return new QueryError('bad_statement', tooDeep);
  // The function error() raises whatever text a row holds: it may read like one of the messages below.
  if (type === 'Invalid Input' && /\berror\W*\(/i.test(sql)) {
    return new QueryError(
      'bad_value',
      `The statement raised an error: ${quoted(message, mostWords)}`,
    );
  }
  if (type === 'IO') return new QueryError('engine_failed', 'A file of the tables cannot be read.');
  const column = missingColumn(failure);
  if (column !== undefined) return aboutColumn(column, failure, sql, tables);
  if (subtype === 'MISSING_ENTRY') return missing(failure, names);
  const alias = /^Referenced table "(.+?)" not found/.exec(message)?.[1];
  if (alias !== undefined) return aboutAlias(alias, message, tables);
  const isTableFunction = /^Function ".+?" is a table function/.test(message);
  const code = isTableFunction ? 'unknown_function' : (codes[type] ?? 'bad_statement');
  if (code === 'engine_failed') {
    return new QueryError(
      code,
      'The query engine failed over this statement. Write it more plainly, in steps with WITH.',
    );
  }
  return new QueryError(code, engineWords(message));
}

const codes: Partial<Record<string, QueryErrorCode>> = {
  Parser: 'syntax',
  Conversion: 'bad_value',
  'Invalid Input': 'bad_value',
  'Out of Range': 'bad_value',
  'Divide by Zero': 'bad_value',
  Interrupt: 'engine_failed',
  INTERNAL: 'engine_failed',
  Fatal: 'engine_failed',
  FATAL: 'engine_failed',
  Engine: 'engine_failed',
};

/** The column that the engine did not find. */
export function missingColumn(failure: EngineFailure): string | undefined {
  const { type, subtype, name, message } = failure;
  if (type !== 'Binder') return undefined;
  if (subtype === 'COLUMN_NOT_FOUND' && name !== undefined) return name;
  const found =
    /does not have a column named "(.+?)"|^Could not find key "(.+?)" in struct|^Column "(.+?)" in EXCLUDE list not found|^Column "(.+?)" does not exist on/.exec(
      message,
    );
  return found?.slice(1).find((column) => column !== undefined);
}

function aboutColumn(
  column: string,
  { message }: EngineFailure,
  sql: string,
  tables: readonly NamedColumns[],
): QueryError {
  const known = tables.flatMap(({ columns }) => columns.map(({ name }) => name));
  const near = nearest(column, new Set(known));
  const side = /does not exist on (left|right) side of join/.exec(message)?.[1];
  const place = side === undefined ? 'in sight' : `on the ${side} of this join`;
  const guess = near === undefined ? '.' : `; did you mean ${named(near)}?`;
  const isPath = column.includes('.') && sql.includes(`"${column}"`);
  const isText = sql.includes(`"${column}"`) || sql.includes(`:= ${column}`);
  const quotes = isPath
    ? ` Fields of an object are reached without quotes around the dot: ${named(column)}.`
    : isText
      ? ` A text stands in single quotes: '${quote(column)}'.`
      : '';
  return new QueryError(
    'unknown_column',
    `There is no column ${quoted(column)} ${place}${guess}${quotes} ${columnsOf(tables, column)}`.trim(),
  );
}

function aboutAlias(alias: string, message: string, tables: readonly NamedColumns[]): QueryError {
  const found = /^Candidate tables: (.+)$/m.exec(message)?.[1];
  // What a call gives has no name until it is given one.
  const isUnnamed = found?.includes('unnamed_query') === true;
  const known = isUnnamed ? tables.map(({ name }) => name).join(', ') : found;
  const there = known === undefined ? '' : ` Here it has ${quote(known.replaceAll('"', ''), 200)}.`;
  return new QueryError(
    'unknown_column',
    `${quoted(alias)} is no table of this FROM.${there} A table with an alias is addressed by the alias alone.`,
  );
}

/** So many names say what there is; more are noise. */
const mostNames = 40;

function columnsOf(tables: readonly NamedColumns[], wanted: string): string {
  const distinct = new Map(
    tables.map((table) => [`${table.name} ${table.columns.map(({ name }) => name)}`, table]),
  );
  const sentences = [...distinct.values()].map(({ name, columns }) => {
    const said = columns.map((column) => saidColumn(column, wanted));
    const rest = said.length - mostNames;
    return `${name} has ${said.slice(0, mostNames).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}.`;
  });
  return sentences.join(' ');
}

/** Objects show what is in them: the name that was looked for may be one of their fields. */
function saidColumn({ name, type }: SqlColumn, wanted: string): string {
  const fields = type.startsWith('STRUCT(') && type.toLowerCase().includes(wanted.toLowerCase());
  return fields ? `${name} (${quote(type, 200)})` : named(name);
}

function missing({ name = '', message }: EngineFailure, names: Tables): QueryError {
  const isFunction = /function/i.test(message.split('\n')[0] ?? '');
  if (!isFunction) {
    const near = nearest(name, names.keys());
    const guess = near === undefined ? '' : ` Did you mean ${near}?`;
    return new QueryError('unknown_table', `There is no table or type ${quoted(name)}.${guess}`);
  }
  if (names.has(name.toLowerCase())) {
    return new QueryError(
      'unknown_function',
      `${name} is a table: it stands in FROM, such as SELECT ... FROM ${name}(...).`,
    );
  }
  const near = nearest(name, /Did you mean "(\w+)"/.exec(message)?.slice(1) ?? []);
  const guess = near === undefined ? '' : ` Did you mean ${near}?`;
  return new QueryError(
    'unknown_function',
    `There is no function ${named(name)}().${guess} Functions are DuckDB's, such as strftime(day, '%Y-%m') and coalesce(x, y); names stand in double quotes, window functions have OVER (...).`,
  );
}
