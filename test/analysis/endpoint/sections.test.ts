import { describe, expect, test } from 'vitest';
import { chooseSections } from '../../../src/analysis/endpoint/sections.ts';

const report = { from: '2026-11-01', revenue: { a: 1 }, direct_paid: {}, news: 7 };
const endpoint = { sections: ['revenue', 'direct_paid', 'not_paid_now'] };

describe('chooseSections', () => {
  test.each([
    ['all of a report of which no part was asked for', {}, Object.keys(report), []],
    ['all of it for an empty list', { sections: [] }, Object.keys(report), []],
    [
      'the part that was asked for, with what is no part, and names the rest that there is',
      { sections: ['revenue'] },
      ['from', 'revenue', 'news'],
      ['direct_paid'],
    ],
    [
      'nothing for a part that did not come',
      { sections: ['not_paid_now'] },
      ['from', 'news'],
      ['revenue', 'direct_paid'],
    ],
  ])('gives %s', (_, input, kept, more) => {
    const chosen = chooseSections(endpoint, input, report);
    expect(Object.keys(chosen.payload)).toEqual(kept);
    expect(chosen.more).toEqual(more);
    expect(report).toMatchObject(chosen.payload);
  });

  test('leaves an endpoint without parts alone', () => {
    expect(chooseSections({}, { sections: ['revenue'] }, report)).toEqual({
      payload: report,
      more: Object.keys(report).filter(() => false),
    });
  });
});
