import type { Address } from '../../world/business/places.ts';

/** An address as it is shown everywhere. */
export function addressFields({ street, houseNumber, zipcode, city, countryCode }: Address) {
  return { street, house_number: houseNumber, zipcode, city, country_code: countryCode };
}
