/** The unit in a figure's own words, whatever sign it was asked for with; any other as it was given. */
export function unitOf(given: string | undefined): string | undefined {
  const unit = given?.trim();
  return unit ? (known.get(unit.toLowerCase()) ?? unit) : undefined;
}

const known: ReadonlyMap<string, string> = new Map([
  ['euro', 'euro'],
  ['euros', 'euro'],
  ['eur', 'euro'],
  ['€', 'euro'],
  ['percent', 'percent'],
  ['percentage', 'percent'],
  ['%', 'percent'],
  ['count', 'count'],
  ['aantal', 'count'],
]);
