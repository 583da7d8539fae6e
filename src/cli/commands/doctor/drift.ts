import { isRecord } from '../../../core/json.ts';
import { quote } from '../../../core/text.ts';
import { type Endpoint, endpointName } from '../../../endpoints/define.ts';
import { type ListedParameter, listedParameters, pathKey } from '../../../endpoints/openapi.ts';
import { type OwnParameter, ownParameters } from '../../../endpoints/own-parameters.ts';
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

/** Required by the platform and always sent, although the tool takes a `period` in their place. */
const suppliedByTools = new Set(['from', 'to', 'date', 'since', 'cursor']);

/** More differences than this are counted instead of shown. */
const maxShown = 12;

/** The finding about the differences between openapi.json and the catalogue. */
export function judgeDrift(endpoints: readonly Endpoint[], openapi: unknown): Finding {
  const found = findDrift(endpoints, openapi);
  if (found.length === 0) {
    const detail = `openapi.json and the ${endpoints.length} endpoints of the catalogue agree`;
    return { verdict: 'ok', detail };
  }
  const shown = found.slice(0, maxShown).map(({ endpoint, text }) => `${endpoint} ${text}`);
  const more = found.length - shown.length;
  const isBroken = found.some(({ breaks }) => breaks);
  return {
    verdict: isBroken ? 'failed' : 'warning',
    detail: [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join('; '),
    remedy: isBroken
      ? 'Look for a newer version of commerce-mcp; until then, do without the tools named here.'
      : 'Nothing breaks. A newer version of commerce-mcp may know more.',
  };
}

/** Everything in which openapi.json differs from the endpoints; what breaks a tool comes first. */
export function findDrift(endpoints: readonly Endpoint[], openapi: unknown): Drift[] {
  const listed = listedParameters(openapi);
  const ofDocument = (text: string) => ({ endpoint: 'openapi.json', breaks: false, text });
  if (listed.size === 0)
    return [
      ofDocument(
        'lists no endpoints: nothing can be compared, and the documented parameters serve',
      ),
    ];
  const info = isRecord(openapi) && isRecord(openapi.info) ? openapi.info : {};
  const known = new Set(endpoints.map(({ path }) => pathKey(path)));
  const found = [
    ...(typeof info.version === 'string' && info.version !== knownVersion
      ? [
          ofDocument(
            `describes version ${quote(info.version, 20)}, this server was written for ${knownVersion}: look for a newer one`,
          ),
        ]
      : []),
    ...endpoints.flatMap((endpoint) =>
      differences(endpoint, listed.get(pathKey(endpoint.path))).map(([breaks, text]) => ({
        ...{ endpoint: endpointName(endpoint), breaks, text },
      })),
    ),
    ...[...listed.keys()]
      .filter((key) => !known.has(key))
      .map((key) => ({
        endpoint: `GET ${quote(key.replaceAll('{}', '{id}'), 80)}`,
        breaks: false,
        text: 'is new: no tool reads it yet',
      })),
  ];
  return found.sort((a, b) => Number(b.breaks) - Number(a.breaks));
}

/** Whether a tool breaks, and the sentence about it. */
type Difference = [breaks: boolean, text: string];

function differences(
  endpoint: Endpoint,
  listed: readonly ListedParameter[] | undefined,
): Difference[] {
  const { tool, hasOpenParameters } = endpoint;
  if (listed === undefined) return [[true, `is not listed any more: ${tool} will be answered 404`]];
  const own = ownParameters(endpoint);
  const byName = new Map(listed.map((parameter) => [parameter.name, parameter]));
  const came = listed.filter(({ name }) => !Object.hasOwn(own, name) && !hasOpenParameters);
  return [
    ...Object.entries(own).flatMap(([name, parameter]) => {
      const theirs = byName.get(name);
      return theirs ? changes(tool, theirs, parameter) : [gone(tool, name, parameter)];
    }),
    ...came.map(({ name, required }): Difference => {
      const kind = required ? 'required parameter' : 'parameter';
      return [false, `has a new ${kind} ${name}: ${tool} takes it from openapi.json by itself`];
    }),
  ];
}

function gone(tool: string, name: string, { isRequired }: OwnParameter): Difference {
  const breaks = isRequired || indispensable.has(name);
  const meaning = breaks
    ? `${tool} cannot do without it`
    : `${tool} with ${name} may be refused, or answer as if it had not been given`;
  return [breaks, `does not list ${name} any more: ${meaning}`];
}

function changes(
  tool: string,
  { name, required, schema }: ListedParameter,
  { isRequired, isNumber, minimum, maximum, standard }: OwnParameter,
): Difference[] {
  const found: Difference[] = [];
  if (required && !isRequired && !suppliedByTools.has(name))
    found.push([true, `requires ${name} now: ${tool} without it will be refused (400)`]);
  if (isNumber && schema.type !== undefined && !/^(integer|number)$/.test(schema.type))
    found.push([false, `takes ${name} as ${quote(schema.type, 20)} now, ${tool} as a number`]);
  if (maximum !== undefined && schema.maximum !== undefined && schema.maximum !== maximum) {
    const isLower = schema.maximum < maximum;
    const meaning = isLower
      ? `${tool} with more will be refused (400)`
      : `nothing breaks, ${tool} goes on with ${maximum}`;
    // Lists are read at the largest page size: a smaller one breaks each call with all: true.
    const breaks = isLower && name === 'limit';
    found.push([breaks, `takes ${name} up to ${schema.maximum} now, not ${maximum}: ${meaning}`]);
  }
  if (minimum !== undefined && schema.minimum !== undefined && schema.minimum > minimum)
    found.push([
      false,
      `takes ${name} from ${schema.minimum} now, not ${minimum}: ${tool} with less will be refused (400)`,
    ]);
  if (schema.default !== undefined && standard !== undefined && schema.default !== standard)
    found.push([
      false,
      `has another default for ${name}, ${quote(String(schema.default), 20)} instead of ${String(standard)}: ${tool} without it answers differently`,
    ]);
  return found;
}
