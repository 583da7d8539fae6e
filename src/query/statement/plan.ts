/**
 * How a statement gets its tables. It is asked in rounds: which arguments can be computed now, which
 * tables can be read now; each answer makes more of the statement known, until all of its tables
 * are loaded ones.
 */
import { QueryError } from '../errors.ts';
import type { Argument, Scalar, TableRequest } from '../provider.ts';
import { joinCommasFirst, joinUsingCommasFirst } from './comma-joins.ts';
import { openDottedName } from './dotted-names.ts';
import { rewriteLaterals } from './lateral.ts';
import { rowHints } from './row-hint.ts';
import { countCopies } from './size.ts';
import { type Names, readTable, type TableReference } from './table-reference.ts';
import { stringifyLossless } from './tree/lossless-json.ts';
import { become, loadedSchema, loadedTable, type Node, textOf } from './tree/tree.ts';
import { walk } from './tree/walk.ts';
import { nameUnseenSides } from './unseen-sides.ts';
import { dropUnusedSteps } from './unused-steps.ts';
import { type ValueQuery, valueQuery } from './value-query.ts';
import { vet } from './vet.ts';

/** An argument to be computed. */
export interface Question extends ValueQuery {
  /** Which argument of which table, for error texts. */
  table: string;
  argument: string;
}

/** A table to be read: `id` is the name it is loaded by. */
export interface PlannedTable {
  id: string;
  request: TableRequest;
}

/** A column that the engine did not find, in what stands on the left of a USING or anywhere. */
export interface MissingColumn {
  column: string;
  isOnLeft: boolean;
}

export interface Plan {
  /** The arguments that the loaded tables suffice to compute, each once. */
  questions(): readonly Question[];
  /** The values of a question: one for an expression (a list, perhaps), any number otherwise. */
  answer(question: Question, values: readonly (Scalar | readonly Scalar[])[]): void;
  /** The tables whose arguments are all known, each once: they have to be loaded before going on. */
  requests(): readonly PlannedTable[];
  /** Whether every table of the statement was requested. */
  isComplete(): boolean;
  /** The statement, with the loaded tables in it. */
  query: Node;
  /**
   * Takes otherwise what the engine finds no column for: a comma for a join that comes first, where a
   * join behind it has USING a column that the tables behind the comma lack; a name with dots for the
   * field of an object. False where neither is there.
   */
  mend(missing: MissingColumn): boolean;
}

/**
 * The plan of one SELECT; changes the tree that it is given.
 * @throws {QueryError} when the statement names or calls what cannot be had
 */
export function createPlan(query: Node, names: Names): Plan {
  vet(query);
  // Names and arguments are looked at everywhere, also where nothing will be read.
  referencesIn(query, names);
  dropUnusedSteps(query);
  nameUnseenSides(query);
  joinCommasFirst(query);
  rewriteLaterals(query, names);
  // Arguments that were columns are conditions now, which may speak of tables before a comma too.
  joinCommasFirst(query);
  const answers = new Map<string, Argument>();
  const tables = new Map<string, PlannedTable>();
  let asked = new Map<Node, string>();

  /** What an argument's value is known by: equal texts are computed once. */
  function questionKey(question: ValueQuery): string {
    return `${question.kind} ${stringifyLossless(question.query)}`;
  }

  function argumentsOf(reference: TableReference): Record<string, Argument> | undefined {
    const known = reference.args.map(({ name, value }) => {
      const key = asked.get(value);
      const answer = key === undefined ? undefined : answers.get(key);
      return answer && ([name, answer] as const);
    });
    const found = known.filter((entry) => entry !== undefined);
    return found.length === known.length ? Object.fromEntries(found) : undefined;
  }

  return {
    query,
    questions() {
      const found = new Map<string, Question>();
      asked = new Map();
      const countCopy = countCopies();
      for (const { name, args, scope } of referencesIn(query, names)) {
        for (const { name: argument, value } of args) {
          const question = valueQuery(value, scope, countCopy);
          if (referencesIn(question.query, names).length > 0) continue;
          const key = questionKey(question);
          asked.set(value, key);
          if (!answers.has(key)) found.set(key, { ...question, table: name, argument });
        }
      }
      return [...found.values()];
    },
    answer(question, values) {
      answers.set(questionKey(question), toArgument(question, values));
    },
    requests() {
      const hints = rowHints(query);
      const wanted = new Map<string, { request: TableRequest; nodes: TableReference[] }>();
      for (const reference of referencesIn(query, names)) {
        const args = argumentsOf(reference);
        if (args === undefined) continue;
        const key = JSON.stringify([reference.name, Object.entries(args).sort(byName)]);
        const atMost = hints.get(reference.node);
        const known = wanted.get(key);
        if (known === undefined) {
          const request = { name: reference.name, args, ...(atMost !== undefined && { atMost }) };
          wanted.set(key, { request, nodes: [reference] });
        } else {
          known.nodes.push(reference);
          known.request = widest(known.request, atMost);
        }
      }
      const planned: PlannedTable[] = [];
      for (const [key, { request, nodes }] of wanted) {
        const full = `${key} ${request.atMost ?? 'all'}`;
        let table = tables.get(full);
        if (table === undefined) {
          table = { id: `t${tables.size + 1}`, request };
          tables.set(full, table);
          planned.push(table);
        }
        for (const { node, name } of nodes) become(node, loadedTable(node, table.id, name));
      }
      return planned;
    },
    isComplete: () => referencesIn(query, names).length === 0,
    mend: ({ column, isOnLeft }) =>
      isOnLeft ? joinUsingCommasFirst(query, column) : openDottedName(query, column),
  };
}

/** The loaded tables that a query reads. */
export function loadedIn(query: Node): Set<string> {
  const ids = new Set<string>();
  walk(query, {
    table(table) {
      if (textOf(table, 'schema_name') === loadedSchema) ids.add(textOf(table, 'table_name'));
    },
  });
  return ids;
}

function referencesIn(query: Node, names: Names): TableReference[] {
  const found: TableReference[] = [];
  walk(query, {
    table(table, scope) {
      const reference = readTable(table, scope, names);
      if (reference !== undefined) found.push(reference);
    },
  });
  return found;
}

function toArgument(
  { kind, table, argument }: Question,
  values: readonly (Scalar | readonly Scalar[])[],
): Argument {
  if (kind !== 'expression') {
    const flat = values.flat().filter((value) => value !== null);
    return { values: [...new Set(flat)].sort(inOrder), from: kind };
  }
  const [value] = values;
  if (value === undefined) {
    throw new QueryError('bad_argument', `${table}: ${argument} has no value.`);
  }
  return { value };
}

function widest(request: TableRequest, atMost: number | undefined): TableRequest {
  const { atMost: known, ...rest } = request;
  if (known === undefined || atMost === undefined) return rest;
  return { ...rest, atMost: Math.max(known, atMost) };
}

function byName([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1;
}

function inOrder(a: Scalar, b: Scalar): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return String(a) < String(b) ? -1 : 1;
}
