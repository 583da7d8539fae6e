import { isTurnoverName } from '../../../core/column-name.ts';
import { distinctWarnings, type Warning } from '../../../core/message.ts';
import { quoteText } from '../../../core/text.ts';
import { queryMessages } from '../../messages.ts';
import type { SentStatement } from '../../protocol.ts';
import { isSum, outputOf } from '../columns.ts';
import type { Database } from '../database.ts';
import {
  columnNames,
  constantText,
  type Node,
  nodeOf,
  nodesIn,
  nodesOf,
  queryIn,
  tableName,
  textOf,
} from '../tree.ts';
import {
  doubledFacts,
  mixedMeasures,
  partOfFacts,
  summedPercentages,
  unmetFacts,
} from './fact-lints.ts';
import { type Lint, type LintContext, lintContextOf } from './lint-context.ts';
import { hintMessages } from './messages.ts';

const maxHints = 3;

/** The longest that an answer waits for warnings; it is right without them. */
const maxMs = 2000;

/** Warns of parts of an answered statement that are likely to mislead: at most three, the worst first. */
export async function findHints(
  database: Database,
  query: Node,
  sent: SentStatement,
): Promise<Warning[]> {
  const contexts: LintContext[] = [];
  outputOf(query, {
    onSelect: (...select) => contexts.push(lintContextOf(database, sent, ...select, query)),
  });
  let warnings: Warning[] = [];
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    database.connection.interrupt();
  }, maxMs);
  for (const lint of lints) {
    for (const context of contexts) {
      for (const node of context.nodes) {
        if (warnings.length === maxHints || isLate) break;
        // Some expressions cannot be computed outside of their statement.
        const warning = await lint(node, context).catch(() => undefined);
        if (warning !== undefined) warnings = distinctWarnings([...warnings, warning]);
      }
    }
  }
  clearTimeout(timer);
  return warnings;
}

/** The sides of a comparison with constants. */
function comparisonIn(node: Node) {
  if (node.class === 'BETWEEN') {
    const texts = ['lower', 'upper'].map((key) => constantText(nodeOf(node, key)) ?? '...');
    return { compared: nodeOf(node, 'input'), sign: 'BETWEEN', texts };
  }
  const text = constantText(nodeOf(node, 'right'));
  const texts = text === undefined ? [] : [text];
  return { compared: nodeOf(node, 'left'), sign: signs[textOf(node, 'type')] ?? '', texts };
}

const signs: Readonly<Record<string, string>> = {
  COMPARE_EQUAL: '=',
  COMPARE_LESSTHAN: '<',
  COMPARE_LESSTHANOREQUALTO: '<=',
  COMPARE_GREATERTHAN: '>',
};

const bareDays: Lint = async (node, { columnOf, countRows }) => {
  const { compared, sign, texts } = comparisonIn(node);
  const source = columnOf(compared);
  const day = texts.at(-1) ?? '';
  // `>=` and `<` mean the midnight that they name.
  if (!/^(<=|>|=|BETWEEN)$/.test(sign) || !/^\d{4}-\d\d-\d\d$/.test(day)) return undefined;
  if (source?.type !== 'TIMESTAMPTZ') return undefined;
  const { column, sql, from } = source;
  const isOfDay = `CAST(${sql} AS DATE) = DATE '${day}' AND ${sql} > TIMESTAMPTZ '${day}'`;
  const rows = await countRows(from, isOfDay);
  return rows > 0 ? hintMessages.bare_day({ column, sign, texts, day, rows }) : undefined;
};

const nullsInList: Lint = async (node, { sqlOf, rowsOf }) => {
  const [inner] = node.type === 'OPERATOR_NOT' ? nodesOf(node, 'children') : [];
  const isIn = inner?.subquery_type === 'ANY' && inner.comparison_type === 'COMPARE_EQUAL';
  const query = isIn ? queryIn(inner) : undefined;
  if (query === undefined) return undefined;
  const [[all, nulls] = []] = await rowsOf(
    `SELECT count(*), count(*) - count(v) FROM (${await sqlOf(query)}) s(v)`,
  );
  if (Number(nulls) === 0) return undefined;
  const [item] = nodesOf(query, 'select_list');
  const column = item && columnNames(item).at(-1);
  return hintMessages.null_in_list({ column, values: Number(all), nulls: Number(nulls) });
};

const otherIds: Lint = async (node, { columnOf }) => {
  if (node.type !== 'COMPARE_EQUAL' || node.class !== 'COMPARISON') return undefined;
  const [left, right] = [columnOf(nodeOf(node, 'left')), columnOf(nodeOf(node, 'right'))];
  if (!left?.id || !right?.id || left.id === right.id) return undefined;
  // A table joined with itself compares different ids on purpose.
  if (left.table === right.table) return undefined;
  return hintMessages.other_ids({
    left: { column: `${left.table}.${left.column}`, ids: left.id },
    right: { column: `${right.table}.${right.column}`, ids: right.id },
  });
};

const targetName = /(^|_)(targets?|budgets?|goals?|doel(en)?|norm)($|_)/i;

/** Sums of order totals that are called turnover or compared with targets. */
const totalsAsTurnover: Lint = async (node, { items, nodes, columnOf }) => {
  if (!items.has(node)) return undefined;
  const sums = [...nodesIn(node)].filter(isSum);
  const [total] = sums.flatMap((sum) => columnOf(nodesOf(sum, 'children')[0]) ?? []);
  const alias = textOf(node, 'alias');
  const isOfTargets = nodes.some((part) =>
    [columnNames(part).at(-1) ?? '', tableName(part)].some((name) => targetName.test(name)),
  );
  if (!total?.isOrderTotal || !(isTurnoverName(alias) || isOfTargets)) return undefined;
  return queryMessages.totals_as_turnover({ table: total.table, column: total.column });
};

/** Conditions on rows that the platform leaves out unless an argument asks for them. */
const rowsLeftOut: Lint = async (node, { conditions, columnOf, countRows }) => {
  const { compared, sign, texts } = comparisonIn(node);
  const isAsked = /^(= (1|true|t)|< 0)$/.test(`${sign} ${texts[0]}`);
  // A boolean column may be a condition by itself.
  const isCondition = isAsked || conditions.has(node);
  const source = isCondition ? columnOf(isAsked ? compared : node) : undefined;
  const leftOut = source?.leftOut;
  if (source === undefined || leftOut === undefined) return undefined;
  const { table, from, sql } = source;
  const rows = await countRows(from, `${sql} IS NOT NULL`);
  if (rows === 0 || (await countRows(from, leftOut.condition)) > 0) return undefined;
  return hintMessages.rows_left_out({ table, ...leftOut, rows });
};

const nonAmsterdamDays: Lint = async (node, { columnOf, countRows }) => {
  const { moment, unit = 'day', zone = 'UTC', cut } = cutIn(node);
  const source = columnOf(moment);
  if (source?.type !== 'TIMESTAMPTZ' || cut === undefined) return undefined;
  const { table, column, sql, from } = source;
  const zoned = `timezone(${quoteText(zone)}, ${sql})`;
  const rows = await countRows(from, `CAST(${sql} AS DATE) <> CAST(${zoned} AS DATE)`);
  if (rows === 0) return undefined;
  return hintMessages.other_days({ table, column, cut, zone, unit, rows });
};

/** Functions that give the day of a moment, or a longer unit. */
const cutters =
  /^(date_trunc|datetrunc|date_part|datepart|strftime|last_day|year|quarter|month|week|weekofyear|day|dayofmonth|dayofyear|weekday|dayofweek|isodow|dayname|monthname|hour)$/;

/** A moment, cut to a day or a longer unit in a zone other than Amsterdam's, and the SQL of that cut. */
function cutIn(node: Node) {
  const children = nodesOf(node, 'children');
  const name = textOf(node, 'function_name').toLowerCase();
  // strftime with an hour shows a moment, not a day.
  const isMoment = name === 'strftime' && /%[HIc]/.test(constantText(children[1]) ?? '');
  const isCut =
    (cutters.test(name) && !isMoment) ||
    (node.class === 'CAST' && textOf(nodeOf(node, 'cast_type'), 'id') === 'DATE');
  const inner = isCut ? [...children, nodeOf(node, 'child')] : [];
  const zoned = inner.find((part) => part && /^timezone$/i.test(textOf(part, 'function_name')));
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
  return {};
}

/** The worst first. */
const lints: readonly Lint[] = [
  doubledFacts,
  mixedMeasures,
  partOfFacts,
  summedPercentages,
  totalsAsTurnover,
  bareDays,
  nullsInList,
  otherIds,
  rowsLeftOut,
  unmetFacts,
  nonAmsterdamDays,
];
