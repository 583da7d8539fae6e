/** Customers (relations) and their segments. */
import { z } from 'zod';
import type { Customer } from '../../world/business/customers.ts';
import { endpoint, list, page, pageOf, wholeList } from '../endpoint.ts';
import { id, paging, text } from '../parameters.ts';
import { notFound } from '../problem.ts';
import { address, showAddress } from './reference.ts';

const customerRow = z.object({
  id: z.int().describe('Relation id: `relation_data_id` of orders.'),
  name: z.string().describe('Company, or first and last name.'),
  first_name: z.string().describe('First name.'),
  last_name: z.string().describe('Last name.'),
  company: z.string().describe('Company.').nullable(),
  email: z.string().describe('E-mail address.'),
  segment_id: z.int().describe('Customer segment.').nullable(),
});

const customer = customerRow.extend({
  phone: z.string().describe('Telephone.'),
  address: address,
});

const segment = z.object({
  id: z.int().describe('What `segment_id` means.'),
  name: z.string().describe('Name.'),
  customer_count: z.int().describe('Members.'),
  product_prices_count: z.int().describe('Custom prices the segment carries.'),
});

const searchCustomers = endpoint({
  path: '/api/customer',
  summary: 'Customers by free text or segment',
  query: z.object({
    q: text('Free text over name, e-mail and other contact fields.'),
    segment_id: id('Members of one customer segment.'),
    ...paging(50, 500),
  }),
  payload: page(customerRow),
  answer({ q, segment_id, ...window }, { world }) {
    const found = world
      .customers()
      .filter(({ segmentId }) => segmentId === (segment_id ?? segmentId))
      .filter((each) => q === undefined || searchText(each).includes(q.toLowerCase()));
    return pageOf(found, window, showRow);
  },
});

const getCustomer = endpoint({
  path: '/api/customer/{id}',
  summary: 'One customer with contact details and address',
  payload: customer,
  answer({ id }, { world }) {
    const found = world.customer(id);
    if (found === undefined) throw notFound('customer');
    return { ...showRow(found), phone: found.phone, address: showAddress(found.address) };
  },
});

const listCustomerSegments = endpoint({
  path: '/api/customer-segment',
  summary: 'Customer segments, alphabetical by name',
  payload: list(segment),
  answer(_values, { world }) {
    const members = world.memberCounts();
    return wholeList(
      world.segments
        .map(({ id, name, customPrices }) => ({
          id,
          name,
          customer_count: members.get(id) ?? 0,
          product_prices_count: customPrices,
        }))
        .sort((a, b) => a.name.localeCompare(b.name, 'nl')),
    );
  },
});

/** The endpoints of customers. */
export const customers = [searchCustomers, getCustomer, listCustomerSegments];

function showRow({ id, name, firstName, lastName, company, email, segmentId }: Customer) {
  return {
    id,
    name,
    first_name: firstName,
    last_name: lastName,
    company,
    email,
    segment_id: segmentId,
  };
}

function searchText({ name, firstName, lastName, email, phone, address }: Customer): string {
  return `${name} ${firstName} ${lastName} ${email} ${phone} ${address.city}`.toLowerCase();
}
