import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openStatusLine } from '../../../src/cli/terminal/status-line.ts';

function terminal(isTTY: boolean) {
  const written: string[] = [];
  return { isTTY, columns: 20, written, write: (text: unknown) => written.push(String(text)) > 0 };
}

describe('openStatusLine', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('writes over one line, never to its edge, and takes it away', () => {
    const stream = terminal(true);
    const line = openStatusLine(stream);
    line.report({ done: 1, total: 3, message: 'page 1 of 3, a long way to go' });
    line.clear();
    expect(stream.written).toEqual(['\r\u001b[Kpage 1 of 3, a long', '\r\u001b[K']);
  });

  test('says each second that a call is under way', () => {
    const stream = terminal(true);
    const line = openStatusLine(stream);
    vi.advanceTimersByTime(1000);
    expect(stream.written).toEqual(['\r\u001b[Kwaiting for the pla']);
    line.clear();
    vi.advanceTimersByTime(5000);
    expect(stream.written).toHaveLength(2);
  });

  test('keeps still where there is no terminal', () => {
    const stream = terminal(false);
    const line = openStatusLine(stream);
    line.report({ done: 1, message: 'page 1' });
    line.clear();
    expect(stream.written).toEqual([]);
  });
});
