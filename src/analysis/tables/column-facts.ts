import type { ColumnFacts } from '../../query/provider.ts';
import type { ToolDefinition } from '../define-tool.ts';
import { referenceSpaces } from '../reference/reference.ts';
import { joins } from './meanings.ts';

/** What the platform's documentation says of a tool's columns (docs/platform.md#ids). */
export function columnFacts({
  tool,
  input: { shape },
  knownValues = {},
}: ToolDefinition): ColumnFacts {
  const space = referenceSpaces.find(({ endpoint }) => endpoint.tool === tool);
  const own = space ? `${space.kind}s.id` : `${tool}.id`;
  const hasKnownId = Object.values(joins).includes(own);
  return {
    ids: {
      ...joins,
      shop_product_id: 'the shop_product_id of products',
      ...(hasKnownId && { id: own }),
    },
    leftOut: {
      ...('is_internal' in shape && {
        is_internal: { condition: 'is_internal = 1', argument: 'is_internal' },
      }),
      ...('include_negative' in shape && {
        discount_value_wt: { condition: 'discount_value_wt < 0', argument: 'include_negative' },
      }),
    },
    values: knownValues,
  };
}
