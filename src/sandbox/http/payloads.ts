/**
 * Every payload of the sandbox, field by field: the one place where its own field names are written
 * down.
 */
import { orderPayloads } from './payloads/orders.ts';
import { productPayloads } from './payloads/products.ts';
import { referencePayloads } from './payloads/reference.ts';
import { reportPayloads } from './payloads/reports.ts';

/** By the name that openapi.json gives it. */
export const PAYLOADS = {
  ...referencePayloads,
  ...orderPayloads,
  ...productPayloads,
  ...reportPayloads,
};

export type PayloadName = keyof typeof PAYLOADS;
