import { expect, test } from 'vitest';
import { FaultPlan, parseFaults } from './fault.ts';

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
