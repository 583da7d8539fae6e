/**
 * The JSON texts of `rows`, `size` rows each: made one at a time, as they are asked for, so that
 * neither the whole text nor a long pause of the process comes of it.
 */
export function* jsonChunks(rows: Iterable<object>, size = 500): Generator<string> {
  let chunk: object[] = [];
  for (const row of rows) {
    chunk.push(row);
    if (chunk.length < size) continue;
    yield JSON.stringify(chunk);
    chunk = [];
  }
  if (chunk.length > 0) yield JSON.stringify(chunk);
}
