/** Locations (physical sites) and shops (sales channels): two id spaces that overlap on purpose. */
import type { Choices } from './chance.ts';

/** A physical site; `id` is what every `location_id` means. */
export interface Location {
  id: number;
  name: string;
  phone: string;
  address: Address;
}

/** A postal address, the only place that names a country. */
export interface Address {
  street: string;
  houseNumber: string;
  zipcode: string;
  city: string;
  countryCode: string;
}

/** How a shop trades: what it sells, how people pay, which lines its orders have. */
export type Trade = 'web' | 'till' | 'cafe' | 'restaurant' | 'wholesale';

/** A sales channel; `id` is what every `shop_id` means. */
export interface Shop {
  id: number;
  name: string;
  locationId: number;
  trade: Trade;
  /** Its share of the orders of an average day. */
  share: number;
  /** Relative business from Monday to Sunday; 0 is closed. */
  week: readonly [number, number, number, number, number, number, number];
  /** Opening and closing hour on the wall clock. */
  hours: readonly [open: number, close: number];
}

/** Location 2 is not shop 2, location 5 is no shop at all; location 5 has a restaurant alone. */
export const LOCATIONS: Choices<Location> = [
  {
    id: 2,
    name: 'Utrecht Centraal',
    phone: '+31 30 555 0102',
    address: address('Stationsplein', '14', '3511 ED', 'Utrecht'),
  },
  {
    id: 3,
    name: 'Utrecht Oost',
    phone: '+31 30 555 0103',
    address: address('Biltstraat', '201', '3572 AV', 'Utrecht'),
  },
  {
    id: 5,
    name: 'Amsterdam Noord',
    phone: '+31 20 555 0105',
    address: address('Buiksloterweg', '7', '1031 CC', 'Amsterdam'),
  },
];

/** "Utrecht" begins the name of two shops; the webshop ships from Utrecht Oost. */
export const SHOPS: Choices<Shop> = [
  {
    id: 1,
    name: 'Webshop',
    locationId: 3,
    trade: 'web',
    share: 0.3,
    week: [1.15, 1, 0.95, 1, 0.85, 0.9, 1.25],
    hours: [0, 24],
  },
  {
    id: 2,
    name: 'Restaurant IJzicht',
    locationId: 5,
    trade: 'restaurant',
    share: 0.13,
    week: [0, 0.7, 0.8, 0.95, 1.4, 1.6, 1.1],
    hours: [12, 23],
  },
  {
    id: 3,
    name: 'Utrecht Centraal',
    locationId: 2,
    trade: 'till',
    share: 0.25,
    week: [0.85, 0.85, 0.9, 1.1, 1.15, 1.5, 0.8],
    hours: [9, 20],
  },
  {
    id: 4,
    name: 'Café Perron',
    locationId: 2,
    trade: 'cafe',
    share: 0.15,
    week: [1, 1, 1, 1.05, 1.15, 1.1, 0.7],
    hours: [7, 19],
  },
  {
    id: 7,
    name: 'Utrecht Oost',
    locationId: 3,
    trade: 'till',
    share: 0.12,
    week: [0.6, 0.9, 0.9, 1, 1.2, 1.7, 0],
    hours: [10, 18],
  },
  {
    id: 8,
    name: 'Groothandel',
    locationId: 3,
    trade: 'wholesale',
    share: 0.05,
    week: [1.2, 1, 1, 1, 0.8, 0, 0],
    hours: [8, 17],
  },
];

function address(street: string, houseNumber: string, zipcode: string, city: string): Address {
  return { street, houseNumber, zipcode, city, countryCode: 'NL' };
}
