import { describe, expect, test } from 'vitest';
import { readMessage } from '../../../src/mcp/server/read-message.ts';

const text = 'a text';
const object = { type: 'ref/prompt', name: text, value: text, version: '1' };

/** The members of each request that the server takes, as they should be. */
const requests: Record<string, Record<string, unknown>> = {
  initialize: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: object },
  ping: {},
  'tools/list': { cursor: text },
  'tools/call': { name: text, arguments: object },
  'resources/list': { cursor: text },
  'resources/templates/list': { cursor: text },
  'resources/read': { uri: text },
  'prompts/list': { cursor: text },
  'prompts/get': { name: text, arguments: object },
  'completion/complete': { ref: object, argument: object },
};

function request(method: unknown, params?: unknown) {
  return { jsonrpc: '2.0', id: 'one', method, ...(params !== undefined && { params }) };
}

const members = Object.entries(requests).flatMap(([method, params]) => [
  ...Object.keys(params).map((name) => [method, name, params] as const),
  [method, '_meta', params] as const,
]);
const values = [null, true, 5, text, [1], {}];
/** Parameters of which one is of another type. */
const wrong = members.flatMap(([method, name, params]) =>
  values
    .filter((value) => typeof value !== typeof (params[name] ?? {}) || Array.isArray(value))
    .map((value) => ({ method, name, value, params: { ...params, [name]: value } })),
);

test.each(Object.entries(requests))('%s is served as it should be', (method, params) => {
  const message = request(method, params);
  expect(readMessage(message)).toEqual({ message });
});

describe('a request is refused under its id, with one sentence', () => {
  test.each(wrong)('$method with $name: $value', ({ method, name, params }) => {
    const message = expect.stringMatching(`^Invalid request: params.${name}[^\n{}]+$`);
    const refusal = { jsonrpc: '2.0', id: 'one', error: { code: -32_602, message } };
    expect(readMessage(request(method, params)).refusal).toEqual(refusal);
  });

  test.each(members.filter(([, name]) => !['cursor', 'arguments', '_meta'].includes(name)))(
    '%s without %s',
    (method, name, params) => {
      const { refusal } = readMessage(request(method, { ...params, [name]: undefined }));
      expect(refusal).toMatchObject({ id: 'one', error: { code: -32_602 } });
    },
  );

  test('tools/call without parameters', () => {
    const refusal = { id: 'one', error: { code: -32_602 } };
    expect(readMessage(request('tools/call'))).toMatchObject({ refusal });
  });

  test.each<[what: string, message: object, place: string]>([
    ['whose method is a number', request(123), 'method'],
    ['without a method', { jsonrpc: '2.0', id: 'one' }, 'method'],
    ['without a version', { id: 'one', method: 'ping' }, 'jsonrpc'],
    ['whose parameters are a text', request('ping', text), 'params'],
    ['with a member of its own', { ...request('ping'), more: 1 }, ''],
    ['of another type of id', { ...request('ping'), id: {} }, 'id'],
    ['with parts of an id', { ...request('ping'), id: 1.5 }, 'id'],
  ])('%s', (_, message, place) => {
    const given = 'id' in message ? message.id : undefined;
    const id = typeof given === 'object' ? null : given;
    const error = { code: -32_600, message: expect.stringContaining(`: ${place}`) };
    expect(readMessage(message).refusal).toMatchObject({ id, error });
  });

  test('a batch, which has none', () => {
    const refusal = { id: null, error: { code: -32_600 } };
    expect(readMessage([request('ping')])).toMatchObject({ refusal });
  });
});

describe('no parameters are written as', () => {
  test.each([[null], [[]]])('%j', (none) => {
    expect(readMessage(request('ping', none))).toEqual({ message: request('ping') });
    expect(
      readMessage(request('tools/call', { name: text, arguments: none, _meta: none })),
    ).toEqual({ message: request('tools/call', { name: text }) });
  });
});

test.each([
  { jsonrpc: '2.0', method: 'notifications/initialized', params: 5 },
  { jsonrpc: '2.0', id: 1, result: {} },
  { id: 1, error: 5 },
  {},
  null,
  5,
])('%j is no request, and none to be answered', (message) => {
  expect(readMessage(message)).toEqual({ message });
});
