import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { openReferenceClient } from './reference-client.ts';
import type { ReferenceClient } from './reference-client.ts';
import { list } from './reference-world.ts';
import type { Row } from './reference-world.ts';
import type { World } from './world.ts';

/*
 * Before each of its browser tests, the reference's fixtures make certain calls. This file makes the same calls in the
 * same order.
 */

/** A person of realm AppUser, with a party of their own, who has requested an installation. */
export interface TestUser {
  /** A tag in the metadata of the request, by which the tests find its row. */
  readonly tag: string;
  readonly username: string;
  readonly userId: string;
  readonly party: string;
  readonly client: ReferenceClient;
}

async function post(url: string, token: string | null, body: object | URLSearchParams) {
  const isForm = body instanceof URLSearchParams;
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      ...(isForm ? {} : { 'content-type': 'application/json' }),
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    },
    body: isForm ? body : JSON.stringify(body),
  });
  const text = await answer.text();
  return {
    status: answer.status,
    location: answer.headers.get('location'),
    json: text === '' ? null : JSON.parse(text),
  };
}

export interface Fixture {
  readonly provider: ReferenceClient;
  readonly adminToken: string;
  /** Creates a user, signs the user in, and requests an installation. */
  readonly newUser: () => Promise<TestUser>;
  /** Returns the row of a list that shows the result of a user's request. */
  readonly rowOf: (
    client: ReferenceClient,
    operation: 'listAppInstallRequests' | 'listAppInstalls',
    user: TestUser,
  ) => Promise<Row>;
}

/** @param provider a client that is signed in to the application in which users sign in */
export function openFixture(world: World, provider: ReferenceClient, adminToken: string): Fixture {
  const { localnet, providerParty } = world.tenure.state;
  const realms = new URL(localnet!.userTokenUrl).origin;
  const ledger = `${localnet!.userJsonApiUrl}/v2`;
  const tokenOf = async (realm: string, form: Readonly<Record<string, string>>) => {
    const url = `${realms}/realms/${realm}/protocol/openid-connect/token`;
    return (await post(url, null, new URLSearchParams(form))).json.access_token as string;
  };

  async function newParty(hint: string): Promise<string> {
    const authorization = `Bearer ${adminToken}`;
    // oxlint-disable-next-line typescript/no-explicit-any -- tests state what they expect of it
    const get = async (path: string): Promise<any> => {
      const answer = await fetch(`${ledger}${path}`, { headers: { authorization } });
      expect(answer.status).toBe(200);
      return answer.json();
    };
    const { participantId } = await get('/parties/participant-id');
    const party = `${hint}::${participantId.replace(/^participant::/u, '')}`;
    expect((await get(`/parties/party?parties=${party}`)).partyDetails?.[0]).toBeUndefined();
    const made = await post(`${ledger}/parties`, adminToken, {
      partyIdHint: hint,
      displayName: hint,
      identityProviderId: '',
    });
    expect([made.status, made.json.partyDetails.party]).toEqual([200, party]);
    return party;
  }

  async function newPerson(tag: string, party: string): Promise<string> {
    const token = await tokenOf('master', {
      client_id: 'admin-cli',
      grant_type: 'password',
      username: 'admin',
      password: 'admin',
    });
    const made = await post(`${realms}/admin/realms/AppUser/users`, token, {
      username: `app-user-${tag}`,
      email: `app-user-${tag}@app-user.localhost`,
      firstName: 'app',
      lastName: `user ${tag}`,
      enabled: true,
      attributes: { partyId: [party] },
      credentials: [{ type: 'password', value: 'abc123', temporary: false }],
    });
    expect(made.status).toBe(201);
    return made.location?.split('/').pop() ?? '';
  }

  async function newLedgerUser(id: string, tag: string, party: string): Promise<void> {
    const authorization = `Bearer ${adminToken}`;
    const known = await fetch(`${ledger}/users/${id}`, { headers: { authorization } });
    expect(known.status).toBe(404);
    await known.body?.cancel();
    const user = {
      id,
      isDeactivated: false,
      primaryParty: party,
      identityProviderId: '',
      metadata: { resourceVersion: '', annotations: { username: tag } },
    };
    const made = await post(`${ledger}/users`, adminToken, { user, rights: [] });
    expect([made.status, made.json.user.primaryParty]).toEqual([200, party]);
    const granted = await post(`${ledger}/users/${id}/rights`, adminToken, {
      userId: id,
      identityProviderId: '',
      rights: ['CanReadAs', 'CanActAs'].map((kind) => ({ kind: { [kind]: { value: { party } } } })),
    });
    expect(granted.status).toBe(200);
  }

  /** Does what the reference's script `create-app-install-request` does, as the user. */
  async function ask(user: Pick<TestUser, 'tag' | 'username' | 'party'>): Promise<void> {
    const token = await tokenOf('AppUser', {
      client_id: 'app-user-unsafe',
      grant_type: 'password',
      username: user.username,
      password: 'abc123',
      scope: 'openid',
    });
    const createArguments = {
      provider: providerParty,
      user: user.party,
      meta: { values: { test: user.tag } },
    };
    const templateId = '#quickstart-licensing:Licensing.AppInstall:AppInstallRequest';
    const asked = await post(`${ledger}/commands/submit-and-wait`, token, {
      commands: [{ CreateCommand: { templateId, createArguments } }],
      commandId: `create-app-install-request-${user.tag}`,
      actAs: [user.party],
      readAs: [user.party],
    });
    expect(asked.status).toBe(200);
  }

  const find = async (
    client: ReferenceClient,
    operation: 'listAppInstallRequests' | 'listAppInstalls',
    { tag }: TestUser,
  ): Promise<Row> =>
    (await list(client, operation)).find(({ meta }: Row) => meta.data.test === tag);

  return {
    provider,
    adminToken,
    newUser: async () => {
      const tag = `test-${randomUUID().slice(0, 8)}`;
      const party = await newParty(`${tag}-app-user`);
      const userId = await newPerson(tag, party);
      await newLedgerUser(userId, tag, party);
      const username = `app-user-${tag}`;
      await ask({ tag, username, party });
      const client = openReferenceClient(provider.origin);
      await client.signIn('AppUser', username);
      return { tag, username, userId, party, client };
    },
    rowOf: async (client, operation, user) => {
      // The frontend's page polls as well.
      await expect.poll(() => find(client, operation, user)).toBeDefined();
      return find(client, operation, user);
    },
  };
}
