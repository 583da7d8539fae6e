import { isRecord } from '../core/json.ts';
import { quote } from '../core/text.ts';
import { type Endpoint, endpointName } from './define.ts';
import { type ListedParameter, listedParameters, pathKey } from './openapi.ts';
import { type OwnParameter, ownParameters } from './own-parameters.ts';

/** One difference between the catalogue and the platform's own description, and what it means. */
export interface Drift {
  /** Such as `GET /api/order`. */
  endpoint: string;
  /** Whether calls of its tool fail because of it; other differences are good to know. */
  breaks: boolean;
  /** What differs and what it means, without the name of the endpoint. */
  text: string;
}

/** The version of the interface that the catalogue was written from (section 9). */
const knownVersion = '1.0.0';

/** Arguments that the tools send by themselves: without them a range, a page or a feed cannot be read. */
const indispensable = new Set(['from', 'to', 'date', 'start', 'limit', 'since', 'cursor']);

/** Required by the platform and always sent, although the tool takes a `period` in their place. */
const suppliedByTools = new Set(['from', 'to', 'date', 'since', 'cursor']);

/**
 * Everything in which openapi.json differs from the endpoints as they are defined: paths that went or
 * came, parameters missing or unknown, bounds and defaults that changed. What breaks a tool comes first.
 */
export function findDrift(endpoints: readonly Endpoint[], openapi: unknown): Drift[] {
  const listed = listedParameters(openapi);
  if (listed.size === 0) {
    const text = 'lists no endpoints: nothing can be compared, and the documented parameters serve';
    return [{ endpoint: 'openapi.json', breaks: false, text }];
  }
  const found = [
    ...versionDrift(openapi),
    ...endpoints.flatMap((endpoint) => {
      const parameters = listed.get(pathKey(endpoint.path));
      return parameters === undefined ? [pathGone(endpoint)] : parameterDrift(endpoint, parameters);
    }),
    ...pathsThatCame(endpoints, [...listed.keys()]),
  ];
  return found.sort((a, b) => Number(b.breaks) - Number(a.breaks));
}

function versionDrift(openapi: unknown): Drift[] {
  const info = isRecord(openapi) ? openapi.info : undefined;
  const version = isRecord(info) ? info.version : undefined;
  if (typeof version !== 'string' || version === knownVersion) return [];
  const text = `describes version ${quote(version, 20)}, this server was written for ${knownVersion}: look for a newer one`;
  return [{ endpoint: 'openapi.json', breaks: false, text }];
}

function pathGone(endpoint: Endpoint): Drift {
  const text = `is not listed any more: ${endpoint.tool} will be answered 404`;
  return { endpoint: endpointName(endpoint), breaks: true, text };
}

function pathsThatCame(endpoints: readonly Endpoint[], listed: readonly string[]): Drift[] {
  const known = new Set(endpoints.map(({ path }) => pathKey(path)));
  return listed
    .filter((key) => !known.has(key))
    .map((key) => ({
      endpoint: `GET ${quote(key.replaceAll('{}', '{id}'), 80)}`,
      breaks: false,
      text: 'is new: no tool reads it yet',
    }));
}

function parameterDrift(endpoint: Endpoint, listed: readonly ListedParameter[]): Drift[] {
  const own = ownParameters(endpoint);
  const byName = new Map(listed.map((parameter) => [parameter.name, parameter]));
  const difference = (breaks: boolean, text: string): Drift => ({
    endpoint: endpointName(endpoint),
    breaks,
    text,
  });
  return [
    ...Object.entries(own).flatMap(([name, parameter]) => {
      const theirs = byName.get(name);
      return theirs === undefined
        ? [difference(...parameterGone(endpoint, name, parameter))]
        : [
            ...requirement(endpoint, theirs, parameter),
            ...changedBounds(endpoint, theirs, parameter),
          ].map((found) => difference(...found));
    }),
    ...listed
      .filter(({ name }) => !Object.hasOwn(own, name) && !endpoint.hasOpenParameters)
      .map(({ name, required }) =>
        difference(
          false,
          `has a new ${required ? 'required ' : ''}parameter ${name}: ${endpoint.tool} takes it from openapi.json by itself`,
        ),
      ),
  ];
}

/** Whether a tool breaks, and the sentence about it. */
type Finding = [breaks: boolean, text: string];

function parameterGone({ tool }: Endpoint, name: string, { isRequired }: OwnParameter): Finding {
  const breaks = isRequired || indispensable.has(name);
  const meaning = breaks
    ? `${tool} cannot do without it`
    : `${tool} with ${name} may be refused, or answer as if it had not been given`;
  return [breaks, `does not list ${name} any more: ${meaning}`];
}

function requirement(
  { tool }: Endpoint,
  { name, required }: ListedParameter,
  { isRequired }: OwnParameter,
): Finding[] {
  if (!required || isRequired || suppliedByTools.has(name)) return [];
  return [[true, `requires ${name} now: ${tool} without it will be refused (400)`]];
}

function changedBounds(
  { tool }: Endpoint,
  { name, schema }: ListedParameter,
  own: OwnParameter,
): Finding[] {
  const changed: Finding[] = [];
  if (own.isNumber && schema.type !== undefined && !/^(integer|number)$/.test(schema.type))
    changed.push([false, `takes ${name} as ${quote(schema.type, 20)} now, ${tool} as a number`]);
  const { minimum, maximum } = own;
  if (maximum !== undefined && schema.maximum !== undefined && schema.maximum !== maximum) {
    const isLower = schema.maximum < maximum;
    // Lists are read at the largest page size: a smaller one breaks each call with all: true.
    const meaning = isLower
      ? `${tool} with more will be refused (400)`
      : `nothing breaks, ${tool} goes on with ${maximum}`;
    changed.push([
      isLower && name === 'limit',
      `takes ${name} up to ${schema.maximum} now, not ${maximum}: ${meaning}`,
    ]);
  }
  if (minimum !== undefined && schema.minimum !== undefined && schema.minimum > minimum)
    changed.push([
      false,
      `takes ${name} from ${schema.minimum} now, not ${minimum}: ${tool} with less will be refused (400)`,
    ]);
  if (schema.default !== undefined && own.standard !== undefined && schema.default !== own.standard)
    changed.push([
      false,
      `has another default for ${name}, ${quote(String(schema.default), 20)} instead of ${String(own.standard)}: ${tool} without it answers differently`,
    ]);
  return changed;
}
