/** The tables of a caller: each tool that answers with rows, a record or a report, and what is kept. */

import { z } from 'zod';
import { isAmountName } from '../../core/column-name.ts';
import {
  type FieldType,
  type FieldTypes,
  isFields,
  isList,
  mergeColumns,
} from '../../core/column-tree.ts';
import { InputError } from '../../core/errors.ts';
import { ownValue } from '../../core/json.ts';
import { listFirst, quoted, sentencesFor } from '../../core/text.ts';
import { isFormArgument } from '../../endpoints/define.ts';
import { documentedColumns } from '../../endpoints/shapes.ts';
import type { ColumnFacts, TableKind } from '../../query/provider.ts';
import type { ToolDefinition } from '../define-tool.ts';
import { referenceSpaces } from '../reference/reference.ts';
import type { Services, Survey, ToolColumns } from '../services.ts';
import { behaviourOf } from '../survey/behaviour.ts';
import type { OwnTable } from './own-tables.ts';
import { factColumns, isReport, nest } from './table-rows.ts';

declare module '../../core/message.ts' {
  interface Messages {
    too_many_looks: { looks: number; maxCalls: number };
  }
}

/** What a name in FROM means. */
export interface StatementTable {
  /** As the engine takes it. */
  kind: TableKind;
  /**
   * As `tables` shows it: arguments as `period*; status (...)`, a star where they have to be given,
   * columns as `id integer, shop_id integer = shops.id`.
   */
  describe(say: Services['say']): Record<'holds' | 'arguments' | 'columns', string>;
  /** What gives its rows; undefined for kept rows, for the tables themselves, and for what a business defined. */
  tool?: ToolDefinition;
  /** The tables that it is made from: a caller who lacks one of them does not have it. */
  reads?: readonly string[];
  /** The rows of a business's own table. */
  read?(): OwnTable;
}

/**
 * The tables of a caller by their names, with what is known of them; a reference list has two, the plain one last.
 * @param isClosed where rows were seen, they have no other columns
 */
export function tablesOf(
  tools: readonly ToolDefinition[],
  survey: Survey,
  isClosed = false,
): Map<string, StatementTable> {
  const tables = new Map<string, StatementTable>();
  const isTable = (name: string) => tables.has(name);
  for (const tool of tools) {
    if (!tool.asksPlatform || 'sql' in tool.input.shape) continue;
    const known = columnsKnown(tool, survey);
    const columns = isReport(tool) ? factColumns : known.columns;
    const isOpen = known.isOpen && !(isClosed && known.looked > 0);
    const taken = Object.keys(tool.input.shape).filter((name) => !isFormArgument(tool, name));
    const behaviour = behaviourOf[tool.tool];
    tables.set(tool.tool, {
      kind: {
        kind: 'calls',
        arguments: taken,
        columns,
        isOpen,
        facts: columnFacts(tool),
      },
      describe(say) {
        const seen = behaviour && survey.known(behaviour);
        const holds = [sentencesFor(tool.description, isTable), ...(seen ? [say(seen)] : [])];
        return {
          holds: holds.join(' '),
          arguments: sayArguments(tool, taken),
          columns: isReport(tool) ? sayMeasures(known) : sayColumns(known, tool, isTable),
        };
      },
      tool,
    });
  }
  for (const { kind, endpoint } of referenceSpaces) {
    const listed = tables.get(endpoint.tool);
    if (listed) tables.set(`${kind}s`, listed);
  }
  const keptRows = { holds: 'kept rows of an earlier answer', arguments: "'id'", columns: '' };
  const itself = { holds: 'this', arguments: '', columns: notation };
  const texts = Object.fromEntries(
    ['name', 'holds', 'arguments', 'columns'].map((it) => [it, 'text' as const]),
  );
  return tables
    .set('result', { kind: { kind: 'calls', arguments: ['id'] }, describe: () => keptRows })
    .set('tables', {
      kind: { kind: 'calls', arguments: [], columns: texts },
      describe: () => itself,
    });
}

/**
 * Looks at all that is said of tables.
 * @param names of some of them; of all where it is empty
 */
export async function surveyAll(
  tables: ReadonlyMap<string, StatementTable>,
  survey: Survey,
  names: readonly string[],
  maxCalls: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const some = [...tables].filter(([name]) => names.length === 0 || names.includes(name));
  const tools = [...new Set(some.flatMap(([, { tool }]) => tool ?? []))];
  const unseen = tools.filter((tool) => isUnlooked(survey.columnsOf(lookedAt(tool)))).length;
  if (unseen > maxCalls)
    throw new InputError({ code: 'too_many_looks', looks: unseen, maxCalls }, 'max_calls');
  const behaviours = tools.flatMap(({ tool }) => behaviourOf[tool] ?? []);
  const settled = behaviours.map((name) => survey.behaviour(name, signal));
  await Promise.all([survey.look(tools.map(lookedAt), signal), ...settled]);
}

/** What is known of a tool's columns; a trend has the measures of its report for columns. */
function columnsKnown(tool: ToolDefinition, survey: Survey): ToolColumns {
  const documented = documentedColumns(tool.output);
  const { columns, ...known } = survey.columnsOf(lookedAt(tool));
  if (isReport(tool)) return { ...known, columns, isOpen: false };
  if (tool.measuresOf === undefined)
    return { ...known, columns: mergeColumns(documented, columns) };
  const names = known.measures.flatMap((it) => it.names.map((name) => `${it.path}.${name}`));
  const measures: FieldTypes = nest(
    Object.fromEntries(names.map((name) => [name, 'decimal' as const])),
  );
  return { ...known, measures: [], columns: { ...documented, ...measures }, isOpen: true };
}

function isUnlooked({ looked, failed }: ToolColumns): boolean {
  return looked === 0 && failed === undefined;
}

/** What to look at for a statement that needs the types of columns: tools of tables in its text, unseen so far. */
export function unseenTools(
  sql: string,
  tables: ReadonlyMap<string, StatementTable>,
  survey: Survey,
): string[] {
  const words = new Set(sql.toLowerCase().split(/\W+/));
  const tools = [...tables].flatMap(([name, { tool }]) => (tool && words.has(name) ? tool : []));
  return tools.map(lookedAt).filter((tool) => {
    const known = survey.columnsOf(tool);
    return known.isOpen && isUnlooked(known);
  });
}

function lookedAt({ tool, measuresOf }: ToolDefinition): string {
  return measuresOf ?? tool;
}

/** How the columns are written. */
const notation =
  'without a type: text, ids integer, _wt and _ex decimal; decimal: exact, _wt incl. VAT, _ex and plain excl.; timestamp: Amsterdam time; a.{b, c}: a.b, a.c; [..]: a list; =: what it joins with; seen: there may be others; facts: path, measure, value decimal, split, shop_id, location_id ... (null where none), name, line; (empty): no value in twenty rows or more';

function sayMeasures({ measures, failed }: ToolColumns): string {
  const paths = measures.map(({ path, split, names }) => {
    const per = split === 'total' ? '' : `; per ${split}`;
    return `${path === '' ? "''" : sayName(path)} {${names.map(sayName).join(', ')}${per}}`;
  });
  return `facts: ${paths.join(' ') || 'SELECT DISTINCT path, measure, split shows them'}${failed ? unread : ''}`;
}

/** A name as a statement has it: in quotes where it is more than letters, digits and dots; cut short. */
function sayName(name: string): string {
  return /^[\p{L}_][\p{L}\p{N}_.]{0,63}$/u.test(name) ? name : quoted(name, 64);
}

const unread = ' (its rows could not be read)';

/** Where ids join, by the names of their columns (docs/platform.md#ids). */
const joins: Readonly<Record<string, string>> = {
  ...Object.fromEntries(referenceSpaces.map(({ kind, idField }) => [idField, `${kind}s.id`])),
  provider_method_type_id: 'payment_methods.provider_method_type_id',
  relation_data_id: 'search_customers.id',
  customer_id: 'search_customers.id',
  order_id: 'list_orders.id',
  product_id: 'search_products.id',
  shop_product_id: 'the shop_product_id of products',
};

/** Rows that the platform leaves out unless an argument asks for them. */
const leftOut: ColumnFacts['leftOut'] = {
  is_internal: { condition: 'is_internal = 1', argument: 'is_internal' },
  discount_value_wt: { condition: 'discount_value_wt < 0', argument: 'include_negative' },
};

/** What the platform's documentation says of a tool's columns (docs/platform.md#ids). */
function columnFacts({ tool, input, knownValues = {} }: ToolDefinition): ColumnFacts {
  const space = referenceSpaces.find(({ endpoint }) => endpoint.tool === tool);
  const id = space ? `${space.kind}s.id` : `${tool}.id`;
  const isJoined = Object.values(joins).includes(id);
  const outs = Object.entries(leftOut).filter(([, { argument }]) => argument in input.shape);
  return {
    ids: { ...joins, ...(isJoined && { id }) },
    leftOut: Object.fromEntries(outs),
    values: knownValues,
  };
}

function sayArguments(tool: ToolDefinition, taken: readonly string[]): string {
  const { input, pathId, daysAreOptional } = tool;
  const needed = pathId ?? (daysAreOptional ? undefined : 'period');
  const names = taken.filter((name) => !(taken.includes('period') && /^(from|to)$/.test(name)));
  const texts = names.map((name) => {
    const schema = z.instanceof(z.ZodType).parse(input.shape[name]);
    const isNeeded = name === needed || !schema.safeParse(undefined).success;
    const { description } = name === 'period' ? { description: 'last_week, day..day' } : schema;
    return `${name}${isNeeded ? '*' : ''}${description ? ` (${description})` : ''}`;
  });
  return texts.join('; ');
}

/** What the platform's documentation says of columns, by their names. */
const meanings = new Map([
  ['product_id', 'not the shop_product_id'],
  ['order_number', 'for people, never an id'],
  ['stock', 'at location_id, else of all'],
]);

/** A column that is empty in so many rows is said to be empty. */
const enoughRows = 20;

/** Most columns that are listed, and most with the fields of objects. */
const [maxListed, maxFields] = [80, 300];

function sayColumns(
  { columns: known, seen, isOpen, looked, failed }: ToolColumns,
  { knownValues = {}, measuresOf, output }: ToolDefinition,
  isTable: (name: string) => boolean,
): string {
  // Its measures are listed with the report.
  const columns = measuresOf === undefined ? known : documentedColumns(output);
  let room = maxFields;
  const say = (fields: FieldTypes, prefix = ''): string[] => {
    const entries = Object.entries(fields);
    const said = entries.slice(0, room);
    room -= said.length;
    const rest = entries.length - said.length;
    const texts = said.map(([name, type]) => {
      const target = ownValue(joins, name) ?? '';
      const path = prefix + name;
      const values = seen[path] ?? ownValue(knownValues, name);
      return [
        sayName(name) + sayType(name, type, `${path}.`),
        ...(isTable(target.replace(/\..*/, '')) ? [`= ${target}`] : []),
        ...(meanings.has(name) ? [`(${meanings.get(name)})`] : []),
        ...(values ? [`(seen: ${values.join('|')})`] : []),
      ].join(' ');
    });
    return rest > 0 ? [...texts, `and ${rest} more`] : texts;
  };
  const sayType = (name: string, type: FieldType, prefix: string): string => {
    if (isFields(type)) return `.{${say(type, prefix).join(', ')}}`;
    if (isList(type)) return ` [${sayType('', type[0], prefix).replace(/^[. ]/, '')}]`;
    // As the notation says.
    const isPlain =
      type === 'text' ||
      (type === 'decimal' && isAmountName(name)) ||
      (/(^|_)id$/.test(name) && /^(integer|open)$/.test(String(type)));
    if (isPlain) return '';
    if (type !== 'open') return ` ${type}`;
    if (looked === 0) return '';
    return looked < enoughRows ? ' (no value seen)' : ' (empty)';
  };
  const more = measuresOf ? [`measures of ${measuresOf}: revenue.total_turnover ...`] : [];
  const open = isOpen && looked === 0 ? ['and others: SELECT * ... LIMIT 3 shows them'] : [];
  return listFirst([...say(columns), ...more, ...open], maxListed) + (failed ? unread : '');
}
