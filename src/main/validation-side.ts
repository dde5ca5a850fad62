import type { Pool } from 'pg';
import type { Validation } from '../app/ports/validation.ts';
import { createLicenseFiles } from '../auth/license-files.ts';
import type { Sealer } from '../domain/sealing.ts';
import { createLicenseKeys } from '../store/validation/keys.ts';
import { createMachines } from '../store/validation/machines.ts';
import { createValidationReads } from '../store/validation/reads.ts';
import { createSigningKeys } from '../store/validation/signing-keys.ts';

/** Opens the validation of licences with its keys, machines and files. @param pool the caller closes it */
export const openValidation = (pool: Pool, sealer: Sealer): Validation => ({
  reads: createValidationReads(pool),
  keys: createLicenseKeys(pool),
  machines: createMachines(pool),
  files: createLicenseFiles(createSigningKeys(pool, sealer)),
});
