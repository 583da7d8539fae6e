-- Products that lie on the shelf: in stock, and at most so many sold in a period.
-- Needs product_id and quantity of get_product_sales, which another platform may spell otherwise.
-- parameter period = last_month
-- parameter at_most = 2
SELECT p.id AS product_id, p.sku, p.title, p.stock, coalesce(s.quantity, 0) AS sold
FROM search_products() p
LEFT JOIN get_product_sales(period := period) s ON s.product_id = p.id
WHERE p.stock > 0 AND coalesce(s.quantity, 0) <= at_most
