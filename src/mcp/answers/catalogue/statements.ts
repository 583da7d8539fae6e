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

  // Names in it
  broken_table: ({ table }) => `${table} is broken; the log and \`doctor\` say why.`,
  kept_rows_take_id: "result takes the id of kept rows: FROM result('r_...').",

  // Arguments of tables
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

  // What it took too much of

  // The engine itself

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

  // Days

  // Ids

  // Figures
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
