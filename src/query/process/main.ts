/**
 * The engine's process. It gets commands on its standard input and answers on its standard output,
 * holds no secret and ends with the server: when its input ends, or when it takes too much memory.
 */

import { outOfMemoryExit } from '../protocol/exit-codes.ts';
import { createFrameReader, encodeFrame } from '../protocol/frames.ts';
import { readCommand } from '../protocol/messages.ts';
import { createSession, type Send } from './session.ts';

/** The engine counts most of what it takes, not all: the rest is seen from outside, this often. */
const memoryLookMs = 20;

const mostMemoryBytes = Number(process.argv[2]) * 1024 * 1024;

const send: Send = (reply, body) =>
  new Promise((resolve) => {
    process.stdout.write(encodeFrame(reply, body), () => resolve());
  });

const handle = createSession(send);
const read = createFrameReader(({ head, body }) => handle(readCommand(head), body));

process.stdin.on('data', (bytes: Buffer) => read(bytes));
process.stdin.on('end', () => process.exit(0));
process.stdout.on('error', () => process.exit(0));

setInterval(() => {
  if (process.memoryUsage.rss() > mostMemoryBytes) process.exit(outOfMemoryExit);
}, memoryLookMs).unref();

void send({ kind: 'ready' });
