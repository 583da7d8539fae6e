/** How large a statement may be beyond its length, measured before anything else looks at its tree. */
import { isRecord } from '../../core/json.ts';
import { QueryError } from '../errors.ts';
import type { Node } from './tree/tree.ts';

const mostTables = 200;
const mostSteps = 200;
/** Levels of JSON, of which each bracket, call or subquery takes a few. */
const mostLevels = 1500;

/** Refuses a tree that is too large to be worked on at once; takes time by its length, and no stack. @throws {QueryError} */
export function refuseTooLarge(tree: Node): void {
  let tables = 0;
  let steps = 0;
  let level: unknown[] = [tree];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > mostLevels) throw tooLarge('is nested too deeply. WITH holds its steps');
    const next: unknown[] = [];
    for (const value of level) {
      if (isRecord(value)) {
        if (value.type === 'BASE_TABLE' || value.type === 'TABLE_FUNCTION') tables++;
        if (isRecord(value.cte_map) && Array.isArray(value.cte_map.map)) {
          steps += value.cte_map.map.length;
        }
      }
      if (typeof value !== 'object' || value === null) continue;
      for (const child of Object.values(value)) {
        if (typeof child === 'object' && child !== null) next.push(child);
      }
    }
    level = next;
  }
  if (tables > mostTables) {
    throw tooLarge(`names ${tables} tables in FROM; ${mostTables} are the most`);
  }
  if (steps > mostSteps) throw tooLarge(`has ${steps} steps of WITH; ${mostSteps} are the most`);
}

/** Most objects of a tree that are copied at once, for the values of arguments. */
const mostCopied = 30_000;

/** Counts a part of the tree that is about to be copied. */
export type CountCopy = (part: Node) => void;

/** A count of copies that throws when they become too many: copies of copies grow without end. */
export function countCopies(): CountCopy {
  let copied = 0;
  return (part) => {
    const left: unknown[] = [part];
    while (left.length > 0) {
      const value = left.pop();
      if (typeof value !== 'object' || value === null) continue;
      copied++;
      if (copied > mostCopied) throw tooLarge('has arguments of tables that are too long together');
      for (const child of Object.values(value)) left.push(child);
    }
  };
}

function tooLarge(how: string): QueryError {
  return new QueryError('too_long', `The statement ${how}. Ask in several statements.`);
}
