/** A law over all analyses: each asks the platform for what its caller may have, and for nothing else. */
import { describe, expect, test } from 'vitest';
import { analysisTools } from '../../../src/analysis/tools.ts';
import { type Toolset, toolsets } from '../../../src/endpoints/define.ts';
import { endpoints } from '../../../src/endpoints/index.ts';
import { analysisSamples, anOrder, argumentsOf } from '../../samples.ts';
import { serverOver, sharedServer } from '../../server-over.ts';

/** The toolset that a path of the platform belongs to. */
const toolsetOf = new Map<string, Toolset>(endpoints.map(({ path, toolset }) => [path, toolset]));

/** With the analyses alone, and with one toolset beside them. */
const choices = toolsets.map((toolset) => [...new Set<Toolset>([toolset, 'analysis'])]);

/** Toolsets that the tool opens, or a table of a statement may. */
function openedBy(name: string): Toolset[] {
  const asked = analysisTools.filter(({ tool }) => tool === name);
  const tools = asked.some(({ kind }) => kind === 'statement') ? analysisTools : asked;
  return tools.flatMap((it) => (it.kind === 'analysis' ? (it.opensToolsets ?? []) : []));
}

describe.each(choices.map((open) => ({ names: open.join(' and '), open })))(
  '$names',
  ({ open }) => {
    const shared = sharedServer();

    test.each(analysisSamples)('let $tool ask nothing beyond them', async (sample) => {
      // A server each: what one asked is kept, and would not be asked by the next.
      const settings = { COMMERCE_TOOLSETS: open.join() };
      const { sandbox } = shared();
      const { client } = await serverOver('memory', { sandbox, settings });
      const { tools } = await client.listTools();
      if (!tools.some(({ name }) => name === sample.tool)) return;
      const { stats, world } = sandbox;
      const before = { ...stats.byPath };
      const args = argumentsOf(sample, { orderId: anOrder(world) });
      const { _meta } = await client.callTool({ name: sample.tool, arguments: args });
      const asked = Object.keys(stats.byPath).filter((path) => stats.byPath[path] !== before[path]);
      // Names of the business stand beside ids of every answer.
      const allowed = new Set<Toolset>([...open, ...openedBy(sample.tool), 'reference']);
      const beyond = asked.filter((path) => !allowed.has(toolsetOf.get(path) ?? 'reference'));
      expect(beyond, `give ${sample.tool} needsToolsets for what it asks of these`).toEqual([]);
      const refusal = { 'commerce-mcp/error': { code: 'not_offered' } };
      expect(
        _meta,
        `give ${sample.tool} needsToolsets: it is offered and refused`,
      ).not.toMatchObject(refusal);
    });
  },
);

describe('an analysis', () => {
  test('opens no toolset to those who lack it, but for the two that make figures of a report', () => {
    const opening = analysisTools.flatMap((it) =>
      it.kind === 'analysis' && it.opensToolsets ? [[it.tool, it.opensToolsets]] : [],
    );
    expect(opening).toEqual([
      ['compare_turnover', ['reports']],
      ['turnover_trend', ['reports']],
    ]);
  });
});
