import { z } from 'zod';
import { isRecord } from '../core/json.ts';
import { type Endpoint, isOurs } from './define.ts';

/** A query parameter as the catalogue defines it. */
export interface OwnParameter {
  isRequired: boolean;
  isNumber: boolean;
  minimum?: number;
  maximum?: number;
  /** The default that the API document gives. */
  standard?: unknown;
}

/** The parameters that an endpoint sends in its query, by the platform's own names. */
export function ownParameters(endpoint: Endpoint): Record<string, OwnParameter> {
  const { input, pathId } = endpoint;
  const { properties = {}, required = [] } = z.toJSONSchema(input, { io: 'input' });
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([name]) => !isOurs(endpoint, name) && name !== pathId)
      .map(([name, property]) => [name, readProperty(name, property, required.includes(name))]),
  );
}

function readProperty(name: string, property: unknown, isRequired: boolean): OwnParameter {
  const { type, minimum, maximum, default: standard } = isRecord(property) ? property : {};
  return {
    isRequired,
    isNumber: type === 'integer' || type === 'number',
    // A limit of 0 is ours: it asks for the profile alone.
    ...(isBound(minimum) && { minimum: name === 'limit' ? Math.max(1, minimum) : minimum }),
    ...(isBound(maximum) && { maximum }),
    ...(standard !== undefined && { standard }),
  };
}

/** zod bounds whole numbers by what a double can hold, which is no bound of the platform. */
function isBound(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER;
}
