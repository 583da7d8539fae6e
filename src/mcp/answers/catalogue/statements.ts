/** What is said of statements. */
import type { Texts } from './reader.ts';

export const statementTexts = {
  table_failed: ({ reason, table, argument }, { say }) =>
    say(reason) +
    (table ? ` In SQL arguments stand in brackets: ${table}(${argument} := ...).` : ''),
} satisfies Partial<Texts>;
