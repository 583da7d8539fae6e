import { askEndpoint } from '../../analysis/endpoint/ask-endpoint.ts';
import { foldName } from '../../analysis/reference/names.ts';
import {
  type ReferenceKind,
  referenceKinds,
  spaceOfKind,
} from '../../analysis/reference/reference.ts';
import { isRecord, numberIn } from '../../core/json.ts';
import { periodWords } from '../../core/period-words.ts';
import { listOrders } from '../../endpoints/orders.ts';
import { searchProducts } from '../../endpoints/products.ts';
import type { App } from '../app/app.ts';
import { listResourceTemplates } from '../resources/resources.ts';

/** Most values that the protocol lets one completion carry. */
const maxValues = 100;

/** What is being completed: a prompt by name or a resource template by address. */
export type CompletionTarget =
  | { type: 'ref/prompt'; name: string }
  | { type: 'ref/resource'; uri: string };

/**
 * Values for an argument of a prompt or a variable of a resource template, from live data, those that
 * begin with what was typed first. Nothing is suggested where the platform cannot be asked.
 */
export async function complete(
  app: App,
  target: CompletionTarget,
  argument: { name: string; value: string },
  signal: AbortSignal,
): Promise<{ values: string[]; total: number; hasMore: boolean }> {
  const values = await candidates(app, target, argument, signal).catch(() => []);
  const typed = foldName(argument.value);
  const matching = [...new Set(values)].filter((value) => foldName(value).includes(typed));
  const [first, later] = [true, false].map((begins) =>
    matching.filter((value) => foldName(value).startsWith(typed) === begins),
  );
  const ranked = [...(first ?? []), ...(later ?? [])];
  return {
    values: ranked.slice(0, maxValues),
    total: ranked.length,
    hasMore: ranked.length > maxValues,
  };
}

async function candidates(
  app: App,
  target: CompletionTarget,
  { name, value }: { name: string; value: string },
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (target.type === 'ref/resource') return ofVariable(app, name, value, signal);
  const prompt = (await app.prompts()).find((it) => it.name === target.name);
  const source = prompt?.arguments.find((it) => it.name === name)?.complete;
  if (source === undefined) return [];
  if (typeof source !== 'string') return source;
  if (source === 'period') return periodWords;
  const kind = referenceKinds.find((known) => known === source);
  return kind === undefined ? [] : namesOf(app, kind, signal);
}

async function ofVariable(
  app: App,
  variable: string,
  typed: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { services } = app;
  const templates = listResourceTemplates(app.toolsets);
  if (!templates.some(({ uriTemplate }) => uriTemplate.includes(`{${variable}}`))) return [];
  switch (variable) {
    case 'country_code': {
      const rates = await services.reference.list('tax_rate', signal);
      return rates.flatMap(({ row }) => Object.values(row).filter(isCountryCode)).sort();
    }
    case 'order_id': {
      const input = { period: 'last_7_days', limit: maxValues };
      return idsOf(
        (await askEndpoint(services, listOrders, input, { signal, nowMs: services.now() })).rows,
        'id',
      );
    }
    case 'shop_product_id': {
      const found = await askEndpoint(
        services,
        searchProducts,
        { limit: maxValues },
        { signal, nowMs: services.now() },
      );
      return idsOf(found.rows, 'shop_product_id').filter((id) => id.startsWith(typed));
    }
    case 'result_id':
      return services.results.ids();
    default:
      return [];
  }
}

async function namesOf(app: App, kind: ReferenceKind, signal: AbortSignal): Promise<string[]> {
  if (!app.toolsets.includes(spaceOfKind(kind).endpoint.toolset)) return [];
  return (await app.services.reference.list(kind, signal)).map(({ name }) => name);
}

function isCountryCode(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Z]{2}$/.test(value);
}

function idsOf(rows: readonly unknown[] = [], field: string): string[] {
  return rows.flatMap((row) =>
    isRecord(row) && Number.isSafeInteger(numberIn(row[field])) ? [String(row[field])] : [],
  );
}
