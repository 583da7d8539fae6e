/** Reads a statement: parses it, looks through it, and finds the calls that are known beforehand. */
import { isRecord } from '../../core/json.ts';
import { explainParse } from '../advice/parse.ts';
import { QueryError } from '../errors.ts';
import type { ReadStatement, Tables, UsedTable } from '../messages.ts';
import { readOutput } from '../output-columns.ts';
import type { TableCall } from '../provider.ts';
import { callColumn } from '../rows/table-text.ts';
import type { Calls } from './calls.ts';
import { type Database, quoteName } from './database.ts';
import { callMacro, noColumn, viewMacro } from './macros.ts';
import { readStatementTree, type TableReference } from './read-statement.ts';
import { isOrdered, shownColumns } from './row-hint.ts';
import { asBytes, edited, endOfCall } from './text.ts';
import { type Node, nodeOf, nodesOf, within } from './tree.ts';
import { nameOf } from './vet.ts';

/** A SELECT that may run. */
interface ReadText {
  sql: string;
  query: Node;
  references: readonly TableReference[];
}

/** @throws {QueryError} for what is no SELECT, or names or calls what cannot be had */
export async function readStatement(
  database: Database,
  sql: string,
  tables: Tables,
): Promise<{ statement: ReadStatement; readings: Readings }> {
  const views = new Map<string, ReadText>();
  /** Views that are being read: one within itself has no end. */
  const open = new Set<string>();

  async function readText(given: string, parameters?: ReadonlySet<string>): Promise<ReadText> {
    let query = await parse(database, given);
    let text = edited(given, []);
    for (;;) {
      if (text !== given) query = await parse(database, text);
      for (const node of within(query)) await readView(nameOf(node).toLowerCase());
      const { references, insertions } = readStatementTree(
        text,
        query,
        tables,
        (view) => views.get(view)?.references ?? [],
        parameters,
      );
      if (insertions.length === 0) return { sql: text, query, references };
      text = edited(text, insertions);
    }
  }

  async function readView(name: string): Promise<void> {
    const kind = tables.get(name);
    if (kind?.kind !== 'view' || views.has(name)) return;
    if (open.has(name)) throw new QueryError('bad_statement', `The view ${name} reads itself.`);
    open.add(name);
    const parameters = Object.keys(kind.parameters).map((parameter) => parameter.toLowerCase());
    views.set(name, await readText(kind.sql, new Set(parameters)));
  }

  const { query, references, sql: text } = await readText(sql);
  return {
    statement: {
      sql: text,
      tables: usedTables(references, views),
      isOrdered: isOrdered(query),
      output: readOutput(query),
      shown: shownColumns(query),
    },
    readings: { text, references, views },
  };
}

/** The one query of a text. */
async function parse(database: Database, sql: string): Promise<Node> {
  const [[text = ''] = []] = await database.rows(
    'SELECT json_serialize_sql($1::VARCHAR, skip_default := true, skip_null := true)',
    sql,
  );
  const tree: unknown = JSON.parse(String(text));
  if (!isRecord(tree) || tree.error !== false) throw explainParse(sql, isRecord(tree) ? tree : {});
  const [statement, ...more] = nodesOf(tree, 'statements');
  const query = nodeOf(statement, 'node');
  if (query === undefined)
    throw new QueryError('not_select', 'The statement is empty. Write one SELECT.');
  if (more.length > 0) {
    throw new QueryError(
      'not_select',
      `These are ${more.length + 1} statements. Write one SELECT; WITH holds several steps.`,
    );
  }
  return query;
}

/** The tables of all references, each once, views after what they are made of. */
function usedTables(
  references: readonly TableReference[],
  views: ReadonlyMap<string, ReadText>,
): UsedTable[] {
  const used = new Map<string, UsedTable>();
  for (const { table, carried, level } of references) {
    const known = used.get(table);
    const sql = views.get(table)?.sql;
    used.set(table, {
      name: table,
      carried: [...new Set([...(known?.carried ?? []), ...carried])],
      level: Math.min(known?.level ?? level, level),
      ...(sql !== undefined && { sql }),
    });
  }
  // Views were read in the order in which one needs the other.
  const order = [...views.keys()];
  return [...used.values()].sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
}

/** The calls whose arguments are constants, each once, with the rows that are enough; of views as well. */
export async function knownCalls(
  database: Database,
  calls: Calls,
  { text, references, views }: Readings,
  tables: Tables,
): Promise<TableCall[]> {
  for (const table of new Set(references.map((reference) => reference.table))) {
    const kind = tables.get(table);
    if (kind?.kind !== 'calls') continue;
    await database.run(`CREATE TABLE loaded.${quoteName(table)} (${callColumn} INTEGER)`);
    for (const macro of callMacro(table, kind, [noColumn])) await database.run(macro);
  }
  for (const [name, view] of views) {
    const kind = tables.get(name);
    if (kind?.kind !== 'view') continue;
    const counts = closedCalls(view).map(({ sql }) => `SELECT count(*) AS n FROM ${sql}`);
    const sql = ['SELECT 0 AS n', ...counts].join(' UNION ALL ');
    for (const macro of viewMacro({ name: probeName(name), sql }, kind.parameters))
      await database.run(macro);
  }
  const known = new Map<string, TableCall>();
  for (const { table, sql, atMost } of closedCalls({ sql: text, references })) {
    await database.rows(`SELECT count(*) FROM (FROM ${sql})`);
    // A call that is asked for elsewhere with another row would be cut short as well.
    const isAlone = references.every((other) => other.table !== table || other.isClosed);
    for (const call of calls.take()) {
      const before = known.get(call.key);
      const isCut = isAlone && atMost !== undefined && before?.atMost !== undefined;
      const rows = isCut ? Math.max(before.atMost ?? 0, atMost) : undefined;
      const enough = before === undefined && isAlone ? atMost : rows;
      known.set(call.key, enough === undefined ? call : { ...call, atMost: enough });
    }
  }
  return [...known.values()];
}

/** What was read of a statement. */
interface Readings {
  text: string;
  references: readonly TableReference[];
  views: ReadonlyMap<string, ReadText>;
}

/** The calls in a text whose arguments are constants, as SQL; of views, what stands for their calls. */
function closedCalls({ sql, references }: Pick<ReadText, 'sql' | 'references'>) {
  const bytes = asBytes(sql);
  return references.flatMap(({ table, kind, at, atMost, isClosed }) => {
    if (!isClosed || kind.kind === 'file') return [];
    const name = quoteName(kind.kind === 'view' ? probeName(table) : table);
    const call = at === undefined ? '' : bytes.slice(at, endOfCall(bytes, at));
    const args = call.slice(Math.max(0, call.indexOf('(')));
    // The first rows of a view are made of more than the first of its tables.
    const enough = kind.kind === 'view' ? undefined : atMost;
    return [{ table, sql: `${name}${Buffer.from(args, 'latin1')}`, atMost: enough }];
  });
}

function probeName(view: string): string {
  return `calls of ${view}`;
}
