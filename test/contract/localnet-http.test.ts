import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { licensingPackage } from '../../localnet/ledger/licensing/package.ts';
import { PARTICIPANT_NAMES } from '../../localnet/ports.ts';
import { forFile } from '../kit/for-file.ts';
import { eventsOf } from './kit/formats.ts';
import { http, installRequestBody, jsonApisOf } from './kit/http.ts';
import { PROVIDER_BACKEND, USER_PERSON } from './kit/identities.ts';
import { openNetwork } from './kit/network.ts';
import { activeContracts } from './kit/steps.ts';

const network = await forFile(openNetwork());
const { sides, urlsOf, userJson, providerJson, submit } = jsonApisOf(network);

/** Returns the only contract that a transaction created, as a party sees it on its own participant. */
async function createdBy(updateId: string, identity: typeof USER_PERSON, party: string) {
  const answer = await network.as(identity).updates.getUpdateById({
    updateId,
    updateFormat: {
      includeTransactions: { eventFormat: eventsOf([party]), transactionShape: 1 },
    },
  });
  if (answer.update?.$case !== 'transaction') throw new Error('not a transaction');
  const [event] = answer.update.value.events;
  if (event?.event?.$case !== 'created') throw new Error('nothing was created');
  return event.event.value;
}

describe('probes', () => {
  test.each(PARTICIPANT_NAMES)(
    '%s is alive and ready, and nobody needs a token for it',
    async (name) => {
      const { json, validator, health } = urlsOf(name);
      const texts = await Promise.all(
        [
          `${json}/livez`,
          `${json}/readyz`,
          `${validator}/api/validator/livez`,
          `${validator}/api/validator/readyz`,
          `${health}/health`,
        ].map(async (url) => {
          const { status, text } = await http(network, url);
          return [status, text];
        }),
      );
      expect(texts).toEqual([
        [200, ''],
        [200, '[+] ledger ok (SERVING)\nreadyz check passed\n'],
        [200, ''],
        [200, ''],
        [200, expect.stringContaining('SERVING')],
      ]);
    },
  );
});

describe('create-app-install-request', () => {
  test('creates one contract, which both participants show', async () => {
    const before = await network.as(USER_PERSON).state.getLedgerEnd({});
    const { status, json } = await submit(installRequestBody(sides));
    expect(status).toBe(200);
    expect(json).toEqual({ updateId: expect.any(String), completionOffset: expect.any(Number) });
    const { updateId, completionOffset } = json as { updateId: string; completionOffset: number };
    expect(completionOffset).toBeGreaterThan(Number(before.offset));

    const forUser = await createdBy(updateId, USER_PERSON, sides.user);
    const forProvider = await createdBy(updateId, PROVIDER_BACKEND, sides.provider);
    expect(forProvider.contractId).toBe(forUser.contractId);
    expect(forUser.signatories).toEqual([sides.user]);
    const active = await activeContracts(network.as(PROVIDER_BACKEND), eventsOf([sides.provider]));
    expect(active.map(({ createdEvent }) => createdEvent?.contractId)).toContain(
      forUser.contractId,
    );
  });

  test('takes what the caller says about the request into the contract', async () => {
    const body = installRequestBody(sides, {
      commands: [
        {
          CreateCommand: {
            templateId: '#quickstart-licensing:Licensing.AppInstall:AppInstallRequest',
            createArguments: { ...sides, meta: { values: { test: 'tag-1' } } },
          },
        },
      ],
    });
    const { json } = await submit(body);
    const created = await createdBy(
      (json as { updateId: string }).updateId,
      PROVIDER_BACKEND,
      sides.provider,
    );
    const meta = created.createArguments?.fields.find(({ label }) => label === 'meta')?.value;
    expect(JSON.stringify(meta)).toContain('tag-1');
  });

  test('is answered to curl, which calls every body a form', async () => {
    const { status } = await userJson('/v2/commands/submit-and-wait', {
      as: USER_PERSON,
      body: JSON.stringify(installRequestBody(sides)),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(status).toBe(200);
  });

  test('leads on: the provider accepts through its own JSON API', async () => {
    const { json } = await submit(installRequestBody(sides));
    const { contractId } = await createdBy(
      (json as { updateId: string }).updateId,
      USER_PERSON,
      sides.user,
    );
    const accept = {
      commandId: randomUUID(),
      actAs: [sides.provider],
      commands: [
        {
          ExerciseCommand: {
            templateId: '#quickstart-licensing:Licensing.AppInstall:AppInstallRequest',
            contractId,
            choice: 'AppInstallRequest_Accept',
            choiceArgument: { installMeta: { values: {} }, meta: { values: {} } },
          },
        },
      ],
    };
    const path = '/v2/commands/submit-and-wait';
    const accepted = await providerJson(path, { as: PROVIDER_BACKEND, body: accept });
    expect(accepted.status).toBe(200);
    const again = await providerJson(path, {
      as: PROVIDER_BACKEND,
      body: { ...accept, commandId: randomUUID() },
    });
    expect(again.status).toBe(404);
    expect(again.json).toMatchObject({
      code: 'CONTRACT_NOT_FOUND',
      grpcCodeValue: 5,
      errorCategory: 11,
      resources: [['ErrorResource(CONTRACT_ID)', contractId]],
    });
  });
});

describe('async/submit', () => {
  const path = '/v2/commands/async/submit';

  test('answers before the outcome is known, which is a completion', async () => {
    const body = installRequestBody(sides);
    const { offset: beginExclusive } = await network.as(USER_PERSON).state.getLedgerEnd({});
    const { status, json } = await userJson(path, { body, as: USER_PERSON });
    expect([status, json]).toEqual([200, {}]);
    const stream = network
      .as(USER_PERSON)
      .completions.completionStream({ parties: [sides.user], beginExclusive });
    for await (const { completionResponse } of stream) {
      if (completionResponse?.$case !== 'completion') continue;
      const { commandId, status: outcome } = completionResponse.value;
      expect([commandId, outcome?.code]).toEqual([body['commandId'], 0]);
      break;
    }
  });

  test('refuses what submit-and-wait refuses before it waits', async () => {
    const unknown = installRequestBody(sides, { commands: [] });
    const { status, json } = await userJson(path, { body: unknown, as: USER_PERSON });
    expect([status, json]).toEqual([400, expect.objectContaining({ code: 'MISSING_FIELD' })]);
    const denied = await userJson(path, {
      body: installRequestBody(sides, { actAs: [sides.provider] }),
      as: USER_PERSON,
    });
    expect(denied.status).toBe(403);
  });
});

describe('deduplication', () => {
  const durationOf = (seconds: number) => ({
    deduplicationPeriod: { DeduplicationDuration: { value: { seconds, nanos: 0 } } },
  });

  test('a command ID is used once', async () => {
    const body = installRequestBody(sides);
    const first = await submit(body);
    const second = await submit(body);
    expect(second.status).toBe(409);
    const { completionOffset } = first.json as { completionOffset: number };
    expect(second.json).toEqual({
      code: 'DUPLICATE_COMMAND',
      cause: expect.any(String),
      correlationId: body['submissionId'],
      traceId: expect.stringMatching(/^[\da-f]{32}$/),
      context: expect.objectContaining({
        category: '10',
        completion_offset: String(completionOffset),
        definite_answer: 'true',
        participant: "'app-user'",
        commands: expect.stringContaining(String(body['commandId'])),
      }),
      resources: [],
      errorCategory: 10,
      grpcCodeValue: 6,
      retryInfo: null,
      definiteAnswer: true,
    });
  });

  test.each([
    ['a duration', durationOf(60)],
    ['a duration beyond the maximum', durationOf(8 * 24 * 3_600)],
    ['an offset', { deduplicationPeriod: { DeduplicationOffset: { value: 1 } } }],
    ['an offset as text', { deduplicationPeriod: { DeduplicationOffset: { value: '1' } } }],
    ['none', { deduplicationPeriod: undefined }],
    ['null', { deduplicationPeriod: null }],
  ])('the period may be %s', async (_what, period) => {
    expect((await submit(installRequestBody(sides, period))).status).toBe(200);
  });
});

describe('a submission that is refused', () => {
  type Fields = Readonly<Record<string, unknown>>;

  const create = (changes: Fields, templateId?: string) => ({
    commands: [
      {
        CreateCommand: {
          templateId: templateId ?? '#quickstart-licensing:Licensing.AppInstall:AppInstallRequest',
          createArguments: { ...sides, meta: { values: {} }, ...changes },
        },
      },
    ],
  });

  const prefetch = (templateId: string): Fields => ({
    prefetchContractKeys: [{ templateId, contractKey: {} }],
  });

  test.each<[string, () => Fields, number, string]>([
    [
      'an unknown package',
      () => create({}, '#no-such-package:M:T'),
      400,
      'JSON_API_PACKAGE_SELECTION_FAILED',
    ],
    [
      'an unknown template',
      () => create({}, '#quickstart-licensing:Licensing.AppInstall:No'),
      404,
      'TEMPLATES_OR_INTERFACES_NOT_FOUND',
    ],
    [
      'a value of another JSON type',
      () => create({ meta: { values: { a: 1 } } }),
      500,
      'LEDGER_API_INTERNAL_ERROR',
    ],
    ['an unexpected field', () => create({ extra: 'x' }), 400, 'INVALID_ARGUMENT'],
    ['a missing field', () => create({ meta: undefined }), 400, 'COMMAND_PREPROCESSING_FAILED'],
    [
      'somebody else as signatory',
      () => create({ user: sides.provider }),
      400,
      'DAML_AUTHORIZATION_ERROR',
    ],
    [
      'a key to prefetch of a template that has none',
      () => prefetch(`${licensingPackage.id}:Licensing.AppInstall:AppInstallRequest`),
      404,
      'TEMPLATES_OR_INTERFACES_NOT_FOUND',
    ],
    [
      'a key to prefetch of a package that is not there',
      () => prefetch(`${'a'.repeat(64)}:M:T`),
      404,
      'TEMPLATES_OR_INTERFACES_NOT_FOUND',
    ],
    // The refusal is redacted, because the JSON API does not choose packages for these keys.
    [
      'a key to prefetch by the name of a package',
      () => prefetch('#quickstart-licensing:Licensing.AppInstall:AppInstallRequest'),
      500,
      'NA',
    ],
    ['a key to prefetch of what is no package', () => prefetch('#?:M:T'), 400, 'INVALID_FIELD'],
    ['an empty command ID', () => ({ commandId: '' }), 400, 'MISSING_FIELD'],
    ['nobody to act as', () => ({ actAs: [] }), 400, 'MISSING_FIELD'],
    ['no commands', () => ({ commands: [] }), 400, 'MISSING_FIELD'],
    ['a command ID that is none', () => ({ commandId: 'a\nb' }), 400, 'INVALID_FIELD'],
    [
      'a negative duration',
      () => ({ deduplicationPeriod: { DeduplicationDuration: { value: { seconds: -1 } } } }),
      400,
      'INVALID_FIELD',
    ],
    [
      'a negative offset',
      () => ({ deduplicationPeriod: { DeduplicationOffset: { value: -1 } } }),
      400,
      'NEGATIVE_OFFSET',
    ],
  ])('%s: %s', async (_what, changes, status, code) => {
    const { status: got, json } = await submit(installRequestBody(sides, changes()));
    expect([got, json]).toEqual([
      status,
      expect.objectContaining({ code, definiteAnswer: null, retryInfo: null }),
    ]);
  });

  test.each<[string, unknown, RegExp]>([
    ['nothing', '', /\(exhausted input\)/],
    ['half of JSON', '{"commands": [', /\(exhausted input\)/],
    ['a list', [], /expecting object\)/],
    ['no command ID', { commands: [], actAs: [] }, /Missing required field at 'commandId'/],
    ['no parties', { commands: [], commandId: 'a' }, /Missing required field at 'actAs'/],
    ['no commands', { actAs: [], commandId: 'a' }, /Missing required field at 'commands'/],
    [
      'a key to prefetch of no template',
      { commands: [], actAs: [], commandId: 'a', prefetchContractKeys: [{ contractKey: 'a' }] },
      /Missing required field at 'prefetchContractKeys\[0\]\.templateId'/,
    ],
    [
      'an unknown kind of command',
      { commands: [{ Delete: {} }], commandId: 'a', actAs: [] },
      /CNil should never happen at 'commands\[0\]'/,
    ],
    [
      'a command without its fields, of the first kind of two',
      { commands: [{ ExerciseCommand: {}, CreateCommand: {} }], commandId: 'a', actAs: [] },
      /Missing required field at 'commands\[0\]\.CreateCommand\.templateId', Missing required field at/,
    ],
    [
      'a template that is none',
      {
        commands: [{ CreateCommand: { templateId: 'a:b', createArguments: {} } }],
        commandId: 'a',
        actAs: [],
      },
      /Invalid identifier format \(a:b\) not matching the expected format \(<package>:<moduleName>:<entityName>\) at 'commands\[0\]\.CreateCommand\.templateId'/,
    ],
    [
      'a bare duration',
      {
        ...installRequestBody({ user: 'u', provider: 'p' }),
        deduplicationPeriod: { DeduplicationDuration: '30s' },
      },
      /expecting object at 'deduplicationPeriod\.DeduplicationDuration'/,
    ],
  ])('a body that is %s is told in plain text', async (_what, body, why) => {
    const reply = await submit(body);
    expect(reply.status).toBe(400);
    expect(reply.headers.get('content-type')).toContain('text/plain');
    expect(reply.text).toMatch(/^Invalid value for: body \(/);
    expect(reply.text).toMatch(why);
  });

  test('a body over the limit', async () => {
    const { status } = await submit('x'.repeat(8 * 1024 * 1024 + 1));
    expect(status).toBe(413);
  });

  test('leaves nothing behind', async () => {
    const before = await network.as(USER_PERSON).state.getLedgerEnd({});
    await submit(installRequestBody(sides, create({}, '#no-such-package:M:T')));
    await submit('{');
    expect(await network.as(USER_PERSON).state.getLedgerEnd({})).toEqual(before);
  });
});
