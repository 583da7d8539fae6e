/** What is said of rows and their columns. */
import { nearest } from '../../../core/nearest.ts';
import { listFirst, quote } from '../../../core/text.ts';
import { orMeant, type Texts } from './reader.ts';

/** Most columns that are named. */
const maxColumns = 60;

export const rowTexts = {
  no_such_column: ({ argument, column, columns }) => {
    const meant = nearest(column, columns);
    return `${argument}: there is no column "${quote(column)}"${orMeant(meant && quote(meant))} The columns are ${listFirst(columns.map(quoteName), maxColumns)}.`;
  },
  inexact_numbers: ({ table, columns }) =>
    `${table === undefined ? '' : `${table}: `}${listFirst(columns.map(quoteName), 5)} holds whole numbers beyond 9007199254740991, whose last digits may differ from the platform's.`,
} satisfies Partial<Texts>;

function quoteName(name: string): string {
  return quote(name);
}
