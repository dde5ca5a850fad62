import type { Operation } from './operation.ts';
import { commandOperations } from './operations/commands.ts';
import { identityProviderOperations } from './operations/identity-providers.ts';
import { interactiveOperations } from './operations/interactive.ts';
import { packageOperations } from './operations/packages.ts';
import { partyOperations } from './operations/parties.ts';
import { readOperations } from './operations/reads.ts';
import { updateOperations } from './operations/updates.ts';
import { userOperations } from './operations/users.ts';

/** All operations of the JSON API, except probes. */
export const OPERATIONS: readonly Operation[] = [
  ...commandOperations,
  ...identityProviderOperations,
  ...interactiveOperations,
  ...packageOperations,
  ...partyOperations,
  ...readOperations,
  ...updateOperations,
  ...userOperations,
];
