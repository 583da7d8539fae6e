/** The engine's failures in words from which the statement can be corrected. */
import { messageOf } from '../../core/errors.ts';
import { isRecord, type JsonObject, parseJson } from '../../core/json.ts';
import { didYouMean, orMeant } from '../../core/nearest.ts';
import { listFirst, quote, quoted } from '../../core/text.ts';
import { QueryError, type QueryErrorCode, quoteUnlessWord } from '../errors.ts';
import type { SqlColumn, Tables } from '../messages.ts';
import type { StatementShape } from '../provider.ts';

/** What the engine threw, in its own words. Its errors are JSON behind some words (`errors_as_json`). */
export function failureOf(error: unknown) {
  const text = messageOf(error);
  const parsed = parseJson(text.slice(Math.max(0, text.indexOf('{"exception_type"'))));
  const held: JsonObject = isRecord(parsed) ? parsed : {};
  return {
    /** Such as `Binder`, `Out of Memory`; `Engine` for what is no statement's fault. */
    type: String(held.exception_type ?? 'Engine'),
    // It may hold a value of any length.
    message: String(held.exception_message ?? text).slice(0, 4000),
    /** Where in the statement, in characters. */
    position: Number(held.position ?? 0),
    /** The finer kind, such as `COLUMN_NOT_FOUND`, and the name that was not found. */
    subtype: String(held.error_subtype ?? ''),
    name: String(held.name ?? '').slice(0, 4000),
  };
}

export type EngineFailure = ReturnType<typeof failureOf>;

/** Tables that a statement uses, with their columns as far as they are known. */
export type UsedTables = ReadonlyMap<string, readonly SqlColumn[]>;

/** The column that the engine did not find. */
export function missingColumn({ type, subtype, name, message }: EngineFailure): string | undefined {
  if (type !== 'Binder') return undefined;
  if (subtype === 'COLUMN_NOT_FOUND' && name !== '') return name;
  const form = /(?:have a column named|^Could not find key|^Column) "(.+?)"(?:$| in | does )/m;
  return (form.exec(message) ??
    /Referenced column ['"]?([^\s'"]+)['"]? not found/.exec(message))?.[1];
}

const codes: Readonly<Record<string, QueryErrorCode>> = {
  Parser: 'syntax',
  Conversion: 'bad_value',
  'Invalid Input': 'bad_value',
  'Out of Range': 'bad_value',
  'Divide by Zero': 'bad_value',
};

/** Where the engine says what is wrong and not what to do. The first that fits counts. */
const adviceByMessage: readonly (readonly [says: RegExp, advice: string, code?: QueryErrorCode])[] =
  [
    [
      /^Cannot mix aggregates/,
      'Beside GROUP BY ALL, an aggregate does not share an expression with a column or a window: compute the aggregates in a step, WITH t AS (SELECT ... GROUP BY ALL), and the rest over t.',
    ],
    [
      /^Cannot compare values of type INTERVAL/,
      "The difference of two moments is an INTERVAL: compare it with one, such as INTERVAL 1 HOUR, or count by date_diff('minute', a, b).",
    ],
    [
      /^Max.*(depth|call stack)|^memory exhausted/,
      'The statement is nested too deeply. Use IN (...) for long lists of conditions, and WITH for its steps.',
      'bad_statement',
    ],
    [
      /^Referenced table/,
      'A table with an alias is addressed by the alias alone, and one whose column is the argument of another stands before it: FROM list_orders(...) o, list_order_items(order_id := o.id) i.',
      'unknown_column',
    ],
    [/is a table function/, 'It stands in FROM.', 'unknown_function'],
    [
      /clause cannot contain|calls cannot (be nested|contain)|the expression has a subquery|QUALIFY with GROUP BY/,
      'Conditions on aggregates stand in HAVING, on window functions in QUALIFY; what is computed from the other is a further step, WITH or a subquery in FROM.',
    ],
    [
      /^column .* must appear in the GROUP BY/i,
      'GROUP BY ALL groups by all that is not aggregated; beside listed groups, the parameter of a view in HAVING is written (SELECT parameter).',
    ],
    [
      /^(invalid|date|timestamp).*field (format|value)/,
      "Days are written '2026-11-02', moments '2026-11-02 10:15:00'. Words such as yesterday stand in arguments of tables only.",
    ],
    [
      /^No function matches|^Could not (choose a best candidate|convert|parse)|^Cannot (compare|mix)|^Unimplemented type for cast/,
      'Cast what is of another type: CAST(x AS DECIMAL(18,2)), CAST(x AS DATE), CAST(x AS VARCHAR); TRY_CAST gives NULL for what cannot be. Days and moments move by intervals, x - INTERVAL 1 DAY; texts are joined with ||.',
    ],
    [
      /^More than one row returned/,
      'Aggregate it, such as max(x), or compare with IN (SELECT ...).',
    ],
    [
      /^Non-inner join on correlated columns|^The combining JOIN type must be INNER or LEFT/,
      'An argument that is a column of another table goes with JOIN and LEFT JOIN only, and with ON: FROM list_orders(...) o JOIN list_order_items(order_id := o.id) i ON true LEFT JOIN ..., with JOIN in place of a comma. In place of SEMI and ANTI JOIN write WHERE EXISTS or NOT EXISTS (SELECT 1 FROM ...).',
    ],
    [/NOT IMPLEMENTED/, 'Write LIMIT 10 OFFSET 5 for LIMIT 5, 10.'],
    [/\btop +>>>/i, 'There is no TOP: write LIMIT 5 at the end.'],
    [
      /at or near "(from|to|order|group|end|all)"/i,
      `Words of SQL stand in double quotes as names: "from" := ...; period := '2026-11-02..2026-11-08' needs none.`,
    ],
  ];

/** The error of a statement that the engine refused, or could not finish. */
export function explainFailure(
  sql: string,
  error: unknown,
  used: UsedTables,
  tables: Tables,
  shape?: StatementShape,
): QueryError {
  if (error instanceof QueryError) return error;
  const failure = failureOf(error);
  const { type, subtype, message } = failure;
  if (message.startsWith('Cannot create a string longer'))
    return new QueryError('output_too_large');
  const [, found, code] = adviceByMessage.find(([says]) => says.test(message)) ?? [];
  const advice = sayNameForId(message, shape?.comparedWith) ?? found;
  if (type === 'Out of Memory' || (error instanceof RangeError && !advice))
    return new QueryError('out_of_memory');
  const column = missingColumn(failure);
  if (column !== undefined) return aboutColumn(column, sql, used);
  if (subtype === 'MISSING_ENTRY') return aboutName(failure, tables);
  if (advice === undefined && /^(engine|fatal|internal|interrupt|io|permission)$/i.test(type)) {
    return new QueryError(
      'engine_failed',
      'The query engine failed over this statement. Write it more plainly, in steps with WITH.',
    );
  }
  const text = `The engine refuses it: ${quoted(plainWords(message), mostWords)} ${advice ?? ''}`;
  return new QueryError(code ?? codes[type] ?? 'bad_statement', text.trimEnd());
}

/** The error of a CSV file that the engine cannot read: where, and nothing of what stands there. */
export function brokenTable(name: string, error: unknown): unknown {
  const { type, message } = failureOf(error);
  if (!/^(Invalid Input|Conversion|IO|Permission)$/.test(type)) return error;
  const [, line] = /^CSV Error on Line: (\d+)/.exec(message) ?? [];
  const [, column, wanted] = /^Column (.*) is being converted as type (\S+)$/m.exec(message) ?? [];
  const [, cells, found] = /^Expected Number of Columns: (\d+) Found: (\d+)$/m.exec(message) ?? [];
  const text = [
    `The file of ${name} cannot be read as CSV`,
    ...(line === undefined ? [] : [` at line ${line}`]),
    ...(column === undefined ? [] : [`, column ${quoted(column)}: no ${wanted}`]),
    ...(cells === undefined ? [] : [`: ${found} cells where there are ${cells} columns`]),
  ];
  return new QueryError('broken_table', `${text.join('')}.`);
}

/** A name that is held against a column of ids, where ids are numbers. */
function sayNameForId(message: string, comparedWith?: StatementShape['comparedWith']) {
  const [, name = ''] = /^Could not convert string '(.+?)' to (?:INT|BIGINT)/.exec(message) ?? [];
  const isOfIds = ([column, texts]: readonly [string, readonly string[]]) =>
    column.endsWith('_id') && texts.includes(name);
  const [column] = [...(comparedWith ?? [])].find(isOfIds) ?? [];
  if (column === undefined) return undefined;
  return `${column} holds numbers: give the name as an argument, ${column} := '${quote(name, 60)}', where the table takes it, or join with the list that has the names, such as shops.`;
}

function sayWordAsName(sql: string, message: string, position: number): string | undefined {
  const [, word] = /at or near "([a-z_]+)"/i.exec(message) ?? [];
  if (word === undefined || Number.isNaN(position)) return undefined;
  const before = Array.from(sql).slice(0, position).join('');
  const rest = sql.slice(before.length + word.length);
  if (!/[\w)"']\s+$/.test(before) || !/^\s*(,|from\b|$)/i.test(rest)) return undefined;
  return `"${word}" is a word of SQL: write AS "${word}", or another name.`;
}

const mostWords = 400;

/** What the engine says for itself alone: settings, extensions, its own catalogue. */
const notForCallers =
  /\b(SET|PRAGMA|RESET|INSTALL|LOAD)\b|memory_limit|temp_directory|https?:|extension|setting|max_\w+|^Candidate (?!tables)|^LINE \d|^Possible solutions|^\*|^\^|^Did you mean/;

function plainWords(message: string): string {
  const sentences = message.split(/\n|(?<=[.;!])\s/).map((sentence) => sentence.trim());
  const kept = sentences.filter((sentence) => sentence !== '' && !notForCallers.test(sentence));
  const text = kept.slice(0, 4).join(' ') || 'The engine refused the statement';
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** So many names say what there is; more are noise. */
const mostNames = 40;

function aboutColumn(column: string, sql: string, used: UsedTables): QueryError {
  const all = [...used.values()].flat().map(({ name }) => name);
  // A field within an object may be called as a column is.
  const guess = all.includes(column) ? '.' : orMeant(column, all, quoteUnlessWord);
  const form = ` A text stands in single quotes: '${quote(column)}'.`;
  const isText = sql.includes(`"${column}"`) || sql.includes(`:= ${column}`);
  const there = [...used].map(([table, columns]) => {
    // Objects show what is in them: the name that was looked for may be one of their fields.
    const names = columns.map((it) => {
      const isWithin = it.type.startsWith('STRUCT(') && it.type.includes(column);
      return isWithin ? `${it.name} (${quote(it.type, 200)})` : quoteUnlessWord(it.name);
    });
    return ` ${table} has ${listFirst(names, mostNames)}.`;
  });
  const kept = isKeptName(column) ? ` ${sayKeptName(column)}` : '';
  const text = `There is no column ${quoted(column)} in sight${guess}${isText ? form : kept}`;
  return new QueryError('unknown_column', `${text}${there.join('')}`);
}

/** Whether a word is the id of kept rows. */
export function isKeptName(word: string): boolean {
  return /^r_[0-9a-z]+$/.test(word);
}

/** How kept rows stand in FROM. */
export function sayKeptName(id: string): string {
  return `Kept rows are named in single quotes: FROM result('${id}').`;
}

function aboutName({ name, message }: EngineFailure, tables: Tables): QueryError {
  const guess = didYouMean(name, /Did you mean "(\w+)"/.exec(message)?.slice(1) ?? []);
  return new QueryError(
    'unknown_function',
    tables.has(name.toLowerCase())
      ? `${name} is a table: it stands in FROM, such as SELECT ... FROM ${name}(...).`
      : `There is no function or type ${quoteUnlessWord(name)}.${guess} Functions are DuckDB's, such as strftime(day, '%Y-%m') and coalesce(x, y); names stand in double quotes, window functions have OVER (...).`,
  );
}

/** The error of a text of which there is no tree. */
export function explainParse(sql: string, { error_message, position }: JsonObject): QueryError {
  const message = String(error_message ?? 'it could not be read');
  if (message.startsWith('Only SELECT')) {
    const pivot = /^\W*(un)?pivot\b/i.test(sql)
      ? ' In place of PIVOT write sum(x) FILTER (WHERE ...) for each value.'
      : '';
    return new QueryError(
      'not_select',
      `A statement is one SELECT (WITH, FROM-first, DESCRIBE SELECT and SUMMARIZE SELECT included), and nothing is ever written. This is something else: ${quoted(sql)}.${pivot}`,
    );
  }
  const place = position === undefined ? '' : ` ${placeIn(sql, Number(position))}`;
  const [, found] = adviceByMessage.find(([says]) => says.test(message) || says.test(place)) ?? [];
  const advice = found ?? sayWordAsName(sql, message, Number(position));
  const words = quote(plainWords(message), mostWords).replace(/\.$/, '');
  const text = `${words.charAt(0).toUpperCase()}${words.slice(1)}${place}`;
  return new QueryError('syntax', advice ? `${text}. ${advice}` : text);
}

/** `at line 2, column 7: GROUP BY >>> 1`; the engine counts characters, a string UTF-16 units. */
function placeIn(sql: string, position: number): string {
  const before = Array.from(sql).slice(0, position).join('');
  const lines = before.split('\n');
  const column = (lines.at(-1) ?? '').length + 1;
  const start = before.slice(-30).replaceAll(/\s+/g, ' ');
  const rest = sql.slice(before.length, before.length + 30).replaceAll(/\s+/g, ' ');
  return `at line ${lines.length}, column ${column}: ${start} >>> ${rest || '(end)'}`;
}
