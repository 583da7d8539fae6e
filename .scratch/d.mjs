import { DuckDBInstance, DuckDBScalarFunction, VARCHAR, INTEGER, BIGINT } from '@duckdb/node-api';
const inst = await DuckDBInstance.create(':memory:', {threads:'2', memory_limit:'512MiB'});
const c = await inst.connect();
await c.run(`SET TimeZone='Europe/Amsterdam'`);
await c.run(`SET disabled_optimizers='statistics_propagation,empty_result_pullup'`);
const ids = new Map(); const asked = new Set();
c.registerScalarFunction(DuckDBScalarFunction.create({ name:'__need', returnType: INTEGER, parameterTypes:[VARCHAR], volatile:true,
 mainFunction(info, input, output){ const v=input.getColumnVector(0); for(let i=0;i<input.rowCount;i++){ const k=v.getItem(i); if(k==null){output.setItem(i,null);continue;} const id=ids.get(k); if(id===undefined) asked.add(k); output.setItem(i, id ?? -2);} output.flush(); } }));
const LIM = process.argv[2]==='nolimit' ? '' : 'LIMIT 9223372036854775807';
async function tool(name, args, cols){
  await c.run(`CREATE TABLE loaded_${name}(__call INTEGER, ${cols})`);
  await c.run(`INSERT INTO loaded_${name}(__call) VALUES (-1)`);
  const q=a=>`"${a}"`;
  await c.run(`CREATE MACRO ${name}(${args.map(a=>`${q(a)} := NULL`).join(', ')}) AS TABLE
   SELECT t.* EXCLUDE (__call) FROM (SELECT __need(CASE WHEN ${args.map(a=>`(a.${q('_'+a)} IS NULL AND typeof(a.${q('_'+a)}) <> '"NULL"')`).join(' OR ')||'false'} THEN NULL ELSE to_json({tool: '${name}', ${args.map(a=>`${q(a)}: a.${q('_'+a)}`).join(', ')}})::VARCHAR END) AS k FROM (SELECT ${args.map(a=>`${q(a)} AS ${q('_'+a)}`).join(', ')||'1 AS x'}) a) n, loaded_${name} t WHERE t.__call = n.k ${LIM}`);
  await c.run(`CREATE VIEW ${name} AS FROM ${name}()`);
}
await tool('list_orders', ['period','from','shop_id','status'], 'id BIGINT, shop_id BIGINT, status VARCHAR, total DECIMAL(18,4), created TIMESTAMPTZ, customer_id BIGINT');
await tool('list_order_items', ['order_id'], 'id BIGINT, order_id BIGINT, q BIGINT');
await tool('shops', [], 'id BIGINT, name VARCHAR, address STRUCT(city VARCHAR)');
const data = { list_orders: a => Array.from({length:6},(_,i)=>`(${i+1+(a.period==='b'?100:0)}, ${i%3+1}, '${i%2?'paid':'open'}', 12.5, TIMESTAMPTZ '2026-11-01 10:00:00+01', ${i%4})`).filter((_,i)=>a.shop_id==null||a.shop_id===i%3+1),
 list_order_items: a=> [a.order_id].flat(9).flatMap(o=>[`(${o*10}, ${o}, 1)`,`(${o*10+1}, ${o}, 2)`]),
 shops: ()=>[1,2,3].map(i=>`(${i}, 'S${i}', {city:'C${i}'})`)};
async function ask(sql){
  await c.run('DELETE FROM loaded_list_orders WHERE __call>=0'); await c.run('DELETE FROM loaded_list_order_items WHERE __call>=0'); await c.run('DELETE FROM loaded_shops WHERE __call>=0'); ids.clear();
  const log=[];
  for(let r=0;r<8;r++){ asked.clear(); let res;
    try { res = await (await c.runAndReadAll(sql)).getRowObjectsJson(); } catch(e){ console.log('ERR', sql,'\n    ', e.message.slice(0,300)); return; }
    if(asked.size===0){ console.log('OK ', sql.slice(0,150), '\n    ', JSON.stringify(res).slice(0,150), 'rounds', JSON.stringify(log)); return; }
    log.push([...asked].map(k=>k.replace(/"tool":|null|"|\{|\}/g,'').slice(0,70)));
    for(const k of asked){ const a=JSON.parse(k); const id=ids.size; ids.set(k,id); for(const row of data[a.tool](a)) await c.run(`INSERT INTO loaded_${a.tool} SELECT ${id}, * FROM (VALUES ${row})`); }
  }
  console.log('MANY', sql);
}
const all = process.argv[3] ? [`SELECT count(*) FROM range(30) r, list_order_items(order_id := r.range) i WHERE i.q = 2`, `SELECT count(*) FROM list_order_items(order_id := 5) i JOIN shops s ON s.id = i.order_id JOIN list_orders(period := 'c') z ON z.shop_id = s.id WHERE i.q = 2 AND z.shop_id = 3`] : [
 `SELECT count(*) AS n FROM list_orders(period := 'a')`,
 `SELECT count(*) AS n FROM LIST_ORDERS(STATUS := 'a', PERIOD => 'b') WHERE shop_id = 2`,
 `SELECT list_orders.id FROM list_orders(period := 'a') WHERE shop_id = 3`,
 `SELECT nr FROM list_orders(period := 'a') AS o(nr) WHERE nr > 4`,
 `FROM shops`, `FROM shops s SELECT s.address.city`,
 `SELECT count(*) FROM list_orders(period := 'a') o, list_order_items(order_id := o.id) i WHERE o.shop_id = 2 AND i.q = 2`,
 `SELECT count(*) FROM list_orders(period := 'a') o LEFT JOIN LATERAL list_order_items(order_id := o.id) i ON i.q = 7`,
 `SELECT count(*) FROM list_orders(period := 'a') o JOIN list_order_items(order_id := o.id) i ON o.status='paid'`,
 `SELECT count(*) FROM list_orders(period := 'a') o JOIN list_order_items(order_id := o.id) i ON true JOIN shops s ON s.id = o.shop_id WHERE s.name='S2'`,
 `WITH o AS (FROM list_orders(period := 'a')) SELECT count(*) FROM list_order_items(order_id := ARRAY(SELECT id FROM o))`,
 `WITH o AS (FROM list_orders(period := 'a')) SELECT count(*) FROM list_order_items(order_id := ARRAY(SELECT id FROM o WHERE false))`,
 `WITH o AS (FROM list_orders(period := 'a')) SELECT count(*) FROM list_order_items(order_id := (SELECT list(id) FROM o WHERE false))`,
 `WITH o AS (FROM list_orders(period := 'a')) SELECT count(*) FROM list_order_items(order_id := (SELECT id FROM o))`,
 `SELECT count(*) FROM list_orders(period := 'a') a ANTI JOIN list_orders(period := 'b') b USING (customer_id)`,
 `SELECT count(*) FROM list_orders(period := 'a') ANTI JOIN list_orders(period := 'b') USING (customer_id)`,
 `SELECT count(*) FROM list_orders(period := 'a') JOIN shops ON shops.id=shop_id ANTI JOIN list_orders(period := 'b') USING (customer_id)`,
 `SELECT sum(x) FROM (SELECT (SELECT count(*) FROM list_order_items(order_id := o.id)) AS x FROM list_orders(period := 'a') o)`,
 `SELECT sum(x) AS n FROM list_orders(period := 'a') o, LATERAL (SELECT count(*) AS x FROM list_order_items(order_id := o.id) i) AS s`,
 `SELECT count(*) AS n FROM list_orders(period := 'a') o, list_order_items(order_id := o.id) i LEFT JOIN shops s ON s.id = o.shop_id`,
 `SELECT count(*) AS n FROM list_orders(period := 'a') o, list_order_items(order_id := o.id) i JOIN shops s ON s.id = o.shop_id`,
 `SELECT count(*) AS n FROM list_orders(period := 'a') o, list_order_items(order_id := o.id) i ANTI JOIN list_orders(period:='b') x USING (shop_id)`,
 `SELECT count(*) AS n FROM shops s LEFT JOIN list_orders(shop_id := s.id) o USING (id)`,
 `SELECT count(*) AS n FROM shops s SEMI JOIN list_orders(shop_id := s.id) o USING (id)`,
 `SELECT count(*) AS n FROM list_orders() o NATURAL JOIN list_order_items(order_id := o.id) i`,
 `FROM shops s RIGHT JOIN list_orders(shop_id := s.id) o USING (id)`,
 `SELECT o.id FROM list_orders(period := 'a') o WHERE EXISTS (SELECT 1 FROM list_order_items(order_id := o.id) i WHERE i.q = 2 AND o.shop_id = 1)`,
 `SELECT o.id FROM list_orders(period := 'a') o WHERE NOT EXISTS (SELECT 1 FROM list_order_items(order_id := o.id) i WHERE i.q = 5) ORDER BY 1 LIMIT 2`,
 `SELECT count(*) AS n FROM range(DATE '2026-11-01', DATE '2026-11-04', INTERVAL 1 DAY) d(d), list_orders(period := d.d::DATE::VARCHAR) o WHERE o.shop_id = 1`,
 `SELECT count(*) FROM list_orders(period := 'a') UNION ALL SELECT count(*) FROM list_orders(period := 'b')`,
 `SELECT (SELECT count(*) FROM list_orders(period := 'a') WHERE shop_id=99), (SELECT count(*) FROM list_orders(period := 'b') WHERE shop_id = 3)`,
 `SELECT count(*) FROM shops s, list_orders(shop_id := s.id + 1) o WHERE o.shop_id = 3`,
 `WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT i.q + n FROM r, list_order_items(order_id := r.n) i WHERE n < 5) SELECT count(*) FROM r`,
 `SELECT count(*) FROM list_orders(nope := 1)`, `SELECT count(*) FROM list_orders(status = 'x')`, `FROM list_orders(period := last_month)`,
 `SELECT count(*) FROM list_orders(shop_id := (random()*1000)::INT)`,
 `DESCRIBE SELECT id,total FROM list_orders(period:='a')`, `SUMMARIZE SELECT id FROM shops`, `FROM (SUMMARIZE SELECT id FROM shops) SELECT column_name`,
 `SELECT * FROM list_orders(period := 'a') USING SAMPLE 2`, `FROM list_orders(period:='a') SELECT id ORDER BY total, id LIMIT 2`,
 `SELECT id, row_number() OVER (PARTITION BY shop_id ORDER BY id) AS n FROM list_orders() QUALIFY n = 1 ORDER BY id`,
 `SELECT typeof(x) FROM (SELECT NULL AS x)`, `SELECT count(*) FROM list_orders(shop_id := NULL)`, `SELECT count(*) FROM list_orders(shop_id := NULL::BIGINT)`,
 `SELECT s.name, o.id FROM shops s CROSS JOIN (SELECT TIMESTAMPTZ '2026-12-03' AS day) d ASOF JOIN list_orders() o ON s.id = o.shop_id AND d.day >= o.created ORDER BY s.id`,
 `SELECT count(*) FROM list_orders(period := 'a') o CROSS JOIN LATERAL list_order_items(order_id := o.id) i JOIN list_orders(shop_id := i.q) z ON z.id = o.id`,
];
for (const s of all) await ask(s);
