/** Tables of the rows that come in as JSON texts: the engine reads them and decides about their types. */
import { isCodeName } from '../provider.ts';
import { type ColumnType, type ColumnTypes, callColumn } from '../rows/table-text.ts';
import { type Database, quoteName, quoteText } from './database.ts';

/** A table on its way in. */
export interface Ingest {
  rows(text: string): Promise<void>;
  /** Makes the table `loaded.<name>` of all that came. */
  end(): Promise<void>;
}

/** Text that one statement reads: each has costs of its own. */
const batchLength = 1_000_000;

export function createIngest(database: Database, name: string, columns: ColumnTypes): Ingest {
  const staged = `loaded.${quoteName(`staged ${name}`)}`;
  const names = Object.keys(columns);
  const structure = JSON.stringify(
    Object.fromEntries(names.map((column) => [column, [readType(columns[column])]])),
  );
  const lists = names.map((column) => `unnest(part.${quoteName(column)}) AS ${quoteName(column)}`);
  const reading = `SELECT ${lists.join(', ')} FROM (SELECT from_json(text, ${quoteText(structure)}) AS part FROM`;
  let pending: string[] = [];
  let length = 0;
  let isMade = false;

  async function flush(): Promise<void> {
    const texts = pending.length === 0 ? ['{}'] : pending;
    pending = [];
    length = 0;
    const values = texts.map((_, index) => `($${index + 1}::VARCHAR)`).join(', ');
    const into = isMade ? `INSERT INTO ${staged}` : `CREATE TABLE ${staged} AS`;
    await database.run(`${into} ${reading} (VALUES ${values}) t(text))`, ...texts);
    isMade = true;
  }

  return {
    async rows(text) {
      pending.push(text);
      length += text.length;
      if (length >= batchLength) await flush();
    },
    async end() {
      if (pending.length > 0 || !isMade) await flush();
      const leaves = names.flatMap((column) =>
        leavesOf(column, quoteName(column), columns[column]),
      );
      const types = await typesOf(database, staged, leaves);
      const shown = names.map((column) => {
        const type = columns[column];
        const isDecided = leaves.some(({ root }) => root === column);
        const quoted = quoteName(column);
        return isDecided
          ? `CAST(${quoted} AS ${sqlType(type, quoted, types)}) AS ${quoted}`
          : quoted;
      });
      const table = `loaded.${quoteName(name)}`;
      await database.run(`CREATE TABLE ${table} AS SELECT ${shown.join(', ')} FROM ${staged}`);
      await database.run(`DROP TABLE ${staged}`);
      // A table without rows would keep its calls from being asked for.
      await database.run(`INSERT INTO ${table} (${callColumn}) VALUES (-1)`);
    },
  };
}

/** The type as which a value is read: texts, and numbers by their digits, wait for a look at all of them. */
function readType(type: ColumnType | undefined): unknown {
  switch (type) {
    case 'whole':
      return 'BIGINT';
    case 'boolean':
      return 'BOOLEAN';
    case 'json':
      return 'JSON';
    case 'number':
    case 'text':
    case undefined:
      return 'VARCHAR';
  }
  if (typeof type === 'string') return type;
  if (isList(type)) return [readType(type[0])];
  return Object.fromEntries(Object.entries(type).map(([key, inner]) => [key, readType(inner)]));
}

function isList(type: ColumnType): type is readonly [ColumnType] {
  return Array.isArray(type);
}

/** A place whose type depends on its values. */
interface Leaf {
  /** The column it is in. */
  root: string;
  /** The last name on the way to it. */
  name: string;
  kind: 'number' | 'text';
  /** Its value in a row of `from`. */
  sql: string;
  /** Where its rows come from, in place of the table: items of lists. */
  from?: (table: string) => string;
  /** Names the place. */
  path: string;
}

function leavesOf(
  root: string,
  sql: string,
  type: ColumnType | undefined,
  { name = root, path = sql, from = (table: string) => table } = {},
): Leaf[] {
  const kind = type === 'number' ? 'number' : type === 'text' ? 'text' : undefined;
  if (kind !== undefined) return [{ root, name, kind, sql, from, path }];
  if (type === undefined || typeof type === 'string') return [];
  if (isList(type)) {
    const items = (table: string) => `(SELECT unnest(${sql}) AS item FROM ${from(table)})`;
    return leavesOf(root, 'item', type[0], { name, path: `${path}[]`, from: items });
  }
  return Object.entries(type).flatMap(([key, inner]) =>
    leavesOf(root, `${sql}.${quoteName(key)}`, inner, {
      name: key,
      path: `${path}.${quoteName(key)}`,
      from,
    }),
  );
}

/** Where a type is decided by the values: `DECIMAL(18,4)` by the path of the place. */
async function typesOf(
  database: Database,
  table: string,
  leaves: readonly Leaf[],
): Promise<Map<string, string>> {
  const types = new Map<string, string>();
  const sources = new Map<string, Leaf[]>();
  for (const leaf of leaves) {
    const from = leaf.from?.(table) ?? table;
    sources.set(from, [...(sources.get(from) ?? []), leaf]);
  }
  for (const [from, own] of sources) {
    const firsts = await counted(
      database,
      from,
      own.map(({ sql }) => `any_value(${sql})`),
    );
    const tests = own.flatMap((leaf, index) => {
      const test =
        leaf.kind === 'number' ? numberTest : testFor(leaf.name, String(firsts[index] ?? ''));
      return test ? [{ leaf, test }] : [];
    });
    if (tests.length === 0) continue;
    const found = await counted(
      database,
      from,
      tests.map(({ leaf, test }) => test.sql(leaf.sql)),
    );
    tests.forEach(({ leaf, test }, index) => {
      const type = test.type(found[index]);
      if (type !== undefined) types.set(leaf.path, type);
    });
  }
  return types;
}

async function counted(
  database: Database,
  from: string,
  expressions: readonly string[],
): Promise<unknown[]> {
  const [row = []] = await database.rows(`SELECT ${expressions.join(', ')} FROM ${from}`);
  return row;
}

/** Looks at all values of a place. */
interface Test {
  sql(value: string): string;
  type(found: unknown): string | undefined;
}

const dayForm = '[1-9]\\d{3}-\\d\\d-\\d\\d';
const clockForm = `${dayForm}[T ]([01]\\d|2[0-3]):[0-5]\\d(:[0-5]\\d(\\.\\d{1,9})?)?`;
const instantForm = `${clockForm}(Z|[+-](0\\d|1[0-4]):?[0-5]\\d)?`;
// A leading zero, a plus sign or a space makes it a code: an article number, a zip, a telephone.
const amountForm = '-?(0|[1-9]\\d{0,27})(\\.\\d{1,10})?';

function testFor(name: string, first: string): Test | undefined {
  const isOf = (form: string) => new RegExp(`^${form}$`).test(first);
  if (isOf(dayForm)) return allOf(dayForm, 'DATE');
  if (isOf(instantForm)) return allOf(instantForm, 'TIMESTAMPTZ');
  return isOf(amountForm) && !isCodeName(name) ? amountTest : undefined;
}

function allOf(form: string, type: string): Test {
  return {
    sql: (value) =>
      `bool_and(regexp_full_match(${value}, ${quoteText(form)}) AND TRY_CAST(${value} AS ${type}) IS NOT NULL) FILTER (WHERE ${value} IS NOT NULL)`,
    type: (found) => (found === true ? type : undefined),
  };
}

const digits = (value: string) =>
  `[max(strlen(ltrim(split_part(${value}, '.', 1), '-'))), max(strlen(split_part(${value}, '.', 2)))]::VARCHAR`;

/** Texts are amounts where all are written so, one of them with decimals. */
const amountTest: Test = {
  sql: (value) =>
    `CASE WHEN bool_and(regexp_full_match(${value}, ${quoteText(amountForm)})) AND bool_or(contains(${value}, '.')) THEN ${digits(value)} END`,
  type: decimalType,
};

/** Numbers of many decimals, or with an exponent, are dust of binary fractions. */
const numberTest: Test = {
  sql: (value) => `CASE WHEN NOT bool_or(contains(${value}, 'e')) THEN ${digits(value)} END`,
  type: (found) => decimalType(found) ?? 'DOUBLE',
};

/** More digits after the point are no amounts. */
const maxScale = 10;
/** Room for a half of the last digit, such as a median has, and a half of that. */
const moreScale = 2;

/** @param found digits before and after the point, such as `[5, 2]` */
function decimalType(found: unknown): string | undefined {
  const [whole = 0, scale = 0] = typeof found === 'string' ? JSON.parse(found).map(Number) : [];
  if (typeof found !== 'string' || scale > maxScale) return undefined;
  // A DECIMAL of 18 digits is one machine word; of 38, some are left free for sums.
  if (whole + scale + moreScale <= 16) return `DECIMAL(18,${scale + moreScale})`;
  if (whole + scale + moreScale <= 32) return `DECIMAL(38,${scale + moreScale})`;
  return whole + scale <= 32 ? `DECIMAL(38,${scale})` : undefined;
}

/** A column's type in SQL's words. */
function sqlType(
  type: ColumnType | undefined,
  path: string,
  types: ReadonlyMap<string, string>,
): string {
  if (type === 'number' || type === 'text') return types.get(path) ?? 'VARCHAR';
  if (type === undefined || typeof type === 'string') return String(readType(type));
  if (isList(type)) return `${sqlType(type[0], `${path}[]`, types)}[]`;
  const fields = Object.entries(type).map(
    ([key, inner]) => `${quoteName(key)} ${sqlType(inner, `${path}.${quoteName(key)}`, types)}`,
  );
  return `STRUCT(${fields.join(', ')})`;
}

/** A column's type before any value came; undefined where it is not known. */
export function emptyType(type: ColumnType | undefined): string | undefined {
  return type === undefined ? undefined : sqlType(type, '', new Map());
}
