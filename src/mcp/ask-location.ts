import {
  acceptedContent,
  type InputRequiredResult,
  inputRequired,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { nameWithId } from '../analysis/names.ts';
import type { ReferenceEntry } from '../analysis/reference.ts';

/** The key under which the question travels to the client and its answer comes back. */
const key = 'location';

const chosen = z.object({ location: z.string() });

/** Whether the client can put a question with a form to its user. */
export function canAskUser(server: Server): boolean {
  const { elicitation } = server.getClientCapabilities() ?? {};
  // Before the modes were named, an empty object meant forms.
  return elicitation !== undefined && (elicitation.form !== undefined || !elicitation.url);
}

/**
 * Asks the user which location a report is about (section 4, rule 11: a scope of several locations
 * is refused until one is named). The call comes back with the answer.
 */
export function askLocation(
  tool: string,
  locations: readonly ReferenceEntry[],
): InputRequiredResult {
  return inputRequired({
    inputRequests: {
      [key]: inputRequired.elicit({
        message: `${tool}: this key sees several locations, and the report is about one. Which one?`,
        requestedSchema: {
          type: 'object',
          properties: {
            location: { type: 'string', title: 'Location', enum: locations.map(nameWithId) },
          },
          required: ['location'],
        },
      }),
    },
  });
}

/** Whether the user has been asked already, and the id of the location that they chose, if any. */
export function answeredLocation({ mcpReq }: ServerContext): {
  wasAsked: boolean;
  locationId?: string;
} {
  const { inputResponses } = mcpReq;
  if (inputResponses === undefined || !(key in inputResponses)) return { wasAsked: false };
  const answer = acceptedContent(inputResponses, key, chosen)?.location ?? '';
  const locationId = /(\d+)\)?$/.exec(answer)?.[1];
  return { wasAsked: true, ...(locationId !== undefined && { locationId }) };
}
