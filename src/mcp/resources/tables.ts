import type { Row } from '../../analysis/rows/rows.ts';

const heading = `# The tables of query

FROM list_orders(period := 'yesterday'): a star marks an argument that has to be given. Values in braces
are those seen so far. All about one table: SELECT * FROM tables WHERE name = 'list_orders'.`;

/** `commerce://tables`: each table as it is called, what it holds, and its columns. */
export function renderTables(tables: readonly Row[]): string {
  const entries = tables.map(({ name, holds, arguments: taken, columns }) => {
    const called = taken === '' ? name : `${name}(${String(taken).replace(/^\(|\)$/g, '')})`;
    return columns === '' ? `${called}: ${holds}` : `${called}: ${holds}\n  ${columns}`;
  });
  return `${[heading, ...entries].join('\n\n')}\n`;
}
