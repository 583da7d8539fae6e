/** What is said of statements: why they cannot be answered, what misleads in those that are, and of their tables. */
import type { Messages } from '../../../core/message.ts';
import { orMeant } from '../../../core/nearest.ts';
import {
  countNoun,
  cutText,
  listFirst,
  quote,
  quoted,
  quoteText,
  sayCount,
  sentences,
} from '../../../core/text.ts';
import type { ArgumentCall } from '../../../query/provider.ts';
import type { Reader, Texts } from './reader.ts';

export const statementTexts = {
  // The text of a statement
  syntax_error: ({ words, place, advice }, { say }) => {
    const text = quote(words, mostWords).replace(/\.$/, '');
    const where = place
      ? ` at line ${place.line}, column ${place.column}: ${place.before} >>> ${place.after || '(end)'}`
      : '';
    const sentence = `${text.charAt(0).toUpperCase()}${text.slice(1)}${where}`;
    return advice ? `${sentence}. ${say(advice)}` : sentence;
  },
  not_select: ({ text, isPivot }) =>
    sentences(
      `A statement is one SELECT (WITH, FROM-first, DESCRIBE SELECT and SUMMARIZE SELECT included), and nothing is ever written. This is something else: ${quoted(text)}.`,
      isPivot && 'In place of PIVOT write sum(x) FILTER (WHERE ...) for each value.',
    ),
  empty_statement: 'The statement is empty. Write one SELECT.',
  several_statements: ({ count }) =>
    `These are ${count} statements. Write one SELECT; WITH holds several steps.`,
  statement_parameter: 'The statement holds a parameter (? or $1). Write the value itself.',
  part_refused: ({ part }) =>
    `The statement holds a part (${part}) that cannot be used here. Write it as a plain SELECT; columns are listed by DESCRIBE SELECT * FROM the table.`,
  view_reads_itself: ({ view }) => `The view ${view} reads itself.`,

  // Names in it
  unknown_table: ({ name, nearest, isElsewhere, tables }) => {
    if (nearest !== undefined)
      return `There is no table ${quoted(name)}; did you mean ${nearest}? SELECT name FROM tables lists all.`;
    const reason = isElsewhere
      ? ": tables stand in FROM by their names alone; files, addresses and the engine's own catalogue are out of reach."
      : '.';
    return sentences(
      `There is no table ${quoted(name)}${reason}`,
      tables.length > 0 && `The tables: ${tables.join(', ')}.`,
    );
  },
  broken_table: ({ table }) => `${table} is broken; the log and \`doctor\` say why.`,
  kept_rows_in_quotes: ({ id }) => sayKept(id),
  kept_rows_take_id: "result takes the id of kept rows: FROM result('r_...').",
  unknown_column: ({ column, nearest, call, isText, isKept, tables }) =>
    cut(
      `There is no column ${quoted(column)} in sight${orMeant(nearest && wordOrQuoted(nearest))}`,
      isText && `A text stands in single quotes: '${quote(column)}'.`,
      !isText && isKept && sayKept(column),
      call !== undefined && `It is an argument: ${sayCall(call)}.`,
      ...tables.map(({ table, columns, more }) => {
        const names = columns.map((it) =>
          it.type ? `${it.name} (${quote(it.type, 200)})` : wordOrQuoted(it.name),
        );
        return `${table} has ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`;
      }),
      tables[0] !== undefined &&
        `SELECT * FROM tables WHERE name IN (${tables.map((it) => quoteText(it.table)).join(', ')}) says what they hold.`,
    ),
  condition_unknown: ({ column }) =>
    `What ${wordOrQuoted(column)} holds is not known before rows come, and this condition would ask for none. Cast it: CAST(x AS VARCHAR), CAST(x AS DECIMAL(18,2)).`,
  unknown_function: ({ name, nearest }) =>
    sentences(
      `There is no function or type ${wordOrQuoted(name)}.`,
      nearest !== undefined && `Did you mean ${nearest}?`,
      "Functions are DuckDB's, such as strftime(day, '%Y-%m') and coalesce(x, y); names stand in double quotes, window functions have OVER (...).",
    ),
  table_as_function: ({ name }) =>
    `${name} is a table: it stands in FROM, such as SELECT ... FROM ${name}(...).`,
  function_refused: ({ name }) =>
    `${wordOrQuoted(name)}() cannot be called: functions here compute from their arguments; settings, variables, the environment and the engine's state are out of reach.`,

  // Arguments of tables
  argument_twice: ({ table, argument }) => `${table}: ${argument} is given twice.`,
  table_without_arguments: ({ table }) => `${table} takes no arguments: write FROM ${table}.`,
  argument_without_name: ({ table, arguments: names }) =>
    `${table} takes its arguments by name, such as ${table}(${names[0]} := ...). It takes: ${names.join(', ')}.`,
  no_such_argument: ({ table, argument, nearest, arguments: names }) =>
    `${table} has no argument ${quoted(argument)}${orMeant(nearest)} It takes: ${names.join(', ')}.`,
  too_many_values: ({ table, argument, most }) =>
    `${table}: ${argument} has more than ${most} values. Narrow its subquery.`,
  no_plain_value: ({ table, argument }) =>
    `${table}: ${argument} takes plain values, not objects or lists of lists.`,
  too_many_rounds: ({ rounds }) =>
    `After ${rounds} rounds the statement still asks for other calls. Arguments must not be random, nor follow a recursion so far.`,
  table_failed: ({ reason, call }, { say }) =>
    sentences(say(reason), call && `In SQL arguments stand in brackets: ${sayCall(call)}.`),

  // What it costs
  statement_costs_more: ({ calls, maxCalls, tools, time, kept }) =>
    [
      `this statement takes up to ${countNoun(calls, 'platform call')}, and max_calls is ${sayCount(maxCalls)}: ${tools.map((it) => `${it.tool} ${sayCount(it.calls)}`).join(', ')}.`,
      `${sayTime(time)} Nothing of it was read beyond what tells the number, and that is kept.`,
      ...(kept === undefined
        ? []
        : [
            `Of the orders whose lines it asks for, those of ${sayCount(kept)} are kept and cost nothing; "commerce-mcp fill" reads the others ahead.`,
          ]),
      `Narrow it (a shorter period, one shop, fewer ids in the subquery), or give max_calls: ${calls}.`,
    ].join('\n'),
  too_many_looks: ({ looks, maxCalls }) =>
    `tables looks at ${countNoun(looks, 'tool')} first, by a request or two each, and max_calls is ${sayCount(maxCalls)}. Name some (WHERE name IN ('list_orders', ...)), or give max_calls: ${looks}.`,

  // What the engine refuses, and what to write instead
  engine_refuses: sayRefused,
  value_refused: sayRefused,
  aggregates_in_a_step:
    'Beside GROUP BY ALL, an aggregate does not share an expression with a column or a window: compute the aggregates in a step, WITH t AS (SELECT ... GROUP BY ALL), and the rest over t.',
  compare_intervals:
    "The difference of two moments is an INTERVAL: compare it with one, such as INTERVAL 1 HOUR, or count by date_diff('minute', a, b).",
  nested_too_deeply:
    'The statement is nested too deeply. Use IN (...) for long lists of conditions, and WITH for its steps.',
  alias_alone:
    'A table with an alias is addressed by the alias alone, and one whose column is the argument of another stands before it: FROM list_orders(...) o, list_order_items(order_id := o.id) i.',
  stands_in_from: 'It stands in FROM.',
  having_or_qualify:
    'Conditions on aggregates stand in HAVING, on window functions in QUALIFY; what is computed from the other is a further step, WITH or a subquery in FROM.',
  group_by_all:
    'GROUP BY ALL groups by all that is not aggregated; beside listed groups, the parameter of a view in HAVING is written (SELECT parameter).',
  days_as_texts:
    "Days are written '2026-11-02', moments '2026-11-02 10:15:00'. Words such as yesterday stand in arguments of tables only.",
  cast_it:
    'Cast what is of another type: CAST(x AS DECIMAL(18,2)), CAST(x AS DATE), CAST(x AS VARCHAR); TRY_CAST gives NULL for what cannot be. Days and moments move by intervals, x - INTERVAL 1 DAY; texts are joined with ||.',
  several_rows: 'Aggregate it, such as max(x), or compare with IN (SELECT ...).',
  inner_or_left_join:
    'An argument that is a column of another table goes with JOIN and LEFT JOIN only, and with ON: FROM list_orders(...) o JOIN list_order_items(order_id := o.id) i ON true LEFT JOIN ..., with JOIN in place of a comma. In place of SEMI and ANTI JOIN write WHERE EXISTS or NOT EXISTS (SELECT 1 FROM ...).',
  limit_offset: 'Write LIMIT 10 OFFSET 5 for LIMIT 5, 10.',
  no_top: 'There is no TOP: write LIMIT 5 at the end.',
  words_in_quotes: `Words of SQL stand in double quotes as names: "from" := ...; period := '2026-11-02..2026-11-08' needs none.`,
  word_as_name: ({ word }) => `"${word}" is a word of SQL: write AS "${word}", or another name.`,
  name_for_id: ({ column, name }) =>
    `${column} holds numbers: give the name as an argument, ${column} := '${quote(name, 60)}', where the table takes it, or join with the list that has the names, such as shops.`,

  // What it took too much of
  out_of_memory:
    'The statement needs more memory than it may take. Read a shorter period, select fewer columns, filter before joining, and check that every join has its condition.',
  out_of_time: ({ seconds }) =>
    `The statement computed for ${seconds} seconds, which is the most, and was stopped. Read a shorter period, filter before joining, and check that every join has its condition and every recursion its end.`,
  row_too_large:
    'A single row of the answer is larger than an answer may be. Select fewer columns, and cut long texts and lists.',
  too_much_nested: ({ what, most }) => {
    const bounds = {
      depth: `lie more than ${most} deep in each other`,
      values: `hold more than ${sayCount(most)} values`,
      names: `have more than ${sayCount(most)} different names`,
    };
    return `Lists and objects of the answer ${bounds[what]}, which is the most there may be. Select the parts that you need by name, aggregate them, or unnest a list (of a map: map_entries) into rows, with a LIMIT.`;
  },

  // The engine itself
  statement_cancelled: 'The statement was cancelled.',
  engine_busy: ({ why }, { say }) => `The query engine is busy: ${say(why)}`,
  definitions_wait:
    'The query engine is busy: no turn came in which to read the definitions. Try again.',
  engine_failed:
    'The query engine failed over this statement. Write it more plainly, in steps with WITH.',
  engine_stopped: 'The query engine was stopped while it worked on this statement. Ask again.',
  engine_not_loaded:
    'The query engine cannot be loaded on this platform. Use the tools that read lists and reports instead.',
  engine_not_installed: ({ library }) =>
    `The query engine (${library}) is not installed: it is an optional part of this package, and was left out.`,
  engine_without_part: ({ library, platform }) =>
    `The query engine (${library}) has no native part for ${platform} here.`,

  // Definitions of the business
  no_such_folder: ({ setting, folder }) => `${setting}: there is no folder ${folder}.`,
  bad_table_name: 'Its name is no name of a table: small letters, digits and _.',
  name_taken: ({ name }) => `There is a table ${name} already.`,
  too_many_cells: ({ cells, columns }) =>
    `It has more than ${sayCount(cells)} cells or ${sayCount(columns)} columns, the most of a table.`,
  only_comments: 'It holds nothing but comments.',
  no_sql: ({ line, column }) =>
    line === undefined ? 'It is no SQL.' : `It is no SQL at line ${line}, column ${column}.`,
  no_select: 'It is no SELECT.',
  no_value: 'A value in it cannot be converted or computed.',

  // What `tables` says beside the descriptions of the tools
  about_table: ({ table }) => notes[table] ?? '',
  table_notation:
    'Columns without a type: text, ids integer, _wt and _ex decimal; decimal: exact, _wt incl. VAT, _ex and plain excl.; timestamp: Amsterdam time; a.{b, c}: a.b, a.c; [..]: a list; =: what it joins with; seen, kind: there may be others; (empty): no value in twenty rows or more. facts: path, measure, value decimal, split, shop_id, location_id, product_group_id, tax_rate_id, provider_method_type_id (null where none), name, line. Arguments: * must be given; from and to stand in for period; a list or (SELECT ...), of a WITH step too, is one call a value, which its rows carry in a column of its name. WHERE name IN (...) says more of some tables.',
  calendar_too_long: ({ most }) => `calendar: a period has ${most} days at most.`,

  // What is likely to mislead in one that was answered: rows that are there, or not
  no_values: ({ table, argument }) =>
    `${argument} of ${table} got no value (NULL, an empty list or no row of its subquery), so nothing was asked and the table has no rows. To ask without it leave it out.`,
  unseen_columns: ({ table, columns }) =>
    `${table} gave no rows: whether it has ${listFirst(columns.map(wordOrQuoted), 6)} is not known.`,
  periods_overlap: ({ table, earlier, later, from }) =>
    `${table}: the periods ${earlier} and ${later} share days (from ${from} on): rows of these are there twice. Give periods that do not overlap, or GROUP BY period.`,
  rows_of_totals: 'empty in rows of totals',
  rows_unread: ({ table, count, rows }) => {
    const named = rows.map(({ line, day, column, wants }) => {
      const fault = column ? `no ${nounOf[wants]} in ${wordOrQuoted(column)}` : nounOf[wants];
      return `line ${line}${day ? ` (${day})` : ''}: ${fault}`;
    });
    const more = count > rows.length ? ` and ${count - rows.length} more` : '';
    return `${countNoun(count, 'row')} of ${table} cannot be read and ${count === 1 ? 'is' : 'are'} left out (${named.join('; ')}${more}).`;
  },
  columns_left_out: ({ table, columns }) =>
    `${table} has fields whose names SQL cannot write, and is without them here: ${listFirst(
      columns.map((it) => quoted(it)),
      6,
    )}.`,
  columns_renamed: ({ table, columns }) => {
    const named = columns.map(
      ({ column, other, name }) =>
        `${quoted(other)} has its name, ${quoted(column)} is ${quoted(name)}`,
    );
    return `SQL ignores case in names, and columns of ${table} differ in nothing else: ${named.join('; ')}.`;
  },
  figures_unread: ({ table, count, figures }) => {
    const named = figures.map(({ name, value, row, id, days }) => {
      const place = days ?? `row ${row}${id ? ` (id ${quote(id, 40)})` : ''}`;
      return `${wordOrQuoted(name)} of ${place}: ${quote(value, 40)}`;
    });
    const more = count > figures.length ? ` and ${count - figures.length} more` : '';
    return `${countNoun(count, 'figure')} of ${table} ${count === 1 ? 'is no number and counts' : 'are no numbers and count'} as nothing (${named.join('; ')}${more}): sums lack ${count === 1 ? 'it' : 'them'}.`;
  },
  rows_left_out: ({ table, condition, argument, rows }) =>
    `${condition} holds in none of the ${sayFigure(rows)} rows of ${table}: the platform leaves such rows out unless asked. Ask with ${table}(..., ${argument} := true).`,
  unknown_value: ({ table, column, missing, values, isMore }) =>
    `No row of ${table} has ${column} ${missing.map(quoteText).join(' or ')}. The values there are${isMore ? ', the nearest first' : ''}: ${values.join(', ')}.`,
  null_in_list: ({ column = 'the value', values, nulls }) =>
    `NOT IN is true of no row, for ${sayFigure(nulls)} of the ${sayFigure(values)} values of ${column} in its subquery are NULL. Add WHERE ${column} IS NOT NULL there.`,

  // Days
  bare_day: ({ column, sign, texts, day, rows }) => {
    const condition = `${sign} ${texts.map(quoteText).join(' AND ')}`;
    const effect = sign === '>' ? 'keeps' : 'leaves out';
    return `${column} ${condition} ${effect} ${sayFigure(rows)} rows of ${day} itself, for a bare day is its midnight. By whole days: CAST(${column} AS DATE) ${condition}.`;
  },
  other_days: ({ table, column, cut, zone, unit, rows }) =>
    `${cut} cuts days by ${zone}, not Amsterdam: ${sayFigure(rows)} rows of ${table} fall on another day. Write date_trunc('${unit}', ${column}).`,

  // Ids
  other_ids: ({ left, right }) =>
    `${left.column} = ${right.column} holds ids of two kinds against each other: the first is ${left.ids}, the second ${right.ids}. Equal numbers there mean nothing; join each with its own.`,
  other_name: ({ table, column, alias, ids, others }) =>
    `${table}.${column} AS ${alias} gives ids that are ${ids} a name that says ${others}. Keep the name ${column}.`,

  // Figures
  repeated_facts: ({ sum, measure, paths, path, value }) => {
    const what = sum ? `${sum}(value) takes` : 'LIMIT 1 picks among';
    const figure = value === undefined ? '' : ` (${sayFigure(value)})`;
    return `${what} ${measure} under ${paths.length} paths (${paths.join(', ')}), which repeat the same money. One path holds it once: add AND path = '${path}'${figure}.`;
  },
  part_of_facts: ({ part, rest, whole }) =>
    `measure = '${part.measure}' is of ${part.path} alone here (${sayFigure(part.value)}), which is a part: with ${rest.path} (${sayFigure(rest.value)}) it makes up ${whole.measure} of ${whole.path} (${sayFigure(whole.value)}). For the whole write path = '${whole.path}' AND measure = '${whole.measure}'.`,
  totals_as_turnover: ({ table, column }) =>
    `${column} of ${table} are order totals and no turnover: they hold gift cards, tips and prepayments, and internal orders as said of ${table}. Turnover is revenue.total_turnover${column.endsWith('_wt') ? '_wt' : ''}: compare_turnover(period := ..., by := 'shop', against := 'none'), turnover_trend.`,
  summed_percentages: ({ column, table, facts }) => {
    const which = facts === undefined ? '' : `: ${sayFigure(facts)} facts of ${table}`;
    return `sum(${column}) adds up percentages, each of a whole of its own${which}. Give them row by row, or divide the sums of the amounts.`;
  },
} satisfies Partial<Texts>;

/** Longest quotation of the engine, and longest text. */
const mostWords = 400;
const mostCharacters = 1900;

function sayTime(time: Messages['statement_costs_more']['time']): string {
  if (time === undefined) return 'How long that takes is not known yet: no budget was reported.';
  const { remaining, limit, seconds } = time;
  if (seconds === 0) return 'The present rate budget has room for that.';
  const about = seconds < 90 ? `${seconds} seconds` : `${Math.round(seconds / 60)} minutes`;
  return `At the present rate budget (${remaining} of ${limit} left) that takes about ${about}.`;
}

function sayRefused({ words, advice }: Messages['engine_refuses'], { say }: Reader): string {
  return sentences(`The engine refuses it: ${quoted(words, mostWords)}`, advice && say(advice));
}

function sayCall({ table, argument, value }: ArgumentCall): string {
  return `${table}(${argument} := ${value === undefined ? '...' : quoteText(quote(value, 60))})`;
}

function sayKept(id: string): string {
  return `Kept rows are named in single quotes: FROM result('${id}').`;
}

function cut(...parts: readonly (string | false)[]): string {
  const text = sentences(...parts);
  return text.length > mostCharacters ? `${cutText(text, mostCharacters)}…` : text;
}

/** A name from outside: as it is where it is a plain word, in quotes otherwise. */
function wordOrQuoted(name: string): string {
  return /^[\p{L}\p{N}_.]{1,80}$/u.test(name) ? name : quoted(name);
}

const notes: Readonly<Record<string, string>> = {
  get_daily_close: 'One call a day.',
  get_financial_report:
    'Turnover by shop is turnover_by_group.shop_totals, which adds up to revenue.total_turnover; of shop and turnover group together turnover_by_group.groups.shops.',
  get_order: 'One call an order; order_number in place of order_id.',
  list_order_items: 'One call an order. kind: product, shipping, payment, discount.',
  list_orders: 'status: a comma list is one call.',
  get_product: 'One call a product.',
  list_product_prices: 'product_ids is a comma list: string_agg(id) is one call.',
  list_stock: 'A product may have no row.',
  search_products: 'All without q; nothing tells inactive ones apart.',
  get_customer: 'One call a customer.',
  search_customers: "q finds cities too. segment_id: the customer's, of orders too.",
  calendar: 'A row a day; asks nothing.',
  result: 'kept rows of an earlier answer',
  tables: 'this',
};

const nounOf: Readonly<Record<string, string>> = {
  day: 'day',
  flag: 'yes or no',
  number: 'number',
  dutchNumber: 'number',
  value: 'value',
  cells: 'another number of cells than there are columns',
  quotes: 'a quote too many, or one that does not close',
};

function sayFigure(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 2 });
}
