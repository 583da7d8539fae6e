/** A small shop as tables, and a provider of them that remembers what it was asked. */
import type { JsonObject } from '../../src/core/json.ts';
import type { QueryEngine, Statement } from '../../src/query/engine.ts';
import type { TableCall, TableKind, TableProvider } from '../../src/query/provider.ts';
import { workerEngine } from '../query-engine.ts';

export const shops = [
  { id: 1, name: 'Haarlem', location_id: 11, address: { city: 'Haarlem', zip: '2011 AA' } },
  { id: 2, name: 'Utrecht', location_id: 12, address: { city: 'Utrecht', zip: '3511 BB' } },
  { id: 3, name: 'Webshop', location_id: null, address: null },
];

const statuses = ['paid', 'open', 'cancelled'];

export const orders = Array.from({ length: 60 }, (_, index) => ({
  id: 100 + index,
  shop_id: (index % 3) + 1,
  customer_id: index % 7 === 0 ? null : (index % 9) + 1,
  status: statuses[index % 3],
  is_paid: index % 2,
  total_wt: (index * 37 + 5) / 100,
  total_ex: ((index * 37 + 5) / 121).toFixed(2),
  date_created: `2026-11-${String((index % 20) + 1).padStart(2, '0')}T${String(index % 24).padStart(2, '0')}:15:00+01:00`,
  day: `2026-11-${String((index % 20) + 1).padStart(2, '0')}`,
  tags: index % 4 === 0 ? ['web', 'gift'] : [],
}));

export const items = orders.flatMap(({ id }) =>
  Array.from({ length: (id % 3) + 1 }, (_, line) => ({
    id: id * 10 + line,
    order_id: id,
    product_id: (id + line) % 8,
    quantity: line + 1,
    price: (id % 50) + 0.95,
  })),
);

const products = Array.from({ length: 8 }, (_, id) => ({
  id,
  title: `Product ${id}`,
  stock: (id * 7) % 5,
}));

const calls = (...names: string[]): TableKind => ({
  kind: 'calls',
  arguments: names,
  knownColumns: 'some',
});

const kinds: Record<string, TableKind> = {
  shops: calls(),
  list_orders: calls('period', 'from', 'to', 'shop_id', 'status', 'broken'),
  list_order_items: calls('order_id'),
  search_products: calls('q', 'id'),
  result: calls('id'),
  empty: {
    kind: 'calls',
    arguments: [],
    columns: { id: 'integer', name: 'text', tags: ['day'] },
  },
};

/** The rows of extra tables by name. */
type Extra = Readonly<Record<string, readonly JsonObject[]>>;

export interface FakeProvider extends TableProvider {
  /** Every round of calls, in order. */
  rounds: (readonly TableCall[])[];
}

/** Runs a statement, over the tables above unless others are given. */
export function runSql(
  sql: string,
  { engine = workerEngine, ...more }: Partial<Statement> & { engine?: QueryEngine } = {},
) {
  // A busy machine may take any time: the test itself has a deadline.
  const { signal } = new AbortController();
  const provider = fakeProvider();
  return engine.run({ sql, caller: 'analyst', provider, maxRows: 1000, signal, ...more });
}

/** A provider of the tables above, and of others without arguments. */
export function fakeProvider(
  extra: Extra = {},
  more: Readonly<Record<string, TableKind>> = {},
): FakeProvider {
  const rounds: (readonly TableCall[])[] = [];
  const others = Object.keys(extra).map((name): [string, TableKind] => [name, calls()]);
  return {
    rounds,
    tables: new Map([...Object.entries(kinds), ...others, ...Object.entries(more)]),
    nowMs: Date.parse('2026-11-20T12:00:00+01:00'),
    async load(calls) {
      rounds.push(calls);
      return calls.map((call) => (extra[call.table] ?? rowsOf(call)).slice(0, call.neededRows));
    },
  };
}

const rows: Extra = {
  shops,
  list_orders: orders,
  list_order_items: items,
  search_products: products,
};

/** Rows whose columns hold what the arguments of their name say. */
function rowsOf({ table, args }: TableCall): readonly JsonObject[] {
  if (args.broken !== undefined) throw new Error('the platform is down');
  if (table === 'result') return [{ given: args.id }];
  const isAsked = (row: JsonObject) =>
    Object.entries(args).every(
      ([name, value]) => !(name in row) || [value].flat().map(String).includes(String(row[name])),
    );
  return (rows[table] ?? []).filter(isAsked);
}
