-- Slow movers: of the products in stock those that sold least in a period, the slowest and largest stock first.
-- Needs product_id and quantity of get_product_sales, which another platform may spell otherwise.
-- parameter period = last_month
-- parameter how_many = 20
SELECT p.id AS product_id, p.sku, p.title, p.stock, coalesce(s.quantity, 0) AS sold
FROM search_products() p
LEFT JOIN get_product_sales(period := period) s ON s.product_id = p.id
WHERE p.stock > 0
QUALIFY row_number() OVER (ORDER BY coalesce(s.quantity, 0), p.stock DESC, p.id) <= how_many
ORDER BY sold, p.stock DESC, p.id
