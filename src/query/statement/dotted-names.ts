/** `c."address.city"`, as lists of columns show the field of an object, is `c.address.city`. */
import type { Node } from './tree/tree.ts';
import { walk } from './tree/walk.ts';

/** Takes a name with dots, which is no column's, for the way into an object. Gives whether there is such a name. */
export function openDottedName(query: Node, column: string): boolean {
  if (!column.includes('.')) return false;
  let isFound = false;
  walk(query, {
    expression(expression) {
      const { column_names: names } = expression;
      if (expression.class !== 'COLUMN_REF' || !Array.isArray(names)) return;
      if (!names.includes(column)) return;
      isFound = true;
      expression.column_names = names.flatMap((name) =>
        name === column ? column.split('.') : [name],
      );
    },
  });
  return isFound;
}
