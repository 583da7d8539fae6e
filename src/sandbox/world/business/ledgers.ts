/** The registries that reports refer to by id: tax rates, turnover groups, payment methods. */

/** A VAT rate of one country; `percentage` such as 21 or 5.5. */
export interface TaxRate {
  id: number;
  countryCode: string;
  percentage: number;
  name: string;
}

/** The Dutch rates that orders are booked at. */
export const VAT = { high: 1, low: 2, zero: 3 } as const;

/** The registry spans countries: 21 and 9 per cent occur more than once in it. */
export const TAX_RATES: readonly TaxRate[] = [
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

/** The turnover groups by what they hold. */
export const GROUP = {
  books: 11,
  home: 12,
  toys: 13,
  deli: 14,
  kitchen: 15,
  softDrinks: 16,
  alcohol: 17,
  workshops: 18,
  handling: 19,
  corrections: 20,
} as const;

/** A group doubles as a revenue-ledger key. Products live in the first eight. */
export const TURNOVER_GROUPS: readonly { id: number; name: string; ledgerCode: string }[] = [
  { id: GROUP.books, name: 'Boeken', ledgerCode: '8010' },
  { id: GROUP.home, name: 'Wonen en cadeau', ledgerCode: '8020' },
  { id: GROUP.toys, name: 'Speelgoed', ledgerCode: '8030' },
  { id: GROUP.deli, name: 'Delicatessen', ledgerCode: '8040' },
  { id: GROUP.kitchen, name: 'Keuken', ledgerCode: '8110' },
  { id: GROUP.softDrinks, name: 'Dranken alcoholvrij', ledgerCode: '8120' },
  { id: GROUP.alcohol, name: 'Dranken alcoholisch', ledgerCode: '8130' },
  { id: GROUP.workshops, name: 'Workshops', ledgerCode: '8200' },
  { id: GROUP.handling, name: 'Verzending en betaalkosten', ledgerCode: '8300' },
  { id: GROUP.corrections, name: 'Kortingen en afronding', ledgerCode: '8900' },
];

/** The payment methods by alias, the stable key; the ids belong to this account only. */
export const METHOD = {
  Cash: 501,
  TerminalDevice: 504,
  Ideal: 507,
  CreditCard: 511,
  PayPal: 512,
  GiftCard: 515,
  OnInvoice: 520,
  BankTransfer: 523,
} as const;

/** What the account accepts; OnInvoice marks orders that are paid later and never holds money. */
export const PAYMENT_METHODS: readonly { id: number; alias: string; name: string }[] = [
  { id: METHOD.Cash, alias: 'Cash', name: 'Contant' },
  { id: METHOD.TerminalDevice, alias: 'TerminalDevice', name: 'Pinapparaat' },
  { id: METHOD.Ideal, alias: 'Ideal', name: 'iDEAL' },
  { id: METHOD.CreditCard, alias: 'CreditCard', name: 'Creditcard' },
  { id: METHOD.PayPal, alias: 'PayPal', name: 'PayPal' },
  { id: METHOD.GiftCard, alias: 'GiftCard', name: 'Cadeaubon' },
  { id: METHOD.OnInvoice, alias: 'OnInvoice', name: 'Op rekening' },
  { id: METHOD.BankTransfer, alias: 'BankTransfer', name: 'Overboeking' },
];

const PERCENTAGES = new Map(TAX_RATES.map((each) => [each.id, each.percentage]));

/** The amount without its VAT, rounded once, the same way for a sale and its return. */
export function excludeVat(wtCents: number, taxRateId: number): number {
  const percentage = PERCENTAGES.get(taxRateId) ?? 0;
  return Math.sign(wtCents) * Math.round((Math.abs(wtCents) * 100) / (100 + percentage));
}

function rate(id: number, countryCode: string, percentage: number, name: string): TaxRate {
  return { id, countryCode, percentage, name: `${name} ${percentage}%` };
}
