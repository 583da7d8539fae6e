import { describe, expect, test } from 'vitest';
import { readResource } from '../../../src/mcp/resources/resources.ts';
import { callTool } from '../../../src/mcp/server/call-tool.ts';
import { keepLog, type LogLine, serverOver } from '../../server-over.ts';

/** An application whose tools and resources fail by a fault of ours as soon as they ask the platform. */
async function brokenApp() {
  const log: LogLine[] = [];
  const { app } = await serverOver('memory', { ordersPerDay: 1, log: keepLog(log) });
  const broken = (): never => {
    throw new TypeError('x is not a function');
  };
  const client = { ...app.services.client, get: broken };
  log.length = 0;
  return { app: { ...app, services: { ...app.services, client } }, log };
}

describe('a fault of ours', () => {
  const where = { error: 'TypeError', at: expect.stringMatching(/^at /) };
  const whole = { error: expect.stringMatching(/^TypeError: x is not a function\n +at /) };

  test('a defect in a tool is logged whole at debug, and told without its words', async () => {
    const { app, log } = await brokenApp();
    const { isError, content } = await callTool(app, 'get_me', {});
    const tool = { tool: 'get_me' };
    expect(log.filter(({ message }) => message === 'a tool failed')).toMatchObject([
      { level: 'error', facts: { ...tool, ...where } },
      { level: 'debug', facts: { ...tool, ...whole } },
    ]);
    expect(isError).toBe(true);
    expect(JSON.stringify(content)).not.toContain('x is not a function');
  });

  test('a defect in a block of a brief is logged, and told as a failure of its tool', async () => {
    const { app, log } = await brokenApp();
    await readResource(app, 'commerce://briefs/morning', {});
    expect(log.filter(({ message }) => message === 'a tool failed')).toContainEqual(
      expect.objectContaining({ level: 'debug', facts: expect.objectContaining(whole) }),
    );
  });

  test('a defect in a resource is logged, and told without its words', async () => {
    const { app, log } = await brokenApp();
    const reading = readResource(app, 'commerce://access', {});
    await expect(reading).rejects.toMatchObject({
      code: -32_603,
      message: expect.not.stringContaining('x is not a function'),
      data: { code: 'unexpected' },
    });
    const resource = { resource: 'commerce://access' };
    expect(log.filter(({ message }) => message === 'a resource failed')).toMatchObject([
      { level: 'error', facts: { ...resource, ...where } },
      { level: 'debug', facts: { ...resource, ...whole } },
    ]);
  });
});
