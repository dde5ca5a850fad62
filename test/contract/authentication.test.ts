import { generateKeyPairSync, randomBytes, webcrypto } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { forFile } from '../kit/for-file.ts';
import type { LedgerClients } from './kit/clients.ts';
import { ADMIN_CALLS, PARTY_CALLS, PUBLIC_CALLS, readAs, requestAs } from './kit/calls.ts';
import { change, ledgerEnd } from './kit/commands.ts';
import { ACS_DELTA, eventsOf, updatesOf } from './kit/formats.ts';
import {
  PROVIDER_BACKEND,
  PROVIDER_READER,
  STRANGER,
  USER_ADMIN,
  USER_PERSON,
  USER_READER,
} from './kit/identities.ts';
import { archive, createRequest, REQUEST } from './kit/licensing.ts';
import { openNetwork } from './kit/network.ts';
import { refusalOf } from './kit/refusal.ts';
import type { LedgerRefusal } from './kit/refusal.ts';
import { activeIds, newRequest, transact } from './kit/steps.ts';
import { checkpointsIn, readAll, Tail } from './kit/streams.ts';
import { forge, selfSignedToken } from './kit/tokens.ts';

/*
 * Which callers may make which calls. A participant reveals neither why it refuses a token nor which right is missing.
 * Its answers are redacted, so all refusals of one kind must be the same.
 */

const network = await forFile(openNetwork());
const ledger = network.as(USER_ADMIN);

/** Returns the text of a redacted refusal without its IDs, which are different each time. */
const withoutIds = ({ message }: LedgerRefusal) =>
  message.replaceAll(/[\da-f-]{8,}/g, '…').replaceAll(/<[^>]*>/g, '…');

function expectRedacted(refusal: LedgerRefusal): void {
  expect(refusal.detailTypes).toEqual(['google.rpc.RequestInfo']);
  expect(refusal.requestId).toBeTruthy();
  expect(refusal.reason).toBeUndefined();
  expect(refusal.message).toMatch(/contact the operator/);
  expect(refusal.message).toContain(refusal.requestId);
  expect(refusal.message).not.toMatch(/expire|audience|signature|token|user|right|party|act_?as/i);
}

describe('without a valid token', () => {
  it.each([...PARTY_CALLS, ...ADMIN_CALLS, ...PUBLIC_CALLS])(
    '%s is UNAUTHENTICATED',
    async (_name, call) => {
      const refusal = await refusalOf(
        call(network.bearing('app-user'), network.localnet.parties.appUser),
      );
      expect(refusal.status).toBe('UNAUTHENTICATED');
      expectRedacted(refusal);
    },
  );

  it('no defect looks different from another', async () => {
    const good = await network.tokens.of(USER_ADMIN);
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const foreignKey = await webcrypto.subtle.importKey(
      'pkcs8',
      privateKey.export({ type: 'pkcs8', format: 'der' }),
      { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
      true,
      ['sign'],
    );
    const [header, payload, signature] = good.split('.') as [string, string, string];
    const unsigned = Buffer.from(JSON.stringify({ alg: 'none' })).toString('base64url');
    const atUser: Record<string, string> = {
      'of another realm': await network.tokens.of(PROVIDER_BACKEND),
      'forged with another key': await forge(good, foreignKey),
      'with another payload': `${header}.${Buffer.from('{"sub":"x"}').toString('base64url')}.${signature}`,
      'without a signature': `${header}.${payload}.`,
      'with algorithm none': `${unsigned}.${payload}.`,
      'signed with a shared secret': await selfSignedToken(),
      'that is no token': 'abc',
      'that is empty': '',
    };
    const atSuperValidator: Record<string, string> = {
      'that has expired': await selfSignedToken({ expiresInS: -10 }),
      'for another audience': await selfSignedToken({ audience: 'https://elsewhere.example' }),
      'signed with another secret': await selfSignedToken({ secret: randomBytes(32) }),
      'of a realm': good,
    };
    const refusals = new Map<string, LedgerRefusal>();
    for (const [participant, tokens] of [
      ['app-user', atUser],
      ['sv', atSuperValidator],
    ] as const) {
      for (const [defect, token] of Object.entries(tokens)) {
        const call = network.bearing(participant, () => token).state.getLedgerEnd({});
        refusals.set(defect, await refusalOf(call));
      }
    }
    const statuses = [...refusals].map(([defect, { status }]) => [defect, status]);
    expect(statuses).toEqual([...refusals.keys()].map((defect) => [defect, 'UNAUTHENTICATED']));
    for (const refusal of refusals.values()) expectRedacted(refusal);
    expect(new Set([...refusals.values()].map(withoutIds)).size).toBe(1);
    // The same calls succeed with valid tokens, so the defects of the tokens were the reason for the refusals.
    expect(await ledgerEnd(network.bearing('app-user', () => good))).toBeGreaterThan(0n);
    const selfSigned = network.bearing('sv', () => selfSignedToken({ expiresInS: 60 }));
    expect(await ledgerEnd(selfSigned)).toBeGreaterThan(0n);
  });

  it('health is answered', async () => {
    const { health } = network.bearing('app-user');
    expect(await health.check({})).toEqual({ status: 1 });
  });
});

describe('a token of a user whom the participant does not know', () => {
  it.each([...PARTY_CALLS, ...ADMIN_CALLS, ...PUBLIC_CALLS])(
    'is not enough for %s',
    async (_name, call) => {
      const refusal = await refusalOf(call(network.as(STRANGER), network.localnet.parties.appUser));
      expect(refusal.status).toBe('PERMISSION_DENIED');
      expectRedacted(refusal);
    },
  );
});

describe('a user without the right', () => {
  it.each(PARTY_CALLS)('cannot call %s', async (_name, call) => {
    const party = await network.party('closed', USER_ADMIN);
    const refusal = await refusalOf(call(network.as(USER_READER), party));
    expect(refusal.status).toBe('PERMISSION_DENIED');
    expectRedacted(refusal);
  });

  it.each(ADMIN_CALLS)('cannot call %s', async (_name, call) => {
    const refusal = await refusalOf(
      call(network.as(USER_READER), network.localnet.parties.appUser),
    );
    expect(refusal.status).toBe('PERMISSION_DENIED');
    expectRedacted(refusal);
  });

  it.each(PUBLIC_CALLS)('can call %s, which takes none', async (_name, call) => {
    await expect(call(network.as(USER_READER), '')).resolves.toBeDefined();
  });

  it('can ask for the synchronizers of its own parties only', async () => {
    const { state } = network.as(USER_READER);
    const { appUser } = network.localnet.parties;
    expect(
      (await state.getConnectedSynchronizers({ party: appUser })).connectedSynchronizers,
    ).toHaveLength(1);
    const party = await network.party('closed', USER_ADMIN);
    expect(await refusalOf(state.getConnectedSynchronizers({ party }))).toMatchObject({
      status: 'PERMISSION_DENIED',
    });
  });

  it('looks the same to the caller as an unknown user', async () => {
    const end = (clients: LedgerClients) => refusalOf(clients.partyAdmin.listKnownParties({}));
    expect(withoutIds(await end(network.as(USER_READER)))).toBe(
      withoutIds(await end(network.as(STRANGER))),
    );
  });

  it('can look itself up', async () => {
    const { userAdmin } = network.as(USER_READER);
    for (const userId of ['', USER_READER.userId]) {
      const { user } = await userAdmin.getUser({ userId });
      expect(user?.id).toBe(USER_READER.userId);
      const { rights } = await userAdmin.listUserRights({ userId });
      expect(rights).toContainEqual(readAs(network.localnet.parties.appUser));
    }
  });
});

describe('a right', () => {
  it('to read does not include to act', async () => {
    const user = await network.party('user', USER_ADMIN);
    const reader = network.as(USER_READER);
    const grant = { userId: USER_READER.userId, rights: [readAs(user)] };
    expect(await refusalOf(activeIds(reader, user))).toMatchObject({ status: 'PERMISSION_DENIED' });
    const { newlyGrantedRights } = await ledger.userAdmin.grantUserRights(grant);
    expect(newlyGrantedRights).toEqual([readAs(user)]);

    const { contractId } = await newRequest(ledger, { user, provider: user });
    expect(await activeIds(reader, user)).toEqual([contractId]);
    const commands = change(archive(REQUEST, contractId), { actAs: [user] });
    expect((await refusalOf(transact(reader, commands))).status).toBe('PERMISSION_DENIED');

    // But the right is sufficient for read_as.
    const own = await network.party('own', USER_READER);
    const reading = change(archive(REQUEST, contractId), { actAs: [own], readAs: [user] });
    expect((await refusalOf(transact(reader, reading))).reason).toBe('DAML_AUTHORIZATION_ERROR');

    await ledger.userAdmin.revokeUserRights(grant);
    expect(await refusalOf(activeIds(reader, user))).toMatchObject({ status: 'PERMISSION_DENIED' });
    expect((await refusalOf(transact(reader, reading))).status).toBe('PERMISSION_DENIED');
  });

  it('to act includes to read', async () => {
    const user = await network.party('user', USER_READER);
    const reader = network.as(USER_READER);
    await newRequest(reader, { user, provider: user });
    expect(await activeIds(reader, user)).toHaveLength(1);
  });

  it('is needed for every party of a request', async () => {
    const own = await network.party('own', USER_READER);
    const foreign = await network.party('foreign', USER_ADMIN);
    const reader = network.as(USER_READER);
    const commands = change(createRequest({ user: own, provider: own }), {
      actAs: [own, foreign],
    });
    expect((await refusalOf(transact(reader, commands))).status).toBe('PERMISSION_DENIED');
    const call = readAll(
      reader.state.getActiveContracts({ eventFormat: eventsOf([own, foreign]) }),
    );
    expect((await refusalOf(call)).status).toBe('PERMISSION_DENIED');
  });

  it('of administration does not include to act or to read', async () => {
    const party = await network.party('closed', USER_READER);
    expect((await refusalOf(transact(ledger, requestAs(party)))).status).toBe('PERMISSION_DENIED');
    expect((await refusalOf(activeIds(ledger, party))).status).toBe('PERMISSION_DENIED');
  });

  it('is had by the demo users for the parties that they stand for', async () => {
    const { appUser, appProvider } = network.localnet.parties;
    const { contractId } = await newRequest(network.as(USER_PERSON), {
      user: appUser,
      provider: appProvider,
    });
    expect(await activeIds(network.as(PROVIDER_BACKEND), appProvider)).toContain(contractId);
    expect(await activeIds(network.as(PROVIDER_READER), appProvider)).toContain(contractId);
    const acting = change(archive(REQUEST, contractId), { actAs: [appProvider] });
    expect((await refusalOf(transact(network.as(PROVIDER_READER), acting))).status).toBe(
      'PERMISSION_DENIED',
    );
    expect((await refusalOf(transact(network.as(PROVIDER_BACKEND), acting))).reason).toBe(
      'DAML_AUTHORIZATION_ERROR',
    );
  });
});

describe('a user', () => {
  it('cannot submit or read completions under another user’s name', async () => {
    const party = await network.party('own', USER_READER);
    const reader = network.as(USER_READER);
    const commands = { ...requestAs(party), userId: USER_ADMIN.userId };
    const calls = [
      reader.submission.submit({ commands }),
      reader.commands.submitAndWait({ commands }),
      readAll(reader.completions.completionStream({ userId: USER_ADMIN.userId, parties: [party] })),
    ];
    for (const call of calls) {
      const refusal = await refusalOf(call);
      expect(refusal.status).toBe('PERMISSION_DENIED');
      expectRedacted(refusal);
    }
  });

  it('who is deactivated may do nothing until activated again', async () => {
    const setDeactivated = (isDeactivated: boolean) =>
      ledger.userAdmin.updateUser({
        user: { id: USER_PERSON.userId, isDeactivated },
        updateMask: ['is_deactivated'],
      });
    const person = network.as(USER_PERSON);
    expect(await ledgerEnd(person)).toBeGreaterThan(0n);
    await setDeactivated(true);
    try {
      const refusal = await refusalOf(ledgerEnd(person));
      expect(refusal.status).toBe('PERMISSION_DENIED');
      expectRedacted(refusal);
    } finally {
      await setDeactivated(false);
    }
    expect(await ledgerEnd(person)).toBeGreaterThan(0n);
  });
});

describe('a stream', () => {
  const follow = (clients: LedgerClients, party: string, beginExclusive: bigint) =>
    new Tail((options) =>
      clients.updates.getUpdates(
        { beginExclusive, updateFormat: updatesOf(ACS_DELTA, [party]) },
        options,
      ),
    );

  it('ends with ACCESS_TOKEN_EXPIRED when its token does', async () => {
    const token = await selfSignedToken({ expiresInS: 2 });
    const clients = network.bearing('sv', () => token);
    await using tail = follow(clients, network.localnet.parties.dso, await ledgerEnd(clients));
    await tail.until((seen) => checkpointsIn(seen).length > 0);
    expect(await tail.end()).toMatchObject({ status: 'ABORTED', reason: 'ACCESS_TOKEN_EXPIRED' });
    expect((await refusalOf(ledgerEnd(clients))).status).toBe('UNAUTHENTICATED');
  });

  it('ends with STALE_STREAM_AUTHORIZATION when the rights of its user change', async () => {
    const party = await network.party('user', USER_ADMIN);
    const grant = { userId: USER_READER.userId, rights: [readAs(party)] };
    await ledger.userAdmin.grantUserRights(grant);
    await using tail = follow(network.as(USER_READER), party, await ledgerEnd(ledger));
    await tail.until((seen) => checkpointsIn(seen).length > 0);
    await ledger.userAdmin.revokeUserRights(grant);
    expect(await tail.end()).toMatchObject({
      status: 'ABORTED',
      reason: 'STALE_STREAM_AUTHORIZATION',
      retryDelayMs: 0,
    });
  });
});
