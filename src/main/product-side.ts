import type { Pool } from 'pg';
import type { ProductDeps } from '../http/kit/deps.ts';
import { createCustomers } from '../store/product/customers.ts';
import { createLicenseRecords } from '../store/product/license-records.ts';
import { createPlans } from '../store/product/plans.ts';

/** What is kept beside the ledger for those who sell licences. */
export const openProduct = (pool: Pool): ProductDeps => ({
  customers: createCustomers(pool),
  plans: createPlans(pool),
  licenseRecords: createLicenseRecords(pool),
});
