/** Other accounts name inner fields differently: whoever reads payloads must not guess names. */

/** A payload with its fields renamed at every depth. */
export function renameFields(value: unknown, names: Readonly<Record<string, string>>): unknown {
  if (Array.isArray(value)) return value.map((each) => renameFields(each, names));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(
    entries.map(([name, inner]) => [names[name] ?? name, renameFields(inner, names)]),
  );
}
