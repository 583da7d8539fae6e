import { z } from 'zod';
import { isAmountName, isIdName } from '../../core/column-name.ts';
import { type FieldType, type FieldTypes, isFields, isList } from '../../core/column-type.ts';
import { ownValue } from '../../core/json.ts';
import { listFirst, quoted, sentences, sentencesFor } from '../../core/text.ts';
import { documentedColumns, isReport } from '../../endpoints/define.ts';
import type { TableTool } from '../define-tool.ts';
import { referenceSpaces } from '../reference/reference.ts';
import type { ToolColumns } from '../services.ts';
import { enoughRows } from '../shape/shape.ts';
import { joins, measuredReport } from './table-rows.ts';

/** Explains the notation of `tables`, in its own row. */
export const tableNotation =
  'Columns without a type: text, ids integer, _wt and _ex decimal; decimal: exact, _wt incl. VAT, _ex and plain excl.; timestamp: Amsterdam time; a.{b, c}: a.b, a.c; [..]: a list; =: what it joins with; seen: there may be others; (empty): no value in twenty rows or more. facts: path, measure, value decimal, split, shop_id, location_id, product_group_id, tax_rate_id, provider_method_type_id (null where none), name, line. Arguments: * must be given; from and to stand in for period; a list or (SELECT ...), also from a WITH step, makes a call for each value, which its rows carry in a column named after the argument. WHERE name IN (...) says more of some tables.';

/** Notes for statements, added to the description of a tool. */
const notes: Readonly<Record<string, string>> = {
  get_financial_report:
    "Turnover by shop: split = 'shop', which adds up to revenue.total_turnover; of shop and turnover group together: split = 'shop, turnover_group'.",
  get_order: 'Takes order_number in place of order_id.',
  list_orders: 'status: a comma list is one call.',
  list_product_prices: 'product_ids is a comma list: string_agg(id) is one call.',
  list_stock: 'A product may have no row.',
  search_products: 'Without q: all products; inactive ones look like the others.',
  get_customer: "Customers of a city: search_customers(q := 'Haarlem').",
  search_customers: 'segment_id is that of the customer; orders carry it too.',
};

/** A row of `tables`. */
export type TableTexts = Record<'holds' | 'arguments' | 'columns', string>;

/** The caller of `tables`. */
export interface TableReader {
  isTable(name: string): boolean;
  /** The caller asked for the table by name, not for all. */
  isAlone: boolean;
}

/** @param behaviour the sentence about the account's behaviour */
export function describeTool(
  tool: TableTool,
  parameters: readonly string[],
  columns: ToolColumns,
  behaviour: string | undefined,
  reader: TableReader,
): TableTexts {
  const { isTable, isAlone } = reader;
  const holds = [
    // A reader of all tables has the descriptions of all tools already.
    ...(isAlone ? [sentencesFor(tool.description, isTable)] : []),
    ownValue(notes, tool.tool),
    behaviour,
  ];
  return {
    holds: sentences(...holds),
    arguments: describeArguments(tool, parameters, isAlone),
    columns: isReport(tool) ? describeMeasures(columns) : describeColumns(columns, tool, isTable),
  };
}

/** `period*; status (...)`: a star marks required arguments. */
function describeArguments(
  tool: TableTool,
  parameters: readonly string[],
  isAlone: boolean,
): string {
  const { input, endpoint } = tool;
  const needed = endpoint?.pathId ?? (endpoint?.daysAreOptional ? undefined : 'period');
  const isNeeded = (name: string) =>
    // order_number may be given instead.
    name === needed && !(parameters.includes('order_number') && name === 'order_id');
  const names = parameters.filter(
    (name) => !(parameters.includes('period') && /^(from|to)$/.test(name)),
  );
  const texts = names.map((name) => {
    const schema = z.instanceof(z.ZodType).parse(input.shape[name]);
    const star = isNeeded(name) || !schema.safeParse(undefined).success ? '*' : '';
    const { description } = name === 'period' ? { description: 'last_week, day..day' } : schema;
    return `${name}${star}${isAlone && description ? ` (${description})` : ''}`;
  });
  return texts.join(isAlone ? '; ' : ', ');
}

function describeMeasures({ measures, failed }: ToolColumns): string {
  const paths = measures.map(({ path, split, names }) => {
    const per = split === 'total' ? '' : `; per ${split}`;
    return `${path === '' ? "''" : nameInSql(path)} {${names.map(nameInSql).join(', ')}${per}}`;
  });
  return `facts: ${paths.join(' ') || 'SELECT DISTINCT path, measure, split shows them'}${failureNote(failed)}`;
}

/** In quotes unless it is made of letters, digits and dots; cut short. */
function nameInSql(name: string): string {
  return /^[\p{L}_][\p{L}\p{N}_.]{0,63}$/u.test(name) ? name : quoted(name, 64);
}

function failureNote(failed: string | undefined): string {
  return failed === undefined ? '' : ' (its rows could not be read)';
}

/** Meanings of documented columns. */
const meanings = new Map([
  ['product_id', 'not the shop_product_id'],
  ['order_number', 'for people, never an id'],
  ['stock', 'at location_id, else of all'],
]);

const maxListed = 80;
const maxFields = 300;

/** `id integer, shop_id integer = shops.id`. */
function describeColumns(
  { columns: toolColumns, seen, isOpen, rowCount, failed }: ToolColumns,
  tool: TableTool,
  isTable: (name: string) => boolean,
): string {
  // The measures of a trend are listed with its report.
  const report = measuredReport(tool);
  const columns = report === undefined ? toolColumns : documentedColumns(tool.output);
  const { knownValues = {} } = tool.endpoint ?? {};
  const space = referenceSpaces.find(({ endpoint }) => endpoint.tool === tool.tool);
  const isJoined = (name: string) => isTable(name) && name !== `${space?.kind}s`;
  let room = maxFields;
  const describeFields = (fields: FieldTypes, prefix = ''): string[] => {
    const entries = Object.entries(fields);
    const listed = entries.slice(0, room);
    room -= listed.length;
    const rest = entries.length - listed.length;
    const texts = listed.map(([name, type]) => {
      const target = ownValue(joins, name) ?? '';
      const path = prefix + name;
      const values = seen[path] ?? ownValue(knownValues, name);
      return [
        nameInSql(name) + describeType(name, type, `${path}.`),
        ...(isJoined(target.replace(/\..*/, '')) ? [`= ${target}`] : []),
        ...(meanings.has(name) ? [`(${meanings.get(name)})`] : []),
        ...(values ? [`(seen: ${values.join('|')})`] : []),
      ].join(' ');
    });
    return rest > 0 ? [...texts, `and ${rest} more`] : texts;
  };
  const describeType = (name: string, type: FieldType, prefix: string): string => {
    if (isFields(type)) return `.{${describeFields(type, prefix).join(', ')}}`;
    if (isList(type)) return ` [${describeType('', type[0], prefix).replace(/^[. ]/, '')}]`;
    // `tableNotation` explains these.
    const isPlain =
      type === 'text' ||
      (type === 'decimal' && isAmountName(name)) ||
      (isIdName(name) && /^(integer|open)$/.test(String(type)));
    if (isPlain) return '';
    if (type !== 'open') return ` ${type}`;
    if (rowCount === 0) return '';
    return rowCount < enoughRows ? ' (no value seen)' : ' (empty)';
  };
  const more = report ? [`measures of ${report}: revenue.total_turnover ...`] : [];
  const open = isOpen && rowCount === 0 ? ['and others: SELECT * ... LIMIT 3 shows them'] : [];
  return listFirst([...describeFields(columns), ...more, ...open], maxListed) + failureNote(failed);
}
