import type { PackageDefinition } from '../package-definition.ts';
import { tokenAllocationInstructionPackage } from './allocation-instruction.ts';
import { tokenAllocationRequestPackage } from './allocation-request.ts';
import { tokenAllocationPackage } from './allocation.ts';
import { featuredAppPackage } from './featured-app.ts';
import { tokenHoldingPackage } from './holding.ts';
import { tokenMetadataPackage } from './metadata.ts';
import { tokenTransferInstructionPackage } from './transfer-instruction.ts';

/** The packages of the token standard's interfaces, each after those on which it depends. */
export const TOKEN_PACKAGES: readonly PackageDefinition[] = [
  tokenMetadataPackage,
  tokenHoldingPackage,
  tokenAllocationPackage,
  tokenAllocationRequestPackage,
  tokenAllocationInstructionPackage,
  tokenTransferInstructionPackage,
  featuredAppPackage,
];
