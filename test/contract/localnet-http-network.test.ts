import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FREE_PORTS } from '../../localnet/ports.ts';
import { forFile } from '../kit/for-file.ts';
import { http } from './kit/http.ts';
import { PROVIDER_ADMIN, PROVIDER_BACKEND, USER_ADMIN, USER_PERSON } from './kit/identities.ts';
import { openNetwork } from './kit/network.ts';
import type { Network } from './kit/network.ts';

const START = '2026-11-21T12:00:00Z';

const network = await forFile(openNetwork({ staticTime: START }));

const userUrls = () => network.localnet.urls.participants['app-user'];

/** Returns the archive of the licensing package, as a client downloads it. */
async function licensingArchive(): Promise<{ id: string; bytes: Uint8Array<ArrayBuffer> }> {
  const { packageDetails } = await network.as(USER_ADMIN).packageAdmin.listKnownPackages({});
  const { packageId } = packageDetails.find(({ name }) => name === 'quickstart-licensing')!;
  const { archivePayload } = await network.as(USER_ADMIN).packages.getPackage({ packageId });
  return { id: packageId, bytes: new Uint8Array(archivePayload) };
}

const formOf = (field: string, bytes: Uint8Array<ArrayBuffer>): FormData => {
  const form = new FormData();
  form.append(field, new Blob([bytes]), 'licensing.dar');
  return form;
};

describe('packages', () => {
  test('are listed, on the admin port in both spellings', async () => {
    const { id } = await licensingArchive();
    for (const [url, as] of [
      [`${userUrls().admin}/v2/packages`, undefined],
      [`${userUrls().json}/v2/packages`, USER_PERSON],
    ] as const) {
      const { status, json } = await http(network, url, as === undefined ? {} : { as });
      expect(status).toBe(200);
      const { packageIds, package_ids } = json as Record<string, string[]>;
      expect(packageIds).toContain(id);
      expect(package_ids).toEqual(as === undefined ? packageIds : undefined);
    }
  });

  test('can be uploaded again by whoever administers, on the admin port also in a form', async () => {
    const { id, bytes } = await licensingArchive();
    const octets = { 'content-type': 'application/octet-stream' };
    const replies = await Promise.all([
      http(network, `${userUrls().admin}/v2/packages`, { body: bytes, headers: octets }),
      http(network, `${userUrls().admin}/v2/packages`, { body: formOf('dar', bytes) }),
      http(network, `${userUrls().json}/v2/packages`, {
        body: bytes,
        headers: octets,
        as: USER_ADMIN,
      }),
      http(network, `${userUrls().json}/v2/dars`, { body: bytes, as: USER_ADMIN }),
    ]);
    const uploaded = { packageIds: [id], package_ids: [id] };
    expect(replies.map(({ status, json }) => [status, json])).toEqual([
      [200, uploaded],
      [200, uploaded],
      [200, {}],
      [200, {}],
    ]);
    const denied = await http(network, `${userUrls().json}/v2/packages`, {
      body: bytes,
      headers: octets,
      as: USER_PERSON,
    });
    expect([denied.status, denied.json]).toEqual([403, expect.objectContaining({ code: 'NA' })]);
  });

  test.each<[string, string | FormData, Record<string, string>, number, string]>([
    ['no DAR', 'abc', { 'content-type': 'application/octet-stream' }, 400, 'INVALID_DAR'],
    ['a form with another field', formOf('file', new Uint8Array(1)), {}, 400, 'INVALID_ARGUMENT'],
    [
      'a form that is none',
      'abc',
      { 'content-type': 'multipart/form-data; boundary=x' },
      400,
      'INVALID_ARGUMENT',
    ],
  ])('%s is refused', async (_what, body, headers, status, code) => {
    const reply = await http(network, `${userUrls().admin}/v2/packages`, { body, headers });
    expect([reply.status, (reply.json as { code?: string }).code]).toEqual([status, code]);
  });

  test('a body of another type is not read', async () => {
    const { status } = await http(network, `${userUrls().admin}/v2/packages`, { body: {} });
    expect(status).toBe(415);
  });
});

describe('the network', () => {
  test('names its DSO: registry, network port, and every validator to whoever has a token', async () => {
    const { urls, parties } = network.localnet;
    for (const base of [urls.registry, urls.network]) {
      const { json } = await http(network, `${base}/registry/metadata/v1/info`);
      expect(json).toMatchObject({ adminId: parties.dso });
    }
    const path = '/api/validator/v0/scan-proxy/dso-party-id';
    for (const [base, as] of [
      [urls.participants['app-user'].validator, USER_PERSON],
      [urls.participants['app-provider'].validator, PROVIDER_BACKEND],
      [urls.wallet, USER_PERSON],
    ] as const) {
      expect((await http(network, `${base}${path}`)).status).toBe(401);
      const { json } = await http(network, `${base}${path}`, { as });
      expect(json).toEqual({ dso_party_id: parties.dso });
    }
  });
});

describe('time control', () => {
  const timeUrl = () => `${network.localnet.urls.network}/control/time`;

  test('describes itself', async () => {
    const { json } = await http(network, `${network.localnet.urls.network}/control`);
    expect(json).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      operations: expect.arrayContaining([
        expect.objectContaining({ method: 'POST', path: '/control/time' }),
      ]),
    });
  });

  test('travels forward for all participants, and never back', async () => {
    expect((await http(network, timeUrl())).json).toEqual({ mode: 'static', now: START });
    const there = await http(network, timeUrl(), { body: { to: '2026-12-21T12:00:00.000001Z' } });
    expect(there.json).toEqual({ mode: 'static', now: '2026-12-21T12:00:00.000001Z' });
    const later = await http(network, timeUrl(), { body: { advanceSeconds: 1.5 } });
    expect(later.json).toEqual({ mode: 'static', now: '2026-12-21T12:00:01.500001Z' });
    for (const identity of [USER_ADMIN, PROVIDER_ADMIN]) {
      const { currentTime } = await network.as(identity).time.getTime({});
      expect(currentTime).toEqual({
        seconds: BigInt(Date.parse('2026-12-21T12:00:01Z') / 1_000),
        nanos: 500_001_000,
      });
    }
    const back = await http(network, timeUrl(), { body: { to: START } });
    expect([back.status, back.json]).toEqual([400, { error: expect.any(String) }]);
    expect((await http(network, timeUrl())).json).toEqual(later.json);
  });

  test.each([
    ['nothing', {}],
    ['both', { to: '2030-01-01T00:00:00Z', advanceSeconds: 1 }],
    ['the past', { advanceSeconds: -1 }],
    ['a number in a text', { advanceSeconds: '1' }],
    ['no instant', { to: 'tomorrow' }],
    ['something unknown', { advanceDays: 1 }],
  ])('refuses %s', async (_what, body) => {
    const { status, json } = await http(network, timeUrl(), { body });
    expect([status, json]).toEqual([400, { error: expect.any(String) }]);
  });

  test.each(['/control', '/control/time', '/%63ontrol/time'])(
    'answers nobody who calls this machine by another name: %s',
    async (path) => {
      // This request uses node:http, because fetch sets the Host header itself.
      const { hostname, port } = new URL(timeUrl());
      const status = await new Promise<number | undefined>((resolve, reject) => {
        const sent = request({ hostname, port, path, headers: { host: 'rebound.example' } });
        sent.on('response', (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        });
        sent.on('error', reject);
        sent.end();
      });
      expect(status).toBe(403);
    },
  );

  test('cannot move wall time', async () => {
    await using wall = await openNetwork();
    const url = `${wall.localnet.urls.network}/control/time`;
    expect((await http(wall, url)).json).toMatchObject({ mode: 'wall' });
    const { status, json } = await http(wall, url, { body: { advanceSeconds: 1 } });
    expect([status, json]).toEqual([409, { error: expect.stringContaining('wall time') }]);
  });
});

test('a port that is taken stops the start and leaves no listener behind', async () => {
  const { participants, ...shared } = network.localnet.ports;
  const ofOneNetwork = [...Object.values(participants).map(Object.values), Object.values(shared)];
  const listeners = () =>
    process.getActiveResourcesInfo().filter((resource) => resource === 'TCPServerWrap').length;
  const onlyOurs = () => expect.poll(listeners).toBe(ofOneNetwork.flat().length);
  await onlyOurs();
  const ports = { ...FREE_PORTS, network: shared.network };
  await expect(openNetwork({ ports })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  await onlyOurs();
});

test('tokens stay valid over a restart, because the signing keys are kept', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'tenure-localnet-http-'));
  try {
    const first = await openNetwork({ dataDir });
    const token = await first.tokens.of(USER_PERSON);
    const keysOf = async (net: Network) =>
      (await http(net, `${net.localnet.urls.auth}/realms/AppUser/protocol/openid-connect/certs`))
        .json;
    const keys = await keysOf(first);
    await first[Symbol.asyncDispose]();

    await using second = await openNetwork({ dataDir });
    expect(await keysOf(second)).toEqual(keys);
    const { json } = second.localnet.urls.participants['app-user'];
    const { status } = await http(second, `${json}/v2/state/ledger-end`, { as: `Bearer ${token}` });
    expect(status).toBe(200);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
});
