import { expect, test } from 'vitest';
import { endpointTool } from '../../../src/analysis/define-tool.ts';
import { listOrders } from '../../../src/endpoints/orders.ts';
import { listShops } from '../../../src/endpoints/reference.ts';
import { wholeInput } from '../../../src/mcp/files/rows-file.ts';

test.each([
  ['a list', listOrders, { period: 'yesterday' }, { period: 'yesterday', all: true }],
  ['a list of which a page is asked', listOrders, { limit: 3 }, { limit: 3 }],
  [
    'the largest of a list',
    listOrders,
    { sort: '-total_wt', top: 3 },
    { sort: '-total_wt', top: 3 },
  ],
  ['a list that has no pages', listShops, {}, {}],
])(
  'the arguments of a file read %s to its end, unless it is cut on purpose',
  (_, tool, args, whole) => {
    expect(wholeInput(endpointTool(tool), args)).toEqual(whole);
  },
);
