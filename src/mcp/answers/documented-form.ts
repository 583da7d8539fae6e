import { z } from 'zod';
import type { JsonObject } from '../../core/json.ts';

/** What of an answer is not of the documented form, such as `data.0.id: expected number`; undefined as a rule. */
export function oddityIn(answer: JsonObject, form: z.ZodObject): string | undefined {
  const check = knownFields(form).safeParse(answer);
  const [issue] = check.error?.issues ?? [];
  return issue && `${issue.path.join('.')}: ${issue.message}`;
}

/** Unknown fields are let through: where nothing is read but the verdict, they need not be copied. */
const knownFields = remember((schema) => {
  if (schema.def.checks?.length) return schema;
  if (schema instanceof z.ZodArray) return z.array(withoutOthers(schema.element));
  if (!(schema instanceof z.ZodObject)) return schema;
  const fields = Object.entries(schema.shape);
  return z.object(Object.fromEntries(fields.map(([name, field]) => [name, withoutOthers(field)])));
});

function withoutOthers(schema: unknown) {
  return schema instanceof z.ZodType ? knownFields(schema) : z.unknown();
}

function remember(make: (schema: z.ZodType) => z.ZodType): typeof make {
  const made = new WeakMap<z.ZodType, z.ZodType>();
  return (schema) => {
    const known = made.get(schema) ?? make(schema);
    made.set(schema, known);
    return known;
  };
}
