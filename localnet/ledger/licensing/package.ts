import { amuletPackage } from '../amulet/package.ts';
import { WALLET_PACKAGES } from '../amulet/wallet-package.ts';
import { definePackage } from '../package-definition.ts';
import type { PackageDefinition } from '../package-definition.ts';
import { STANDARD_LIBRARY_PACKAGES } from '../standard-library.ts';
import { TOKEN_PACKAGES } from '../tokens/packages.ts';
import { AppInstall, AppInstallRequest } from './app-install.ts';
import { LicenseComment } from './license-comment.ts';
import { License, LicenseRenewalRequest } from './license.ts';
import { AppPaymentRequest } from './payment-request.ts';

/** LocalNet's own version of the licensing package. An uploaded build may replace it. */
export const licensingPackage = definePackage({
  name: 'quickstart-licensing',
  version: '0.0.1',
  templates: [
    AppInstallRequest,
    AppInstall,
    License,
    LicenseRenewalRequest,
    AppPaymentRequest,
    LicenseComment,
  ],
  dependencies: [...STANDARD_LIBRARY_PACKAGES, ...TOKEN_PACKAGES],
});

/** The packages that every network knows from the start, dependencies first. */
export const BUILT_IN_PACKAGES: readonly PackageDefinition[] = [
  ...STANDARD_LIBRARY_PACKAGES,
  ...TOKEN_PACKAGES,
  amuletPackage,
  ...WALLET_PACKAGES,
  licensingPackage,
];
