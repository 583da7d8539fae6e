import guide from './guide.txt';

/** The guide, with sentences on how this account behaves and the days whose order lines are kept. */
export function guideWith(behaviour: readonly string[], keptDays: string | undefined): string {
  const heading = '## What is not here';
  const section = ['## What was seen of this account', ...behaviour.map((it) => `- ${it}`)].join(
    '\n',
  );
  const whole =
    behaviour.length === 0 ? guide : guide.replace(heading, () => `${section}\n\n${heading}`);
  if (keptDays === undefined) return whole;
  const kept = `- list_order_items: kept for ${keptDays}. There \`query\` reads the lines of all orders at next to no cost:
  \`FROM list_order_items(order_id := (SELECT id FROM list_orders(period := 'last_30_days')))\``;
  return whole.replace('\n## What', `${kept}\n\n## What`);
}
