import { inParallel } from '../../client/paging/parallel.ts';
import { amsterdamDay } from '../../core/calendar.ts';
import { CommerceError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { isPaged } from '../../endpoints/define.ts';
import type { Call } from '../answer.ts';
import type { ToolDefinition } from '../define-tool.ts';
import type { Row } from '../rows/rows.ts';
import type { Services } from '../services.ts';
import { isReport } from './answer-rows.ts';
import { isNeeded } from './asks.ts';
import type { ColumnKnowledge } from './columns/column-knowledge.ts';
import { factRows } from './fact-rows.ts';

/** Looks once a day at a few rows of each table that nobody has read yet. */
export interface Explorer {
  explore(services: Services, tools: readonly ToolDefinition[], call: Call): Promise<void>;
  /** Why a table could not be looked at, in few words. */
  refusal(tool: string): string | undefined;
}

/** Where the id comes from that a tool needs: a column of another one's rows. */
const idSources: Readonly<Record<string, { tool: string; column: string }>> = {
  order_id: { tool: 'list_orders', column: 'id' },
  customer_id: { tool: 'search_customers', column: 'id' },
  shop_product_id: { tool: 'search_products', column: 'shop_product_id' },
  location_id: { tool: 'list_locations', column: 'id' },
};

/** An explorer that has seen nothing yet. */
export function createExplorer(knowledge: ColumnKnowledge): Explorer {
  const seenOn = new Map<string, string>();
  const refusals = new Map<string, string>();
  const samples = new Map<string, readonly Row[]>();

  async function look(
    services: Services,
    tool: ToolDefinition,
    input: JsonObject,
    call: Call,
  ): Promise<void> {
    try {
      const { rows, payload } = await tool.answer(services, input, call);
      const found = rows ?? (isReport(tool) ? factRows(payload) : [payload]);
      samples.set(tool.tool, found.slice(0, 1));
      if (isReport(tool)) knowledge.rememberFacts(tool.tool, found);
      else knowledge.remember(tool.tool, found);
      refusals.delete(tool.tool);
      seenOn.set(tool.tool, amsterdamDay(call.nowMs));
    } catch (error) {
      if (!(error instanceof CommerceError) || error.code === 'cancelled') throw error;
      refusals.set(tool.tool, error.code.replaceAll('_', ' '));
    }
  }

  return {
    refusal: (tool) => refusals.get(tool),
    async explore(services, tools, { onProgress: _, ...call }) {
      const today = amsterdamDay(call.nowMs);
      const unseen = tools.filter(({ tool }) => seenOn.get(tool) !== today);
      const [first, later] = [true, false].map((isFirst) =>
        unseen.filter((tool) => (neededId(tool) === undefined) === isFirst),
      );
      await inParallel(first ?? [], 16, call.signal, async (tool, signal) =>
        look(services, tool, sampleInput(tool), { ...call, signal }),
      );
      await inParallel(later ?? [], 16, call.signal, async (tool, signal) => {
        const argument = neededId(tool) ?? '';
        const source = idSources[argument];
        const id = source && samples.get(source.tool)?.[0]?.[source.column];
        if (id === undefined || id === null) return;
        const given = tool.input.shape[argument]?.safeParse(id).success ? id : String(id);
        await look(services, tool, { [argument]: given }, { ...call, signal });
      });
    },
  };
}

/** The id without which a tool cannot be asked. */
function neededId(tool: ToolDefinition): string | undefined {
  return Object.keys(tool.input.shape).find((name) => name in idSources && isNeeded(tool, name));
}

/** Arguments that give a few rows of a tool that needs no id. */
function sampleInput(tool: ToolDefinition): JsonObject {
  const { shape } = tool.input;
  const days = isReport(tool) ? 'yesterday' : 'last_7_days';
  return {
    ...('period' in shape && { period: days }),
    ...('date' in shape && !('period' in shape) && { date: 'yesterday' }),
    ...('since' in shape && { since: 'last_7_days' }),
    ...((isPaged(tool) || 'cursor' in shape) && { limit: 50 }),
    ...('query' in shape && { query: '1' }),
  };
}
