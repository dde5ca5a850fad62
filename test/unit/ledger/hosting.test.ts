import { describe, expect, test } from 'vitest';
import type { Io } from '../../../src/app/ports/io.ts';
import type { ParticipantName, Party } from '../../../src/domain/ids.ts';
import { parseParty, trusted } from '../../../src/domain/ids.ts';
import { createHosting } from '../../../src/ledger/hosting.ts';
import type { LedgerRights, ParticipantRights } from '../../../src/ledger/rights.ts';

const PROVIDER = parseParty('provider::12');
const USER = parseParty('user::12');
const LATER = parseParty('later::12');
const FIRST = trusted<ParticipantName>('app-provider');
const SECOND = trusted<ParticipantName>('app-user');
const IO: Io = { signal: new AbortController().signal, deadlineMs: 1_000 };

/**
 * Rights on two participants, which the test can change. A change of `grants` takes effect when the rights are read
 * again.
 */
class KnownRights implements LedgerRights {
  readonly grants = new Map<ParticipantName, Party[]>([
    [FIRST, [PROVIDER]],
    [SECOND, [USER]],
  ]);
  readonly unreachable = new Set<ParticipantName>();
  readonly #read = new Map(this.grants);
  asked = 0;

  of(name: ParticipantName): ParticipantRights {
    const actAs = this.#read.get(name) ?? [];
    return { ledgerUser: `user-of-${name}`, actAs, readAs: actAs };
  }

  refresh(name: ParticipantName): Promise<ParticipantRights> {
    this.asked += 1;
    if (this.unreachable.has(name)) return Promise.reject(new Error(`${name} is down`));
    this.#read.set(name, this.grants.get(name) ?? []);
    return Promise.resolve(this.of(name));
  }
}

function hosted() {
  const rights = new KnownRights();
  return {
    rights,
    hosting: createHosting({
      provider: PROVIDER,
      projected: FIRST,
      participants: [FIRST, SECOND],
      rights,
    }),
  };
}

describe('the submitter for a party', () => {
  test('is the ledger user of the participant that may act as it, without asking', async () => {
    const { rights, hosting } = hosted();
    expect(await hosting.submitterFor(USER, IO)).toEqual({
      participant: SECOND,
      ledgerUser: 'user-of-app-user',
      actAs: USER,
    });
    expect((await hosting.submitterFor(PROVIDER, IO))?.participant).toBe(FIRST);
    expect(rights.asked).toBe(0);
  });

  test('is through the first of several participants', async () => {
    const { rights, hosting } = hosted();
    rights.grants.set(FIRST, [PROVIDER, LATER]);
    rights.grants.set(SECOND, [USER, LATER]);
    expect((await hosting.submitterFor(LATER, IO))?.participant).toBe(FIRST);
  });

  test('is found without a restart once the right is granted', async () => {
    const { rights, hosting } = hosted();
    expect(await hosting.submitterFor(LATER, IO)).toBeNull();
    rights.grants.set(SECOND, [USER, LATER]);
    expect((await hosting.submitterFor(LATER, IO))?.participant).toBe(SECOND);
  });

  test('is not denied while a participant that may host the party cannot be asked', async () => {
    const { rights, hosting } = hosted();
    rights.unreachable.add(SECOND);
    await expect(hosting.submitterFor(LATER, IO)).rejects.toThrow('app-user is down');
    rights.grants.set(FIRST, [PROVIDER, LATER]);
    expect((await hosting.submitterFor(LATER, IO))?.participant).toBe(FIRST);
  });

  test('is not denied while the ledger user of a participant has no right at all', async () => {
    const { rights, hosting } = hosted();
    rights.grants.set(SECOND, []);
    await expect(hosting.submitterFor(LATER, IO)).rejects.toMatchObject({
      details: { code: 'LEDGER_UNAVAILABLE' },
    });
    rights.grants.set(SECOND, [USER]);
    expect(await hosting.submitterFor(LATER, IO)).toBeNull();
  });
});
