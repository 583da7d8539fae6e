import { isRecord, numberIn, textIn } from '../../core/json.ts';
import { createLatelySeen } from './lately-seen.ts';

/** How many orders the process remembers by their number. */
const maxRemembered = 50_000;

/**
 * Section 2: an `order_number` is for people and never a path id, but where it exists as an id too it
 * silently opens another order. Rows that passed by are remembered, so that a number can be recognised.
 */
export interface OrderNumbers {
  remember(rows: readonly unknown[]): void;
  /** The id of the order that carries this number, where another order has it as its id. */
  byNumber(number: string): number | undefined;
}

/** A memory of order numbers that look like ids; bounded, forgets the oldest. */
export function createOrderNumbers(): OrderNumbers {
  const ids = createLatelySeen<string, number>(maxRemembered);
  return {
    remember(rows) {
      for (const row of rows) {
        if (!isRecord(row) || row.order_number === undefined) continue;
        const id = numberIn(row.id);
        const number = textIn(row.order_number);
        if (Number.isSafeInteger(id) && /^\d+$/.test(number) && number !== String(id))
          ids.set(number, id);
      }
    },
    byNumber: (number) => ids.get(number),
  };
}

/** What to know about a number given as an order's id that is known as another order's number. */
export function checkOrderId(numbers: OrderNumbers, orderId: unknown): string[] {
  const meant = numbers.byNumber(String(orderId));
  return meant === undefined
    ? []
    : [
        `${orderId} is also the order_number of another order, whose id is ${meant}. This answer is the order with the id ${orderId}; if the number was meant, give it as order_number.`,
      ];
}
