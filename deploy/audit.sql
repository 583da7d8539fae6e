-- The audit of COMMERCE_AUDIT_FILE in DuckDB: who used what in seven days, whose rows left as a file, what was refused.
CREATE VIEW audit AS FROM read_json('audit.log', format = 'newline_delimited', ignore_errors = true, columns = {
  time: 'BIGINT', msg: 'VARCHAR', account: 'VARCHAR', caller: 'VARCHAR', tool: 'VARCHAR', outcome: 'VARCHAR',
  "rows": 'BIGINT', upstream_requests: 'BIGINT', reason: 'VARCHAR', method: 'VARCHAR', path: 'VARCHAR', remote: 'VARCHAR'});

SELECT account, caller, count(*) AS calls, count(*) FILTER (outcome <> 'ok') AS failed,
  sum(upstream_requests) AS requests, sum("rows") AS "rows"
FROM audit WHERE msg = 'call' AND make_timestamp(time * 1000) > now()::TIMESTAMP - INTERVAL 7 DAY
GROUP BY ALL ORDER BY requests DESC;

SELECT account, caller, count(*) AS files, sum("rows") AS "rows"
FROM audit WHERE msg = 'call' AND outcome = 'ok' AND (tool = 'file' OR tool LIKE 'commerce://results/%')
GROUP BY ALL ORDER BY "rows" DESC;

SELECT account, caller, coalesce(reason, 'tool of another toolset') AS reason, method, path, remote, count(*) AS times
FROM audit WHERE msg = 'refused' OR outcome = 'scope'
GROUP BY ALL ORDER BY times DESC;
