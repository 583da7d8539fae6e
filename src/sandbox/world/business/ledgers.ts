/** The registries that reports refer to by id, as they are answered: tax rates, turnover groups; payment methods. */

/** The Dutch rates that orders are booked at. */
export const VAT = { high: 1, low: 2, zero: 3 } as const;

/** The registry spans countries: 21 and 9 per cent occur more than once in it. */
export const TAX_RATES = [
  rate(VAT.high, 'NL', 21, 'Hoog tarief'),
  rate(VAT.low, 'NL', 9, 'Laag tarief'),
  rate(VAT.zero, 'NL', 0, 'Vrijgesteld'),
  rate(11, 'BE', 21, 'Taux normal'),
  rate(12, 'BE', 12, 'Taux intermédiaire'),
  rate(13, 'BE', 6, 'Taux réduit'),
  rate(21, 'DE', 19, 'Regelsteuersatz'),
  rate(22, 'DE', 7, 'Ermäßigter Steuersatz'),
  rate(31, 'FR', 20, 'Taux normal'),
  rate(32, 'FR', 10, 'Taux intermédiaire'),
  rate(33, 'FR', 5.5, 'Taux réduit'),
  rate(41, 'LU', 17, 'Taux normal'),
  rate(51, 'ES', 21, 'Tipo general'),
  rate(52, 'ES', 10, 'Tipo reducido'),
];

/** The turnover groups, which double as revenue-ledger keys; products are in the first eight. */
export const GROUP = {
  books: { id: 11, name: 'Boeken', ledger_code: '8010' },
  home: { id: 12, name: 'Wonen en cadeau', ledger_code: '8020' },
  toys: { id: 13, name: 'Speelgoed', ledger_code: '8030' },
  deli: { id: 14, name: 'Delicatessen', ledger_code: '8040' },
  kitchen: { id: 15, name: 'Keuken', ledger_code: '8110' },
  softDrinks: { id: 16, name: 'Dranken alcoholvrij', ledger_code: '8120' },
  alcohol: { id: 17, name: 'Dranken alcoholisch', ledger_code: '8130' },
  workshops: { id: 18, name: 'Workshops', ledger_code: '8200' },
  handling: { id: 19, name: 'Verzending en betaalkosten', ledger_code: '8300' },
  corrections: { id: 20, name: 'Kortingen en afronding', ledger_code: '8900' },
} as const;

/**
 * What the account accepts, by alias, the stable key; the ids belong to this account only. OnInvoice marks
 * orders that are paid later and never holds money.
 */
export const METHOD = {
  Cash: { id: 501, alias: 'Cash', name: 'Contant' },
  TerminalDevice: { id: 504, alias: 'TerminalDevice', name: 'Pinapparaat' },
  Ideal: { id: 507, alias: 'Ideal', name: 'iDEAL' },
  CreditCard: { id: 511, alias: 'CreditCard', name: 'Creditcard' },
  PayPal: { id: 512, alias: 'PayPal', name: 'PayPal' },
  GiftCard: { id: 515, alias: 'GiftCard', name: 'Cadeaubon' },
  OnInvoice: { id: 520, alias: 'OnInvoice', name: 'Op rekening' },
  BankTransfer: { id: 523, alias: 'BankTransfer', name: 'Overboeking' },
} as const;

const PERCENTAGES = new Map(TAX_RATES.map((each) => [each.id, each.percentage]));

/** The amount without its VAT, rounded once, the same way for a sale and its return. */
export function excludeVat(wtCents: number, taxRateId: number): number {
  const percentage = PERCENTAGES.get(taxRateId) ?? 0;
  return Math.sign(wtCents) * Math.round((Math.abs(wtCents) * 100) / (100 + percentage));
}

/** A VAT rate of one country; `percentage` such as 21 or 5.5. */
function rate(id: number, country_code: string, percentage: number, name: string) {
  return { id, name: `${name} ${percentage}%`, country_code, percentage };
}
