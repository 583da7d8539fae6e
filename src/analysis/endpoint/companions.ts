/** Answers that are completed from a second endpoint, such as an order with its lines. */

import { isAmountName } from '../../core/column-name.ts';
import { withDeadline } from '../../core/deadline.ts';
import { InputError } from '../../core/errors.ts';
import { groupBy, isRecord, type JsonObject } from '../../core/json.ts';
import { isNumeric, sum, toDecimal } from '../../core/money.ts';
import { countNoun } from '../../core/text.ts';
import { getOrder, listOrderItems } from '../../endpoints/orders.ts';
import { listProductPrices, searchProducts } from '../../endpoints/products.ts';
import { getFinancialReport } from '../../endpoints/reports.ts';
import type { Answer, Call, RowsAnswer, TextsByName, ToolCall } from '../answer.ts';
import { maxWaitMs } from '../reference/reference.ts';
import type { Row } from '../rows/rows.ts';
import type { Services } from '../services.ts';
import { askEndpoint, askList } from './ask-endpoint.ts';
import { reportWithDays } from './day-reports.ts';
import { endpointMessages } from './messages.ts';
import { prepareRequest } from './prepare-request.ts';

type AnswerTool = (services: Services, input: JsonObject, call: Call) => Promise<Answer>;

/** The functions that answer in place of `askEndpoint`, by tool. */
export const companionAnswers: ReadonlyMap<string, AnswerTool> = new Map<string, AnswerTool>([
  [getFinancialReport.tool, reportWithDays],
  [getOrder.tool, orderWithLines],
  [listOrderItems.tool, linesWithOrder],
  [searchProducts.tool, productsWithPrices],
]);

async function orderWithLines(
  services: Services,
  { lines: hasLines, ...input }: JsonObject,
  call: Call,
): Promise<Answer> {
  if (hasLines !== true) return askEndpoint(getOrder, services, input, call);
  const [order, { rows, context, calls }] = await Promise.all([
    askEndpoint(getOrder, services, input, call),
    askList(listOrderItems, services, input, call),
  ]);
  const warnings = [...(order.context.warnings ?? []), ...(context.warnings ?? [])];
  return {
    ...order,
    payload: { ...order.payload, lines: rows },
    context: { ...order.context, definitions: compareTotal(order.payload, rows), warnings },
    calls: order.calls + calls,
  };
}

async function linesWithOrder(services: Services, input: JsonObject, call: Call): Promise<Answer> {
  if (call.statementDeadline) return askList(listOrderItems, services, input, call);
  const { order_id, order_number, period } = input;
  const [lines, order] = await Promise.all([
    askList(listOrderItems, services, input, call),
    // The lines are complete without it.
    readHeader(services, { order_id, order_number, period }, call).catch(() => undefined),
  ]);
  if (order === undefined) return lines;
  const { header, calls } = order;
  const { id, order_number: number } = header;
  const definitions = compareTotal(header, lines.rows);
  const amounts = { id, order_number: number, ...amountsOf(header) };
  const context = { ...lines.context, order: amounts, definitions };
  return { ...lines, context, calls: lines.calls + calls };
}

/** The header of an order, with low priority. */
async function readHeader(services: Services, input: JsonObject, call: Call) {
  const { path, how } = await prepareRequest(services, getOrder, input, call);
  const { body, cached } = await withDeadline({ ms: maxWaitMs, signal: call.signal }, (signal) =>
    services.client.get(path, { ...how, priority: 'prefetch', signal }),
  );
  return { header: isRecord(body) ? body : {}, calls: cached ? 0 : 1 };
}

/** The amounts of an order's header: its decimals that say their side of VAT (docs/platform.md#money). */
function amountsOf(header: JsonObject): JsonObject {
  const fields = Object.entries(header);
  return Object.fromEntries(
    fields.filter(([name, value]) => isAmountName(name) && isNumeric(value)),
  );
}

/** Says whether the lines of an order add up to its total, perhaps only without those of one kind. */
export function compareTotal(header: JsonObject, lines: readonly Row[]): TextsByName | undefined {
  // Payment lines are never part of the total.
  const ownLines = lines.filter(({ kind }) => !/^(payment|betaling)$/i.test(String(kind)));
  const amount = Object.keys(amountsOf(header)).find((name) =>
    lines.every((line) => isNumeric(line[name])),
  );
  const total = amount === undefined ? undefined : toDecimal(header[amount]);
  if (ownLines.length === 0 || amount === undefined || total === undefined) return undefined;
  const sumOf = (rows: readonly Row[]) => sum(rows.map((line) => line[amount]));
  const kinds = [...new Set(ownLines.map(({ kind }) => String(kind)))];
  const isWhole = sumOf(ownLines).equals(total);
  const discounts = isWhole ? kinds.filter((kind) => /discount|korting/i.test(kind)) : [];
  const otherLines = (kind: string) => ownLines.filter((line) => line.kind !== kind);
  // The other lines already include the amounts of this kind.
  const doubledKind = kinds.find((kind) => !isWhole && sumOf(otherLines(kind)).equals(total));
  const hasPayments = ownLines.length < lines.length;
  const ofKinds = hasPayments ? `of kind ${kinds.join(' and ')} ` : '';
  const paymentNote = hasPayments ? '; payment lines are the same money: do not add them' : '';
  const discountNote =
    discounts.length > 0 ? `, ${discounts.join(' and ')} included: do not subtract it again` : '';
  const kindNote = doubledKind
    ? ` without those of kind ${doubledKind}, which the others include: do not add them twice`
    : '';
  const [sumText, totalText] = [sumOf(ownLines).toFixed(2), total.toFixed(2)];
  const orderTotal = `${amount} ${totalText} of the order`;
  const isTotal = sumText === totalText || doubledKind !== undefined;
  const sums = isTotal
    ? `${orderTotal}${discountNote}${kindNote}`
    : `${sumText}, not to ${orderTotal}`;
  return { lines: `${ofKinds}add up to ${sums}${paymentNote}` };
}

const maxPriced = 200;

/** docs/platform.md#prices: a value of product_price_type_id. */
const salePrice = 1;

async function productsWithPrices(
  services: Services,
  { prices: hasPrices, ...input }: JsonObject,
  call: Call,
): Promise<RowsAnswer> {
  if (hasPrices !== true) return askList(searchProducts, services, input, call);
  const { all, sort, top, limit } = input;
  const isWhole = all === true || (sort !== undefined && top === undefined && limit === undefined);
  if (isWhole || Number(top ?? 0) > maxPriced)
    throw new InputError(endpointMessages.too_many_prices({ max: maxPriced }));
  const answer = await askList(searchProducts, services, input, call);
  const { rows, wanted, toolCall, rest, context } = answer;
  const shown = rows.slice(0, wanted?.count);
  if (shown.length === 0) return answer;
  const ids = shown.map(({ id }) => id).filter(isNumeric);
  const priceInput = { product_ids: ids.join(), all: true };
  const prices = await askList(listProductPrices, services, priceInput, call);
  const salePrices = prices.rows.filter((row) => Number(row.product_price_type_id) === salePrice);
  const pricesById = groupBy(salePrices, ({ product_id }) => String(product_id));
  const priced = shown.map((row): Row => {
    const [first = null, ...others] = (pricesById.get(String(row.id)) ?? []).map(
      ({ id, product_id, product_price_type_id, ...price }) => price,
    );
    return { ...row, sale_price: others.length > 0 ? [first, ...others] : first };
  });
  const count = priced.filter(({ sale_price }) => sale_price === null).length;
  const unpriced = count > 0 && {
    sale_price: `left out: ${countNoun(count, 'product')} of these have no sale price`,
  };
  const callWithPrices = ({ tool, arguments: args }: ToolCall) => {
    return { tool, arguments: { ...args, prices: true } };
  };
  return {
    ...answer,
    // Rows that are kept and not shown have no prices.
    rows: [...priced, ...rows.slice(shown.length)],
    toolCall: callWithPrices(toolCall),
    rest: rest?.next ? { next: callWithPrices(rest.next) } : rest,
    context: { ...context, left_open: { ...context.left_open, ...unpriced } },
    calls: answer.calls + prices.calls,
  };
}
