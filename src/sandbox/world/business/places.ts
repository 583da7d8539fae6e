/** Locations (physical sites) and shops (sales channels): two id spaces that overlap on purpose. */
import type { Choices } from './chance.ts';

/** A physical site as it is answered; `id` is what every `location_id` means. */
export interface Location {
  id: number;
  name: string;
  phone: string;
  address: Address;
}

/** A postal address as it is answered, the only place that names a country. */
export interface Address {
  street: string;
  house_number: string;
  zipcode: string;
  city: string;
  country_code: string;
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
  week: readonly number[];
  /** Opening and closing hour on the wall clock. */
  hours: readonly [open: number, close: number];
}

/** Location 2 is not shop 2, location 5 is no shop at all and has a restaurant alone. */
export const LOCATIONS: Choices<Location> = [
  location(2, 'Utrecht Centraal', '+31 30 555 0102', ['Stationsplein', '14', '3511 ED', 'Utrecht']),
  location(3, 'Utrecht Oost', '+31 30 555 0103', ['Biltstraat', '201', '3572 AV', 'Utrecht']),
  location(5, 'Amsterdam Noord', '+31 20 555 0105', ['Buiksloterweg', '7', '1031 CC', 'Amsterdam']),
];

/** "Utrecht" begins the name of two shops; the webshop ships from Utrecht Oost. */
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
