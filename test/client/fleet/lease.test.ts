import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { onTime } from '../../../src/client/fleet/clock.ts';
import {
  grantTo,
  leaseMs,
  reclaimed,
  rejoined,
  seen,
  settledBy,
  without,
} from '../../../src/client/fleet/lease.ts';
import {
  decodeRecord,
  emptyRecord,
  encodeRecord,
  type LimiterRecord,
} from '../../../src/client/fleet/record.ts';
import type { Permit, Settlement } from '../../../src/client/rate-limit/budget-state.ts';

const answered = (remaining: number): Settlement => ({
  kind: 'answered',
  status: 200,
  report: { limit: 30, remaining, resetSeconds: 40, ceilings: [{ name: 'general', quota: 30 }] },
});

function given(record: LimiterRecord, me: string, now: number) {
  return grantTo(record, me, 'interactive', now) ?? expect.unreachable('nothing was granted');
}

/** A record that knows of 20 requests left until 40 s. */
function known(): LimiterRecord {
  const probe = given(seen(emptyRecord, 'a', 0), 'a', 0);
  return settledBy(probe.record, 'a', probe.permit, answered(20), 50);
}

describe('a permit', () => {
  test('is noted with who holds it, until it is settled', () => {
    const one = given(known(), 'b', 100);
    expect(one.record.pace.inFlight).toBe(1);
    expect(one.record.members.b?.out).toEqual([{ window: one.permit.window, count: 1, probes: 0 }]);
    const after = settledBy(one.record, 'b', one.permit, answered(19), 150);
    expect(after.members.b?.out).toEqual([]);
    expect(after.pace).toMatchObject({ inFlight: 0, reported: 19 });
    expect(after.policy).toEqual([{ name: 'general', quota: 30 }]);
  });

  test('is refused to everybody when nothing is left', () => {
    let record = known();
    for (let turn = 0; turn < 20; turn++) record = given(record, `m${turn % 3}`, 100).record;
    expect(grantTo(record, 'a', 'interactive', 100)).toBeUndefined();
    expect(grantTo(record, 'z', 'interactive', 100)).toBeUndefined();
  });

  test('that was taken back counts once more when it ends after all', () => {
    const one = given(known(), 'b', 100);
    const dead = reclaimed(one.record, 100 + leaseMs + 1);
    expect(dead.pace).toMatchObject({ inFlight: 0, reported: 19, own: 19 });
    const after = settledBy(dead, 'b', one.permit, answered(19), leaseMs + 200);
    expect(after.pace).toMatchObject({ inFlight: 0, reported: 19 });
    expect(after.members.b?.out).toEqual([]);
  });
});

describe('a replica', () => {
  test.each([
    ['lives while it is seen', leaseMs, ['a']],
    ['is dead after a lease', leaseMs + 1, []],
  ])('%s', (_, silentMs, members) => {
    const record = seen(emptyRecord, 'a', 1000);
    expect(Object.keys(reclaimed(record, 1000 + silentMs).members)).toEqual(members);
  });

  test('gives its probe back when it dies before anything is known', () => {
    const { record } = given(seen(emptyRecord, 'a', 0), 'a', 0);
    const after = reclaimed(record, leaseMs + 1);
    expect(after.pace).toMatchObject({ meter: 'unknown', inFlight: 0, probes: 0 });
    expect(grantTo(after, 'b', 'interactive', leaseMs + 1)).toBeDefined();
  });

  test('comes back with the requests that it really has under way', () => {
    const one = given(given(known(), 'a', 100).record, 'a', 100);
    const back = rejoined(one.record, 'a', { count: 3, replicas: 1, lostAtMs: 200 }, 5000);
    expect(back.pace.inFlight).toBe(3);
    expect(without(back, 'a').pace.inFlight).toBe(0);
  });
});

describe('the first of four to come back', () => {
  const before = ['b', 'c', 'd'].reduce((record, name) => seen(record, name, 60), known());
  const back = rejoined(before, 'a', { count: 0, replicas: 4, lostAtMs: 80 }, 100);
  // 10 of 30 are gone, and 7.5 are its share.
  test.each([
    ['leaves the others their shares', back, 200, false],
    ['takes all that is left when they have not come', back, 3100, true],
    [
      'takes all that is left when they are back',
      ['b', 'c', 'd'].reduce((record, name) => seen(record, name, 200), back),
      200,
      true,
    ],
  ])('%s', (_, record, now, isGranted) => {
    expect(grantTo(record, 'a', 'interactive', now) !== undefined).toBe(isGranted);
  });
});

describe('all together', () => {
  test('hold as many permits as are noted as in flight, whatever happens', () => {
    const step = fc.record({
      who: fc.constantFrom('a', 'b', 'c'),
      what: fc.constantFrom('take', 'answer', 'lose', 'leave', 'sleep', 'rejoin'),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        let record = emptyRecord;
        let now = 0;
        const held: { who: string; permit: Permit }[] = [];
        for (const { who, what } of steps) {
          now += what === 'sleep' ? leaseMs + 1 : 10;
          record = reclaimed(seen(record, who, now), now);
          const granted = what === 'take' ? grantTo(record, who, 'interactive', now) : undefined;
          if (granted) held.push({ who, permit: granted.permit });
          record = granted?.record ?? record;
          const at = held.findIndex((it) => it.who === who);
          const [ended] =
            (what === 'answer' || what === 'lose') && at >= 0 ? held.splice(at, 1) : [];
          const how: Settlement = what === 'answer' ? answered(10) : { kind: 'lost' };
          if (ended) record = settledBy(record, who, ended.permit, how, now);
          if (what === 'leave') record = without(record, who);
          if (what === 'rejoin')
            record = rejoined(record, who, { count: 2, replicas: 3, lostAtMs: now - 100 }, now);
          const noted = Object.values(record.members).flatMap(({ out }) => out);
          expect(record.pace.inFlight).toBe(noted.reduce((sum, { count }) => sum + count, 0));
          expect(record.pace.probes).toBe(noted.reduce((sum, { probes }) => sum + probes, 0));
          const written = { ...record, writtenAtMs: now };
          expect(decodeRecord(encodeRecord(written))).toEqual(written);
        }
      }),
    );
  });
});

describe('onTime', () => {
  const record = { ...seen(known(), 'a', 1000), writtenAtMs: 1000 };

  test.each([
    ['leaves small differences alone', 200, 0],
    ['moves everything along with a clock set back', -3_599_000, -3_600_000],
  ])('%s', (_, now, byMs) => {
    const after = onTime(record, now);
    expect(after.pace.rollsAtMs).toBe(record.pace.rollsAtMs + byMs);
    expect(after.members.a?.seenAtMs).toBe(1000 + byMs);
  });
});

describe('decodeRecord', () => {
  test.each(['', 'null', '{}', '{"pace":{}}', 'x'.repeat(9)])('takes %j for nothing', (text) => {
    expect(decodeRecord(text)).toBeUndefined();
  });
});
