import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { forFile } from '../../kit/for-file.ts';
import { http } from '../kit/http.ts';
import { USER_PERSON } from '../kit/identities.ts';
import { jsonApiOf, withCreate } from '../kit/json-api.ts';
import { openNetwork } from '../kit/network.ts';

const network = await forFile(openNetwork());
const { base, sides, ask, administer, create, created, ledgerEnd, firstOf, eventFormat } =
  jsonApiOf(network);
const SEMANTIC_VERSION = /^\d+\.\d+\.\d+(?:-[\dA-Za-z.-]+)?$/;

describe('JsonV2Tests party management service', () => {
  test('JsonV2Tests allocate, update and get party', async () => {
    const hint = `Carol:-_ ${randomUUID()}`;
    const allocated = await administer('/v2/parties', { partyIdHint: hint });
    expect(allocated.status).toBe(200);
    const { party } = (allocated.json as { partyDetails: { party: string } }).partyDetails;
    const page = async (token: string) => {
      const path = `/v2/parties?pageSize=1&pageToken=${encodeURIComponent(token)}`;
      const { json } = await administer(path);
      return json as { partyDetails: unknown[]; nextPageToken: string };
    };
    const first = await page('');
    const second = await page(first.nextPageToken);
    expect([first.partyDetails.length, second.partyDetails.length]).toEqual([1, 1]);
    expect(second.nextPageToken).not.toBe(first.nextPageToken);
    const path = `/v2/parties/${encodeURIComponent(party)}`;
    const found = await administer(path);
    expect(found.text).toContain(hint);
    const details = { party, localMetadata: { annotations: { test: 'test' } } };
    const body = { partyDetails: details, updateMask: { paths: ['local_metadata'] } };
    expect((await administer(path, body, { method: 'PATCH' })).status).toBe(200);
  });

  test('JsonV2Tests get participant id', async () => {
    const { status, json } = await ask('/v2/parties/participant-id');
    expect([status, json]).toEqual([200, { participantId: expect.stringContaining('::1220') }]);
  });
});

test('JsonV2Tests get version', async () => {
  const { json } = await ask('/v2/version');
  expect((json as { version: string }).version).toMatch(SEMANTIC_VERSION);
});

describe('JsonV2Tests user management service', () => {
  test('JsonV2Tests create, update and delete user', async () => {
    const id = `u@^$.!\`-#+'~_|:()${randomUUID().slice(0, 8)}`;
    const path = `/v2/users/${encodeURIComponent(id)}`;
    expect((await administer('/v2/users', { user: { id } })).status).toBe(200);
    expect((await administer(path)).json).toMatchObject({ user: { id } });
    const updated = await administer(
      path,
      { user: { id, isDeactivated: true }, updateMask: { paths: ['is_deactivated'] } },
      { method: 'PATCH' },
    );
    expect(updated.json).toMatchObject({ user: { id, isDeactivated: true } });
    const deleted = await administer(path, undefined, { method: 'DELETE' });
    expect([deleted.status, deleted.json]).toEqual([200, {}]);
  });

  test('JsonV2Tests manipulate user rights', async () => {
    const userId = `rights-${randomUUID()}`;
    const path = `/v2/users/${userId}/rights`;
    const rights = [{ kind: { ParticipantAdmin: { value: {} } } }];
    await administer('/v2/users', { user: { id: userId } });
    expect((await administer(path, { userId, rights })).json).toEqual({
      newlyGrantedRights: rights,
    });
    expect((await administer(path, { userId, rights }, { method: 'PATCH' })).json).toEqual({
      newlyRevokedRights: rights,
    });
    expect((await administer(path)).json).toEqual({ rights: [] });
  });
});

describe('JsonV2Tests identity provider service', () => {
  test('JsonV2Tests add,patch and delete identity provider config', async () => {
    const identityProviderId = `idp-${randomUUID()}`;
    const path = `/v2/idps/${identityProviderId}`;
    const identityProviderConfig = {
      identityProviderId,
      isDeactivated: false,
      issuer: `issuer-${identityProviderId}`,
      jwksUrl: 'https://localhost',
      audience: '',
    };
    const answer = [200, { identityProviderConfig }];
    const added = await administer('/v2/idps', { identityProviderConfig });
    expect([added.status, added.json]).toEqual(answer);
    const found = await administer(path);
    expect([found.status, found.json]).toEqual(answer);
    const changed = { ...identityProviderConfig, isDeactivated: true };
    const patched = await administer(
      path,
      { identityProviderConfig: changed, updateMask: { paths: ['is_deactivated'] } },
      { method: 'PATCH' },
    );
    expect(patched.json).toEqual({ identityProviderConfig: changed });
    expect((await administer('/v2/idps')).text).toContain(identityProviderId);
    const deleted = await administer(path, undefined, { method: 'DELETE' });
    expect([deleted.status, deleted.json]).toEqual([200, {}]);
    expect((await administer(path)).status).toBe(404);
  });
});

describe('JsonV2Tests command service', () => {
  const submit = (changes: Readonly<Record<string, unknown>>) =>
    ask('/v2/commands/submit-and-wait', create(changes));
  const argument = { ...sides, meta: { values: {} } };

  test('JsonV2Tests create commands and return proper traceContext', async () => {
    const traceId = randomUUID().replaceAll('-', '');
    const headers = { traceparent: `00-${traceId}-93bb0fa23a8fb53a-01` };
    const path = '/v2/commands/submit-and-wait-for-transaction-tree';
    const { status, json } = await ask(path, create(), { headers });
    expect([status, json]).toEqual([
      200,
      {
        transactionTree: expect.objectContaining({
          eventsById: { 0: { CreatedTreeEvent: { value: expect.anything() } } },
          traceContext: { traceparent: expect.stringContaining(traceId), tracestate: null },
        }),
      },
    ]);
    expect((await submit({})).json).toEqual({
      updateId: expect.stringMatching(/^1220/),
      completionOffset: expect.any(Number),
    });
    expect((await ask('/v2/commands/async/submit', create())).json).toEqual({});
  });

  test('JsonV2Tests create commands and return proper traceContext (check wrong template error)', async () => {
    const { status, json } = await submit(withCreate(argument, 'Bad:Template:Id'));
    expect([status, json]).toEqual([404, expect.objectContaining({ errorCategory: 11 })]);
  });

  test('JsonV2Tests create commands and return proper traceContext (malformed  template error)', async () => {
    const { status, json } = await submit(withCreate(argument, '###TemplateMalformed:x:y'));
    expect([status, json]).toEqual([400, expect.objectContaining({ errorCategory: 8 })]);
  });

  test('JsonV2Tests create commands and return proper traceContext (unparseable template)', async () => {
    const { status, text } = await submit(withCreate(argument, 'not-a-valid-template-id'));
    expect([status, text]).toEqual([
      400,
      "Invalid value for: body (Invalid identifier format (not-a-valid-template-id) not matching the expected format (<package>:<moduleName>:<entityName>) at 'commands[0].CreateCommand.templateId')",
    ]);
  });

  test('JsonV2Tests return completions as stream', async () => {
    const beginExclusive = await ledgerEnd();
    const body = create();
    await ask('/v2/commands/submit-and-wait', body);
    const first = await firstOf('/v2/commands/completions', {
      parties: [sides.user],
      beginExclusive,
    });
    expect(first).toMatchObject({
      completionResponse: { Completion: { value: { commandId: body['commandId'] } } },
    });
  });

  test('JsonV2Tests return completions as list', async () => {
    const beginExclusive = await ledgerEnd();
    await created();
    await created();
    const path = '/v2/commands/completions?limit=2&stream_idle_timeout_ms=1000';
    const { status, json } = await ask(path, { parties: [sides.user], beginExclusive });
    expect([status, (json as unknown[]).length]).toEqual([200, 2]);
  });
});

test('JsonV2Tests return events by contract id', async () => {
  const { contractId } = await created();
  const body = { contractId, eventFormat };
  const { status, json } = await ask('/v2/events/events-by-contract-id', body);
  expect([status, json]).toMatchObject([
    200,
    { created: { createdEvent: { contractId } }, archived: null },
  ]);
});

describe('JsonV2Tests health service', () => {
  test.each([
    ['return OK status for livez endpoint', '/livez', ''],
    [
      'return OK response for readyz endpoint',
      '/readyz',
      '[+] ledger ok (SERVING)\nreadyz check passed\n',
    ],
  ])('JsonV2Tests %s', async (_what, path, expected) => {
    const { status, text } = await http(network, `${base}${path}`);
    expect([status, text]).toEqual([200, expected]);
  });
});

describe('JsonUserApiTest Json api', () => {
  test('JsonUserApiTest return current user using data from token', async () => {
    const { json } = await ask('/v2/authenticated-user');
    expect(json).toMatchObject({ user: { id: USER_PERSON.userId } });
  });
});

describe('OpenApiTests JSON openapi documentation', () => {
  const documentOf = async (name: string) =>
    parse((await http(network, `${base}/docs/${name}`)).text) as {
      readonly info: { readonly version: string };
      readonly paths?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
      readonly channels?: object;
    };
  const servicesOf = (paths: object) => [
    ...new Set(Object.keys(paths).map((path) => path.split('/')[2] ?? path.slice(1))),
  ];

  test('OpenApiTests have proper version', async () => {
    expect((await documentOf('openapi')).info.version).toMatch(SEMANTIC_VERSION);
  });

  test('OpenApiTests contain expected openapi services', async () => {
    const { paths = {} } = await documentOf('openapi');
    const expected =
      'authenticated-user commands contracts dars events idps interactive-submission livez package-vetting packages parties readyz state updates users version';
    expect(servicesOf(paths).toSorted()).toEqual(expected.split(' '));
    const operations = Object.values(paths).flatMap((path) => Object.keys(path));
    expect(operations).toHaveLength(67);
  });

  test('OpenApiTests contain expected async services', async () => {
    const { channels = {} } = await documentOf('asyncapi');
    expect(servicesOf(channels)).toEqual(['commands', 'state', 'updates']);
    expect(Object.keys(channels)).toHaveLength(6);
  });
});

describe('JsonErrorHandlingOfDamlVariantTest json transcode layer', () => {
  test.each([
    ['return error upon misspelled tag field in variant', { misspelledTag: 'AV_Text', value: '' }],
    ['return error upon wrong tag value in variant', { tag: 'Incorrect', value: '42' }],
  ])('JsonErrorHandlingOfDamlVariantTest %s', async (_what, value) => {
    const choiceArgument = {
      expectedAdmin: sides.user,
      transfer: {
        sender: sides.user,
        receiver: sides.provider,
        amount: '1.0',
        inputHoldingCids: [],
        instrumentId: { admin: sides.user, id: 'x' },
        requestedAt: '2026-01-01T00:00:00Z',
        executeBefore: '2026-01-02T00:00:00Z',
        meta: { values: {} },
      },
      extraArgs: { context: { values: { key: value } }, meta: { values: {} } },
    };
    const factory =
      '#splice-api-token-transfer-instruction-v1:Splice.Api.Token.TransferInstructionV1:TransferFactory';
    const ExerciseCommand = {
      templateId: factory,
      contractId: '00'.repeat(33),
      choice: 'TransferFactory_Transfer',
      choiceArgument,
    };
    const body = create({ commands: [{ ExerciseCommand }] });
    const { status, text } = await ask('/v2/commands/submit-and-wait', body);
    expect(status).toBe(400);
    expect(text).toContain('tag');
  });
});
