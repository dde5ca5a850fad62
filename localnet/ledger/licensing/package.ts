import { definePackage } from '../package-definition.ts';
import type { PackageDefinition } from '../package-definition.ts';
import { AppInstall, AppInstallRequest } from './app-install.ts';
import { License } from './license.ts';
import { tokenMetadataPackage } from './metadata.ts';

const licensingPackage = definePackage({
  name: 'quickstart-licensing',
  version: '0.0.1',
  templates: [AppInstallRequest, AppInstall, License],
});

/** What every network knows from the start, dependencies first. */
export const BUILT_IN_PACKAGES: readonly PackageDefinition[] = [
  tokenMetadataPackage,
  licensingPackage,
];
