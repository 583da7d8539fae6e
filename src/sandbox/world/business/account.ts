/**
 * Locations (physical sites) and shops (sales channels), whose ids overlap on purpose, and the tax rates, turnover
 * groups and payment methods of reports.
 */
import type { Choices } from './chance.ts';

/** A physical site; `id` is the meaning of every `location_id`. */
export interface Location {
  id: number;
  name: string;
  phone: string;
  address: Address;
}

/** Only an address names a country. */
export interface Address {
  street: string;
  house_number: string;
  zipcode: string;
  city: string;
  country_code: string;
}

/** Products, payments and lines of a shop follow from its kind. */
export type Trade = 'web' | 'till' | 'cafe' | 'restaurant' | 'wholesale';

/** A sales channel; `id` is the meaning of every `shop_id`. */
export interface Shop {
  id: number;
  name: string;
  locationId: number;
  trade: Trade;
  /** Share of the orders of an average day. */
  share: number;
  /** Relative business from Monday to Sunday; 0 means closed. */
  week: readonly number[];
  /** Opening and closing hour on the wall clock. */
  hours: readonly [open: number, close: number];
}

/** Location 2 is not shop 2; location 5 has no shop 5, but a restaurant. */
export const LOCATIONS: Choices<Location> = [
  location(2, 'Utrecht Centraal', '+31 30 555 0102', ['Stationsplein', '14', '3511 ED', 'Utrecht']),
  location(3, 'Utrecht Oost', '+31 30 555 0103', ['Biltstraat', '201', '3572 AV', 'Utrecht']),
  location(5, 'Amsterdam Noord', '+31 20 555 0105', ['Buiksloterweg', '7', '1031 CC', 'Amsterdam']),
];

/** Two names begin with "Utrecht"; the webshop ships from Utrecht Oost. */
export const SHOPS: Choices<Shop> = [
  shop(1, 'Webshop', 3, 'web', 0.3, [1.15, 1, 0.95, 1, 0.85, 0.9, 1.25], [0, 24]),
  shop(
    2,
    'Restaurant IJzicht',
    5,
    'restaurant',
    0.13,
    [0, 0.7, 0.8, 0.95, 1.4, 1.6, 1.1],
    [12, 23],
  ),
  shop(3, 'Utrecht Centraal', 2, 'till', 0.25, [0.85, 0.85, 0.9, 1.1, 1.15, 1.5, 0.8], [9, 20]),
  shop(4, 'Café Perron', 2, 'cafe', 0.15, [1, 1, 1, 1.05, 1.15, 1.1, 0.7], [7, 19]),
  shop(7, 'Utrecht Oost', 3, 'till', 0.12, [0.6, 0.9, 0.9, 1, 1.2, 1.7, 0], [10, 18]),
  shop(8, 'Groothandel', 3, 'wholesale', 0.05, [1.2, 1, 1, 1, 0.8, 0, 0], [8, 17]),
];

function shop(
  id: number,
  name: string,
  locationId: number,
  trade: Trade,
  share: number,
  week: readonly number[],
  hours: Shop['hours'],
): Shop {
  return { id, name, locationId, trade, share, week, hours };
}

function location(id: number, name: string, phone: string, address: readonly string[]): Location {
  const [street = '', house_number = '', zipcode = '', city = ''] = address;
  return { id, name, phone, address: { street, house_number, zipcode, city, country_code: 'NL' } };
}

/** The Dutch rates of orders. */
export const VAT = { high: 1, low: 2, zero: 3 } as const;

/** Rates of several countries, some with the same percentage. */
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

/** Turnover groups, which are also revenue-ledger keys; the first eight have products. */
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
 * Payment methods by their stable alias; ids differ by account. OnInvoice marks orders that are paid later and never
 * holds money.
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

const PERCENTAGES = new Map(TAX_RATES.map(({ id, percentage }) => [id, percentage]));

/** Rounds once, the same way for a sale and its return. */
export function excludeVat(wtCents: number, taxRateId: number): number {
  const percentage = PERCENTAGES.get(taxRateId) ?? 0;
  return Math.sign(wtCents) * Math.round((Math.abs(wtCents) * 100) / (100 + percentage));
}

/** `percentage` is a number such as 21 or 5.5. */
function rate(id: number, country_code: string, percentage: number, name: string) {
  return { id, name: `${name} ${percentage}%`, country_code, percentage };
}
