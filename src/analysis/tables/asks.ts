import { z } from 'zod';
import type { JsonObject } from '../../core/json.ts';
import type { Argument, Scalar } from '../../query/provider.ts';
import type { ToolDefinition } from '../define-tool.ts';

/** One call of a tool that a table needs. */
export interface Ask {
  /** Arguments as a caller would give them. */
  input: JsonObject;
  /** Columns that its rows carry beside their own: which value of an argument they belong to. */
  carried: Readonly<Record<string, Scalar>>;
}

/** A table that a statement needs, and the calls that answer it; their arguments are accepted. */
export interface TablePlan {
  tool: ToolDefinition;
  asks: readonly Ask[];
  /** So many rows are enough. */
  atMost?: number;
}

/** Arguments about the form of an answer: a table is always whole, and SQL does the rest. */
const formArguments: ReadonlySet<string> = new Set([
  'all',
  'start',
  'limit',
  'fields',
  'sort',
  'top',
]);

/** Most ids that one request of a batched argument takes. */
const batchSize = 100;

/** The arguments that a tool takes as a table. */
export function tableArguments({ input }: Pick<ToolDefinition, 'input'>): string[] {
  return Object.keys(input.shape).filter((name) => !formArguments.has(name));
}

/** Whether a table is nothing without an argument; an order's number may stand for its id. */
export function isNeeded(
  { input: { shape } }: Pick<ToolDefinition, 'input'>,
  name: string,
): boolean {
  if (name === 'order_id' && 'order_number' in shape) return true;
  const schema = shape[name];
  return schema instanceof z.ZodType && !schema.safeParse(undefined).success;
}

/** Whether days have to be given. */
export function needsDays({
  input: { shape },
  daysAreOptional,
}: Pick<ToolDefinition, 'input' | 'daysAreOptional'>): boolean {
  return 'period' in shape && daysAreOptional !== true && !('order_number' in shape);
}

/**
 * The calls that answer a table's request: one, or one for each distinct value of an argument that
 * was given as a list or a subquery. Ids of a batched argument share a call.
 */
export function asksOf(
  tool: Pick<ToolDefinition, 'input' | 'batchArgument'>,
  args: Readonly<Record<string, Argument>>,
): Ask[] {
  let asks: Ask[] = [{ input: {}, carried: {} }];
  for (const [name, argument] of Object.entries(args)) {
    const given = 'value' in argument ? argument.value : argument.values;
    if (given === null) continue;
    const choices = !Array.isArray(given)
      ? [{ value: given, isCarried: false }]
      : isList(tool.input.shape[name])
        ? [{ value: given, isCarried: false }]
        : name === tool.batchArgument
          ? batches(given).map((value) => ({ value, isCarried: false }))
          : distinct(given).map((value) => ({ value, isCarried: true }));
    asks = asks.flatMap(({ input, carried }) =>
      choices.map(({ value, isCarried }) => ({
        input: { ...input, [name]: value },
        carried: isCarried ? { ...carried, [name]: asScalar(value) } : carried,
      })),
    );
  }
  return asks;
}

/** Whether an argument takes a list by nature, such as the kinds of `find_reference`. */
function isList(schema: unknown): boolean {
  if (schema instanceof z.ZodOptional) return isList(schema.unwrap());
  return schema instanceof z.ZodArray;
}

function distinct(values: readonly Scalar[]): Scalar[] {
  return [...new Set(values.filter((value) => value !== null))];
}

function batches(values: readonly Scalar[]): string[] {
  const ids = distinct(values);
  return Array.from({ length: Math.ceil(ids.length / batchSize) }, (_, index) =>
    ids.slice(index * batchSize, (index + 1) * batchSize).join(','),
  );
}

function asScalar(value: unknown): Scalar {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? value
    : null;
}
