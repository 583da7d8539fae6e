// Preloaded into every process of a run on another date (TEST_NOW, vitest.config.ts): `Date` is
// ahead by `aheadMs` of its own address and goes on from there; timers and `performance` are left alone.
import { ServerResponse } from 'node:http';

const aheadMs = Number(new URL(import.meta.url).searchParams.get('aheadMs'));
const realNow = Date.now;
Date.now = () => realNow() + aheadMs;
globalThis.Date = new Proxy(Date, {
  construct: (target, given, made) =>
    Reflect.construct(target, given.length === 0 ? [target.now()] : given, made),
  apply: (target) => new target(target.now()).toString(),
});

// Node writes the Date header by its own clock, which no program can set.
const { writeHead } = ServerResponse.prototype;
ServerResponse.prototype.writeHead = function (...given) {
  if (this.sendDate && !this.hasHeader('date')) this.setHeader('date', new Date().toUTCString());
  return writeHead.apply(this, given);
};
