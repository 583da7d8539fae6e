/** What is likely to mislead in a statement that was answered, each with its evidence: at most three, the worst first. */
import { quoteText } from '../../../core/text.ts';
import type { Warning, WarningCode } from '../../../core/warning.ts';
import type { SentStatement } from '../../messages.ts';
import { constantText, outputOf } from '../columns.ts';
import type { Database } from '../database.ts';
import { columnNames, type Node, nodeOf, nodesOf, textOf } from '../tree.ts';
import { asCount, doubledFacts, partOfFacts, summedPercentages } from './fact-lints.ts';
import { type LintContext, lintContextOf } from './lint-context.ts';

const most = 3;

/** Longest that it may take: the answer is right without. */
const maxMs = 2000;

/** Looks through a statement and the rows that are loaded, without changing either. */
export async function findHints(
  database: Database,
  query: Node,
  sent: SentStatement,
): Promise<Warning[]> {
  const contexts: LintContext[] = [];
  outputOf(query, {
    onSelect: (...select) => contexts.push(lintContextOf(database, sent, ...select)),
  });
  const found = new Map<string, Warning>();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    database.connection.interrupt();
  }, maxMs);
  for (const [code, lint] of lints) {
    for (const context of contexts) {
      for (const node of context.nodes) {
        if (found.size === most || isLate) break;
        // What cannot be computed apart from the statement around it has no hint.
        const text = await lint(node, context).catch(() => undefined);
        if (text !== undefined) found.set(text, { code, text });
      }
    }
  }
  clearTimeout(timer);
  return [...found.values()];
}

/** An expression held against constants, the sign as if it stood first. */
function comparisonIn(node: Node) {
  const [left, right] = [nodeOf(node, 'left'), nodeOf(node, 'right')];
  const [sign, turned] = signs[textOf(node, 'type')] ?? ['', ''];
  if (node.class === 'BETWEEN') {
    const texts = ['lower', 'upper'].map((key) => constantText(nodeOf(node, key)) ?? '...');
    return { of: nodeOf(node, 'input'), sign: 'BETWEEN', texts };
  }
  if (node.type === 'COMPARE_IN') {
    const [of, ...constants] = nodesOf(node, 'children');
    return { of, sign: 'IN', texts: constants.flatMap((it) => constantText(it) ?? []) };
  }
  const [first, second] = [constantText(left), constantText(right)];
  if (first === undefined) return { of: left, sign, texts: second === undefined ? [] : [second] };
  return { of: right, sign: turned, texts: [first] };
}

/** Each sign, and what it is with its sides turned. */
const signs: Readonly<Record<string, readonly [string, string]>> = {
  COMPARE_EQUAL: ['=', '='],
  COMPARE_LESSTHAN: ['<', '>'],
  COMPARE_LESSTHANOREQUALTO: ['<=', '>='],
  COMPARE_GREATERTHAN: ['>', '<'],
  COMPARE_GREATERTHANOREQUALTO: ['>=', '<='],
};

/** Comparisons of a moment with a day's midnight where the rest of that day is meant as well. */
async function bareDays(node: Node, { columnOf, rowsOf }: LintContext) {
  const { of, sign, texts } = comparisonIn(node);
  const [found, day = ''] = [columnOf(of), texts.at(-1)];
  // From a midnight on, and before one, is what it says.
  if (!/^(<=|>|=|BETWEEN)$/.test(sign) || !/^\d{4}-\d\d-\d\d$/.test(day)) return undefined;
  if (found?.type !== 'TIMESTAMPTZ') return undefined;
  const { column, sql, from } = found;
  const [[rows] = []] = await rowsOf(
    `SELECT count(*) FROM ${from} WHERE CAST(${sql} AS DATE) = DATE '${day}' AND ${sql} > TIMESTAMPTZ '${day}'`,
  );
  if (Number(rows) === 0) return undefined;
  const written = `${sign} ${texts.map(quoteText).join(' AND ')}`;
  const effect = sign === '>' ? 'keeps' : 'leaves out';
  return `${column} ${written} ${effect} ${asCount(rows)} rows of ${day} itself, for a bare day is its midnight. By whole days: CAST(${column} AS DATE) ${written}.`;
}

/** `NOT IN` over values of which one is NULL: true of no row. */
async function nullsInside(node: Node, { sqlOf, rowsOf }: LintContext) {
  const [inner] = node.type === 'OPERATOR_NOT' ? nodesOf(node, 'children') : [];
  const isIn = inner?.subquery_type === 'ANY' && inner.comparison_type === 'COMPARE_EQUAL';
  const query = isIn ? nodeOf(nodeOf(inner, 'subquery'), 'node') : undefined;
  if (query === undefined) return undefined;
  const [[all, nulls] = []] = await rowsOf(
    `SELECT count(*), count(*) - count(v) FROM (${await sqlOf(query)}) s(v)`,
  );
  if (Number(nulls) === 0) return undefined;
  const [item] = nodesOf(query, 'select_list');
  const name = (item && columnNames(item).at(-1)) ?? 'the value';
  return `NOT IN is true of no row, for ${asCount(nulls)} of the ${asCount(all)} values of ${name} in its subquery are NULL. Add WHERE ${name} IS NOT NULL there.`;
}

async function otherIds(node: Node, { columnOf }: LintContext) {
  if (node.type !== 'COMPARE_EQUAL' || node.class !== 'COMPARISON') return undefined;
  const [left, right] = [columnOf(nodeOf(node, 'left')), columnOf(nodeOf(node, 'right'))];
  if (!left?.id || !right?.id || left.id === right.id) return undefined;
  // A table held against itself is a search for such numbers.
  if (left.table === right.table) return undefined;
  return `${left.table}.${left.column} = ${right.table}.${right.column} holds ids of two kinds against each other: the first is ${left.id}, the second ${right.id}. Equal numbers there mean nothing; join each with its own.`;
}

/** Names of an answer's columns that say another kind of id than they hold. */
async function otherNames(node: Node, { shown, columnOf, idsNamed }: LintContext) {
  const alias = textOf(node, 'alias').toLowerCase();
  if (alias === 'id' || !shown.has(node)) return undefined;
  const [found, idKind] = [columnOf(node), idsNamed(alias)];
  if (!found?.id || !idKind || found.id === idKind) return undefined;
  return `${found.table}.${found.column} AS ${alias} gives ids that are ${found.id} a name that says ${idKind}. Keep the name ${found.column}.`;
}

/** Conditions on rows that the platform leaves out unless it is asked for them. */
async function rowsLeftOut(node: Node, { conditions, columnOf, rowsOf }: LintContext) {
  const { of, sign, texts } = comparisonIn(node);
  const isAsked = /^(= (1|true|t)|< 0)$/.test(`${sign} ${texts[0]}`);
  const found = columnOf(isAsked ? of : conditions.has(node) ? node : undefined);
  const out = found?.leftOut;
  if (found === undefined || out === undefined) return undefined;
  const [[rows, held] = []] = await rowsOf(
    `SELECT count(${found.sql}), count(*) FILTER (${out.condition}) FROM ${found.from}`,
  );
  if (Number(held) !== 0 || Number(rows) === 0) return undefined;
  return `${out.condition} holds in none of the ${asCount(rows)} rows of ${found.table}: the platform leaves such rows out unless asked. Ask with ${found.table}(..., ${out.argument} := true).`;
}

/** Constants that no row holds in a column of few values. */
async function otherValues(node: Node, { columnOf, rowsOf }: LintContext) {
  const { of, sign, texts } = comparisonIn(node);
  const found = sign === '=' || sign === 'IN' ? columnOf(of) : undefined;
  if (found?.type !== 'VARCHAR') return undefined;
  const { table, column, sql, from } = found;
  const few = 12;
  const others = texts.filter((text) => !found.values?.includes(text));
  if (others.length === 0) return undefined;
  const isFact = found.isOfFacts && /^(measure|split)$/.test(column);
  const nearness = `jaro_winkler_similarity(lower(${sql}), lower(${quoteText(others[0] ?? '')}))`;
  const values = await rowsOf(
    `SELECT ${sql}, count(*) FROM ${from} WHERE ${sql} IS NOT NULL GROUP BY 1 ORDER BY ${nearness} DESC, 1 LIMIT ${isFact ? 1000 : few + 1}`,
  );
  const held = values.map(([value]) => String(value));
  const inAll = values.reduce((sum, [, count]) => sum + Number(count), 0);
  const missing = others.filter((text) => !held.includes(text));
  const isFew = isFact || (held.length <= few && inAll >= 4 * held.length);
  if (missing.length === 0 || held.length === 0 || !isFew) return undefined;
  const order = held.length > few ? ', the nearest first' : '';
  return `No row of ${table} has ${column} ${missing.map(quoteText).join(' or ')}. The values there are${order}: ${held.slice(0, few).join(', ')}.`;
}

/** Days, weeks or months of a moment that are cut elsewhere than at Amsterdam's midnight. */
async function nonAmsterdamDays(node: Node, { columnOf, rowsOf }: LintContext) {
  const { moment, unit = 'day', zone = 'UTC', cut } = cutIn(node);
  const found = columnOf(moment);
  if (found?.type !== 'TIMESTAMPTZ') return undefined;
  const { table, column, sql, from } = found;
  const [[rows] = []] = await rowsOf(
    `SELECT count(*) FROM ${from} WHERE CAST(${sql} AS DATE) <> CAST(timezone(${quoteText(zone)}, ${sql}) AS DATE)`,
  );
  if (Number(rows) === 0) return undefined;
  return `${cut} cuts days by ${zone}, not Amsterdam: ${asCount(rows)} rows of ${table} fall on another day. Write date_trunc('${unit}', ${column}).`;
}

/** Functions that give the day, or a larger piece of time, that a moment lies in. */
const cutters =
  /^(date_trunc|datetrunc|date_part|datepart|strftime|last_day|year|quarter|month|week|weekofyear|day|dayofmonth|dayofyear|weekday|dayofweek|isodow|dayname|monthname|hour)$/;

/** A moment of which a day or a larger piece is taken, and how; shown in another zone it is no day yet. */
function cutIn(node: Node) {
  const children = nodesOf(node, 'children');
  const name = textOf(node, 'function_name').toLowerCase();
  const isCut = cutters.test(name) || (node.class === 'CAST' && castType(node) === 'DATE');
  const inner = isCut ? [...children, nodeOf(node, 'child')] : [];
  const zoned = inner.find((it) => it && /^timezone$/i.test(textOf(it, 'function_name')));
  const [zone, moment] = nodesOf(zoned, 'children');
  if (moment) {
    const name = constantText(zone) ?? '';
    return { moment, zone: name, cut: `AT TIME ZONE '${name}'` };
  }
  const [first, second, ...more] = children;
  const text = constantText(first) ?? '';
  const [, unit] = /^(?:1 )?(day|week|month)s?$/i.exec(text.toLowerCase()) ?? [];
  if (name === 'time_bucket' && unit && more.length === 0)
    return { moment: second, unit, cut: `time_bucket('${text}', ...)` };
  if (!/^\/\/?$/.test(name) || first?.function_name !== 'epoch' || constantText(second) !== '86400')
    return {};
  return { moment: nodesOf(first, 'children')[0], cut: 'epoch(...) / 86400' };
}

function castType(node: Node): string {
  return textOf(nodeOf(node, 'cast_type') ?? {}, 'id');
}

/** All lints, the worst first. */
const lints: readonly (readonly [
  code: WarningCode,
  lint: (node: Node, context: LintContext) => Promise<string | undefined>,
])[] = [
  ['repeated_facts', doubledFacts],
  ['part_of_facts', partOfFacts],
  ['summed_percentages', summedPercentages],
  ['bare_day', bareDays],
  ['null_in_list', nullsInside],
  ['other_ids', otherIds],
  ['other_name', otherNames],
  ['rows_left_out', rowsLeftOut],
  ['unknown_value', otherValues],
  ['other_days', nonAmsterdamDays],
];
