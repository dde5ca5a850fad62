import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { forFile } from '../../kit/for-file.ts';
import { actingAs } from './commands.ts';
import { USER_ADMIN } from './identities.ts';
import { openNetwork } from './network.ts';
import type { LedgerRefusal } from './refusal.ts';
import { refusalOf } from './refusal.ts';

/*
 * Helpers for tests that repeat cases of the participant's own conformance suites. The title of a test begins with the
 * suite's class and the case's ID. Packages that LocalNet has take the place of the suite's models.
 */

/**
 * Opens a network for one suite, with the clients of an administrator of the participant that hosts the parties. The
 * administrator may read as any party.
 */
export async function openSuite(options: Parameters<typeof openNetwork>[0] = {}) {
  const network = await forFile(openNetwork(options));
  const ledger = network.as(USER_ADMIN);
  await ledger.userAdmin.grantUserRights({
    userId: USER_ADMIN.userId,
    rights: [{ kind: { $case: 'canReadAsAnyParty', value: {} } }],
  });
  /** Allocates a party for one case. The administrator may act as this party. */
  const party = () => network.party('case', USER_ADMIN);
  return { network, ledger, party, actingAs };
}

/** Returns a name that no other case uses. */
export const unique = (what: string): string => `${what}-${randomUUID().slice(0, 8)}`;

/**
 * Fails unless the participant refuses the call with this code and, if `text` is given, with a message that contains
 * it.
 */
export async function expectRefused(
  call: Promise<unknown>,
  reason: string,
  text = '',
): Promise<LedgerRefusal> {
  const refusal = await refusalOf(call);
  const found = [refusal.reason, refusal.message];
  expect(found).toEqual([reason, expect.stringContaining(text)]);
  return refusal;
}
