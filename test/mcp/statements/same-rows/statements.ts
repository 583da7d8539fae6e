/** Sensible statements over the tables of tables.ts, by kind; what stands in braces is said there. */
import { runs } from '../../../property-runs.ts';
import { columnsOf } from './tables.ts';

/** Some of the forms of a statement for each subject, others for the next; PROPERTY_RUNS=5 takes all of them. */
function inTurns<T>(
  subjects: readonly T[],
  most: number,
  write: (subject: T) => string[],
): string[] {
  return subjects.flatMap((subject, at) => {
    const forms = write(subject);
    const turned = [...forms.slice(at % forms.length), ...forms.slice(0, at % forms.length)];
    return turned.slice(0, runs(most));
  });
}

/** Two tables whose rows belong together by a key, with a text and a number of the second. */
const pairs = [
  ['{orders}', 'shop_id', '{shops}', 'id', 'name', 'location_id'],
  ['{orders}', 'id', '{lines}', 'order_id', 'kind', 'total_ex'],
  ['{orders}', 'relation_data_id', '{customers}', 'id', 'email', 'segment_id'],
  ['{orders}', 'id', '{details}', 'id', 'billing_address.city', 'total_ex'],
  ['{lines}', 'product_id', '{products}', 'id', 'sku', 'stock'],
  ['{lines}', 'order_id', '{details}', 'id', 'status', 'total_wt'],
  ['{details}', 'relation_data_id', '{people}', 'id', 'address.city', 'id'],
  ['{lines}', 'tax_rate_id', '{rates}', 'id', 'country_code', 'percentage'],
  ['{products}', 'id', '{prices}', 'product_id', 'id', 'price_ex'],
  ['{products}', 'id', '{sales}', 'product_id', 'sku', 'turnover'],
  ['{shops}', 'location_id', '{places}', 'id', 'address.city', 'id'],
  ['{people}', 'id', '{orders}', 'relation_data_id', 'status', 'total_wt'],
] as const;

/** Views of a business's own, over the same tables. */
export const views: Readonly<Record<string, string>> = {
  vat_of_orders: `SELECT id, shop_id, total_wt - total_ex AS vat, CAST(date_created AS DATE) AS day FROM {orders}`,
  sold_lines: `SELECT i.*, o.status, o.date_created + INTERVAL 1 DAY AS due FROM {lines} i JOIN {orders} o ON o.id = order_id`,
  each_line: 'SELECT i.* FROM {placed} o, {lines of o} i',
  priced: `SELECT p.sku, p.title, r.price_ex, p.stock FROM {products} p, LATERAL (SELECT * FROM {prices} b WHERE b.product_id = p.id AND product_price_type_id = 1) r`,
};

/** Each kind with its statements. */
export const kinds: Readonly<Record<string, readonly string[]>> = {
  'arithmetic on amounts': inTurns(columnsOf('DECIMAL'), 2, ([table, a]) => [
    `SELECT round(sum(x.${a} * 1.21), 2) AS n, sum(-x.${a}) AS m FROM ${table} x`,
    `SELECT ${a} + 1 AS n, ${a} - 0.5 AS m, ${a} / 4 AS o FROM ${table} ORDER BY ALL LIMIT 20`,
    `SELECT count(*) FILTER (${a} > (SELECT avg(${a}) FROM ${table})) AS n, median(${a}) AS m FROM ${table}`,
    `SELECT abs(${a}) % 7 AS n, count(*) AS m FROM ${table} WHERE ${a} BETWEEN 1.5 AND 60 GROUP BY ALL ORDER BY ALL LIMIT 40`,
    `SELECT CASE WHEN x.${a} >= 20 THEN 'high' ELSE 'low' END AS side, greatest(max(x.${a}), 5) AS n, least(min(x.${a}), 5) AS m FROM ${table} x GROUP BY side ORDER BY side`,
  ]),
  'intervals on moments': inTurns(columnsOf('TIMESTAMPTZ'), 3, ([table, m]) => [
    `SELECT CAST(x.${m} + INTERVAL 1 DAY AS DATE) AS day, count(*) AS n FROM ${table} x GROUP BY ALL ORDER BY ALL`,
    `SELECT date_trunc('hour', ${m}) AS hour, count(*) AS n FROM ${table} GROUP BY ALL ORDER BY ALL LIMIT 40`,
    `SELECT hour(x.${m} - INTERVAL 90 MINUTE) AS hour, dayname(x.${m}) AS day, min(x.${m}) AS first FROM ${table} x GROUP BY ALL ORDER BY ALL LIMIT 40`,
    `SELECT date_diff('hour', min(${m}), max(${m})) AS hours, strftime(max(${m}), '%d-%m %H:%M') AS last FROM ${table}`,
    `SELECT count(*) AS n FROM ${table} x WHERE x.${m} >= TIMESTAMPTZ '2026-11-17 00:00:00+01' AND x.${m} < TIMESTAMPTZ '2026-11-17 00:00:00+01' + INTERVAL 1 DAY`,
    `SELECT epoch(max(x.${m}) - min(x.${m})) AS seconds, week(min(x.${m})) AS week FROM ${table} x`,
  ]),
  'functions of texts': inTurns(columnsOf('VARCHAR'), 1, ([table, t]) => [
    `SELECT upper(x.${t}) AS up, length(x.${t}) AS n FROM ${table} x ORDER BY ALL LIMIT 15`,
    `SELECT count(*) AS n FROM ${table} x WHERE x.${t} ILIKE '%a%' AND x.${t} NOT LIKE '_e%'`,
    `SELECT split_part(${t}, ' ', 1) AS first, count(*) AS n FROM ${table} GROUP BY 1 ORDER BY ALL LIMIT 20`,
    `SELECT string_agg(DISTINCT left(x.${t}, 2), ',' ORDER BY left(x.${t}, 2)) AS all_of FROM ${table} x`,
    `SELECT coalesce(nullif(trim(x.${t}), ''), '-') || '!' AS said, regexp_matches(x.${t}, '[0-9]') AS has FROM ${table} x ORDER BY ALL LIMIT 10`,
  ]),
  'EXISTS and IN': inTurns(pairs, 2, ([one, key, other, of, text, n]) => [
    `SELECT count(*) AS n FROM ${one} a WHERE EXISTS (SELECT 1 FROM ${other} b WHERE b.${of} = a.${key})`,
    `SELECT count(*) AS n FROM ${one} a WHERE NOT EXISTS (SELECT 1 FROM ${other} b WHERE b.${of} = a.${key} AND b.${n} > 11)`,
    `SELECT count(*) AS n FROM ${one} a WHERE a.${key} IN (SELECT b.${of} FROM ${other} b WHERE b.${text} IS NOT NULL)`,
    `SELECT count(*) AS n FROM ${one} a SEMI JOIN ${other} b ON b.${of} = a.${key} AND b.${n} * 2 > 23`,
    `SELECT count(*) AS n FROM ${one} a ANTI JOIN ${other} b ON b.${of} = a.${key}`,
  ]),
  'LATERAL and subqueries of a row': inTurns(pairs, 2, ([one, key, other, of, text, n]) => [
    `SELECT a.${key} AS k, l.t, l.v FROM ${one} a, LATERAL (SELECT max(b.${text}) AS t, sum(b.${n}) AS v FROM ${other} b WHERE b.${of} = a.${key}) l ORDER BY ALL LIMIT 20`,
    `SELECT a.${key} AS k, (SELECT max(b.${n}) + 1 FROM ${other} b WHERE b.${of} = a.${key}) AS v FROM ${one} a ORDER BY ALL LIMIT 20`,
    `SELECT a.${key} AS k, l.v FROM ${one} a LEFT JOIN LATERAL (SELECT b.${n} / 2 AS v FROM ${other} b WHERE b.${of} = a.${key} ORDER BY b.${n} DESC, b.${of} LIMIT 1) l ON true ORDER BY ALL LIMIT 20`,
  ]),
  'windows and QUALIFY': [
    ...inTurns(pairs, 1, ([one, key, other, of, text, n]) => [
      `SELECT a.${key} AS k, b.${n} AS v FROM ${one} a JOIN ${other} b ON b.${of} = a.${key} QUALIFY row_number() OVER (PARTITION BY a.${key} ORDER BY b.${n} DESC, b.${text}) = 1 ORDER BY ALL LIMIT 20`,
      `SELECT DISTINCT b.${text} AS t, count(*) OVER (PARTITION BY b.${text}) AS n FROM ${one} a JOIN ${other} b ON b.${of} = a.${key} ORDER BY ALL LIMIT 20`,
    ]),
    ...inTurns(columnsOf('DECIMAL'), 1, ([table, a]) => [
      `SELECT ${a} AS v, rank() OVER (ORDER BY ${a} DESC) AS place FROM ${table} QUALIFY place <= 5 ORDER BY ALL`,
      `SELECT x.${a} AS v, x.${a} - lag(x.${a}) OVER (ORDER BY x.${a}) AS step FROM ${table} x QUALIFY step > 0 ORDER BY ALL LIMIT 10`,
    ]),
  ],
  'lines of each order of a row': [
    'SELECT o.shop_id, sum(i.total_ex * 1.21) AS n FROM {placed} o, {lines of o} i GROUP BY ALL ORDER BY ALL',
    "SELECT o.status, max(i.price_wt - 1) AS n, min(o.date_created + INTERVAL 2 DAY) AS due FROM {placed} o JOIN {lines of o} i ON i.kind = 'product' GROUP BY ALL ORDER BY ALL",
    'WITH p AS (SELECT * FROM {placed} WHERE is_paid) SELECT count(*) AS n, sum(quantity * price_wt) AS v FROM p, {lines of p} i WHERE i.quantity > 1',
    'SELECT o.id, i.title FROM {placed} o, {lines of o} i QUALIFY row_number() OVER (PARTITION BY o.id ORDER BY i.total_wt DESC, i.id) = 1 ORDER BY o.id',
    'SELECT o.id, list(i.sku ORDER BY i.id) AS skus, bool_or(i.product_id IS NULL) AS other FROM {placed} o, {lines of o} i GROUP BY o.id HAVING sum(i.total_ex) > 20 ORDER BY o.id LIMIT 9',
    'SELECT o.id, l.t, l.n FROM {placed} o, {lines of o} i, LATERAL (SELECT upper(i.title) AS t, i.quantity * 2 AS n) l ORDER BY ALL LIMIT 9',
  ],
  'unqualified names over two tables': [
    'SELECT type, round(avg(total_wt), 2) AS n FROM {orders} o JOIN {shops} s ON s.id = shop_id GROUP BY type ORDER BY type',
    'SELECT kind, status, sum(quantity * price_wt) AS n FROM {orders} o JOIN {lines} i ON order_id = o.id GROUP BY ALL ORDER BY ALL',
    'SELECT sum(total_wt * percentage / 100) AS vat FROM {lines} JOIN {rates} r ON tax_rate_id = r.id',
    'SELECT first_name, count(*) AS n FROM {orders} o JOIN {customers} c ON c.id = relation_data_id GROUP BY first_name ORDER BY ALL',
    'SELECT ledger_code, sum(stock) AS n FROM {products} JOIN {groups} g ON product_group_id = g.id GROUP BY ledger_code ORDER BY ALL',
    'SELECT country_code, max(price_ex * (1 + percentage / 100)) AS n FROM {prices} p, {rates} r WHERE tax_rate_id = r.id GROUP BY ALL ORDER BY ALL',
    'SELECT quantity, stock, turnover FROM {sales} JOIN {products} p ON product_id = p.id WHERE stock < quantity ORDER BY ALL LIMIT 20',
    'SELECT s.name AS shop, address.city AS city, address.zipcode[1:4] AS area FROM {shops} s JOIN {places} l ON location_id = l.id ORDER BY ALL',
    'SELECT is_paid, count(DISTINCT order_id) AS n, sum(quantity) AS pieces FROM {lines} i JOIN {orders} o ON o.id = order_id GROUP BY ALL ORDER BY ALL',
    'SELECT discount_value_wt, kind FROM {orders} o, {lines} i WHERE order_id = o.id AND discount_value_wt > 0 ORDER BY ALL LIMIT 20',
  ],
  'structs and lists': [
    ...inTurns(columnsOf('DECIMAL'), 1, ([table, a]) => [
      `SELECT list_sort(list(x.${a}), 'DESC')[1:3] AS most, list_sum(list(x.${a})) AS n FROM ${table} x`,
      `SELECT len(list_filter(list(${a}), v -> v > 10)) AS n, list_transform(list(DISTINCT ${a} ORDER BY ${a})[:3], v -> v * 2) AS twice FROM ${table}`,
      `SELECT max_by(x, x.${a}).${a} AS most, arg_min(x.${a}, x.${a} * 2) AS least FROM ${table} x`,
    ]),
    "SELECT {'city': l.address.city, 'at': l.address.street || ' ' || l.address.house_number} AS place FROM {places} l ORDER BY l.id",
    'SELECT address.* FROM {places} ORDER BY ALL',
    'SELECT unnest(list_distinct(list(status))) AS status FROM {orders} ORDER BY 1',
    'SELECT list_contains(list(s.name), o.status) AS n, count(*) AS m FROM {orders} o, {shops} s GROUP BY o.status ORDER BY ALL',
    "SELECT struct_extract(row, 'sku') AS sku FROM (SELECT struct_pack(sku := p.sku, n := p.stock) AS row FROM {products} p) ORDER BY 1 LIMIT 5",
    "SELECT list({'k': i.kind, 'n': i.quantity} ORDER BY i.id)[1].k AS kind FROM {lines} i GROUP BY i.order_id ORDER BY ALL",
    "SELECT string_split(p.title, ' ')[-1] AS last, count(*) AS n FROM {products} p GROUP BY ALL ORDER BY ALL LIMIT 20",
    'SELECT map_keys(histogram(o.status)) AS statuses FROM {orders} o',
  ],
  views: [
    'SELECT s.name, sum(vat) AS vat, count(DISTINCT day) AS days FROM vat_of_orders v JOIN {shops} s ON s.id = v.shop_id GROUP BY ALL ORDER BY ALL',
    'SELECT day, vat FROM vat_of_orders QUALIFY row_number() OVER (PARTITION BY day ORDER BY vat DESC, id) = 1 ORDER BY day',
    'SELECT status, kind, sum(total_ex * quantity) AS n, CAST(max(due) AS DATE) AS due FROM sold_lines GROUP BY ALL ORDER BY ALL',
    'SELECT count(*) AS n FROM sold_lines i WHERE EXISTS (SELECT 1 FROM priced p WHERE p.sku = i.sku AND p.price_ex < i.total_ex)',
    'SELECT round(sum(stock * price_ex), 2) AS worth, max(title) AS last FROM priced WHERE stock > 0',
    'WITH v AS (FROM each_line) SELECT kind, max(i.title) AS last, sum(quantity) AS n FROM v i GROUP BY ALL ORDER BY ALL',
  ],
  'CTEs, unions and pivots': [
    ...inTurns(pairs, 1, ([one, key, other, of, , n]) => [
      `WITH b AS (SELECT ${of} AS k, sum(${n}) * 2 AS v FROM ${other} GROUP BY ALL) SELECT count(*) AS n, sum(v) AS v FROM ${one} a JOIN b ON b.k = a.${key}`,
      `SELECT count(*) AS n FROM (SELECT a.${key} FROM ${one} a INTERSECT SELECT b.${of} FROM ${other} b WHERE b.${n} + 1 > 12)`,
      `SELECT k, count(*) AS n FROM (SELECT ${key} AS k FROM ${one} UNION ALL SELECT ${of} FROM ${other}) GROUP BY k ORDER BY ALL LIMIT 20`,
    ]),
    ...inTurns(columnsOf('TIMESTAMPTZ'), 1, ([table, m]) => [
      `WITH d AS (SELECT *, CAST(${m} AS DATE) AS day FROM ${table}), n AS (SELECT day, count(*) AS n FROM d GROUP BY day) SELECT a.day, a.n, b.n AS before FROM n a LEFT JOIN n b ON b.day = a.day - INTERVAL 1 DAY ORDER BY ALL`,
    ]),
    'SELECT * EXCLUDE (backoffice_url) REPLACE (round(total_wt) AS total_wt) FROM {orders} ORDER BY id LIMIT 5',
    "PIVOT (SELECT shop_id, status, total_wt FROM {orders}) ON status IN ('new', 'complete', 'shipped') USING sum(total_wt) GROUP BY shop_id ORDER BY shop_id",
    'SELECT kind, total_ex, sum(total_ex) OVER (PARTITION BY kind ORDER BY id ROWS UNBOUNDED PRECEDING) AS so_far FROM {lines} ORDER BY kind, id LIMIT 20',
    'SELECT shop_id, status, sum(total_wt) AS n FROM {orders} GROUP BY ROLLUP (shop_id, status) ORDER BY ALL',
    'SELECT o.shop_id, o.id FROM {orders} o ASOF JOIN {discounted} d ON d.shop_id = o.shop_id AND d.date_created <= o.date_created ORDER BY ALL LIMIT 20',
  ],
  'questions of an analyst over several lists': [
    "WITH fresh AS (SELECT relation_data_id FROM {placed} EXCEPT SELECT relation_data_id FROM {orders} WHERE CAST(date_created AS DATE) < DATE '2026-11-18') SELECT c.id, c.email, c.address.street AS street FROM {people} c WHERE c.id IN (FROM fresh) ORDER BY c.id",
    "WITH o AS (SELECT relation_data_id AS customer, CAST(date_created AS DATE) AS day FROM {orders}), firsts AS (SELECT customer, min(day) AS cohort FROM o GROUP BY customer) SELECT cohort, date_diff('day', cohort, day) AS later, count(DISTINCT customer) AS customers FROM firsts JOIN o USING (customer) GROUP BY ALL ORDER BY ALL",
    'WITH days AS (SELECT DISTINCT relation_data_id AS customer, CAST(date_created AS DATE) AS day FROM {orders}), gaps AS (SELECT customer, day - lag(day) OVER (PARTITION BY customer ORDER BY day) AS gap FROM days) SELECT count(gap) AS gaps, max(gap) AS longest, quantile_disc(gap, 0.5) AS middle, sum(gap) AS together FROM gaps',
    'SELECT ch.id, p.email FROM {changed} ch JOIN {people} p ON p.id = ch.relation_data_id WHERE p.id <> 20000 ORDER BY ch.id',
    `SELECT coalesce(s."name", 'none') AS segment, s.customer_count AS members, count(*) AS n, sum(o.total_wt) AS spent FROM {orders} o LEFT JOIN {segments} s ON s.id = o.segment_id GROUP BY ALL ORDER BY segment`,
    "WITH o AS (SELECT o.relation_data_id AS customer, s.type FROM {orders} o JOIN {shops} s ON s.id = o.shop_id) SELECT customer FROM o WHERE type = 'webshop' INTERSECT SELECT customer FROM o WHERE type = 'pos' ORDER BY customer",
    'SELECT status, count(*) AS n, round(100 * count(*) / sum(count(*)) OVER (), 2) AS percent FROM {orders} WHERE NOT CAST(is_paid AS BOOLEAN) GROUP BY ALL ORDER BY status',
    'SELECT kind, count(*) AS n, sum(i.quantity) AS pieces, sum(i.total_wt) AS total FROM {lines} i GROUP BY kind ORDER BY kind',
    'WITH l AS (SELECT DISTINCT i.order_id, i.product_id FROM {lines} i WHERE i.product_id IS NOT NULL) SELECT a.product_id AS one, b.product_id AS other, count(*) AS times FROM l a JOIN l b ON a.order_id = b.order_id AND a.product_id < b.product_id GROUP BY ALL ORDER BY times DESC, one, other LIMIT 5',
    'SELECT g.name AS product_group, sum(i.total_ex) AS sales, sum(i.total_ex) - sum(i.quantity * p.price_ex) AS margin FROM {lines} i JOIN {prices} p ON p.product_id = i.product_id AND p.product_price_type_id = 2 JOIN {groups} g ON g.id = i.product_group_id GROUP BY ALL ORDER BY ALL',
    'SELECT s.name AS shop, count(DISTINCT o.id) AS orders, count(i.id) AS n FROM {placed} o, {lines of o} i, {shops} s WHERE s.id = o.shop_id GROUP BY ALL ORDER BY ALL',
    "WITH o AS (FROM {placed}), i AS (FROM {lines}) SELECT o.id FROM o ANTI JOIN (FROM i WHERE kind = 'product') p ON p.order_id = o.id ORDER BY o.id",
    'SELECT l.name AS place, sum(k.stock) AS pieces, sum(k.stock * p.price_ex) FILTER (WHERE p.product_price_type_id = 2) AS cost FROM {levels} k JOIN {prices} p USING (product_id) JOIN {places} l ON l.id = k.location_id GROUP BY ALL ORDER BY ALL',
    'SELECT p.id, p.stock FROM {products} p ANTI JOIN (FROM {sales} WHERE quantity <> 0) s ON s.product_id = p.id WHERE p.stock > 0 ORDER BY p.id',
    'SELECT a.id, a.title, b.title AS other FROM {products} a JOIN {products} b ON b.id = a.shop_product_id WHERE a.shop_product_id <> a.id ORDER BY a.id',
    'SELECT c.id, p.price_wt FROM {changes} c JOIN {prices} p ON p.product_id = c.id AND p.product_price_type_id = 1 ORDER BY c.id',
    'SELECT s.name AS shop, CAST(o.date_created AS DATE) AS day, sum(o.total_wt) AS total FROM {orders} o JOIN {shops} s ON s.id = o.shop_id GROUP BY s.name, day QUALIFY row_number() OVER (PARTITION BY s.name ORDER BY total DESC, day) = 1 ORDER BY s.name',
    'SELECT shop_id, quantile_disc(total_wt, 0.5) AS middle, quantile_disc(total_wt, 0.9) AS high, round(avg(total_wt), 4) AS average FROM {orders} GROUP BY shop_id ORDER BY shop_id',
  ],
};
