/** The catalogue of the sandbox: all 24 endpoints. Fixed paths stand before those with an id. */
import type { Route } from './route.ts';
import { getCustomer, listCustomerSegments, searchCustomers } from './routes/customers.ts';
import { getMe } from './routes/me.ts';
import {
  getOrder,
  listDiscountOrders,
  listOrderChanges,
  listOrderItems,
  listOrders,
} from './routes/orders.ts';
import {
  getProduct,
  listProductChanges,
  listProductPrices,
  listStock,
  searchProducts,
} from './routes/products.ts';
import {
  getLocation,
  listLocations,
  listPaymentMethods,
  listShops,
  listTaxRates,
  listTurnoverGroups,
} from './routes/reference.ts';
import {
  getDailyClose,
  getFinancialReport,
  getPaymentReport,
  getProductSales,
} from './routes/reports.ts';

export const ROUTES: readonly Route[] = [
  getMe,
  listShops,
  listLocations,
  getLocation,
  listTaxRates,
  listTurnoverGroups,
  listPaymentMethods,
  getFinancialReport,
  getPaymentReport,
  getDailyClose,
  getProductSales,
  listDiscountOrders,
  listOrders,
  listOrderChanges,
  getOrder,
  listOrderItems,
  searchProducts,
  listProductChanges,
  getProduct,
  listProductPrices,
  listStock,
  searchCustomers,
  getCustomer,
  listCustomerSegments,
];
