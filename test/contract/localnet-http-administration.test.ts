import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { forFile } from '../kit/for-file.ts';
import { http } from './kit/http.ts';
import type { HttpRequest } from './kit/http.ts';
import { USER_ADMIN, USER_PERSON, USER_READER } from './kit/identities.ts';
import { openNetwork } from './kit/network.ts';

/*
 * Administration of users and parties with JSON: the form of answers, refusals, and that gRPC returns the same.
 * localnet-http-onboarding.test.ts makes the calls in the order in which a script does.
 */

const network = await forFile(openNetwork());

const ask = (path: string, request: HttpRequest = {}) =>
  http(network, `${network.localnet.urls.participants['app-user'].json}${path}`, {
    as: USER_ADMIN,
    ...request,
  });
const codeOf = (json: unknown) => (json as { code?: string } | undefined)?.code;
const unique = (prefix: string) => `${prefix}-${randomUUID()}`;
const grpc = () => network.as(USER_ADMIN);

/** Creates a user for one test. */
async function newUser(user: object = {}, rights: readonly object[] = []): Promise<string> {
  const id = unique('user');
  const { status } = await ask('/v2/users', { body: { user: { id, ...user }, rights } });
  expect(status).toBe(200);
  return id;
}

const admin = { kind: { ParticipantAdmin: { value: {} } } };
const partyRight = (kind: string, party: string) => ({ kind: { [kind]: { value: { party } } } });

describe('users', () => {
  test('are created with their rights, as gRPC shows them', async () => {
    const id = unique('user');
    const party = await network.party('primary', USER_ADMIN);
    const rights = [
      admin,
      { kind: { CanReadAsAnyParty: { value: {} } } },
      partyRight('CanActAs', party),
      partyRight('CanReadAs', party),
    ];
    const user = { id, primaryParty: party, metadata: { annotations: { team: 'blue' } } };
    const { status, json } = await ask('/v2/users', { body: { user, rights } });
    expect([status, json]).toEqual([
      200,
      {
        user: {
          id,
          primaryParty: party,
          isDeactivated: false,
          metadata: { resourceVersion: '0', annotations: { team: 'blue' } },
          identityProviderId: '',
          primaryPartyAuthentication: false,
        },
      },
    ]);
    expect((await ask(`/v2/users/${id}/rights`)).json).toEqual({ rights });
    const viaGrpc = await grpc().userAdmin.getUser({ userId: id });
    expect(viaGrpc.user).toMatchObject({ id, primaryParty: party });
    const listed = await ask('/v2/users?pageSize=1000');
    expect((listed.json as { users: { id: string }[] }).users.map((one) => one.id)).toContain(id);
  });

  test('get rights by POST and lose them by PATCH; each answer names what changed', async () => {
    const userId = await newUser();
    const party = await network.party('right', USER_ADMIN);
    const [act, read] = [partyRight('CanActAs', party), partyRight('CanReadAs', party)];
    const change = (method: string, rights: readonly object[]) =>
      ask(`/v2/users/${userId}/rights`, { method, body: { userId, rights } });
    const granted = await change('POST', [act, read]);
    expect([granted.status, granted.json]).toEqual([200, { newlyGrantedRights: [act, read] }]);
    expect((await change('POST', [read, admin])).json).toEqual({ newlyGrantedRights: [admin] });
    const revoked = await change('PATCH', [read, partyRight('CanReadAs', 'else::1220')]);
    expect([revoked.status, revoked.json]).toEqual([200, { newlyRevokedRights: [read] }]);
    expect((await ask(`/v2/users/${userId}/rights`)).json).toEqual({ rights: [act, admin] });
  });

  test('change in what the mask names', async () => {
    const id = await newUser({ metadata: { annotations: { team: 'blue' } } });
    const change = (user: object, paths: readonly string[]) =>
      ask(`/v2/users/${id}`, {
        method: 'PATCH',
        body: { user: { id, ...user }, updateMask: { paths } },
      });
    const { json } = await change(
      { isDeactivated: true, metadata: { annotations: { team: '' } } },
      ['is_deactivated'],
    );
    expect(json).toMatchObject({
      user: { isDeactivated: true, metadata: { annotations: { team: 'blue' } } },
    });
    const stale = await change(
      { metadata: { resourceVersion: '0', annotations: { team: 'red' } } },
      ['metadata'],
    );
    expect([stale.status, codeOf(stale.json)]).toEqual([409, 'CONCURRENT_USER_UPDATE_DETECTED']);
  });

  test('that are deleted are gone, and their tokens with them', async () => {
    const before = await ask('/v2/state/ledger-end', { as: USER_READER });
    expect(before.status).toBe(200);
    const gone = await ask(`/v2/users/${USER_READER.userId}`, { method: 'DELETE' });
    expect([gone.status, gone.json]).toEqual([200, {}]);
    expect((await ask('/v2/state/ledger-end', { as: USER_READER })).status).toBe(403);
    expect(codeOf((await ask(`/v2/users/${USER_READER.userId}`)).json)).toBe('USER_NOT_FOUND');
  });

  test.each<[string, string, HttpRequest, number, string]>([
    [
      'a second one',
      '/v2/users',
      { body: { user: { id: USER_PERSON.userId } } },
      409,
      'USER_ALREADY_EXISTS',
    ],
    ['nobody', '/v2/users', { body: {} }, 400, 'MISSING_FIELD'],
    ['one without an ID', '/v2/users', { body: { user: {} } }, 400, 'MISSING_FIELD'],
    ['one with a bad ID', '/v2/users', { body: { user: { id: 'a b' } } }, 400, 'INVALID_FIELD'],
    [
      'a bad party',
      '/v2/users',
      { body: { user: { id: 'x', primaryParty: 'é' } } },
      400,
      'INVALID_ARGUMENT',
    ],
    [
      'a right of no kind',
      '/v2/users',
      { body: { user: { id: 'x' }, rights: [{}] } },
      400,
      'INVALID_ARGUMENT',
    ],
    [
      'another identity provider',
      '/v2/users',
      { body: { user: { id: 'x', identityProviderId: 'y' } } },
      400,
      'INVALID_ARGUMENT',
    ],
    ['a bad ID in the path', '/v2/users/a%20b', {}, 400, 'INVALID_ARGUMENT'],
    ['an unknown one to delete', '/v2/users/nobody', { method: 'DELETE' }, 404, 'USER_NOT_FOUND'],
    [
      'oneself to delete',
      `/v2/users/${USER_ADMIN.userId}`,
      { method: 'DELETE' },
      400,
      'INVALID_ARGUMENT',
    ],
    [
      'another in the body than in the path',
      '/v2/users/a',
      { method: 'PATCH', body: { user: { id: 'b' }, updateMask: { paths: ['metadata'] } } },
      400,
      'INVALID_ARGUMENT',
    ],
    ['nobody in the body', '/v2/users/a', { method: 'PATCH', body: {} }, 400, 'INVALID_ARGUMENT'],
    [
      'no mask',
      `/v2/users/${USER_PERSON.userId}`,
      { method: 'PATCH', body: { user: { id: USER_PERSON.userId } } },
      400,
      'MISSING_FIELD',
    ],
    [
      'a mask of nothing known',
      `/v2/users/${USER_PERSON.userId}`,
      {
        method: 'PATCH',
        body: { user: { id: USER_PERSON.userId }, updateMask: { paths: ['name'] } },
      },
      400,
      'INVALID_USER_UPDATE_REQUEST',
    ],
    [
      'rights for another than in the path',
      '/v2/users/a/rights',
      { body: { userId: 'b', rights: [admin] } },
      400,
      'INVALID_ARGUMENT',
    ],
    [
      'rights for nobody',
      '/v2/users/nobody/rights',
      { body: { userId: 'nobody', rights: [admin] } },
      404,
      'USER_NOT_FOUND',
    ],
  ])('%s is refused', async (_what, path, request, status, code) => {
    const reply = await ask(path, request);
    expect([reply.status, codeOf(reply.json)]).toEqual([status, code]);
  });

  test.each<[string, unknown, RegExp]>([
    ['no JSON', 'x', /expected json value got 'x/],
    ['half of JSON', '{', /\(exhausted input\)/],
    ['nothing', '', /\(exhausted input\)/],
    ['a list', [], /with wrong type, expecting object\)/],
    ['a user that is a text', { user: 'x' }, /expecting object at 'user'/],
    ['an ID that is a number', { user: { id: 1 } }, /expecting string at 'user\.id'/],
    [
      'a flag that is a text',
      { user: { id: 'x', isDeactivated: 'no' } },
      /expecting 'true' or 'false' at 'user\.isDeactivated'/,
    ],
    [
      'an annotation that is a number',
      { user: { id: 'x', metadata: { annotations: { a: 1 } } } },
      /Got value '1' with wrong type, expecting string at 'user\.metadata\.annotations\.a'/,
    ],
    [
      'an unknown right',
      { user: { id: 'x' }, rights: [{ kind: { CanFly: {} } }] },
      /CNil should never happen at 'rights\[0\]\.kind'/,
    ],
    ['rights that are none', { user: { id: 'x' }, rights: {} }, /expecting array at 'rights'/],
    [
      'wrong in two places',
      { user: { id: 1, primaryParty: 2 } },
      /at 'user\.id', Got value '2' with wrong type, expecting string at 'user\.primaryParty'/,
    ],
  ])('a body that is %s is told in plain text', async (_what, body, why) => {
    const { status, text } = await ask('/v2/users', { method: 'POST', body });
    expect([status, text]).toEqual([400, expect.stringMatching(why)]);
  });

  test('are administered by administrators alone', async () => {
    const own = `/v2/users/${USER_PERSON.userId}`;
    const body = { user: { id: USER_PERSON.userId }, userId: USER_PERSON.userId, rights: [admin] };
    for (const [method, path] of [
      ['GET', '/v2/users'],
      ['POST', '/v2/users'],
      ['PATCH', own],
      ['DELETE', '/v2/users/nobody'],
      ['POST', `${own}/rights`],
      ['PATCH', `${own}/rights`],
      ['GET', '/v2/parties'],
      ['POST', '/v2/parties'],
    ] as const) {
      const sent = method === 'POST' || method === 'PATCH' ? { body } : {};
      const { status } = await ask(path, { method, as: USER_PERSON, ...sent });
      expect([method, path, status]).toEqual([method, path, 403]);
    }
  });
});

describe('parties', () => {
  test('are allocated with a hint, annotations and somebody who acts as them', async () => {
    const partyIdHint = unique('shop');
    const userId = await newUser();
    const { status, json } = await ask('/v2/parties', {
      body: {
        partyIdHint,
        displayName: 'ignored',
        identityProviderId: '',
        userId,
        localMetadata: { annotations: { colour: 'red' } },
      },
    });
    const { partyDetails } = json as { partyDetails: { party: string } };
    expect([status, partyDetails]).toEqual([
      200,
      {
        party: expect.stringMatching(new RegExp(`^${partyIdHint}::1220`)),
        isLocal: true,
        localMetadata: { resourceVersion: '0', annotations: { colour: 'red' } },
        identityProviderId: '',
      },
    ]);
    expect((await ask(`/v2/users/${userId}/rights`)).json).toEqual({
      rights: [partyRight('CanActAs', partyDetails.party)],
    });
  });

  test('are asked for by path and by query; unknown ones are no error', async () => {
    const [one, two] = [await network.party('a', USER_ADMIN), await network.party('b', USER_ADMIN)];
    const found = async (path: string) => {
      const { status, json } = await ask(path);
      const { partyDetails } = json as { partyDetails: { party: string }[] };
      return [status, partyDetails.map(({ party }) => party)];
    };
    expect(await found(`/v2/parties/${one}`)).toEqual([200, [one]]);
    expect(await found(`/v2/parties/party?parties=${one}&parties=${two}`)).toEqual([
      200,
      [one, two],
    ]);
    expect(await found(`/v2/parties/${one}?parties=${two}`)).toEqual([200, [one, two]]);
    expect(await found('/v2/parties/party?parties=ghost::1220')).toEqual([200, []]);
  });

  test('change their annotations', async () => {
    const party = await network.party('meta', USER_ADMIN);
    const annotate = (named: string) =>
      ask(`/v2/parties/${party}`, {
        method: 'PATCH',
        body: {
          partyDetails: { party: named, localMetadata: { annotations: { colour: 'blue' } } },
          updateMask: { paths: ['local_metadata'] },
        },
      });
    expect((await annotate(party)).json).toMatchObject({
      partyDetails: { party, localMetadata: { annotations: { colour: 'blue' } } },
    });
    const other = await annotate('else::1220');
    expect([other.status, codeOf(other.json)]).toEqual([400, 'INVALID_ARGUMENT']);
  });

  test.each<[string, object, number, string]>([
    ['a hint that no party can have', { partyIdHint: 'no!' }, 400, 'INVALID_ARGUMENT'],
    ['another identity provider', { identityProviderId: 'x' }, 400, 'INVALID_ARGUMENT'],
    ['an unknown user', { userId: 'nobody' }, 404, 'USER_NOT_FOUND'],
    [
      'a version of what is not there yet',
      { localMetadata: { resourceVersion: '1' } },
      400,
      'INVALID_ARGUMENT',
    ],
  ])('are not allocated with %s', async (_what, body, status, code) => {
    const reply = await ask('/v2/parties', { body });
    expect([reply.status, codeOf(reply.json)]).toEqual([status, code]);
  });
});

describe('a GET with a body', () => {
  /** Sends a body with GET, which `fetch` cannot do. */
  async function getWith(path: string, body: string) {
    const asking = request(`${network.localnet.urls.participants['app-user'].json}${path}`, {
      headers: {
        authorization: `Bearer ${await network.tokens.of(USER_ADMIN)}`,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      },
    });
    asking.end(body);
    const [answer] = (await once(asking, 'response')) as [IncomingMessage];
    return { status: answer.statusCode, text: await text(answer) };
  }

  test('is the old name of a POST', async () => {
    const body = { pageSize: 1 };
    const { text: listed } = await ask('/v2/package-vetting/list', { body });
    expect(JSON.parse(listed)).toMatchObject({ vettedPackages: [{}] });
    await expect(getWith('/v2/package-vetting', JSON.stringify(body))).resolves.toEqual({
      status: 200,
      text: listed,
    });
  });

  test('that asks for none is answered whatever it is', async () => {
    const { status } = await getWith('/v2/state/connected-synchronizers', 'not JSON');
    expect(status).toBe(200);
  });
});
