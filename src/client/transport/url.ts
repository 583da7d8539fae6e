/** Query parameters of a GET; undefined ones are left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/**
 * The full address of a path below the base address, which may have a path of its own. Parameters
 * are sorted, so that equal questions have equal addresses.
 */
export function addressOf(baseUrl: string, path: string, query: Query = {}): URL {
  const url = new URL(`${baseUrl.replace(/\/+$/, '')}/${path.replace(/^\/+/, '')}`);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.append(name, String(value));
  }
  url.searchParams.sort();
  return url;
}

/** A path as the template of its endpoint, such as `GET /api/order/{id}/item`: ids stay private. */
export function endpointOf(path: string): string {
  return `GET ${path.replace(/\/\d+(?=\/|$)/g, '/{id}')}`;
}
