-- Net turnover of each shop in a period: excl. VAT, without gift cards and tips, as the financial report has it. One call.
-- Needs a report that splits turnover by shop; measure is the report's own name of it.
-- parameter period = yesterday
SELECT shop_id, measure, value AS net_turnover_ex
FROM get_financial_report(period := period)
WHERE split = 'shop' AND starts_with(path, 'turnover_by_group') AND NOT ends_with(measure, '_wt')
