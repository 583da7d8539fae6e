import { describe, expect, test } from 'vitest';
import { endpointMessages } from '../../../src/analysis/endpoint/messages.ts';
import { referenceMessages } from '../../../src/analysis/reference/reference.ts';
import { periodMessages } from '../../../src/core/periods.ts';
import {
  finishContext,
  gatherWarnings,
  warningMessages,
} from '../../../src/mcp/answers/context.ts';

describe('gatherWarnings', () => {
  const differs = (day: number) =>
    endpointMessages.balance_differs({ path: 'balance_check', difference: `${day}.00` });
  const noNames = (idField: string) =>
    referenceMessages.no_names({
      idField,
      noun: 'shop',
      reason: referenceMessages.not_known_yet(),
    });
  const inFuture = (day: string) => periodMessages.in_future({ days: { from: day, to: day } });

  test('gives each once, two alike one by one, and many alike as one with their number', () => {
    const days = Array.from({ length: 161 }, (_, day) => differs(day));
    const both = [inFuture('2026-11-21'), inFuture('2026-11-22')];
    expect(gatherWarnings([...both, ...days, ...both])).toEqual([
      ...both,
      { ...differs(0), alike: 160 },
    ]);
    const context = { endpoint: '', source: 'live', as_of: '', warnings: days } as const;
    expect(finishContext(context).warnings?.[0]?.text).toMatch(
      / \(160 more are like this one\.\)$/,
    );
  });

  const zeroDays = (days: readonly string[]) =>
    days.map((day) => endpointMessages.all_zero({ period: { from: day, to: day } }));

  test('gathers days without figures by their weekday, those of a location apart', () => {
    const sundays = ['2026-10-25', '2026-11-01', '2026-11-08'];
    const [first, ...others] = zeroDays([...sundays, '2026-11-17']);
    const elsewhere = zeroDays(sundays).map((warning) => ({ ...warning, about: 'Oost' }));
    const [all, oost] = gatherWarnings([...(first ? [first] : []), ...others, ...elsewhere]);
    expect(all?.text).toContain('3 Sundays (2026-10-25 to 2026-11-08), Tuesday 2026-11-17');
    expect(oost).toMatchObject({ about: 'Oost', text: expect.stringContaining('3 Sundays') });
    expect(gatherWarnings(zeroDays(['2026-11-17']))).toEqual(zeroDays(['2026-11-17']));
  });

  test('lists each of a code whose texts name different things', () => {
    const names = ['shop_id', 'tax_rate_id', 'location_id'].map(noNames);
    expect(gatherWarnings(names)).toEqual(names);
  });

  test('gives six at most, and says how many are left out', () => {
    const kinds = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map(noNames);
    expect(gatherWarnings(kinds)).toEqual([
      ...kinds.slice(0, 5),
      warningMessages.more_warnings({ count: 3 }),
    ]);
    expect(gatherWarnings(kinds.slice(0, 6))).toEqual(kinds.slice(0, 6));
  });
});
