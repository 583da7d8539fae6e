-- Slow movers: of the products in stock those that brought least in a period incl. VAT, the slowest and largest stock first.
-- parameter period = last_month
-- parameter how_many = 20
SELECT p.id AS product_id, p.sku, p.title, p.stock, coalesce(s.sold_wt, 0) AS sold_wt
FROM search_products() p
LEFT JOIN (SELECT product_id, COLUMNS('_wt$') AS sold_wt FROM get_product_sales(period := period)) s ON s.product_id = p.id
WHERE p.stock > 0
QUALIFY row_number() OVER (ORDER BY coalesce(s.sold_wt, 0), p.stock DESC, p.id) <= how_many
ORDER BY sold_wt, p.stock DESC, p.id
