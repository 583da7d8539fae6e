import { countNoun, quote, quoteFirst, sentences, singular } from '../../../core/text.ts';
import type { Texts } from './reader.ts';

export const answerTexts = {
  empty_days: ({ count, days, noun, isFiltered }) => {
    const on = count > days.length ? `${count} days, the first ${days[0]}` : days.join(', ');
    // A closed day reads like a cut period otherwise.
    return isFiltered
      ? `none that match on ${on}`
      : `no ${noun} at all on ${on} (the period includes ${count === 1 ? 'it' : 'them'})`;
  },
  no_rows: (nothing, { hasTool }) => {
    if ('by' in nothing) return `The report carries no figures by ${nothing.by}.`;
    if ('name' in nothing)
      return sentences(
        `Nothing is called "${quote(nothing.name)}". Try a shorter part of the name.`,
        hasTool('search_products') && 'Products are found with search_products.',
        hasTool('search_customers') && 'Customers are found with search_customers.',
      );
    const { filters, count, noun } = nothing;
    const there = count === 0 ? `no ${noun} either` : countNoun(count, singular(noun));
    return sentences(
      `Without ${filters.join(', ')} there ${count === 1 ? 'is' : 'are'} ${there}.`,
      filters.includes('q') && 'Try a part of the word.',
    );
  },
  not_open: ({ columns }) =>
    `Left out, as they belong to the toolset customers, which is not open here: ${quoteFirst(columns, 12)}.`,
} satisfies Partial<Texts>;
