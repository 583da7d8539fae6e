/** Items by their keys, in their order; no group is empty. */
export function groupBy<Item>(items: Iterable<Item>, keyOf: (item: Item) => string) {
  const groups = new Map<string, [Item, ...Item[]]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}
