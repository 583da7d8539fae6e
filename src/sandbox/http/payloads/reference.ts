/** Payloads of reference data and of token introspection. */
import { array, boolean, decimal, integer, list, map, nullable, object, string } from './schema.ts';

/** A postal address, wherever one stands. */
export const address = {
  street: string('Street.'),
  house_number: string('House number.'),
  zipcode: string('Postal code.'),
  city: string('Town.'),
  country_code: string('ISO 3166-1 alpha-2.'),
};

const location = object({
  id: integer('Location id, never a shop id.'),
  name: string('Name.'),
  phone: string('Telephone.'),
  address: object(address),
});

const named = object({ id: integer('Id.'), name: string('Name.') });

export const referencePayloads = {
  Me: object(
    {
      account: named,
      subaccount: named,
      token: object({
        client_id: string('The API key behind the token.'),
        expires_in: integer('Remaining lifetime in seconds.'),
      }),
      authorization: object({
        role: string('Name of the role.'),
        title: string('The role in words.'),
        capabilities: map(
          boolean('Held.'),
          'Capabilities held; empty when the role holds nothing.',
        ),
        requires_bindings: array(string('Resource type.'), 'What the capabilities are bound by.'),
        bindings: map(true, 'Per resource type either `ids` or an open `except` set.'),
      }),
      user: nullable(named),
      roles: nullable(array(object({ module: string('Module.'), role: string('Role.') }))),
      locked_location: nullable(named),
      profile_error: string('Why the profile is missing.'),
    },
    ['profile_error'],
  ),
  ShopList: list(
    object({
      id: integer('Shop id, never a location id.'),
      name: string('Name.'),
      location_id: integer('The location it belongs to.'),
      type: string('webshop or pos.'),
    }),
  ),
  LocationList: list(location),
  Location: location,
  TaxRateList: list(
    object({
      id: integer('What `tax_rate_id` means.'),
      name: string('Name.'),
      country_code: string('ISO 3166-1 alpha-2.'),
      percentage: decimal('Such as 21.'),
    }),
  ),
  TurnoverGroupList: list(
    object({
      id: integer('What `product_group_id` means.'),
      name: string('Name.'),
      ledger_code: string('Revenue ledger.'),
    }),
  ),
  PaymentMethodList: list(
    object({
      provider_method_type_id: integer('Valid on this account only.'),
      type_alias: string('Stable key, such as Cash.'),
      name: string('Name.'),
    }),
  ),
};
