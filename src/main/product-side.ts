import type { Pool } from 'pg';
import type { HttpDeps, ProductDeps } from '../http/kit/deps.ts';
import { createSealer } from '../domain/sealing.ts';
import { createCustomers } from '../store/product/customers.ts';
import { createLicenseRecords } from '../store/product/license-records.ts';
import { createMailing } from '../store/product/mailing.ts';
import { createPlans } from '../store/product/plans.ts';
import { createSubscriptions } from '../store/subscriptions/subscriptions.ts';
import type { Config } from './config.ts';
import { openValidation } from './validation-side.ts';

/** Opens the store of product data that is not on the ledger: customers, plans, licence records, and links in mails. */
export const openProduct = (pool: Pool): ProductDeps => ({
  customers: createCustomers(pool),
  plans: createPlans(pool),
  licenseRecords: createLicenseRecords(pool),
  subscriptions: createSubscriptions(pool),
  mailing: createMailing(pool),
});

/** Opens the part of the API about the licence product. */
export const openLicenseProduct = (
  pool: Pool,
  { secretKeys, books }: Pick<Config, 'secretKeys' | 'books'>,
): ProductDeps & Pick<HttpDeps, 'validation' | 'timeZone'> => ({
  ...openProduct(pool),
  validation: openValidation(pool, createSealer(secretKeys)),
  timeZone: books.timeZone,
});
