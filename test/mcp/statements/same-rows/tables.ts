/** Tables of the sandbox, and the same rows loaded by plain HTTP into a database with types written here. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { callAs, type Fields } from '../../../sandbox/caller.ts';
import { sayInOther } from '../../../sandbox/other-dialect.ts';
import type { Dialect } from '../../../sandbox/start-sandbox.ts';
import { folderWith } from '../../../setup/folder.ts';
import type { Sandbox } from '../../../spawn.ts';

/** A table and where its rows are. */
interface Source {
  /** As `query` takes it. */
  from: string;
  /** Where the platform lists the same rows, or what they belong to. */
  path: string;
  /** Where it gives those of one row of that list. */
  of?: (row: Fields) => string;
  /** The columns with their types, as a reader of the platform's documentation and rows would declare them. */
  columns: string;
}

const week = ['2026-11-12', '2026-11-18'] as const;
const day = '2026-11-18';
const address =
  'STRUCT(street VARCHAR, house_number VARCHAR, zipcode VARCHAR, city VARCHAR, country_code VARCHAR)';
const orderColumns = `id BIGINT, order_number VARCHAR, shop_id BIGINT, relation_data_id BIGINT,
  customer_name VARCHAR, segment_id BIGINT, status VARCHAR, is_internal BOOLEAN, is_paid BOOLEAN,
  total_wt DECIMAL, total_ex DECIMAL, discount_value_wt DECIMAL,
  date_created TIMESTAMPTZ, date_updated TIMESTAMPTZ, backoffice_url VARCHAR`;

const tables: Readonly<Record<string, Source>> = {
  orders: {
    from: `list_orders(period := '${week.join('..')}')`,
    path: `/api/order?from=${week[0]}&to=${week[1]}&limit=500`,
    columns: orderColumns,
  },
  placed: {
    from: `list_orders(period := '${day}')`,
    path: `/api/order?from=${day}&limit=500`,
    columns: orderColumns,
  },
  discounted: {
    from: `list_discount_orders(period := '${week.join('..')}')`,
    path: `/api/discount-order?from=${week[0]}&to=${week[1]}`,
    columns: orderColumns,
  },
  lines: {
    from: `list_order_items(order_id := (SELECT id FROM list_orders(period := '${day}')))`,
    path: `/api/order?from=${day}&limit=500`,
    of: ({ id }) => `/api/order/${id}/item`,
    columns: `id BIGINT, order_id BIGINT, kind VARCHAR, product_id BIGINT, shop_product_id BIGINT, sku VARCHAR,
      title VARCHAR, quantity BIGINT, price_wt DECIMAL, total_wt DECIMAL,
      total_ex DECIMAL, tax_rate_id BIGINT, product_group_id BIGINT`,
  },
  details: {
    from: `get_order(order_id := (SELECT id FROM list_orders(period := '${day}')))`,
    path: `/api/order?from=${day}&limit=500`,
    of: ({ id }) => `/api/order/${id}`,
    columns: `id BIGINT, shop_id BIGINT, relation_data_id BIGINT, status VARCHAR, is_paid BOOLEAN,
      total_wt DECIMAL, total_ex DECIMAL, date_created TIMESTAMPTZ, date_updated TIMESTAMPTZ,
      billing_address ${address}`,
  },
  people: {
    from: `get_customer(customer_id := (SELECT DISTINCT relation_data_id FROM list_orders(period := '${day}')))`,
    path: `/api/order?from=${day}&limit=500`,
    of: ({ relation_data_id: id }) => `/api/customer/${id}`,
    columns: `id BIGINT, name VARCHAR, email VARCHAR, segment_id BIGINT, phone VARCHAR, address ${address}`,
  },
  customers: {
    from: 'search_customers(segment_id := 11)',
    path: '/api/customer?segment_id=11&limit=500',
    columns: `id BIGINT, name VARCHAR, first_name VARCHAR, last_name VARCHAR, company VARCHAR, email VARCHAR,
      segment_id BIGINT`,
  },
  products: {
    from: 'search_products()',
    path: '/api/product?limit=200',
    columns: `id BIGINT, shop_product_id BIGINT, sku VARCHAR, title VARCHAR, product_group_id BIGINT,
      price_wt DECIMAL, price_ex DECIMAL, stock BIGINT`,
  },
  prices: {
    from: 'list_product_prices()',
    path: '/api/product-price?limit=500',
    columns: `id BIGINT, product_id BIGINT, product_price_type_id BIGINT, tax_rate_id BIGINT,
      price_wt DECIMAL, price_ex DECIMAL`,
  },
  sales: {
    from: `get_product_sales(period := '${week.join('..')}')`,
    path: `/api/report/product-sale?from=${week[0]}&to=${week[1]}&limit=500`,
    columns: `product_id BIGINT, shop_product_id BIGINT, sku VARCHAR, title VARCHAR, product_group_id BIGINT,
      quantity BIGINT, turnover DECIMAL, turnover_wt DECIMAL, cost_of_goods_sold DECIMAL`,
  },
  changes: {
    from: "list_product_changes(since := '2026-11-18')",
    path: '/api/product/delta?since=2026-11-18&limit=250',
    columns: `id BIGINT, shop_product_id BIGINT, sku VARCHAR, title VARCHAR, product_group_id BIGINT,
      price_wt DECIMAL, price_ex DECIMAL, stock BIGINT, date_updated TIMESTAMPTZ`,
  },
  shops: {
    from: 'shops',
    path: '/api/shop',
    columns: 'id BIGINT, name VARCHAR, location_id BIGINT, type VARCHAR',
  },
  groups: {
    from: 'turnover_groups',
    path: '/api/turnover-group',
    columns: 'id BIGINT, name VARCHAR, ledger_code VARCHAR',
  },
  rates: {
    from: 'tax_rates',
    path: '/api/tax-rate',
    columns: 'id BIGINT, name VARCHAR, country_code VARCHAR, percentage DECIMAL',
  },
  places: {
    from: 'locations',
    path: '/api/location',
    columns: `id BIGINT, name VARCHAR, phone VARCHAR, address ${address}`,
  },
  changed: {
    from: "list_order_changes(since := '2026-11-18')",
    path: '/api/order/delta?since=2026-11-18&limit=250',
    columns: 'id BIGINT, relation_data_id BIGINT',
  },
  segments: {
    from: 'customer_segments',
    path: '/api/customer-segment',
    columns: 'id BIGINT, "name" VARCHAR, customer_count BIGINT',
  },
  levels: {
    from: 'list_stock()',
    path: '/api/stock?limit=500',
    columns: 'product_id BIGINT, location_id BIGINT, stock BIGINT',
  },
};

/** The first two columns of a type in each table, under the table's name in statements. */
export function columnsOf(
  type: 'DECIMAL' | 'VARCHAR' | 'TIMESTAMPTZ',
): [table: string, column: string][] {
  return Object.entries(tables).flatMap(([name, { columns }]) => {
    const flat = columns.replaceAll(/STRUCT\(.*?\)/g, '');
    const found = [...flat.matchAll(new RegExp(`(\\w+) ${type}\\b`, 'g'))].slice(0, 2);
    return found.map(([, column = '']): [string, string] => [`{${name}}`, column]);
  });
}

/** A statement or a table's columns in the sandbox's names, as they are said in a dialect. */
function said(text: string, dialect: Dialect): string {
  return dialect === 'plain' ? text : sayInOther(text);
}

/** A statement as `query` takes it: `{orders}` stands for a table, `{lines of o}` for the lines of each o. */
export function overTools(sql: string, dialect: Dialect): string {
  return said(sql, dialect)
    .replaceAll(/\{lines of (\w+)\}/g, 'list_order_items(order_id := $1.id)')
    .replaceAll(/\{(\w+)\}/g, (_, table) => tables[table]?.from ?? table);
}

/** The same statement over the tables of {@link loadRows}. */
export function overRows(sql: string, dialect: Dialect): string {
  return said(sql, dialect)
    .replaceAll(/\{lines of (\w+)\}/g, '(SELECT * FROM lines l WHERE l.order_id = $1.id)')
    .replaceAll(/\{(\w+)\}/g, '$1');
}

/** Columns that the other dialect calls otherwise in one table alone. */
const ownNames: Readonly<Record<string, readonly [string, string]>> = {
  lines: ['title', 'description'],
  levels: ['stock', 'on_hand'],
};

/** The other dialect has flags as numbers and quantities with decimals. */
function columnsIn(columns: string, table: string, dialect: Dialect): string {
  if (dialect === 'plain') return columns;
  const typed = columns
    .replaceAll('BOOLEAN', 'BIGINT')
    .replaceAll('quantity BIGINT', 'quantity DECIMAL');
  return sayInOther(typed.replace(...(ownNames[table] ?? ['', ''])));
}

/** The rows of the sandbox in a database that knows nothing of the server; `run` runs a statement there. */
export async function loadRows(
  sandbox: Sandbox,
  views: Readonly<Record<string, string>>,
  dialect: Dialect,
) {
  const { get } = await callAs(sandbox);
  async function rowsOf({ path, of }: Source): Promise<Fields[]> {
    const { rows } = await get(path);
    if (of === undefined) return rows;
    const all = await Promise.all([...new Set(rows.map(of))].map(get));
    return all.flatMap(({ body, rows: own }) => ('data' in body ? own : [body]));
  }

  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await connection.run("SET TimeZone = 'Europe/Amsterdam'");
  const folder = folderWith();
  for (const [name, table] of Object.entries(tables)) {
    const rows = await rowsOf(table);
    const file = join(folder, `${name}.json`);
    const columns = columnsIn(table.columns, name, dialect).replaceAll('DECIMAL', 'DECIMAL(18,4)');
    await writeFile(file, JSON.stringify(rows));
    await connection.run(`CREATE TABLE ${name} (${columns})`);
    await connection.run(`COPY ${name} FROM '${file}' (FORMAT json, ARRAY true)`);
  }
  for (const [name, sql] of Object.entries(views))
    await connection.run(`CREATE VIEW ${name} AS ${overRows(sql, dialect)}`);
  return {
    async run(sql: string): Promise<Fields[]> {
      return (await connection.runAndReadAll(overRows(sql, dialect))).getRowObjectsJS();
    },
    close() {
      connection.closeSync();
      instance.closeSync();
    },
  };
}
