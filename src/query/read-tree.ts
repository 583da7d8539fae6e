import { isRecord } from '../core/json.ts';
import { explainParse } from './advice/parse.ts';
import { QueryError } from './errors.ts';
import { refuseTooLarge } from './statement/size.ts';
import { parseLossless } from './statement/tree/lossless-json.ts';
import { type Node, nodeOf, nodesOf } from './statement/tree/tree.ts';

/** The one query of a statement, out of its tree as JSON text. @throws {QueryError} when it is none, or more than one */
export function readTree(sql: string, text: string): Node {
  const tree = parseLossless(text);
  if (!isRecord(tree) || tree.error !== false) throw explainParse(sql, isRecord(tree) ? tree : {});
  const [statement, ...more] = nodesOf(tree, 'statements');
  const query = statement && nodeOf(statement, 'node');
  if (query === undefined)
    throw new QueryError('not_select', 'The statement is empty. Write one SELECT.');
  if (more.length > 0) {
    throw new QueryError(
      'not_select',
      `These are ${more.length + 1} statements. Write one SELECT; WITH holds several steps.`,
    );
  }
  refuseTooLarge(query);
  return query;
}
