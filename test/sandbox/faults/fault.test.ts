import { describe, expect, test } from 'vitest';
import {
  FAULT_KINDS,
  FaultPlan,
  FaultSyntaxError,
  parseFaults,
} from '../../../src/sandbox/faults/fault.ts';

describe('faults as text', () => {
  test.each([
    ['', []],
    ['502', [{ kind: 'status', value: '502' }]],
    ['401:every=5', [{ kind: 'status', value: '401', every: 5 }]],
    ['list', [{ kind: 'list' }]],
    ['body=deep:path=/api*', [{ kind: 'body', value: 'deep', path: '/api*' }]],
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
    ['429:value=999999999,after=3', [{ kind: '429', value: '999999999', after: 3 }]],
  ])('%j are %j', (text, expected) => {
    expect(parseFaults(text)).toEqual(expected);
  });

  test.each([
    ['flood', /"flood" is no kind of fault\. Known kinds: 429, .*reset/],
    ['502:every=often', /status: every needs a whole number, not "often"/],
    ['502:colour=red', /status: "colour=red" is no condition\. Known conditions: path=/],
    ['502:path=', /"path=" is no condition/],
    ['list=shuffled', /list: "shuffled" is none of null, high-total/],
    ['huge:value=rows', /huge: "rows" is none of body, headers/],
  ])('%j is refused with the reason', (text, reason) => {
    expect(() => parseFaults(text)).toThrow(FaultSyntaxError);
    expect(() => parseFaults(text)).toThrow(reason);
  });

  test('can name every kind', () => {
    const kinds = Object.keys(FAULT_KINDS);
    expect(kinds.length).toBe(12);
    expect(parseFaults(kinds.join(';')).map(({ kind }) => kind)).toEqual(kinds);
  });
});

describe('the fault plan', () => {
  const strikes = (text: string, paths: string[]): (string | undefined)[] => {
    const plan = new FaultPlan();
    plan.inject(parseFaults(text));
    return paths.map((path) => plan.pick(path)).map((fault) => fault?.value ?? fault?.kind);
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

  test('strikes the paths that it names', () => {
    const paths = ['/api/order', '/api/order/7', '/api/shop'];
    expect(strikes('502:path=/api/order', paths)).toEqual(['502', undefined, undefined]);
    expect(strikes('502:path=/api/order*', paths)).toEqual(['502', '502', undefined]);
  });
});
