-- Regular customers: who ordered at least so often in a period, how often, and for how much: the amounts of orders incl.
-- VAT, by the names that the account has for them. Whoever has five times as many orders as any other is left out: the
-- customer that stands for sales without one.
-- parameter period = last_quarter
-- parameter at_least = 3
WITH customers AS (
  SELECT relation_data_id AS customer_id, count(*) AS orders, sum(COLUMNS('(.+_wt)$')) AS "\1"
  FROM list_orders(period := period)
  WHERE relation_data_id IS NOT NULL
  GROUP BY ALL
)
SELECT * FROM customers
WHERE orders >= at_least AND orders < 5 * coalesce((SELECT max(orders, 2)[2] FROM customers), orders)
ORDER BY orders DESC, customer_id
