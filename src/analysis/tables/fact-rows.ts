import { plain } from '../../core/money.ts';
import { referenceSpaces } from '../reference/reference.ts';
import type { Row } from '../rows/rows.ts';
import { readFacts } from '../turnover/facts.ts';

/** Columns of a report as a table: a row is one fact. */
export const factColumns: Readonly<Record<string, string>> = {
  path: 'VARCHAR',
  measure: 'VARCHAR',
  value: 'DECIMAL(18,2)',
  split: 'VARCHAR',
  ...Object.fromEntries(
    referenceSpaces
      .filter(({ kind }) => kind !== 'customer_segment')
      .map(({ idField }) => [idField, 'BIGINT']),
  ),
  name: 'VARCHAR',
  line: 'VARCHAR',
};

/**
 * A report's facts as rows: where a number stands (`path`), the platform's own name for it
 * (`measure`), which breakdown it belongs to (`split`) and the ids above it. `line` tells numbers
 * apart that no id does.
 */
export function factRows(report: unknown): Row[] {
  const ids = Object.keys(factColumns).filter((column) => column.endsWith('_id'));
  return readFacts(report).map((fact) => {
    const cut = fact.measure.lastIndexOf('.');
    return {
      path: fact.measure.slice(0, Math.max(0, cut)),
      measure: fact.measure.slice(cut + 1),
      value: plain(fact.value),
      split: splitOf(Object.keys(fact.ids), fact.row !== undefined),
      ...Object.fromEntries(ids.map((id) => [id, idOf(fact.ids[id])])),
      name: fact.name ?? null,
      line: fact.row ?? null,
    };
  });
}

/** `total`, `shop`, `shop, turnover_group`; with `line` where numbers differ by nothing but their place. */
function splitOf(idFields: readonly string[], hasLine: boolean): string {
  const kinds = referenceSpaces
    .filter(({ idField }) => idFields.includes(idField))
    .map(({ kind }): string => kind);
  const parts = hasLine ? [...kinds, 'line'] : kinds;
  return parts.length === 0 ? 'total' : parts.join(', ');
}

function idOf(text: string | null | undefined): number | null {
  return text === null || text === undefined ? null : Number(text);
}
