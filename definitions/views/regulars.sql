-- Regular customers: who ordered at least so often in a period, how often, and what they spent.
-- Needs date_created and total_wt of list_orders, which another platform may spell otherwise.
-- parameter period = last_quarter
-- parameter at_least = 3
SELECT relation_data_id AS customer_id, count(*) AS orders, sum(total_wt) AS spent_wt,
  max(CAST(date_created AS DATE)) AS last_day
FROM list_orders(period := period)
WHERE relation_data_id IS NOT NULL
GROUP BY ALL
HAVING count(*) >= at_least
