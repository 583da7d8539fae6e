import { DuckDBInstance, DuckDBScalarFunction, VARCHAR, INTEGER } from '@duckdb/node-api';
for (const LIM of ['', 'LIMIT 9223372036854775807']) {
const inst = await DuckDBInstance.create(':memory:', {threads:'2', memory_limit:'512MiB'});
const c = await inst.connect();
await c.run(`SET disabled_optimizers='statistics_propagation,empty_result_pullup'`);
let n=0;
c.registerScalarFunction(DuckDBScalarFunction.create({ name:'__need', returnType: INTEGER, parameterTypes:[VARCHAR], volatile:true,
 mainFunction(info, input, output){ const v=input.getColumnVector(0); for(let i=0;i<input.rowCount;i++){ const k=v.getItem(i); n++; output.setItem(i, k==null?null:Number(JSON.parse(k).order_id));} output.flush(); } }));
await c.run(`CREATE TABLE items AS SELECT range//20 AS __call, range AS id, range//20 AS order_id, 'some text' || range AS a, range*2 AS q FROM range(60000)`);
await c.run(`CREATE MACRO it(order_id := NULL) AS TABLE SELECT t.* EXCLUDE (__call) FROM (SELECT __need(to_json({tool:'x', order_id: order_id})::VARCHAR) AS k) n, items t WHERE t.__call = n.k ${LIM}`);
for (const sql of ['SELECT count(*), sum(q) FROM it(order_id := 7)', 'SELECT count(*), sum(i.q) FROM range(3000) r, it(order_id := r.range) i', 'SELECT count(*), sum(i.q) FROM range(3000) r JOIN it(order_id := r.range) i ON i.id = r.range WHERE i.q > 7', 'SELECT a, count(*) FROM it(order_id := 7) GROUP BY a ORDER BY 2 LIMIT 3']) {
 n=0; const t=performance.now(); const r = (await c.runAndReadAll(sql)).getRowsJson(); console.log(LIM.slice(0,5), sql, JSON.stringify(r).slice(0,60), Math.round(performance.now()-t)+'ms', n); }
}
