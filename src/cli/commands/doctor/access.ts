import { capabilitiesOf, lackingOf } from '../../../analysis/errors/explain.ts';
import { listNames, ReferenceLists } from '../../../analysis/reference/reference.ts';
import type { Client } from '../../../client/client.ts';
import { amsterdamDay } from '../../../core/calendar.ts';
import { hasCode } from '../../../core/errors.ts';
import { groupBy } from '../../../core/group-by.ts';
import { isRecord, type JsonObject } from '../../../core/json.ts';
import { quote } from '../../../core/text.ts';
import { endpointName } from '../../../endpoints/define.ts';
import { endpoints } from '../../../endpoints/index.ts';
import { getMe } from '../../../endpoints/reference.ts';
import { getDailyClose } from '../../../endpoints/reports.ts';

/** What the role of the key is and holds, and as a remedy what it lacks. Costs three requests at most. */
export async function findAccess(client: Client) {
  const { body } = await client.get(getMe.path);
  const lacks = [...sayLacking(body), ...(await sayBinding(client))];
  const detail = sayRole(body);
  if (lacks.length === 0) return detail;
  return { detail, remedy: lacks.join(' ') };
}

/** The answer of GET /api/me in one line. Most of its fields are not documented (docs/platform.md#me). */
function sayRole(me: unknown): string {
  const { account, authorization } = recordOf(me);
  const { title, role } = recordOf(authorization);
  const named = quote([...(capabilitiesOf(me) ?? [])].join(', ') || 'none', 300);
  const name = quote(String(recordOf(account).name));
  return `role ${quote(String(title ?? role))} of account ${name}; capabilities: ${named}`;
}

function sayLacking(me: unknown): string[] {
  const held = capabilitiesOf(me);
  const lacking = endpoints.flatMap((endpoint) => {
    const missing = lackingOf(endpoint, held).join(' and ');
    return missing === '' ? [] : { tool: endpoint.tool, missing };
  });
  return [...groupBy(lacking, ({ missing }) => missing)].map(([missing, endpointsOf]) => {
    const tools = endpointsOf.map(({ tool }) => tool).join(', ');
    return `It lacks ${missing}, which ${tools} may need: an administrator can widen the role.`;
  });
}

/** Whether reports need one location named, found by asking for one: no field says it (docs/platform.md#report-scope). */
async function sayBinding(client: Client): Promise<string[]> {
  const query = { date: amsterdamDay(Date.now()) };
  try {
    await client.get(getDailyClose.path, { endpoint: endpointName(getDailyClose), query });
    return [];
  } catch (error) {
    // What else may be wrong with a report is no matter of access.
    if (!hasCode(error, 'forbidden')) return [];
  }
  const lists = new ReferenceLists({ client, now: Date.now });
  const locations = await lists.listForDisplay('location').catch(() => undefined);
  if (locations?.length === 0)
    return ['It may see no location, and so no report: an administrator can bind it to some.'];
  const names = locations ? `: ${listNames(locations)}` : '';
  return [`Reports need location_id, one of the locations that the key is bound to${names}.`];
}

function recordOf(value: unknown): JsonObject {
  return isRecord(value) ? value : {};
}
