import { ProductIds } from '../../src/analysis/reference/product-ids.ts';
import { ReferenceLists } from '../../src/analysis/reference/reference.ts';
import { AllResults } from '../../src/analysis/results/store.ts';
import type { Services, Survey } from '../../src/analysis/services.ts';
import { emptyFindings as noFindings } from '../../src/analysis/shape/shape.ts';
import type { Client } from '../../src/client/client.ts';
import { clientMessages } from '../../src/client/messages.ts';
import { type GetResponse, responseOf } from '../../src/client/request/get.ts';
import { type ErrorCode, PlatformError } from '../../src/core/errors.ts';
import { isRecord } from '../../src/core/json.ts';
import { MemoryPool } from '../../src/core/process/memory-pool.ts';
import { toolsets } from '../../src/endpoints/define.ts';

/** What the platform holds, by path; an error code stands for a list that cannot be read. */
export type Lists = Record<string, unknown[] | ErrorCode>;

/** Two shops at one location, a webshop at none, and the other reference lists of a small business. */
export const smallBusiness: Lists = {
  '/api/shop': [
    { id: 3, name: 'Utrecht Centraal', location_id: 11 },
    { id: 7, name: 'Utrecht Oost', location_id: 11 },
    { id: 9, name: 'Webshop', location_id: null },
  ],
  '/api/location': [
    { id: 11, name: 'Utrecht', address: { country: 'NL' } },
    { id: 12, name: 'Zwolle', address: { country: 'NL' } },
  ],
  '/api/turnover-group': [{ id: 5, name: 'Koffie' }],
  '/api/payment-method': [
    { provider_method_type_id: 21, type_alias: 'Cash', name: 'Contant' },
    { provider_method_type_id: 22, type_alias: 'TerminalDevice', name: 'Pin' },
  ],
  '/api/tax-rate': [{ id: 1, name: 'Hoog', percentage: 21, country_code: 'NL' }],
  '/api/customer-segment': [{ id: 40, name: 'Stamgasten', customer_count: 3 }],
};

/** Services over reference lists alone, and which of them it was asked for. */
export function fakeServices(
  lists: Lists = smallBusiness,
  now: () => number = () => 0,
): { services: Services; client: Client; asked: string[] } {
  const asked: string[] = [];
  const client = fakeClient(lists, asked, now);
  const services: Services = {
    client,
    log: { error() {}, debug() {} },
    origin: { source: 'sandbox' },
    now,
    maxRows: 1000,
    reference: new ReferenceLists({ client, now }),
    fence: new Set(toolsets),
    hasTool: () => true,
    results: new AllResults({
      pool: new MemoryPool(1e6),
      callerBytes: 1e6,
      callerResults: 100,
      ttlMs: 60_000,
      now,
    }).forCaller({
      owner: 'test',
      toolsets,
    }),
    productIds: new ProductIds(),
    survey: emptyFindings,
    learn() {},
    statements: { maxCalls: 300, run: unasked, tables: unasked, days: async () => ({ notes: [] }) },
  };
  return { services, client, asked };
}

/** A survey that knows nothing, and finds nothing. */
export const emptyFindings: Survey = {
  columnsOf: () => ({
    ...noFindings,
    documented: {},
    isOpen: true,
    isUnseen: false,
  }),
  look: async () => {},
  behaviour: unasked,
  known: () => undefined,
};

function unasked(): never {
  throw new Error('these tests ask for reference lists only');
}

/** Most rows that one request gives. */
const firstPage = 50;

/** One request gives a list's first page, which is cached, and reading all pages all of it. */
function fakeClient(lists: Lists, asked: string[], now: () => number): Client {
  const rowsAt = (path: string): unknown[] => {
    asked.push(path);
    const list = lists[path] ?? [];
    if (typeof list !== 'string') return list;
    throw new PlatformError(list, clientMessages.no_list({ endpoint: `GET ${path}` }));
  };
  const kept = new Map<string, GetResponse>();
  return {
    async get(path, { signal, cacheForMs = 0 } = {}) {
      signal?.throwIfAborted();
      const young = kept.get(path);
      if (young && now() - young.readAtMs < cacheForMs) return { ...young, cached: true };
      const rows = rowsAt(path);
      const data = rows.slice(0, firstPage);
      const body = { count: data.length, total: rows.length, data };
      const response = responseOf({ body, readAtMs: now(), size: 0 }, false);
      kept.set(path, response);
      return response;
    },
    async readAllPages(path) {
      const rows = rowsAt(path).filter(isRecord);
      const said = { calls: 1, total: rows.length, readAtMs: now(), complete: true };
      return { ...said, rows, notes: [], envelope: {} };
    },
    prepare: unasked,
    progressDeadline: unasked,
    followChanges: unasked,
    openapi: unasked,
    budget: unasked,
    shareInBackground: unasked,
    clockAheadMs: () => 0,
    load: unasked,
    checkExchange: unasked,
    as: unasked,
    close: unasked,
  };
}
