/** What a text in a row looks like: a day, an instant, an amount, or just text. */

/** `instant`: the engine reads it as it is. `clock`: an instant that has to be rewritten for it. */
export type TextKind = 'day' | 'instant' | 'clock' | 'amount' | 'whole' | 'text';

const dayForm = /^[1-9]\d{3}-\d\d-\d\d$/;
const instantForm =
  /^[1-9]\d{3}-\d\d-\d\d[T ](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:0\d|1[0-4]):?[0-5]\d)$/;
// The same where seconds or offset may lack.
const clockForm =
  /^[1-9]\d{3}-\d\d-\d\d[T ](?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:Z|[+-](?:0\d|1[0-4]):?[0-5]\d)?$/;
// A leading zero, a plus sign or a space makes it a code: an article number, a zip, a telephone.
const amountForm = /^-?(?:0|[1-9]\d{0,27})(?:\.\d{1,10})?$/;

/** The kind of `text`. Days that do not exist are text. */
export function textKind(text: string): TextKind {
  if (text.length > 35 || text === '') return 'text';
  if (text.charCodeAt(4) === hyphen && isRealDay(text)) {
    if (instantForm.test(text)) return 'instant';
    if (dayForm.test(text)) return 'day';
    if (clockForm.test(text)) return 'clock';
  }
  if (!amountForm.test(text) || text === '-0') return 'text';
  return text.includes('.') ? 'amount' : 'whole';
}

const hyphen = '-'.charCodeAt(0);
const zero = '0'.charCodeAt(0);

/** Whether the day at the start of `text` exists: the 30th of February does not. */
function isRealDay(text: string): boolean {
  const day = twoDigits(text, 8);
  if (day >= 1 && day <= 28) return isMonth(text);
  return isMonth(text) && new Date(Date.parse(`${text.slice(0, 10)}T00:00Z`)).getUTCDate() === day;
}

function isMonth(text: string): boolean {
  const month = twoDigits(text, 5);
  return month >= 1 && month <= 12;
}

function twoDigits(text: string, at: number): number {
  return (text.charCodeAt(at) - zero) * 10 + text.charCodeAt(at + 1) - zero;
}
