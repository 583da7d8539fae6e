/** What an answer says of itself: what it is, its rows and columns, its figures and briefs. */
import type { FinishedContext, WrittenTableUse } from '../../../analysis/answer.ts';
import { isRecord } from '../../../core/json.ts';
import { type Period, sayDays } from '../../../core/periods.ts';
import {
  countNoun,
  listFirst,
  neutralise,
  neutralJson,
  quote,
  sayCount,
  sentences,
} from '../../../core/text.ts';
import { type Texts, writeArgument, writeMoment } from './reader.ts';

const maxNotes = 6;

export const answerTexts = {
  headline: ({ tool, rows, context }) => {
    const { period, reference_period: reference, source, account, cached, tables = [] } = context;
    const isOldest = tables.some((table) => table.as_of !== context.as_of);
    const about = [
      rows && countRows(rows) + sayOrder(context),
      period && sayPeriod(period),
      reference && `against ${sayPeriod(reference)}`,
      `as of ${writeMoment(context.as_of)}${isOldest ? ' (oldest part)' : ''}${cached ? ' (cached)' : ''}`,
      account && `account: ${account}`,
      source === 'sandbox' && 'source: sandbox, invented figures',
    ];
    return `${tool}: ${about.filter(Boolean).join('; ')}`;
  },

  // What was asked for.
  name_meant: ({ argument, given, id, name, note }) => {
    const has = argument.endsWith('_id') ? 'is' : 'has the id';
    const meant =
      name === given
        ? `${argument} ${neutralise(given)} ${has} ${id}`
        : `${argument} "${neutralise(given)}" is ${neutralise(name)} (${id})`;
    return note === undefined ? meant : `${meant}, ${neutralise(note)}`;
  },
  since_meant: ({ given, instant }) => `since "${neutralise(given)}" is ${writeMoment(instant)}`,
  empty_days: ({ count, days, noun, isFiltered }) => {
    const on = count > days.length ? `${count} days, the first ${days[0]}` : days.join(', ');
    // A closed day reads like a cut period otherwise.
    return isFiltered
      ? `none that match on ${on}`
      : `no ${noun} at all on ${on} (the period includes ${count === 1 ? 'it' : 'them'})`;
  },
  day_notes: ({ notes }) => {
    const quoted = notes.slice(0, maxNotes).map(({ day, note, shop_id: shop }) => {
      return `${day}${shop === undefined ? '' : ` (shop ${shop})`} ${quote(note, 200)}`;
    });
    const more = notes.length > maxNotes ? `; and ${notes.length - maxNotes} more` : '';
    return `Notes: ${quoted.join('; ')}${more}`;
  },

  // The rows, and what all of them share.
  columns_alike: ({ columns, areEmpty, isWhole }) =>
    `${areEmpty ? 'Empty' : 'Same'} in ${isWhole ? 'every row' : 'the rows shown'}: ${columns.join(', ')}`,
  addresses_hidden: ({ columns, by }) =>
    `Addresses, not shown: ${columns.join(', ')}. ${by === 'sql' ? 'SELECT them by name to see them.' : 'Name them in fields to see them.'}`,
  explained_parts: 'The difference of turnover incl. VAT in parts; each view adds up to it',
  object_cut: ({ shown, length }) =>
    `Cut: ${shown} of ${length} characters; structuredContent has all of it. Ask for less: one location or a shorter period.`,
  unlike_documented: ({ where, problem }) =>
    `The platform's answer is not of the documented form (${neutralise(`${where}: ${problem}`)}), so it comes as text only.`,

  // Where rows come from.
  tables_read: ({ tables }) => `Read ${tables.map(sayTable).join('; ')}.`,
  rows_kept: ({ id, rows, until }) =>
    `Kept as ${id}: ${countNoun(rows, 'row')} until ${writeMoment(until)}. Over all of them:`,
  more_there({ argument, values }) {
    const rest = values.length > 6 ? ' in context.more; a part of a name is enough' : '';
    return `Also there, by ${argument}: ${listFirst(values.map(neutralise), 6)}${rest}`;
  },

  // Which rows are not here.
  rows_not_shown: ({ kept, shown, rows, hasNext, isAll }) =>
    sentences(
      `Read whole${kept ? `, kept as ${kept}` : ''}; ${sayCount(shown)} of ${countNoun(rows, 'row')} shown.`,
      !hasNext && 'Ask for fewer days or fields to see the others.',
      isAll && `With ${writeArgument('limit', 0)} the profile comes alone.`,
    ),
  rows_not_read: ({ rows, of }) =>
    `Not read whole: ${countNoun(rows, 'row')} ${rows === 1 ? 'was' : 'were'} read, ${of === undefined ? 'more exist' : `${sayCount(of)} exist`}; totals over them are not totals.`,
  next_call: ({ tool, arguments: args }) => `Next: ${tool} ${neutralJson(args)}`,

  // Warnings about rows.
  no_rows: (nothing, { hasTool }) => {
    if ('by' in nothing) return `The report carries no figures by ${nothing.by}.`;
    if ('name' in nothing)
      return sentences(
        `Nothing is called "${quote(nothing.name)}". Try a shorter part of the name.`,
        hasTool('search_products') && 'Products are found with search_products.',
        hasTool('search_customers') && 'Customers are found with search_customers.',
      );
    const { filters, count, noun } = nothing;
    const there = count === 0 ? `no ${noun} either` : countNoun(count, singular(noun));
    return sentences(
      `Without ${filters.join(', ')} there ${count === 1 ? 'is' : 'are'} ${there}.`,
      filters.includes('q') && 'Try a part of the word.',
    );
  },
  not_open: ({ columns }) =>
    `Left out, as they belong to the toolset customers, which is not open here: ${quoteFirst(columns, 12)}.`,
  not_kept: ({ why }, { say }) => `The rows could not be kept: ${say(why)}`,
  more_warnings: ({ count }) =>
    `${count} more warnings of other kinds are not shown: ask for fewer days, or for one location or shop, to see them.`,
} satisfies Partial<Texts>;

function quoteFirst(texts: readonly string[], most: number): string {
  return listFirst(
    texts.map((text) => quote(text)),
    most,
  );
}

function countRows({ shown, total, noun }: { shown: number; total: number; noun: string }): string {
  if (shown === 0) return total > 0 ? `${sayCount(total)} ${noun}, none shown` : `no ${noun}`;
  const all = total !== shown ? ` of ${sayCount(total)}` : '';
  return `${sayCount(shown)}${all} ${total === 1 ? singular(noun) : noun}`;
}

/** `shops` -> `shop`, `matches` -> `match`. */
function singular(noun: string): string {
  return noun.replace(/(?<=ch|sh|x)es$|s$/, '');
}

function sayOrder({ sorted }: FinishedContext): string {
  if (sorted === undefined) return '';
  const by = neutralise(sorted.by);
  if (sorted.first === 'a') return `, by ${by}`;
  return sorted.first === 'z' ? `, by ${by} descending` : `, ${sorted.first} ${by} first`;
}

function sayPeriod(period: Period): string {
  const { from, to, given } = period;
  const days = sayDays(period);
  return given === days || given === `${from}..${to}` ? days : `${days} (${given})`;
}

function sayTable(use: WrittenTableUse): string {
  const { table, period, reference_period: reference, arguments: args, left_open = {} } = use;
  // The periods say the days better.
  const days = [
    ...(period ? ['period', 'from', 'to', 'date'] : []),
    ...(reference ? ['against', 'against_from', 'against_to'] : []),
  ];
  const about = [
    period && sayDays(period),
    reference && `against ${sayDays(reference)}`,
    ...Object.entries(args)
      .filter(([name, value]) => value !== '' && (!days.includes(name) || Array.isArray(value)))
      .slice(0, 4)
      .map(([name, value]) => `${name} ${sayValue(value)}`),
    ...Object.entries(left_open).map(([name, text]) => `${name} ${text}`),
  ].filter(Boolean);
  const facts = [
    countNoun(use.rows, 'row'),
    use.complete ? 'whole' : 'not whole: more exist',
    use.empty_days?.text,
    use.cached ? `kept since ${writeMoment(use.as_of)}` : countNoun(use.calls, 'call'),
    use.kept && sayKept(use.kept),
    use.result,
  ].filter(Boolean);
  return `${about.length > 0 ? `${table} (${about.join(', ')})` : table}: ${facts.join(', ')}`;
}

function sayValue(value: unknown): string {
  if (isRecord(value)) return neutralJson(value);
  const values = Array.isArray(value) ? value : String(value).split(',');
  if (values.length > 12) return countNoun(values.length, 'value');
  return neutralise(values.length > 1 ? `[${values.join(', ')}]` : String(value));
}

/** Payments and shipments need not move an order's stamp, so it says how old they may be. */
function sayKept({ orders, of, since }: NonNullable<WrittenTableUse['kept']>): string {
  const read = since === undefined ? '' : ` and read since ${since.slice(0, 16).replace('T', ' ')}`;
  return `lines of ${sayCount(orders)} of ${sayCount(of)} orders kept${read}`;
}
