/** The embedded platform as tests have it: counted, slowed, broken and changed at will. */
import { setMaxListeners } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import type { MiddlewareHandler } from 'hono';
import type { Environment } from '../../src/sandbox/http/platform.ts';
import {
  type SandboxOptions as PlatformOptions,
  startSandbox as startPlatform,
} from '../../src/sandbox/sandbox.ts';
import { changesOf, keyChangesOf } from './by-hand.ts';
import { breakAnswers } from './faults/breakage.ts';
import { type Fault, FaultPlan, parseFaults } from './faults/fault.ts';
import { hideNewestOrder, withOddRows } from './oddities.ts';
import { inOtherDialect, sinceInUtc, useOtherDefaults } from './other-dialect.ts';

/** How the sandbox should be; everything has a default. */
export interface SandboxOptions extends Omit<PlatformOptions, 'middleware'> {
  /** Added to each answer under /api, in milliseconds. @default 0 */
  latencyMs?: number;
  /** Faults to begin with, as data or as text such as `502:every=5;reset:times=2`. */
  faults?: string | readonly Fault[];
  /** Changes openapi.json before it is served. */
  openapi?: (document: unknown) => unknown;
  /** Other names for inner fields, such as `{ turnover_wt: 'omzet_wt' }`, in all payloads. */
  renameFields?: Readonly<Record<string, string>>;
  /** How it speaks where the API document leaves it open; the full description knows the plain names alone. @default 'plain' */
  dialect?: Dialect;
}

/** The sandbox's own names, types, kinds and defaults, or others. */
export type Dialect = 'plain' | 'other';

/** Live counters of what the sandbox was asked, since it started. */
class Stats {
  /** Requests to the API origin, openapi.json included. */
  requests = 0;
  /** 429s among them. */
  refused = 0;
  /** Successful token exchanges. */
  exchanges = 0;
  /** Exchanges answered with 401. */
  failedExchanges = 0;
  inFlight = 0;
  /** By the path without its query, ids written as `{id}`. */
  readonly byPath: Record<string, number> = {};
}

type Middleware = MiddlewareHandler<Environment>;

/** Starts a sandbox with its faults, counters and controls; it is ready when the promise resolves. */
export async function startSandbox(options: SandboxOptions = {}) {
  const { faults = [], openapi, renameFields, dialect = 'plain', ...platformOptions } = options;
  const closing = new AbortController();
  // Every answer that waits listens for the end, and many may wait at once.
  setMaxListeners(0, closing.signal);
  const stats = new Stats();
  const plan = new FaultPlan();
  const latency = { ms: options.latencyMs ?? 0 };
  plan.inject(readFaults(faults));
  const isOdd = options.description === 'bare';
  const middleware = [
    countRequests(stats),
    breakAnswers(plan, () => changes, closing.signal),
    delayAnswers(latency, closing.signal),
    ...(openapi ? [changeBodies('/openapi.json', (text) => changeJson(text, openapi))] : []),
    ...(renameFields ? [changeBodies('/api/', renaming(renameFields))] : []),
    ...(dialect === 'other' ? [readSinceInUtc, changeBodies('/api/', sayOtherwise)] : []),
    ...(isOdd ? [changeBodies('/api/', sayOddly), hideNewestOrder(() => world)] : []),
    countExchanges(stats),
  ];
  const started = await startPlatform({ ...platformOptions, middleware });
  const { platform, ...addresses } = started;
  const { world } = platform;
  const changes = { ...changesOf(world), ...keyChangesOf(platform) };
  if (dialect === 'other') useOtherDefaults(world);

  /** What can be done to a running sandbox; each is a function that may be passed on alone. */
  const control = {
    ...changes,
    /** Milliseconds added to each answer under /api. */
    setLatency(ms: number) {
      latency.ms = ms;
    },
    /** Adds faults to those in force. */
    inject: (given: string | Fault | readonly Fault[]) => plan.inject(readFaults(given)),
    clearFaults: () => plan.clear(),
  };

  return {
    ...addresses,
    world,
    stats: stats as Readonly<Stats>,
    control,
    /** Drops all connections at once; a second call does nothing. */
    async close() {
      closing.abort();
      await addresses.close();
    },
  };
}

function readFaults(faults: string | Fault | readonly Fault[]): readonly Fault[] {
  return typeof faults === 'string' ? parseFaults(faults) : [faults].flat();
}

/** Counts what reaches the API; the two paths of the authorization server are not its own. */
function countRequests(stats: Stats): Middleware {
  return async (c, next) => {
    const { path } = c.req;
    if (path.startsWith('/.well-known/') || path.startsWith('/oauth/')) return next();
    stats.requests += 1;
    const pattern = path.replace(/\/\d+/g, '/{id}');
    stats.byPath[pattern] = (stats.byPath[pattern] ?? 0) + 1;
    stats.inFlight += 1;
    await next();
    const { status } = c.res;
    stats.inFlight -= 1;
    if (status === 429) stats.refused += 1;
  };
}

/** Counts exchanges as the authorization server answered them, whatever a fault made of it afterwards. */
function countExchanges(stats: Stats): Middleware {
  return async (c, next) => {
    await next();
    if (c.req.path !== '/oauth/token') return;
    if (c.res.status === 200) stats.exchanges += 1;
    if (c.res.status === 401) stats.failedExchanges += 1;
  };
}

function delayAnswers(latency: { readonly ms: number }, signal: AbortSignal): Middleware {
  return async (c, next) => {
    if (latency.ms > 0 && c.req.path.startsWith('/api/'))
      await setTimeout(latency.ms, undefined, { signal }).catch(() => {});
    await next();
  };
}

const readSinceInUtc: Middleware = async (c, next) => {
  c.req.raw = new Request(sinceInUtc(c.req.url), c.req.raw);
  await next();
};

function sayOtherwise(text: string, path: string): string {
  return changeJson(text, (payload) => inOtherDialect(path, payload));
}

function sayOddly(text: string): string {
  return changeJson(text, withOddRows);
}

function changeBodies(path: string, change: (text: string, path: string) => string): Middleware {
  return async (c, next) => {
    await next();
    if (c.res.status !== 200 || !c.req.path.startsWith(path)) return;
    const { headers } = c.res;
    const text = change(await c.res.text(), c.req.path);
    // Hono merges the old headers into a response that replaces another: take the old one away first.
    c.res = undefined;
    c.res = new Response(text, { headers });
  };
}

function changeJson(text: string, change: (document: unknown) => unknown): string {
  return JSON.stringify(change(JSON.parse(text)));
}

function renaming(names: Readonly<Record<string, string>>): (text: string) => string {
  // A quote within a text is written with a backslash: only the name of a field is followed by a colon.
  const fields = new RegExp(`"(${Object.keys(names).join('|')})":`, 'g');
  return (text) => text.replace(fields, (_, name) => `${JSON.stringify(names[name])}:`);
}
