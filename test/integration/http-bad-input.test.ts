import { describe, expect, test } from 'vitest';
import { HTTP_LIMITS } from '../../src/http/limits.ts';
import { LIMITS } from '../../src/domain/limits.ts';
import { OTHER_USER, PROVIDER } from '../kit/http-api.ts';
import { expectProblem, leavingNoTrace, startPopulated } from '../kit/http-refusals.ts';
import { forFile } from '../kit/for-file.ts';

/* Malformed writes: the tests check the status and the whole problem, and that nothing is recorded. */

const world = await forFile(startPopulated());
leavingNoTrace(world.api);

const expire = () => `/licenses/${world.license}:expire`;

describe('commandId', () => {
  test.each([
    ['', 'COMMAND_ID_MISSING', `Required parameter 'commandId' is not present.`],
    [
      '?commandId=a&commandId=b',
      'COMMAND_ID_INVALID',
      `Parameter 'commandId' is given more than once.`,
    ],
    [
      '?commandId=a&commandId=a',
      'COMMAND_ID_INVALID',
      `Parameter 'commandId' is given more than once.`,
    ],
    ['?commandId=tenure:x', 'COMMAND_ID_INVALID', 'commandId must not begin with tenure:'],
  ] as const)('%s', async (query, code, message) => {
    const extra = { field: 'commandId' };
    expectProblem(await world.user.post(expire() + query), expire(), { code, message, extra });
  });

  test('that differs from Idempotency-Key', async () => {
    const path = `${expire()}?commandId=x1`;
    expectProblem(await world.user.post(path, {}, { 'idempotency-key': '"x2"' }), expire(), {
      code: 'COMMAND_ID_INVALID',
      message: 'Idempotency-Key and commandId differ',
      extra: { field: 'commandId' },
    });
  });

  test.each(['', 'x'.repeat(256), '%00', '%C3%A4', 'a%0Ab', '%F0%9F%98%80', '%', 'a.b', '%22'])(
    'that the ledger would refuse: %s',
    async (id) => {
      expectProblem(await world.user.post(`${expire()}?commandId=${id}`), expire(), {
        code: 'COMMAND_ID_INVALID',
        message:
          'commandId must be 1 to 255 of the letters A-Z and a-z, digits, # : - _ / and space',
        extra: { field: 'commandId' },
      });
    },
  );

  test('of another change of one’s own, of another body, of another caller', async () => {
    const path = `/app-installs/${world.install}:create-license`;
    const url = `${path}?commandId=create-1`;
    const reused = { code: 'COMMAND_ID_REUSED', commandId: 'create-1' } as const;
    const message = 'commandId create-1 was used for another change';
    const otherBody = await world.provider.post(url, { params: { meta: { data: { a: 'b' } } } });
    expectProblem(otherBody, path, { ...reused, message });
    const cancel = `/app-installs/${world.install}:cancel`;
    expectProblem(await world.provider.post(`${cancel}?commandId=create-1`), cancel, {
      ...reused,
      message,
    });
    // The command ID belongs to another caller with the same acting party: even the owner of the contract gets no
    // further information.
    expectProblem(await world.user.post(`${cancel}?commandId=create-1`), cancel, {
      code: 'COMMAND_ID_TAKEN',
      commandId: 'create-1',
      message: 'commandId create-1 is taken',
    });
  });
});

describe('body', () => {
  const send = (
    path: string,
    payload: string | Buffer,
    headers: Readonly<Record<string, string>> = { 'content-type': 'application/json' },
  ) =>
    world.api.as(PROVIDER).then((authorization) =>
      world.api.app.inject({
        method: 'POST',
        url: `${path}?commandId=body-1`,
        headers: { authorization, ...headers },
        payload,
      }),
    );
  const accept = () => `/app-install-requests/${world.open}:accept`;
  const create = () => `/app-installs/${world.install}:create-license`;

  test.each([
    ['{', 'it is no JSON text'],
    ['{"installMeta": }', 'it is no JSON text'],
    ['not json', 'it is no JSON text'],
    ['[1,]', 'it is no JSON text'],
    [Buffer.from([0x7b, 0xff, 0x7d]), 'it is not in UTF-8'],
    ['['.repeat(30_000), 'it is nested too deeply'],
  ])('malformed: %s', async (payload, why) => {
    expectProblem(await send(accept(), payload), accept(), {
      code: 'BODY_MALFORMED',
      message: `JSON parse error: ${why}`,
    });
  });

  test.each([
    ['null', 'body', 'Required request body is missing'],
    ['[]', 'body', 'body must be object'],
    ['"text"', 'body', 'body must be object'],
    ['{}', 'installMeta', 'installMeta is required'],
    ['{"installMeta": null}', 'installMeta', 'installMeta must be object'],
    ['{"installMeta": []}', 'installMeta', 'installMeta must be object'],
    ['{"installMeta": {"data": [1]}}', 'installMeta.data', 'installMeta.data must be object'],
    [
      '{"installMeta": {}, "meta": {"data": {"a/b": {}}}}',
      'meta.data.a/b',
      'meta.data.a/b must be either string or number or boolean',
    ],
    [
      '{"installMeta": {"data": {"a": null}}}',
      'installMeta.data.a',
      'installMeta.data.a must be either string or number or boolean',
    ],
    [
      '{"installMeta": {"data": {"a": ["b"]}}}',
      'installMeta.data.a',
      'installMeta.data.a must be either string or number or boolean',
    ],
  ])('of the wrong type: %s', async (payload, field, message) => {
    expectProblem(await send(accept(), payload), accept(), {
      code: 'REQUEST_INVALID',
      message,
      extra: { field },
    });
  });

  test('missing where it says what to do', async () => {
    for (const path of [accept(), create()]) {
      expectProblem(await world.provider.post(`${path}?commandId=body-1`), path, {
        code: 'REQUEST_INVALID',
        message: 'Required request body is missing',
        extra: { field: 'body' },
      });
    }
    expectProblem(await send(create(), '{}'), create(), {
      code: 'REQUEST_INVALID',
      message: 'params is required',
      extra: { field: 'params' },
    });
  });

  test('with text that cannot be stored, wherever it is', async () => {
    const bodies = [
      '{"installMeta": {"data": {"note": "a\\u0000"}}}',
      '{"installMeta": {}, "nobody-reads-this": {"note": "\\ud800"}}',
    ];
    for (const payload of bodies) {
      expectProblem(await send(accept(), payload), accept(), {
        code: 'REQUEST_INVALID',
        message: '"note" holds a NUL character or half a surrogate pair',
        extra: { field: 'note' },
      });
    }
  });

  test('with more metadata than the limits allow', async () => {
    const entries = Object.fromEntries(
      Array.from({ length: LIMITS.metadataEntriesMax + 1 }, (_, n) => [`k${n}`, 'v']),
    );
    expectProblem(
      await send(accept(), JSON.stringify({ installMeta: { data: entries } })),
      accept(),
      {
        code: 'REQUEST_INVALID',
        message: `installMeta.data must have at most ${LIMITS.metadataEntriesMax} entries`,
        extra: { field: 'installMeta.data' },
      },
    );
    const long = {
      installMeta: {},
      meta: { data: { a: 'x'.repeat(LIMITS.metadataTextCharsMax + 1) } },
    };
    expectProblem(await send(accept(), JSON.stringify(long)), accept(), {
      code: 'REQUEST_INVALID',
      message: `meta.data.a must have at most ${LIMITS.metadataTextCharsMax} characters`,
      extra: { field: 'meta.data.a' },
    });
  });

  test('over the limit, announced or not', async () => {
    const payload = JSON.stringify({
      installMeta: {},
      x: 'x'.repeat(HTTP_LIMITS.metadataBodyBytesMax),
    });
    const announced = await send(accept(), payload);
    const chunked = await fetch(`${world.address}${accept()}?commandId=body-1`, {
      method: 'POST',
      headers: { authorization: await world.api.as(PROVIDER), 'content-type': 'application/json' },
      body: new Blob([payload]).stream(),
      duplex: 'half',
    });
    const message = `the body must have at most ${HTTP_LIMITS.metadataBodyBytesMax} bytes`;
    expectProblem(announced, accept(), { code: 'BODY_TOO_LARGE', message });
    expect([chunked.status, ((await chunked.json()) as { message: string }).message]).toEqual([
      413,
      message,
    ]);
  });

  test.each([
    ['text/plain'],
    ['application/x-www-form-urlencoded'],
    ['multipart/form-data; boundary=x'],
    ['application/xml'],
    ['application/jsonp'],
    ['json'],
    ['application/problem+json'],
  ])('of content type %s', async (type) => {
    const reply = await send(accept(), '{"installMeta": {}}', { 'content-type': type });
    expectProblem(reply, accept(), {
      code: 'MEDIA_TYPE_UNSUPPORTED',
      message: 'the body must be application/json',
    });
  });

  test('without a content type, or compressed', async () => {
    expectProblem(await send(accept(), '{"installMeta": {}}', {}), accept(), {
      code: 'MEDIA_TYPE_UNSUPPORTED',
      message: 'the body must be application/json',
    });
    const gzip = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    expectProblem(await send(accept(), 'x', gzip), accept(), {
      code: 'MEDIA_TYPE_UNSUPPORTED',
      message: 'content encoding gzip is not supported',
    });
  });

  test('that asks for another provider than the one that is served here', async () => {
    const path = '/app-install-requests';
    const body = { provider: OTHER_USER };
    expectProblem(await world.user.post(`${path}?commandId=body-1`, body), path, {
      code: 'REQUEST_INVALID',
      message: `provider must be ${PROVIDER}: its licences are run here`,
      extra: { field: 'provider' },
    });
  });
});
