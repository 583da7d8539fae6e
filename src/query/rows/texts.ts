/** What a text in a row looks like: a day, an instant, an amount, or just text. */

/** `instant`: the engine reads it as it is. `clock`: an instant that has to be rewritten for it. */
export type TextKind = 'day' | 'instant' | 'clock' | 'amount' | 'whole' | 'text';

const dayForm = /^[1-9]\d{3}-\d\d-\d\d$/;
const instantForm =
  /^[1-9]\d{3}-\d\d-\d\d[T ](?:[01]\d|2[0-3]):[0-5]\d(:[0-5]\d(?:\.\d{1,9})?)?(Z|[+-](?:0\d|1[0-4]):?[0-5]\d)?$/;
// A leading zero, a plus sign or a space makes it a code: an article number, a zip, a telephone.
const amountForm = /^-?(?:0|[1-9]\d{0,27})(\.\d{1,10})?$/;

/** The kind of `text`. Days that do not exist are text. */
export function textKind(text: string): TextKind {
  if (text.length > 35 || text === '') return 'text';
  if (text.charCodeAt(4) === hyphen) {
    if (dayForm.test(text)) return isRealDay(text) ? 'day' : 'text';
    const instant = instantForm.exec(text);
    if (instant !== null && isRealDay(text)) {
      return instant[1] !== undefined && instant[2] !== undefined ? 'instant' : 'clock';
    }
  }
  const amount = amountForm.exec(text);
  if (amount === null || text === '-0') return 'text';
  return amount[1] === undefined ? 'whole' : 'amount';
}

const hyphen = '-'.charCodeAt(0);

/** Whether the day at the start of `text` exists: the 30th of February does not. */
function isRealDay(text: string): boolean {
  const day = Number(text.slice(8, 10));
  if (day >= 1 && day <= 28) return isMonth(text);
  return isMonth(text) && new Date(Date.parse(`${text.slice(0, 10)}T00:00Z`)).getUTCDate() === day;
}

function isMonth(text: string): boolean {
  const month = Number(text.slice(5, 7));
  return month >= 1 && month <= 12;
}
