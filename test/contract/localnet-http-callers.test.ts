import { describe, expect, test } from 'vitest';
import { forFile } from '../kit/for-file.ts';
import { http, installRequestBody, jsonApisOf } from './kit/http.ts';
import {
  PROVIDER_ADMIN,
  PROVIDER_BACKEND,
  PROVIDER_READER,
  STRANGER,
  USER_ADMIN,
  USER_PERSON,
} from './kit/identities.ts';
import { openNetwork } from './kit/network.ts';
import { selfSignedToken } from './kit/tokens.ts';

const network = await forFile(openNetwork());
const { sides, urlsOf, userJson, providerJson, submit } = jsonApisOf(network);

describe('who may ask', () => {
  const redacted = (grpcCodeValue: number, context: object = {}) => ({
    code: 'NA',
    cause: 'A security-sensitive error has been received',
    correlationId: expect.stringMatching(/^[\da-f]{32}$/),
    traceId: expect.stringMatching(/^[\da-f]{32}$/),
    context,
    resources: [],
    errorCategory: -1,
    grpcCodeValue,
    retryInfo: null,
    definiteAnswer: null,
  });
  const invalidToken = { ledger_api_error: 'invalid token' };

  test.each<[string, () => Promise<string | undefined>]>([
    ['no token', async () => undefined],
    ['something else', async () => 'Bearer nonsense'],
    ['another scheme', async () => 'Basic YTpi'],
    [
      "a token of the other participant's realm",
      async () => `Bearer ${await network.tokens.of(PROVIDER_BACKEND)}`,
    ],
    ["the super validator's kind of token", async () => `Bearer ${await selfSignedToken()}`],
  ])('%s is 401 and no more is said', async (_what, header) => {
    const as = await header();
    for (const path of ['/v2/packages', '/v2/state/ledger-end', '/v2/users/a', '/v2/parties']) {
      const reply = await userJson(path, as === undefined ? {} : { as });
      expect([path, reply.status, reply.json]).toEqual([path, 401, redacted(16, invalidToken)]);
    }
    // The call is refused before its body is read.
    const { status } = await userJson('/v2/commands/submit-and-wait', {
      body: '{',
      ...(as === undefined ? {} : { as }),
    });
    expect(status).toBe(401);
  });

  test('a valid token of somebody unknown here is 403, whatever is asked', async () => {
    const reply = await userJson('/v2/state/ledger-end', { as: STRANGER });
    expect([reply.status, reply.json]).toEqual([403, redacted(7, invalidToken)]);
  });

  test.each<[string, () => Readonly<Record<string, unknown>>]>([
    ['acts as a party that is not the caller’s', () => ({ actAs: [sides.provider] })],
    ['reads as a party that is not the caller’s', () => ({ readAs: [sides.provider] })],
    ['names another user', () => ({ userId: PROVIDER_BACKEND.userId })],
  ])('who %s is 403', async (_what, changes) => {
    const reply = await submit(installRequestBody(sides, changes()));
    expect([reply.status, reply.json]).toEqual([403, redacted(7)]);
  });

  test('naming oneself is fine', async () => {
    const { status } = await submit(installRequestBody(sides, { userId: USER_PERSON.userId }));
    expect(status).toBe(200);
  });

  test('the super validator takes the shared secret', async () => {
    const { json } = urlsOf('sv');
    const wrong = await selfSignedToken({ secret: new TextEncoder().encode('safe') });
    const end = `${json}/v2/state/ledger-end`;
    expect((await http(network, end, { as: `Bearer ${wrong}` })).status).toBe(401);
    const right = await selfSignedToken();
    const { status } = await http(network, end, { as: `Bearer ${right}` });
    expect(status).toBe(200);
  });

  test('a trace comes back as it was sent', async () => {
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const { json } = await userJson('/v2/state/ledger-end', {
      headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` },
    });
    expect(json).toMatchObject({ traceId, correlationId: traceId });
  });
});

describe('users and parties', () => {
  test('an admin finds the primary party of a user', async () => {
    const { status, json } = await providerJson(`/v2/users/${PROVIDER_ADMIN.userId}`, {
      as: PROVIDER_ADMIN,
    });
    expect([status, json]).toEqual([
      200,
      {
        user: expect.objectContaining({
          id: PROVIDER_ADMIN.userId,
          primaryParty: sides.provider,
          isDeactivated: false,
        }),
      },
    ]);
  });

  test('others find themselves only', async () => {
    const own = await userJson(`/v2/users/${USER_PERSON.userId}`, { as: USER_PERSON });
    expect((own.json as { user: { primaryParty: string } }).user.primaryParty).toBe(sides.user);
    const foreign = await userJson(`/v2/users/${USER_ADMIN.userId}`, { as: USER_PERSON });
    expect(foreign.status).toBe(403);
    const absent = await userJson('/v2/users/nobody', { as: USER_ADMIN });
    expect([absent.status, absent.json]).toEqual([
      404,
      expect.objectContaining({ code: 'USER_NOT_FOUND' }),
    ]);
  });

  test('rights are told as the JSON API tells them', async () => {
    const { json } = await userJson(`/v2/users/${USER_PERSON.userId}/rights`, { as: USER_PERSON });
    expect((json as { rights: unknown[] }).rights).toContainEqual({
      kind: { CanActAs: { value: { party: sides.user } } },
    });
  });

  test('parties are listed page by page', async () => {
    const all = await userJson('/v2/parties', { as: USER_ADMIN });
    const { partyDetails } = all.json as { partyDetails: { party: string; isLocal: boolean }[] };
    expect(partyDetails.find(({ party }) => party === sides.user)?.isLocal).toBe(true);
    expect(partyDetails.find(({ party }) => party === sides.provider)?.isLocal).toBe(false);
    const seen: string[] = [];
    let pageToken = '';
    do {
      const query = `pageSize=1&pageToken=${encodeURIComponent(pageToken)}`;
      const { json } = await userJson(`/v2/parties?${query}`, { as: USER_ADMIN });
      const page = json as { partyDetails: { party: string }[]; nextPageToken: string };
      // The last page is empty, because every full page names a next page.
      expect(page.partyDetails).toHaveLength(page.nextPageToken === '' ? 0 : 1);
      seen.push(...page.partyDetails.map(({ party }) => party));
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    expect(seen.toSorted()).toEqual(partyDetails.map(({ party }) => party).toSorted());
    expect((await userJson('/v2/parties?pageSize=x', { as: USER_ADMIN })).status).toBe(400);
  });

  test('a party by its id, and the participant by its own', async () => {
    const one = await userJson(`/v2/parties/${encodeURIComponent(sides.user)}`, { as: USER_ADMIN });
    expect(one.json).toEqual({ partyDetails: [expect.objectContaining({ party: sides.user })] });
    const { json } = await userJson('/v2/parties/participant-id', { as: USER_ADMIN });
    expect((json as { participantId: string }).participantId).toMatch(/::1220[\da-f]{64}$/);
    expect((await userJson('/v2/parties', { as: USER_PERSON })).status).toBe(403);
  });
});

describe('what a participant says about itself', () => {
  test('version and ledger end agree with gRPC', async () => {
    const grpc = network.as(PROVIDER_READER);
    const [{ json }, viaGrpc] = await Promise.all([
      providerJson('/v2/version', { as: PROVIDER_READER }),
      grpc.version.getLedgerApiVersion({}),
    ]);
    const features = viaGrpc.features!;
    const { seconds, nanos } = features.offsetCheckpoint!.maxOffsetCheckpointEmissionDelay!;
    expect(json).toEqual({
      version: viaGrpc.version,
      features: {
        ...features,
        offsetCheckpoint: {
          maxOffsetCheckpointEmissionDelay: {
            seconds: Number(seconds),
            nanos,
            unknownFields: { fields: {} },
          },
        },
      },
    });
    const { offset: before } = await grpc.state.getLedgerEnd({});
    const { json: end } = await providerJson('/v2/state/ledger-end', { as: PROVIDER_READER });
    const { offset: after } = await grpc.state.getLedgerEnd({});
    expect((end as { offset: number }).offset).toBeGreaterThanOrEqual(Number(before));
    expect((end as { offset: number }).offset).toBeLessThanOrEqual(Number(after));
  });

  test('an unknown path is JSON that names it, to callers without a token too', async () => {
    for (const request of [{ as: USER_PERSON }, {}]) {
      const reply = await userJson('/v2/nothing?of=1', request);
      expect([reply.status, reply.json]).toEqual([
        404,
        {
          errors: [`HttpMethod(GET), uri: ${urlsOf('app-user').json}/v2/nothing?of=1`],
          status: 404,
          ledgerApiError: null,
        },
      ]);
    }
    const { status, text } = await userJson('/v2/users/a/rights', { method: 'DELETE' });
    expect([status, text]).toEqual([405, 'Method Not Allowed']);
  });

  test.each(['packages/a', 'templates', 'templates/a'])(
    'definitions are an unknown path, as without daml-definitions-service-enabled: %s',
    async (path) => {
      const { status, json } = await userJson(`/v2/definitions/${path}`, { as: USER_PERSON });
      const uri = `${urlsOf('app-user').json}/v2/definitions/${path}`;
      expect([status, json]).toMatchObject([404, { errors: [`HttpMethod(GET), uri: ${uri}`] }]);
    },
  );
});
