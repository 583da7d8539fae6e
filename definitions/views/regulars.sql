-- Regular customers: who ordered at least so often in a period, how often, and what they spent. Whoever has five times
-- as many orders as any other is left out: the customer that stands for sales without one.
-- Needs date_created and total_wt of list_orders, which another platform may spell otherwise; names where it has customer_name.
-- parameter period = last_quarter
-- parameter at_least = 3
WITH customers AS (
  SELECT relation_data_id AS customer_id, any_value(to_json(o) ->> 'customer_name') AS name,
    count(*) AS orders, sum(total_wt) AS spent_wt, max(CAST(date_created AS DATE)) AS last_day
  FROM list_orders(period := period) o
  WHERE relation_data_id IS NOT NULL
  GROUP BY ALL
)
SELECT * FROM customers
WHERE orders >= at_least AND orders < 5 * coalesce((SELECT max(orders, 2)[2] FROM customers), orders)
ORDER BY orders DESC, customer_id
