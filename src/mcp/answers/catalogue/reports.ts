/** What is said of reports. */
import { sayDays } from '../../../core/periods.ts';
import { quote } from '../../../core/text.ts';
import { sentences, type Texts } from './reader.ts';

export const reportTexts = {
  balance_differs: ({ period, path, difference }, { passOn }) =>
    sentences(
      `Payments${period ? ` of ${sayDays(period)}` : ''} do not balance with the total (${quote(path)}).`,
      difference && `The difference is ${difference} euros.`,
    ) + passOn,
  all_zero: ({ period }) => {
    const when = period.from === period.to ? 'that day' : 'those days';
    return `Every figure of ${sayDays(period)} is zero: no orders and no payments on ${when}.`;
  },
} satisfies Partial<Texts>;
