/** Query parameters of a GET; undefined ones are left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/**
 * The full address of a path below the base address, which may have a path of its own. Parameters
 * are sorted, so that equal questions have equal addresses.
 */
export function addressOf(baseUrl: string, path: string, query: Query = {}): URL {
  // Written down before it is read: an address that has been read is read anew with each parameter.
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.append(name, String(value));
  }
  parameters.sort();
  const search = parameters.size > 0 ? `?${parameters}` : '';
  return new URL(`${baseUrl.replace(/\/+$/, '')}/${path.replace(/^\/+/, '')}${search}`);
}

/** A path as the template of its endpoint, such as `GET /api/order/{id}/item`: ids stay private. */
export function endpointOf(path: string): string {
  return `GET ${path.replace(/\/\d+(?=\/|$)/g, '/{id}')}`;
}
