import { CommerceError, hasCode } from '../../core/errors.ts';
import { isRecord, numberIn } from '../../core/json.ts';
import { countNoun } from '../../core/text.ts';
import { type Endpoint, endpointName, isPaged } from '../../endpoints/define.ts';
import type { Call } from '../answer.ts';
import type { Services } from '../services.ts';
import { filtersIn } from './left-open.ts';
import type { PreparedRequest } from './prepare-request.ts';
import type { EndpointReading } from './read-endpoint.ts';

/**
 * What is there where nothing was found: how many rows the same days have without the filters, by one
 * request for one row. Nothing where that cannot be had so cheaply, or where a statement asks, which
 * finds out by itself.
 */
export async function whatIsNearby(
  { client }: Pick<Services, 'client'>,
  endpoint: Endpoint,
  { path, query }: PreparedRequest,
  { rows }: EndpointReading,
  { signal, bulk }: Call,
): Promise<string[]> {
  const filters = filtersIn(query);
  if (rows?.length !== 0 || filters.length === 0 || bulk || !isPaged(endpoint)) return [];
  const kept = Object.entries(query).filter(([name]) => !filters.includes(name));
  try {
    const { body } = await client.get(path, {
      endpoint: endpointName(endpoint),
      query: { ...Object.fromEntries(kept), start: 0, limit: 1 },
      holdsRows: true,
      ...(signal && { signal }),
    });
    const total = isRecord(body) ? numberIn(body.total) : Number.NaN;
    if (!Number.isSafeInteger(total)) return [];
    const { noun = 'rows' } = endpoint;
    const there = total === 0 ? `no ${noun} either` : countNoun(total, noun.replace(/s$/, ''));
    return [`Without ${filters.join(', ')} there ${total === 1 ? 'is' : 'are'} ${there}.`];
  } catch (error) {
    // The answer stands without it.
    if (!(error instanceof CommerceError) || hasCode(error, 'cancelled')) throw error;
    return [];
  }
}
