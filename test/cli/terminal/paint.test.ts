import { afterEach, describe, expect, test, vi } from 'vitest';
import { paint } from '../../../src/cli/terminal/paint.ts';

afterEach(() => vi.unstubAllEnvs());

describe('paint', () => {
  test.each([
    [{ isTTY: true }, { NO_COLOR: '' }, true],
    [{ isTTY: true }, { NO_COLOR: '1' }, false],
    [{ isTTY: true }, { TERM: 'dumb' }, false],
    [{ isTTY: false }, {}, false],
    [{}, {}, false],
  ])('colours text on %j under %j: %s', (stream, env, expected) => {
    for (const [name, value] of Object.entries({ NO_COLOR: '', TERM: 'xterm', ...env }))
      vi.stubEnv(name, value);
    expect(paint('red', 'text', stream) !== 'text').toBe(expected);
  });
});
