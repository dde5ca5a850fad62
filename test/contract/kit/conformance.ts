import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { forFile } from '../../kit/for-file.ts';
import { actingAs } from './commands.ts';
import { USER_ADMIN } from './identities.ts';
import { openNetwork } from './network.ts';
import type { LedgerRefusal } from './refusal.ts';
import { refusalOf } from './refusal.ts';

/*
 * Helpers for cases that transcribe those of the participant's own conformance suites. A title begins with
 * the suite's class and the case's ID; the suite's models are replaced by packages that LocalNet has.
 */

/**
 * A network for one suite, seen by an administrator of the participant that hosts the parties; it may read as any
 * party.
 */
export async function openSuite(options: Parameters<typeof openNetwork>[0] = {}) {
  const network = await forFile(openNetwork(options));
  const ledger = network.as(USER_ADMIN);
  await ledger.userAdmin.grantUserRights({
    userId: USER_ADMIN.userId,
    rights: [{ kind: { $case: 'canReadAsAnyParty', value: {} } }],
  });
  /** A new party for one case, for which the administrator may act. */
  const party = () => network.party('case', USER_ADMIN);
  return { network, ledger, party, actingAs };
}

/** A name that no other case has. */
export const unique = (what: string): string => `${what}-${randomUUID().slice(0, 8)}`;

/** Fails unless the participant refuses with this code and, if given, with a text that contains `text`. */
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
