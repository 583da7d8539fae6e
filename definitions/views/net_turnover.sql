-- Net turnover of each shop and day, without gift cards: what was sold, excl. VAT. One call for each order.
-- parameter period = yesterday
SELECT o.shop_id, CAST(o.date_created AS DATE) AS day, sum(i.total_ex) AS net_turnover_ex
FROM list_orders(period := period) o
JOIN list_order_items(order_id := o.id) i ON i.kind <> 'gift_card'
GROUP BY ALL
