/** Columns that a statement names and nothing shows yet: they are assumed where rows are still to come, which tell. */
import { isFields } from '../../core/column-type.ts';
import type { Warning } from '../../core/message.ts';
import type { SentStatement } from '../messages.ts';
import type { StatementShape } from '../provider.ts';
import { type SqlType, sqlColumns, unknownType } from '../table-text.ts';
import { engineFailureOf, missingColumn } from './advice.ts';

declare module '../../core/message.ts' {
  interface Messages {
    /** No rows came that could have these columns. */
    unseen_columns: { table: string; columns: readonly string[] };
  }
}

/** Assumed columns by table. */
export type Assumed = ReadonlyMap<string, Readonly<Record<string, SqlType>>>;

/** A table whose rows may have more columns than are known, and of which there is none so far. */
function isUnsettled(name: string, sent: SentStatement): boolean {
  const kind = sent.tables.get(name);
  return kind?.kind === 'calls' && kind.isOpen === true && !hasRows(name, sent);
}

/** Whether rows show what a table has. */
export function hasRows(name: string, { loaded }: SentStatement): boolean {
  return (loaded.get(name)?.texts.length ?? 0) > 0;
}

/** The name that the engine did not find: of a column, or of a field in one. */
export function missingName(error: unknown): string | undefined {
  const failure = engineFailureOf(error);
  if (failure.type !== 'Binder') return undefined;
  const [, inner] =
    /^(?:Cannot extract field '|Referenced table ")(.+?)['"] /.exec(failure.message) ?? [];
  return inner ?? missingColumn(failure);
}

/** What can be assumed so that a statement gets on after an error, the most likely first. */
export function assumptionsFor(
  error: unknown,
  sent: SentStatement,
  { tables, mentioned, aliases }: StatementShape,
  assumed: Assumed,
): { table: string; assumed: Assumed }[] {
  const missing = missingName(error)?.toLowerCase();
  if (missing === undefined || !mentioned.has(missing)) return [];
  // QUALIFY names the whole path: `x.address.city`.
  const [first = '', second = ''] = missing.split('.');
  const owner = second === '' ? undefined : aliases.get(first);
  const name = owner === undefined ? first : second;
  return tables
    .filter((table) => isUnsettled(table, sent) && table === (owner ?? table))
    .flatMap((table) => {
      const kind = sent.tables.get(table);
      const known = kind?.kind === 'calls' ? sqlColumns(kind.columns ?? {}) : {};
      const columns = Object.entries({ ...known, ...assumed.get(table) });
      const isNew = (key: string) => !columns.some(([it]) => it.toLowerCase() === key);
      // Within a subquery it is the alias of a table that is said to be unknown, when it lacks a column.
      const of = aliases.get(name);
      const own = of === undefined ? [name] : of === table ? fieldsOf(name, mentioned) : [];
      const parents = columns
        .filter(([key]) => mentioned.has(`${key.toLowerCase()}.${name}`))
        .map(([key, type]) => {
          const fields = isFields(type) ? type : {};
          return { [key]: { ...fields, [name]: typeAt(`${key}.${name}`, mentioned) } };
        });
      const added = own.filter(isNew).map((it) => [it, typeAt(it, mentioned)] as const);
      const all = [...(added.length > 0 ? [Object.fromEntries(added)] : []), ...parents];
      return all.map((it) => {
        const ofTable = { ...assumed.get(table), ...it };
        return { table, assumed: new Map([...assumed, [table, ofTable]]) };
      });
    });
}

function typeAt(path: string, mentioned: ReadonlySet<string>): SqlType {
  const fields = fieldsOf(path, mentioned);
  const name = path.slice(path.lastIndexOf('.') + 1);
  if (fields.length === 0) return sqlColumns({ [name]: 'open' })[name] ?? unknownType;
  return Object.fromEntries(fields.map((it) => [it, typeAt(`${path}.${it}`, mentioned)]));
}

function fieldsOf(path: string, mentioned: ReadonlySet<string>): string[] {
  const start = `${path.toLowerCase()}.`;
  const inner = [...mentioned].filter((it) => it.startsWith(start));
  return [...new Set(inner.map((it) => it.slice(start.length).split('.')[0] ?? ''))];
}

/** Columns of which the answer knows nothing: no rows came that could have them. */
export function unseenColumns(assumed: Assumed): Warning[] {
  return [...assumed].map(([table, columns]) => {
    return { code: 'unseen_columns', table, columns: Object.keys(columns) };
  });
}
