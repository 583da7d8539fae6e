import { DuckDBInstance } from '@duckdb/node-api';
for (let k=0;k<4;k++){const t=performance.now(); const inst = await DuckDBInstance.create(':memory:', {threads:'2', memory_limit:'512MiB'});
const c = await inst.connect(); for (const s of [`SET TimeZone='Europe/Amsterdam'`,'SET errors_as_json=true',`SET temp_directory=''`,'SET enable_external_access=false','SET lock_configuration=true']) await c.run(s); const t2=performance.now(); 
await c.run(`CREATE SCHEMA loaded; CREATE TABLE loaded.a(x INT)`); for (let i=0;i<30;i++) await c.run(`CREATE MACRO m${i}(a := NULL) AS TABLE SELECT * FROM loaded.a`); console.log(Math.round(t2-t), Math.round(performance.now()-t2)); c.closeSync(); inst.closeSync();}
const inst = await DuckDBInstance.create(':memory:'); const c = await inst.connect();
const q = async s=>{ try{ console.log(s,'=>',JSON.stringify((await c.runAndReadAll(s)).getRowsJson()).slice(0,3000))}catch(e){console.log(s,'ERR',e.message.slice(0,200))} };
await q(`SELECT json_serialize_sql('FROM list_order_items(order_id :=   (SELECT id FROM o), b := ARRAY(SELECT max(x) FROM p), c := [1,2]) i', skip_default := true, skip_null := true)`);
await q(`SELECT json_serialize_sql('WITH a AS (FROM b) SELECT o.id, list_orders.x FROM list_orders(period := o.z.id + 1, q := 1) USING SAMPLE 3', skip_default := true, skip_null := true)`);
await c.run('CREATE SCHEMA loaded; CREATE TABLE loaded.t(__call INT, id INT); INSERT INTO loaded.t VALUES (-1,NULL),(0,5),(0,4),(0,3)');
await c.run(`CREATE MACRO m(a := NULL) AS TABLE SELECT t.* EXCLUDE (__call) FROM (SELECT 0 + (random()*0)::INT AS k) n, loaded.t t WHERE t.__call = n.k LIMIT 9223372036854775807`);
await q('FROM m()'); await q('SELECT * FROM m() LIMIT 2'); await q('WITH t AS (SELECT 1 AS zz), n AS (SELECT 2) FROM m(), t'); await q('FROM m() LIMIT 0');
await q(`WITH RECURSIVE a AS (SELECT 1 x UNION ALL SELECT x+1 FROM a WHERE x<3) FROM a`);
await q(`SELECT json_serialize_sql('WITH RECURSIVE a AS (SELECT 1 x UNION ALL SELECT x+1 FROM a WHERE x<3), b AS MATERIALIZED (FROM a) FROM b', skip_default := true, skip_null := true)`);
await q(`CREATE MACRO v(lim := 2, s := NULL) AS TABLE SELECT id, count(*) n FROM m() GROUP BY id HAVING count(*) >= lim - 1`); await q(`FROM v(lim := 2)`);
await q(`CREATE MACRO v2(lim := 2) AS TABLE WITH z AS (FROM m() WHERE id > lim) FROM z`); await q('FROM v2(lim := 3)'); await q('FROM v2(lim := (SELECT 4))'); await q('SELECT * FROM (SELECT 3 q) q, v2(lim := q.q)');
await q(`CREATE MACRO v3(id := 2) AS TABLE SELECT * FROM m() WHERE id > id`); await q('FROM v3(id := 3)');
