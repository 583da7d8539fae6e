import { describe, expect, test } from 'vitest';
import { FAULT_KINDS, FaultSyntaxError, parseFaults } from '../../../src/sandbox/faults/fault.ts';
import { FaultPlan } from '../../../src/sandbox/faults/fault-plan.ts';

describe('faults as text', () => {
  test.each([
    ['', []],
    ['502', [{ kind: '502' }]],
    ['502:every=5', [{ kind: '502', every: 5 }]],
    [
      ' reset:path=/api/order, times=2 ; slow:ms=50 ',
      [
        { kind: 'reset', path: '/api/order', times: 2 },
        { kind: 'slow', ms: 50 },
      ],
    ],
    [
      'redirect:value=http://other.example:8080/x?a=b',
      [{ kind: 'redirect', value: 'http://other.example:8080/x?a=b' }],
    ],
    [
      '429:value=999999999,after=3,afterMs=10',
      [{ kind: '429', value: '999999999', after: 3, afterMs: 10 }],
    ],
  ])('%j are %j', (text, expected) => {
    expect(parseFaults(text)).toEqual(expected);
  });

  test.each([
    ['flood', /"flood" is no kind of fault\. Known kinds: 401, .*reset/],
    ['502:every=often', /502: every needs a whole number, not "often"/],
    ['502:colour=red', /502: "colour=red" is no condition\. Known conditions: path=/],
    ['502:path=', /"path=" is no condition/],
  ])('%j is refused with the reason', (text, reason) => {
    expect(() => parseFaults(text)).toThrow(FaultSyntaxError);
    expect(() => parseFaults(text)).toThrow(reason);
  });

  test('can name every kind', () => {
    const kinds = Object.keys(FAULT_KINDS);
    expect(parseFaults(kinds.join(';')).map(({ kind }) => kind)).toEqual(kinds);
  });
});

describe('the fault plan', () => {
  const strikes = (text: string, paths: string[], now = 0): (string | undefined)[] => {
    const plan = new FaultPlan();
    plan.inject(parseFaults(text), 0);
    return paths.map((path) => plan.pick(path, now)?.kind);
  };
  const six = Array<string>(6).fill('/api/order');

  test.each([
    ['502', ['502', '502', '502', '502', '502', '502']],
    ['502:times=2', ['502', '502', undefined, undefined, undefined, undefined]],
    ['502:every=3', [undefined, undefined, '502', undefined, undefined, '502']],
    ['502:after=4', [undefined, undefined, undefined, undefined, '502', '502']],
    ['502:every=2,times=1', [undefined, '502', undefined, undefined, undefined, undefined]],
    ['502:times=1;reset', ['502', 'reset', 'reset', 'reset', 'reset', 'reset']],
  ])('strikes by %j', (text, expected) => {
    expect(strikes(text, six)).toEqual(expected);
  });

  test.each([
    ['502:path=/api/order', ['502', undefined, undefined]],
    ['502:path=/api/order*', ['502', '502', undefined]],
  ])('strikes paths by %j', (text, expected) => {
    expect(strikes(text, ['/api/order', '/api/order/7', '/api/shop'])).toEqual(expected);
  });

  test('takes patterns, waits for its time and can be cleared', () => {
    const plan = new FaultPlan();
    plan.inject([{ kind: '503', path: /item$/, afterMs: 100 }], 1_000);
    expect(plan.pick('/api/order/1/item', 1_099)).toBeUndefined();
    expect(plan.pick('/api/order/1/item', 1_100)?.kind).toBe('503');
    expect(plan.pick('/api/order/1', 1_100)).toBeUndefined();
    plan.clear();
    expect(plan.pick('/api/order/1/item', 1_100)).toBeUndefined();
  });
});
