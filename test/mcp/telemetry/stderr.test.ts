import { describe, expect, test } from 'vitest';
import { createLineWriter } from '../../../src/mcp/telemetry/stderr.ts';

describe('a line writer', () => {
  test('never throws, and says how many lines a full disk cost', () => {
    let isFull = false;
    const written: string[] = [];
    const writer = createLineWriter((line) => {
      if (isFull) throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
      written.push(line);
    });
    writer.write('one\n');
    isFull = true;
    for (const line of ['two\n', 'three\n']) writer.write(line);
    isFull = false;
    writer.write('four\n');
    expect(written).toEqual(['one\n', expect.stringContaining('"lines":2'), 'four\n']);
  });

  test('waits for a reader that hangs once, and not with every line', () => {
    const patience: boolean[] = [];
    const writer = createLineWriter((_, isPatient) => {
      patience.push(isPatient);
      throw Object.assign(new Error('full'), { code: 'EAGAIN' });
    });
    for (const line of ['one\n', 'two\n', 'three\n']) writer.write(line);
    expect(patience).toEqual([true, false, false]);
  });
});
