import guide from './guide.txt';

/** The guide, with sentences on how this account behaves and the days whose order lines are kept. */
export function guideWith(behaviour: readonly string[], keptDays: string | undefined): string {
  const seen = behaviour.map((it) => `- ${it}\n`).join('');
  const places: Readonly<Record<string, string>> = {
    kept: keptDays === undefined ? '' : keptLines(keptDays),
    seen: seen && `## What was seen of this account\n${seen}\n`,
  };
  return guide.replace(/\{\{(\w+)\}\}/g, (_, name: string) => places[name] ?? '');
}

function keptLines(days: string): string {
  return `- list_order_items: kept for ${days}. There \`query\` reads the lines of all orders at next to no cost:
  \`FROM list_order_items(order_id := (SELECT id FROM list_orders(period := 'last_30_days')))\`
`;
}
