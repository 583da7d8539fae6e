/** Customers (relations) and their segments. */
import { z } from 'zod';
import type { Customer, Segment } from '../../world/business/customers.ts';
import { endpoint } from '../endpoint.ts';
import { freeText, id, paging } from '../parameters.ts';
import { integer, list, page, pageOf, part, record, text } from '../payload.ts';
import { notFound } from '../problem.ts';
import { address } from './reference.ts';

const row = {
  id: integer('Relation id: `relation_data_id` of orders.', ({ id }: Customer) => id),
  name: text('Company, or first and last name.', ({ name }: Customer) => name),
  first_name: text('First name.', ({ firstName }: Customer) => firstName),
  last_name: text('Last name.', ({ lastName }: Customer) => lastName),
  company: text.orNull('Company.', ({ company }: Customer) => company),
  email: text('E-mail address.', ({ email }: Customer) => email),
  segment_id: integer.orNull('Customer segment.', ({ segmentId }: Customer) => segmentId),
};

const searchCustomers = endpoint({
  path: '/api/customer',
  summary: 'Customers by free text or segment',
  query: z.object({
    q: freeText('Free text over name, e-mail and other contact fields.'),
    segment_id: id('Members of one customer segment.'),
    ...paging(50, 500),
  }),
  payload: page(record(row)),
  answer({ q, segment_id, ...window }, { world }) {
    const found = world
      .customers()
      .filter(({ segmentId }) => segmentId === (segment_id ?? segmentId))
      .filter((each) => !q || searchText(each).includes(q.toLowerCase()));
    return pageOf(found, window);
  },
});

const getCustomer = endpoint({
  path: '/api/customer/{id}',
  summary: 'One customer with contact details and address',
  payload: record<Customer>({
    ...row,
    phone: text('Telephone.', ({ phone }) => phone),
    address: part(address, ({ address }) => address),
  }),
  answer({ id }, { world }) {
    const found = world.customer(id);
    if (found === undefined) throw notFound('customer');
    return found;
  },
});

const listCustomerSegments = endpoint({
  path: '/api/customer-segment',
  summary: 'Customer segments, alphabetical by name',
  payload: list(
    record<Segment>({
      id: integer('What `segment_id` means.', ({ id }) => id),
      name: text('Name.', ({ name }) => name),
      customer_count: integer('Members.', ({ id }, { world }) => world.memberCounts().get(id) ?? 0),
      product_prices_count: integer(
        'Custom prices it carries.',
        ({ customPrices }) => customPrices,
      ),
    }),
  ),
  answer: (_values, { world }) =>
    world.segments.toSorted((a, b) => a.name.localeCompare(b.name, 'nl')),
});

/** The endpoints of customers. */
export const customers = [searchCustomers, getCustomer, listCustomerSegments];

function searchText({ name, firstName, lastName, email, phone, address }: Customer): string {
  return `${name} ${firstName} ${lastName} ${email} ${phone} ${address.city}`.toLowerCase();
}
