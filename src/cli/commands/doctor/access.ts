import { capabilitiesOf, lackingOf } from '../../../analysis/errors/explain.ts';
import { ReferenceLists } from '../../../analysis/reference/reference.ts';
import type { Client } from '../../../client/client.ts';
import { amsterdamDay } from '../../../core/calendar.ts';
import { hasCode } from '../../../core/errors.ts';
import { groupBy } from '../../../core/group-by.ts';
import { isRecord, type JsonObject } from '../../../core/json.ts';
import { endpointName } from '../../../endpoints/define.ts';
import { endpoints } from '../../../endpoints/index.ts';
import { getMe } from '../../../endpoints/reference.ts';
import { getDailyClose } from '../../../endpoints/reports.ts';
import type { Said } from '../../terminal/catalogue/catalogue.ts';

/** What the role of the key is and holds, and what it lacks. Costs three requests at most. */
export async function findAccess(client: Client): Promise<{ role: Said; lacks: Said[] }> {
  const { body } = await client.get(getMe.path);
  return { role: roleOf(body), lacks: [...lackingIn(body), ...(await findBinding(client))] };
}

/** Most fields of GET /api/me are not documented (docs/platform.md#me). */
function roleOf(me: unknown): Said {
  const { account, authorization } = recordOf(me);
  const { title, role } = recordOf(authorization);
  return {
    code: 'role_of_key',
    role: String(title ?? role),
    account: String(recordOf(account).name),
    capabilities: [...(capabilitiesOf(me) ?? [])],
  };
}

function lackingIn(me: unknown): Said[] {
  const held = capabilitiesOf(me);
  const lacking = endpoints.flatMap((endpoint) => {
    const missing = lackingOf(endpoint, held).join(' and ');
    return missing === '' ? [] : { tool: endpoint.tool, missing };
  });
  return [...groupBy(lacking, ({ missing }) => missing)].map(([missing, group]) => {
    return { code: 'role_lacks', missing, tools: group.map(({ tool }) => tool) };
  });
}

/** Whether reports need one location named, found by asking for one: no field says it (docs/platform.md#report-scope). */
async function findBinding(client: Client): Promise<Said[]> {
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
  if (locations?.length === 0) return [{ code: 'role_sees_no_location' }];
  return [{ code: 'reports_need_location', locations }];
}

function recordOf(value: unknown): JsonObject {
  return isRecord(value) ? value : {};
}
