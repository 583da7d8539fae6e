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
  const info = isRecord(openapi) && isRecord(openapi.info) ? openapi.info : {};
  const known = new Set(endpoints.map(({ path }) => pathKey(path)));
  const found: Drift[] = [];
  const add = (endpoint: string, breaks: boolean, text: string) =>
    found.push({ endpoint, breaks, text });
  if (listed.size === 0) add('openapi.json', false, 'lists no endpoints: nothing was compared');
  else if (typeof info.version === 'string' && info.version !== knownVersion)
    add(
      'openapi.json',
      false,
      `describes version ${quote(info.version, 20)}, this server was written for ${knownVersion}`,
    );
  for (const endpoint of listed.size === 0 ? [] : endpoints)
    for (const [breaks, text] of differences(endpoint, listed.get(pathKey(endpoint.path))))
      add(endpointName(endpoint), breaks, text);
  for (const key of listed.keys())
    if (!known.has(key))
      add(`GET ${quote(key.replaceAll('{}', '{id}'), 80)}`, false, 'is new: no tool reads it yet');
  return found.sort((a, b) => Number(b.breaks) - Number(a.breaks));
}

/** Whether a tool breaks, and the sentence about it. */
type Difference = [breaks: boolean, text: string];

function differences(
  endpoint: Endpoint,
  listed: readonly ListedParameter[] | undefined,
): Difference[] {
  const { tool, input, pathId, hasOpenParameters } = endpoint;
  if (listed === undefined) return [[true, `is not listed any more: ${tool} will be answered 404`]];
  const { properties = {}, required = [] } = z.toJSONSchema(input, { io: 'input' });
  const own = Object.entries(properties).filter(
    ([name]) => !isOurs(endpoint, name) && name !== pathId,
  );
  const isOwn = (name: string) => own.some(([known]) => known === name);
  const came = listed.filter(({ name }) => !isOwn(name) && !hasOpenParameters);
  return [
    ...own.flatMap(([name, property]) => {
      const theirs = listed.find((it) => it.name === name);
      const largest = isRecord(property) ? numberIn(property.maximum) : 0;
      return changes(tool, name, theirs, { isRequired: required.includes(name), largest });
    }),
    ...came.map(({ name, required }): Difference => {
      const kind = required ? 'required parameter' : 'parameter';
      return [false, `has a new ${kind} ${name}: ${tool} takes it from openapi.json by itself`];
    }),
  ];
}

function changes(
  tool: string,
  name: string,
  theirs: ListedParameter | undefined,
  { isRequired, largest }: { isRequired: boolean; largest: number },
): Difference[] {
  const gone = `does not list ${name} any more: ${tool}`;
  if (theirs === undefined)
    return isRequired || indispensable.has(name)
      ? [[true, `${gone} cannot do without it`]]
      : [[false, `${gone} with ${name} may be refused, or answer as if it had not been given`]];
  const { required, schema } = theirs;
  if (required && !isRequired && !suppliedByTools.has(name))
    return [[true, `requires ${name} now: ${tool} without it will be refused (400)`]];
  // Lists are read at the largest page size: a smaller one breaks each call with all: true.
  if (name === 'limit' && schema.maximum !== undefined && schema.maximum < largest)
    return [
      [
        true,
        `has ${schema.maximum} as the largest limit now, not ${largest}: ${tool} asks for more`,
      ],
    ];
  return [];
}
