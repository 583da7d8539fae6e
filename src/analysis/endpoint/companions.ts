/** Answers that take something of a second endpoint with them, by one more request beside or after their own. */

import { isAmountName } from '../../core/column-name.ts';
import { withDeadline } from '../../core/deadline.ts';
import { InputError } from '../../core/errors.ts';
import { groupBy } from '../../core/group-by.ts';
import { isRecord, type JsonObject } from '../../core/json.ts';
import { isNumeric, sum, toDecimal } from '../../core/money.ts';
import { countNoun } from '../../core/text.ts';
import { getOrder, listOrderItems } from '../../endpoints/orders.ts';
import { listProductPrices, searchProducts } from '../../endpoints/products.ts';
import type { Answer, Call, ToolCall } from '../answer.ts';
import { maxWaitMs } from '../reference/reference.ts';
import type { Row } from '../rows/rows.ts';
import type { Services } from '../services.ts';
import { askEndpoint } from './ask-endpoint.ts';
import { prepareRequest } from './prepare-request.ts';

type AnswerTool = (services: Services, input: JsonObject, call: Call) => Promise<Answer>;

/** How tools answer whose answer is not that of their endpoint alone, by their names. */
export const companionAnswers: ReadonlyMap<string, AnswerTool> = new Map<string, AnswerTool>([
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
  const [order, lines] = await Promise.all([
    askEndpoint(getOrder, services, input, call),
    askEndpoint(listOrderItems, services, input, call),
  ]);
  const rows = lines.rows ?? [];
  const warnings = [...(order.context.warnings ?? []), ...(lines.context.warnings ?? [])];
  const definitions = againstTotal(order.payload, rows);
  return {
    ...order,
    payload: { ...order.payload, lines: rows },
    context: { ...order.context, ...(definitions && { definitions }), warnings },
    calls: (order.calls ?? 0) + (lines.calls ?? 0),
  };
}

/** Lines with the amounts of their order in `context`; for a statement, the lines alone. */
async function linesWithOrder(services: Services, input: JsonObject, call: Call): Promise<Answer> {
  if (call.statementDeadline) return askEndpoint(listOrderItems, services, input, call);
  const { order_id, order_number, period } = input;
  const [lines, order] = await Promise.all([
    askEndpoint(listOrderItems, services, input, call),
    // The lines are complete without it.
    readHeader(services, { order_id, order_number, period }, call).catch(() => undefined),
  ]);
  if (order === undefined) return lines;
  const { id, order_number: number } = order.header;
  const definitions = againstTotal(order.header, lines.rows ?? []);
  return {
    ...lines,
    context: {
      ...lines.context,
      order: { id, order_number: number, ...amountsOf(order.header) },
      ...(definitions && { definitions }),
    },
    calls: (lines.calls ?? 0) + order.calls,
  };
}

/** The header of an order for its amounts alone; it gives way to other requests. */
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
  return Object.fromEntries(fields.filter(([name, it]) => isAmountName(name) && isNumeric(it)));
}

/** Whether the lines of an order add up to its total, and if only without those of one kind. */
export function againstTotal(
  header: JsonObject,
  lines: readonly Row[],
): { lines: string } | undefined {
  const amount = Object.keys(amountsOf(header)).find(
    (name) => lines.length > 0 && lines.every((line) => isNumeric(line[name])),
  );
  const total = amount === undefined ? undefined : toDecimal(header[amount]);
  if (amount === undefined || total === undefined) return undefined;
  const added = (some: readonly Row[]) => sum(some.map((line) => line[amount]));
  const what = `${amount} ${total.toFixed(2)} of the order`;
  // What was paid is no part of what an order consists of, whatever else adds up without it.
  const own = lines.filter(({ kind }) => !/^(payment|betaling)$/i.test(String(kind)));
  if (own.length === 0) return undefined;
  const kinds = [...new Set(own.map(({ kind }) => String(kind)))];
  const hasPayments = own.length < lines.length;
  const of = hasPayments ? `of kind ${kinds.join(' and ')} ` : '';
  const paid = hasPayments ? '; payment lines are the same money: do not add them' : '';
  if (added(own).equals(total)) {
    const has = kinds.filter((kind) => /discount|korting/i.test(kind)).join(' and ');
    const included = has === '' ? '' : `, ${has} included: take it off no second time`;
    return { lines: `${of}add up to ${what}${included}${paid}` };
  }
  const without = (kind: string) => own.filter((line) => line.kind !== kind);
  const twice = kinds.find((kind) => added(without(kind)).equals(total));
  const held = `without those of kind ${twice}, which the others hold already: do not add them twice`;
  const sumOfAll = `${added(own).toFixed(2)}, not to ${what}`;
  return { lines: `${of}add up to ${twice === undefined ? sumOfAll : `${what} ${held}`}${paid}` };
}

const maxPriced = 200;

/** docs/platform.md#prices: the type of a sale price. */
const salePrice = 1;

async function productsWithPrices(
  services: Services,
  { prices: hasPrices, ...input }: JsonObject,
  call: Call,
): Promise<Answer> {
  const { all, sort, top, limit } = input;
  const isWhole = all === true || (sort !== undefined && top === undefined && limit === undefined);
  if (hasPrices === true && (isWhole || Number(top ?? 0) > maxPriced))
    throw new InputError(
      `prices are read for at most ${maxPriced} products at once. Give limit or top, or join list_product_prices in query.`,
    );
  const answer = await askEndpoint(searchProducts, services, input, call);
  const { rows = [], showAtMost = rows.length } = answer;
  const shown = rows.slice(0, showAtMost);
  if (hasPrices !== true || shown.length === 0) return answer;
  const ids = shown.map(({ id }) => id).filter(isNumeric);
  const ofThese = { product_ids: ids.join(), all: true };
  const prices = await askEndpoint(listProductPrices, services, ofThese, call);
  const sale = (prices.rows ?? []).filter((row) => Number(row.product_price_type_id) === salePrice);
  const byProduct = groupBy(sale, ({ product_id }) => String(product_id));
  const priced = rows.map((row, at): Row => {
    // Rows that are kept and not shown have no prices.
    if (at >= shown.length) return row;
    const ofProduct = byProduct.get(String(row.id)) ?? [];
    const prices = ofProduct.map(({ id, product_id, product_price_type_id, ...price }) => price);
    return { ...row, sale_price: prices.length > 1 ? prices : (prices[0] ?? null) };
  });
  const unpriced = shown.filter(({ id }) => !byProduct.has(String(id))).length;
  const missing = `left out: ${countNoun(unpriced, 'product')} of these have no sale price`;
  const withPrices = ({ tool, arguments: args }: ToolCall) => ({
    tool,
    arguments: { ...args, prices: true },
  });
  return {
    ...answer,
    rows: priced,
    toolCall: withPrices(answer.toolCall),
    ...(answer.rest?.next && { rest: { next: withPrices(answer.rest.next) } }),
    context: {
      ...answer.context,
      ...(unpriced > 0 && { left_open: { ...answer.context.left_open, sale_price: missing } }),
    },
    calls: (answer.calls ?? 0) + (prices.calls ?? 0),
  };
}
