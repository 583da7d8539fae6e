import { expect, test } from 'vitest';
import { type Fault, FaultPlan, parseFaults } from './fault.ts';

test.each<[text: string, faults: Fault[]]>([
  ['', []],
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
])('the text %j is read as the faults %j', (text, faults) => {
  expect(parseFaults(text)).toEqual(faults);
});

test.each(['flood', '502:every=often', '502:colour=red', 'list=shuffled'])(
  'the text %j is refused as no fault',
  (text) => {
    expect(() => parseFaults(text)).toThrow(/^no (kind|form|condition) of/);
  },
);

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
])('a plan of the faults %j strikes as planned', (text, asked, expected) => {
  const plan = new FaultPlan();
  plan.inject(parseFaults(text));
  const struck = asked.map((path) => plan.pick(path));
  expect(struck.map((fault) => fault?.value ?? fault?.kind ?? '-').join(' ')).toBe(expected);
});
