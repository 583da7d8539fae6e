import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  type InputRequiredResult,
  inputRequired,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { nameWithId, type ReferenceEntry } from '../../analysis/reference/reference.ts';
import type { JsonObject } from '../../core/json.ts';

/** The key under which the question travels to the client and its answer comes back. */
const key = 'location';

const chosen = z.object({ location: z.string() });

const asker = z.looseObject({
  elicitation: z.looseObject({ form: z.unknown(), url: z.unknown() }).partial().optional(),
});

/**
 * Whether the client can put a question with a form to its user: said with each request since the
 * 2026-07-28 revision, and once at the beginning before.
 */
export function canAskUser(server: Server, { mcpReq }: ServerContext): boolean {
  const envelope: Readonly<Record<string, unknown>> = mcpReq.envelope ?? {};
  const declared = envelope[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities();
  const { elicitation } = asker.safeParse(declared).data ?? {};
  // Before the modes were named, an empty object meant forms.
  return elicitation !== undefined && (elicitation.form !== undefined || !elicitation.url);
}

/**
 * Asks the user which location a report is about: a scope of several locations is refused until one
 * is named (docs/platform.md#report-scope). The call comes back with the answer.
 */
export function askLocation(
  tool: string,
  locations: readonly ReferenceEntry[],
): InputRequiredResult {
  const names = locations.map(nameWithId);
  const location = { type: 'string' as const, title: 'Location', enum: names };
  const question = inputRequired.elicit({
    message: `${tool}: this key sees several locations, and the report is about one. Which one?`,
    requestedSchema: { type: 'object', properties: { location }, required: ['location'] },
  });
  return inputRequired({ inputRequests: { [key]: question } });
}

/** The location that the user chose, as an argument; undefined unless they have been asked. */
export function answeredLocation({ mcpReq }: ServerContext): JsonObject | undefined {
  const { inputResponses } = mcpReq;
  if (inputResponses === undefined || !(key in inputResponses)) return undefined;
  const answer = acceptedContent(inputResponses, key, chosen)?.location ?? '';
  const id = /(\d+)\)?$/.exec(answer)?.[1];
  return id === undefined ? {} : { location_id: id };
}
