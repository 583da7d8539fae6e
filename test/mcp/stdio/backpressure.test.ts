import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { describe, expect, test } from 'vitest';
import { BackpressureTransport } from '../../../src/mcp/stdio/serve.ts';

/** A wire whose reader takes one message at a time, when told to. */
function slowWire() {
  const unread: { message: JSONRPCMessage; taken: () => void }[] = [];
  const wire: Transport = {
    start: async () => {},
    close: async () => {},
    send: (message) => new Promise((taken) => unread.push({ message, taken })),
  };
  return {
    wire,
    /** Messages handed to the wire that nobody has read. */
    unread: () => unread.map(({ message }) => idOf(message)),
    async readOne() {
      unread.shift()?.taken();
      await new Promise(setImmediate);
    },
  };
}

/** A transport at which so many calls have arrived. */
async function open(maxUnderWay: number, calls: number) {
  const { wire, ...reader } = slowWire();
  const transport = new BackpressureTransport(wire, maxUnderWay);
  const delivered: unknown[] = [];
  transport.onmessage = (message) => delivered.push(idOf(message) ?? message);
  await transport.start();
  const arrive = (message: JSONRPCMessage) => wire.onmessage?.(message);
  for (let id = 1; id <= calls; id++) arrive(call(id));
  /** Answers a call; resolves when what can happen by itself has happened. */
  const answer = async (id: number) => {
    void transport.send({ jsonrpc: '2.0', id, result: {} });
    await new Promise(setImmediate);
  };
  return { ...reader, transport, delivered, arrive, answer };
}

const call = (id: number): JSONRPCMessage => request(id, 'tools/call');

function request(id: number, method: string): JSONRPCMessage {
  return { jsonrpc: '2.0', id, method };
}

function cancel(requestId: number): JSONRPCMessage {
  return { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } };
}

function idOf(message: JSONRPCMessage) {
  return 'id' in message ? message.id : undefined;
}

describe('a wire with a slow reader', () => {
  test('takes up a call when an answer has been read, not when it was given', async () => {
    const { delivered, answer, readOne } = await open(2, 3);
    expect(delivered).toEqual([1, 2]);
    await answer(1);
    expect(delivered).toEqual([1, 2]);
    await readOne();
    expect(delivered).toEqual([1, 2, 3]);
  });

  test('hands over one message at a time, in the order they were sent', async () => {
    const { unread, answer, readOne } = await open(3, 3);
    for (const id of [2, 1, 3]) await answer(id);
    expect(unread()).toEqual([2]);
    await readOne();
    expect(unread()).toEqual([1]);
  });

  test("lets all but calls pass, and the client's own answers: a call may wait for one", async () => {
    const { delivered, arrive } = await open(1, 2);
    for (const method of ['ping', 'tools/list', 'subscriptions/listen']) arrive(request(3, method));
    arrive({ jsonrpc: '2.0', id: 9, result: {} });
    expect(delivered).toEqual([1, 3, 3, 3, 9]);
  });

  test('drops a waiting call that is cancelled', async () => {
    const { delivered, arrive, answer, readOne } = await open(1, 2);
    arrive(cancel(2));
    await answer(1);
    await readOne();
    arrive(call(3));
    expect(delivered).toEqual([1, 3]);
  });

  test('gives the place of a cancelled call to the next: it gets no answer', async () => {
    const { delivered, arrive } = await open(1, 2);
    arrive(cancel(1));
    expect(delivered).toEqual([1, cancel(1), 2]);
  });

  test('leaves an id that is in use to the protocol', async () => {
    const { delivered, arrive } = await open(1, 1);
    arrive(call(1));
    expect(delivered).toEqual([1, 1]);
  });
});
