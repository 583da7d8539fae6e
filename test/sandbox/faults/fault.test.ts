import { describe, expect, test } from 'vitest';
import { type Fault, FaultPlan, FaultSyntaxError, parseFaults } from './fault.ts';

describe('faults as text', () => {
  test.each<[text: string, faults: Fault[]]>([
    ['', []],
    ['502', [{ kind: 'status', value: '502' }]],
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
  ])('%j are %j', (text, expected) => {
    expect(parseFaults(text)).toEqual(expected);
  });

  test.each([
    ['flood', /"flood" is no kind of fault; the kinds are 429, .*reset/],
    ['502:every=often', /status: every needs a whole number, not "often"/],
    ['502:colour=red', /status: "colour=red" is no condition\. Known conditions: path=/],
    ['list=shuffled', /list: "shuffled" is none of null, high-total/],
  ])('%j is refused with the reason', (text, reason) => {
    expect(() => parseFaults(text)).toThrow(FaultSyntaxError);
    expect(() => parseFaults(text)).toThrow(reason);
  });
});

describe('the fault plan', () => {
  const six = Array<string>(6).fill('/api/order');
  const paths = ['/api/order', '/api/order/7', '/api/shop'];

  test.each([
    ['502', six, '502 502 502 502 502 502'],
    ['502:times=2', six, '502 502 - - - -'],
    ['502:every=3', six, '- - 502 - - 502'],
    ['502:after=4', six, '- - - - 502 502'],
    ['502:every=2,times=1', six, '- 502 - - - -'],
    ['502:times=1;reset', six, '502 reset reset reset reset reset'],
    ['502:path=/api/order', paths, '502 - -'],
    ['502:path=/api/order*', paths, '502 502 -'],
  ])('strikes by %j', (text, asked, expected) => {
    const plan = new FaultPlan();
    plan.inject(parseFaults(text));
    const struck = asked.map((path) => plan.pick(path));
    expect(struck.map((fault) => fault?.value ?? fault?.kind ?? '-').join(' ')).toBe(expected);
  });
});
