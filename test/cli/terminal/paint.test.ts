import { describe, expect, test } from 'vitest';
import { paint, wantsColour } from '../../../src/cli/terminal/paint.ts';

describe('wantsColour', () => {
  test.each([
    [{ isTTY: true }, {}, true],
    [{ isTTY: true }, { NO_COLOR: '' }, true],
    [{ isTTY: true }, { NO_COLOR: '1' }, false],
    [{ isTTY: true }, { TERM: 'dumb' }, false],
    [{ isTTY: true }, { TERM: 'xterm' }, true],
    [{ isTTY: false }, {}, false],
    [{}, {}, false],
  ])('of a stream %j under %j is %s', (stream, env, expected) => {
    expect(wantsColour(stream, env)).toBe(expected);
  });
});

describe('paint', () => {
  test('leaves text as it is where there is no terminal', () => {
    expect(paint('red', 'text', { isTTY: false })).toBe('text');
  });
});
