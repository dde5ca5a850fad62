import { definePackage } from '../package-definition.ts';
import type { PackageDefinition } from '../package-definition.ts';
import { tokenAllocationInstructionPackage } from './allocation-instruction.ts';
import { tokenAllocationRequestPackage } from './allocation-request.ts';
import { tokenAllocationPackage } from './allocation.ts';
import { tokenHoldingPackage } from './holding.ts';
import { tokenMetadataPackage } from './metadata.ts';

/** Known so that clients find it; nothing here transfers in this way. */
const tokenTransferInstructionPackage = definePackage({
  name: 'splice-api-token-transfer-instruction-v1',
  version: '1.0.0',
  publishedId: '55ba4deb0ad4662c4168b39859738a0e91388d252286480c7331b3f71a517281',
});

/** The token standard's interfaces, dependencies first. */
export const TOKEN_PACKAGES: readonly PackageDefinition[] = [
  tokenMetadataPackage,
  tokenHoldingPackage,
  tokenAllocationPackage,
  tokenAllocationRequestPackage,
  tokenAllocationInstructionPackage,
  tokenTransferInstructionPackage,
];
