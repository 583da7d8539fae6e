import type { Terminal } from './status-line.ts';

/** A line that says what is waited for, where the stream is a terminal, and goes again. */
export interface WaitingLine {
  show(text: string): void;
  clear(): void;
}

/** Opens a waiting line on stderr; elsewhere than in a terminal it says nothing. */
export function openWaitingLine(stream: Terminal = process.stderr): WaitingLine {
  if (!stream.isTTY) return { show: () => {}, clear: () => {} };
  return {
    show: (text) => void stream.write(`\r\u001b[K${text.slice(0, (stream.columns || 80) - 1)}`),
    clear: () => void stream.write('\r\u001b[K'),
  };
}
