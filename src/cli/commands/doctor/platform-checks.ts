import { join } from 'node:path';
import { checkBriefs } from '../../../analysis/briefs/brief.ts';
import { capabilitiesOf, lackingCapabilities } from '../../../analysis/errors/explain.ts';
import { listNames, ReferenceLists } from '../../../analysis/reference/reference.ts';
import type { DefinitionProblem } from '../../../analysis/tables/definitions.ts';
import { discover } from '../../../client/auth/token.ts';
import type { Client } from '../../../client/client.ts';
import { realRuntime } from '../../../client/transport/runtime.ts';
import { amsterdamDay } from '../../../core/calendar.ts';
import { withDeadline } from '../../../core/deadline.ts';
import { hasCode, reasonIn } from '../../../core/errors.ts';
import { groupBy, isRecord, type JsonObject } from '../../../core/json.ts';
import { countNoun, quote } from '../../../core/text.ts';
import { endpointName, isServerArgument } from '../../../endpoints/define.ts';
import { endpoints } from '../../../endpoints/index.ts';
import { listedParameters, pathKey, readParameters } from '../../../endpoints/openapi.ts';
import { getMe } from '../../../endpoints/reference.ts';
import { getDailyClose } from '../../../endpoints/reports.ts';
import { engineProblem } from '../../../query/installation.ts';
import {
  type CheckDefinition,
  type CheckedAccount,
  type Finding,
  failed,
  note,
  ok,
} from './check.ts';

const authorization =
  "Check COMMERCE_AUTH_URL: it has to be the account's own authorization server, which is not the address of the API.";

const api = 'Check COMMERCE_BASE_URL: it has to be the platform API.';

export const platformChecks: Readonly<Record<string, CheckDefinition>> = {
  discovery: {
    remedy: authorization,
    isEssential: true,
    async run({ config }) {
      const { href } = await withDeadline({ ms: config.timeoutMs }, (signal) =>
        discover(config, realRuntime({}, config), signal),
      );
      return ok(`tokens come from ${href}`);
    },
  },
  exchange: {
    remedy: authorization,
    isEssential: true,
    async run(subject) {
      subject.exchanged = await subject.client.checkExchange();
      const { expiresInSeconds } = subject.exchanged;
      return ok(`the key gives a token for ${expiresInSeconds} s; it is renewed in time`);
    },
  },
  'role and capabilities': {
    remedy: api,
    async run({ client }) {
      const { body: me } = await client.get(getMe.path);
      const lacks = [...missingCapabilities(me), ...(await findBinding(client))];
      const role = describeRole(me);
      return lacks.length === 0 ? ok(role) : note(role, ...lacks);
    },
  },
  'clock skew': {
    remedy: 'today, yesterday and as_of follow this clock: set it from the network (NTP).',
    run: ({ exchanged }) => judgeClock(exchanged?.clockSkewSeconds),
  },
  'rate budget': {
    run({ client }) {
      const { limit, remaining, windowSeconds, resetsInSeconds } = client.budget() ?? {};
      if (limit === undefined)
        return ok('the platform reported none, so requests are paced carefully until it does');
      return ok(
        `${remaining} of ${limit} requests left in this window of ${windowSeconds} s; the next begins in ${resetsInSeconds} s`,
      );
    },
  },
  drift: {
    remedy: 'Look for a newer version of commerce-mcp; until then these calls may fail.',
    async run({ client }) {
      try {
        return findDrift(await client.openapi());
      } catch (error) {
        return note(
          `openapi.json could not be read, so nothing was compared: ${reasonIn(error).text}`,
          'Nothing breaks: the documented parameters are used.',
        );
      }
    },
  },
  definitions: {
    remedy: 'Correct the named files; all other definitions work.',
    run: checkDefinitions,
  },
};

export function judgeClock(skewSeconds: number | undefined): Finding {
  if (skewSeconds === undefined)
    return note('not known: the authorization server does not tell the time');
  if (Math.abs(skewSeconds) <= 60) return ok('in step with the platform, within a minute');
  const minutes = countNoun(Math.round(Math.abs(skewSeconds) / 60), 'minute');
  const direction = skewSeconds > 0 ? 'behind' : 'ahead of';
  return failed(`this machine's clock is ${minutes} ${direction} the platform's`);
}

/** Most fields of GET /api/me are not documented (docs/platform.md#me). */
function describeRole(me: unknown): string {
  const { account, authorization } = recordOf(me);
  const { title, role } = recordOf(authorization);
  const capabilities = [...(capabilitiesOf(me) ?? [])].join(', ') || 'none';
  const name = quote(String(recordOf(account).name));
  return `role ${quote(String(title ?? role))} of account ${name}; capabilities: ${quote(capabilities, 300)}`;
}

function recordOf(value: unknown): JsonObject {
  return isRecord(value) ? value : {};
}

function missingCapabilities(me: unknown): string[] {
  const ownCapabilities = capabilitiesOf(me);
  const lacking = endpoints.flatMap((endpoint) => {
    const missing = lackingCapabilities(endpoint, ownCapabilities).join(' and ');
    return missing === '' ? [] : { tool: endpoint.tool, missing };
  });
  return [...groupBy(lacking, ({ missing }) => missing)].map(([missing, group]) => {
    const tools = group.map(({ tool }) => tool).join(', ');
    return `It lacks ${missing}, which ${tools} may need: an administrator can widen the role.`;
  });
}

/** No field tells whether reports need a location, so one is asked for (docs/platform.md#report-scope). */
async function findBinding(client: Client): Promise<string[]> {
  const query = { date: amsterdamDay(Date.now()) };
  try {
    await client.get(getDailyClose.path, { endpoint: endpointName(getDailyClose), query });
    return [];
  } catch (error) {
    // Only a 403 tells of access.
    if (!hasCode(error, 'forbidden')) return [];
  }
  const lists = new ReferenceLists({ client, now: Date.now });
  const locations = await lists.listIfOpen('location');
  if (locations?.length === 0)
    return ['It may see no location, and so no report: an administrator can bind it to some.'];
  const names = locations ? `: ${listNames(locations)}` : '';
  return [`Reports need location_id, one of the locations that the key is bound to${names}.`];
}

/** Compares the catalogue with openapi.json. A missing endpoint is a failure. */
function findDrift(openapi: unknown): Finding {
  const parametersByPath = listedParameters(openapi);
  const missingNames = endpoints.flatMap((endpoint) => {
    const { path, pathId, hasOpenParameters, input } = endpoint;
    const parameters = parametersByPath.get(pathKey(path));
    if (parameters === undefined) return [path];
    const listedNames = new Set(readParameters(parameters).map(({ name }) => name));
    const sent = Object.keys(input.shape).filter((name) => !isServerArgument(endpoint, name));
    const unlistedNames = sent.filter((name) => name !== pathId && !listedNames.has(name));
    return hasOpenParameters ? [] : unlistedNames.map((name) => `${path}?${name}`);
  });
  if (missingNames.length === 0)
    return ok(`openapi.json lists all that ${endpoints.length} endpoints ask for`);
  const detail = `not listed any more: ${missingNames.join(', ')}`;
  if (missingNames.some((name) => !name.includes('?'))) return failed(detail);
  return note(detail, 'The platform may ignore what it does not list: check its figures.');
}

async function checkDefinitions({ config, app }: CheckedAccount): Promise<Finding> {
  const { definitions: folder } = config;
  if (folder === undefined) return ok('none are configured');
  if (engineProblem() !== undefined) return ok(`${folder} is not read without the query engine`);
  const { services, catalogue, statements } = app;
  const { tables, problems: tableProblems } = await statements.checkedDefinitions();
  const briefs = new Map([...app.briefs()].filter(([, path]) => path.startsWith(folder)));
  const asking = { services, tools: catalogue.list(), call: { nowMs: services.now() } };
  const problems = [...tableProblems, ...(await checkBriefs(briefs, asking))];
  if (problems.length > 0) return failed(problems.map(problemLine(folder)).join('\n'));
  const names = [...tables.keys(), ...briefs.keys()];
  if (names.length > 0) return ok(`${names.join(', ')} of ${folder} work`);
  return note(
    `${folder} holds no view and no table`,
    'Views go to views/NAME.sql in it, tables to tables/NAME.csv.',
  );
}

/** Writes a problem as `definitions/views/regulars.sql:3: ...`. */
function problemLine(folder: string) {
  return ({ file, line, reason }: DefinitionProblem): string => {
    const place = file === undefined ? [] : [join(folder, file), ...(line ? [line] : [])];
    return [...place, ` ${reason.text}`].join(':').trim();
  };
}
