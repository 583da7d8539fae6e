/** A description of the platform with these query parameters at these paths. */
export function openapi(paths: Record<string, readonly unknown[]>): object {
  return {
    openapi: '3.0.3',
    paths: Object.fromEntries(
      Object.entries(paths).map(([path, parameters]) => [path, { get: { parameters } }]),
    ),
  };
}

/** A query parameter as such a description lists it. */
export function query(
  name: string,
  schema: object = { type: 'string' },
  more: object = {},
): object {
  return { name, in: 'query', schema, ...more };
}
