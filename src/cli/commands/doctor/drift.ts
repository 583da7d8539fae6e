import { z } from 'zod';
import { isRecord, numberIn } from '../../../core/json.ts';
import { quote } from '../../../core/text.ts';
import { type Endpoint, endpointName, isOurs } from '../../../endpoints/define.ts';
import { type ListedParameter, listedParameters, pathKey } from '../../../endpoints/openapi.ts';
import type { Finding } from './report.ts';

/** One difference between the catalogue and the platform's own description, and what it means. */
export interface Drift {
  /** Such as `GET /api/order`. */
  endpoint: string;
  /** Whether calls of its tool fail because of it; other differences are good to know. */
  breaks: boolean;
  text: string;
}

/** The version of the interface that the catalogue was written from. */
const knownVersion = '1.0.0';

/** Arguments that the tools send by themselves: without them a range, a page or a feed cannot be read. */
const indispensable = new Set(['from', 'to', 'date', 'start', 'limit', 'since', 'cursor']);

/** Always sent, although the tool takes a `period` in their place. */
const suppliedByTools = new Set(['from', 'to', 'date', 'since', 'cursor']);

/** The finding about the differences between openapi.json and the catalogue. */
export function judgeDrift(endpoints: readonly Endpoint[], openapi: unknown): Finding {
  const found = findDrift(endpoints, openapi);
  const isBroken = found.some(({ breaks }) => breaks);
  const agreed = `openapi.json and the ${endpoints.length} endpoints of the catalogue agree`;
  if (found.length === 0) return { verdict: 'ok', detail: agreed };
  return {
    verdict: isBroken ? 'failed' : 'warning',
    detail: found.map(({ endpoint, text }) => `${endpoint} ${text}`).join('; '),
    remedy: isBroken
      ? 'Look for a newer version of commerce-mcp; until then, do without the tools named here.'
      : 'Nothing breaks. A newer version of commerce-mcp may know more.',
  };
}

/** Everything in which openapi.json differs from the endpoints; what breaks a tool comes first. */
export function findDrift(endpoints: readonly Endpoint[], openapi: unknown): Drift[] {
  const listed = listedParameters(openapi);
  const known = new Set(endpoints.map(({ path }) => pathKey(path)));
  const unknown = [...listed.keys()].filter((key) => !known.has(key));
  const note = (endpoint: string, text: string) => ({ endpoint, breaks: false, text });
  if (listed.size === 0) return [note('openapi.json', 'lists no endpoints: nothing was compared')];
  const { version } = isRecord(openapi) && isRecord(openapi.info) ? openapi.info : {};
  const isOther = typeof version === 'string' && version !== knownVersion;
  const text = `describes version ${quote(String(version), 20)}, this server was written for ${knownVersion}`;
  return [
    ...(isOther ? [note('openapi.json', text)] : []),
    ...endpoints.flatMap((endpoint) =>
      differences(endpoint, listed.get(pathKey(endpoint.path))).map(([breaks, text]) => {
        return { endpoint: endpointName(endpoint), breaks, text };
      }),
    ),
    ...unknown.map((key) =>
      note(`GET ${quote(key.replaceAll('{}', '{id}'), 80)}`, 'is new: no tool reads it yet'),
    ),
  ].sort((a, b) => Number(b.breaks) - Number(a.breaks));
}

/** Whether a tool breaks, and the sentence about it. */
type Difference = [breaks: boolean, text: string];

function differences(
  endpoint: Endpoint,
  listed: readonly ListedParameter[] | undefined,
): Difference[] {
  const { tool, input, pathId, hasOpenParameters } = endpoint;
  if (listed === undefined) return [[true, `is not listed any more: ${tool} will be answered 404`]];
  const { properties = {}, required: needed = [] } = z.toJSONSchema(input, { io: 'input' });
  const own = Object.entries(properties).filter(
    ([name]) => !isOurs(endpoint, name) && name !== pathId,
  );
  const came = listed.filter(({ name }) => !hasOpenParameters && !own.some(([it]) => it === name));
  return [
    ...own.flatMap(([name, property]): Difference[] => {
      const theirs = listed.find((it) => it.name === name);
      const gone = `does not list ${name} any more: ${tool}`;
      if (theirs === undefined)
        return needed.includes(name) || indispensable.has(name)
          ? [[true, `${gone} cannot do without it`]]
          : [[false, `${gone} with ${name} may be refused, or answer as if it had not been given`]];
      const { required, schema } = theirs;
      if (required && !needed.includes(name) && !suppliedByTools.has(name))
        return [[true, `requires ${name} now: ${tool} without it will be refused (400)`]];
      // Lists are read at the largest page size: a smaller one breaks each call with all: true.
      const largest = isRecord(property) ? numberIn(property.maximum) : 0;
      const isSmaller = name === 'limit' && Number(schema.maximum) < largest;
      const text = `has ${schema.maximum} as the largest limit now, not ${largest}: ${tool} asks for more`;
      return isSmaller ? [[true, text]] : [];
    }),
    ...came.map(({ name, required }): Difference => {
      const kind = required ? 'required parameter' : 'parameter';
      return [false, `has a new ${kind} ${name}: ${tool} takes it from openapi.json by itself`];
    }),
  ];
}
