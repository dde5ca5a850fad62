import { execFile } from 'node:child_process';
import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { verifyFile } from '../../examples/license-files/verify.mjs';
import { newSealingKey } from '../../src/domain/sealing.ts';
import { rotateSigningKey } from '../../src/main/signing-keys.ts';
import type { ValidationCode } from '../../src/domain/license-validation.ts';
import { VALIDATION_CODES } from '../../src/domain/license-validation.ts';
import { newLicenseKey } from '../../src/domain/license-key.ts';
import { DAY_MS, isoToMs } from '../../src/domain/time.ts';
import { forFile } from '../kit/for-file.ts';
import { OTHER_USER, PROVIDER, USER, startApi } from '../kit/http-api.ts';
import { asking } from '../kit/http-ask.ts';
import type { SoldPlan } from '../kit/http-plans.ts';
import { sellUnderPlan } from '../kit/http-plans.ts';
import { startRenewalsWorld } from '../kit/http-renewals.ts';

/* Validation, keys and seats over the API, on a real PostgreSQL. The tests advance ledger time. */

const world = await forFile(startRenewalsWorld());
const { api } = world;

interface Sold {
  readonly contractId: string;
  readonly id: string;
  readonly key: string;
  readonly keyId: string;
}

/** Creates a licence under a plan, and a key for it. */
async function sell(plan: SoldPlan | null = null): Promise<Sold> {
  const contractId = await world.newLicense();
  const id = String((await world.shown(contractId))['lifecycleId']);
  if (plan !== null) await sellUnderPlan(api, id, plan);
  const made = await world.provider.post(`/licenses/${id}/keys`, { name: 'build server' });
  expect(made.statusCode).toBe(201);
  const { secret: key, id: keyId } = made.json();
  return { contractId, id, key, keyId };
}

async function pay({ contractId }: Sold): Promise<string> {
  expect((await world.renew(contractId)).statusCode).toBe(201);
  const renewal = await world.renewalOf(contractId);
  const allocation = await world.allocate(renewal.contractId);
  const done = await world.complete(contractId, renewal.contractId, allocation);
  expect(done.statusCode).toBe(200);
  return done.json().licenseId;
}

const call = (verb: string, key: string, body: object = {}) =>
  api.app.inject({
    method: 'POST',
    url: `/licenses/${verb}`,
    headers: { authorization: `License ${key}` },
    payload: body,
  });

const codeOf = async (key: string, body: object = {}): Promise<ValidationCode> => {
  const reply = await call('validate', key, body);
  expect(reply.statusCode).toBe(200);
  return reply.json().code;
};

const days = (count: number): void => api.clock.advance(count * DAY_MS);

/**
 * For each code, the request that provokes it, as a licence key and a body. The second code is the answer to a request
 * that names no machine.
 */
const CASES: Readonly<
  Record<ValidationCode, () => Promise<readonly [key: string, body?: object]>>
> = {
  NOT_ACTIVE_YET: async () => [(await sell()).key],
  TRIAL: async () => [(await sell({ trial: 'P14D' })).key],
  VALID: async () => {
    const sold = await sell({ grace: 'P3D' });
    await pay(sold);
    return [sold.key];
  },
  IN_GRACE: async () => {
    const sold = await sell({ grace: 'P3D' });
    await pay(sold);
    days(31);
    return [sold.key];
  },
  EXPIRED: async () => {
    const sold = await sell({ grace: 'P3D' });
    await pay(sold);
    days(33.5);
    return [sold.key];
  },
  SUSPENDED: async () => {
    const sold = await sell({ trial: 'P14D' });
    await api.pool.query(
      `update license_record set suspended_at = now(), suspended_for = 'unpaid' where lifecycle_id = $1`,
      [sold.id],
    );
    return [sold.key];
  },
  ENDED: async () => {
    const sold = await sell();
    const path = `/licenses/${sold.contractId}:expire?commandId=${world.command()}`;
    expect((await world.provider.post(path)).statusCode).toBe(200);
    return [sold.key];
  },
  NOT_ENTITLED: async () => {
    const { key } = await sell({ trial: 'P14D', entitlements: { export: 'pdf' } });
    expect(await codeOf(key, { entitlements: ['export'] })).toBe('TRIAL');
    return [key, { entitlements: ['export', 'import'] }];
  },
  MACHINE_NOT_ACTIVATED: async () => [
    (await sell({ trial: 'P14D', seats: 1 })).key,
    { machine: 'laptop' },
  ],
  TOO_MANY_MACHINES: async () => {
    const { key } = await sell({ trial: 'P14D', seats: 1 });
    await call('activate', key, { machine: 'desktop' });
    return [key, { machine: 'laptop' }];
  },
  UNKNOWN_KEY: async () => [newLicenseKey()],
  KEY_REVOKED: async () => {
    const { id, key, keyId } = await sell({ trial: 'P14D' });
    const user = await world.user.delete(`/licenses/${id}/keys/${keyId}`);
    expect(user.statusCode).toBe(204);
    return [key];
  },
};

test.each(VALIDATION_CODES)('a validation answers %s', async (code) => {
  const [key, body] = await CASES[code]();
  const reply = await call('validate', key, body);
  expect([reply.statusCode, reply.json().code]).toEqual([200, code]);
  expect(reply.json().valid).toBe(['VALID', 'TRIAL', 'IN_GRACE'].includes(code));
});

describe('the answer', () => {
  test('says where the licence stands, until when, and how old the data is', async () => {
    const sold = await sell({ grace: 'P3D', seats: 2, entitlements: { export: 'pdf' } });
    const stands = await pay(sold);
    const reply = await world.user.get(`/licenses/${sold.contractId}/validate`);
    const body = reply.json();
    expect(body).toMatchObject({
      valid: true,
      code: 'VALID',
      license: { id: sold.id, contractId: stands, provider: PROVIDER, user: USER },
      plan: { version: 1, name: 'Team' },
      entitlements: { export: 'pdf' },
      termsFrom: 'tenure',
      seats: { total: 2, used: 0 },
      machine: null,
      trialUntil: null,
    });
    expect(isoToMs(body.graceUntil) - isoToMs(body.expiresAt)).toBe(3 * DAY_MS);
    expect(isoToMs(body.dataTime)).toBeLessThanOrEqual(isoToMs(body.ledgerTime));
    expect(body.dataAgeSeconds).toBeGreaterThanOrEqual(0);
    expect(isoToMs(body.checkAgainAt) - isoToMs(body.ledgerTime)).toBe(300_000);
    expect(reply.headers).toMatchObject({
      'cache-control': 'private, max-age=300',
      vary: 'Authorization, Cookie',
    });
  });

  test('may be kept until the next known change at most', async () => {
    const { key } = await sell({ trial: 'PT2M' });
    const reply = await call('validate', key);
    const { checkAgainAt, trialUntil, code } = reply.json();
    expect([code, checkAgainAt]).toEqual(['TRIAL', trialUntil]);
    expect(
      Number(/max-age=(\d+)$/u.exec(String(reply.headers['cache-control']))?.[1]),
    ).toBeLessThan(121);
  });

  test('is found by reference, for the parties alone', async () => {
    const { id } = await sell({ trial: 'P14D' });
    const { reference } = (await world.user.get(`/licenses/${id}/validate`)).json().license;
    expect(reference).toMatch(/^LIC-\d{4,}$/u);
    const found = await world.provider.get(`/licenses/${reference}/validate`);
    expect(found.json().license.id).toBe(id);
    const stranger = await asking(api, OTHER_USER);
    const [foreign, unknown] = await Promise.all(
      [reference, 'LIC-9999'].map((each) => stranger.get(`/licenses/${each}/validate`)),
    );
    const without = (body: Record<string, unknown>) => ({ ...body, traceId: '', instance: '' });
    const told = JSON.stringify(without(foreign!.json())).replaceAll(reference, 'LIC-9999');
    expect([foreign!.statusCode, told]).toEqual([404, JSON.stringify(without(unknown!.json()))]);
  });
});

describe('seats', () => {
  test('are never exceeded by machines that are activated at the same time', async () => {
    const { id, key } = await sell({ trial: 'P14D', seats: 2 });
    const names = Array.from({ length: 12 }, (_, n) => `machine-${n}`);
    const replies = await Promise.all(names.map((machine) => call('activate', key, { machine })));
    const codes = replies.map((reply) => reply.json().code);
    expect(codes.filter((code) => code === 'TRIAL')).toHaveLength(2);
    expect(codes.filter((code) => code === 'TOO_MANY_MACHINES')).toHaveLength(10);
    expect((await world.user.get(`/licenses/${id}/machines`)).json()).toHaveLength(2);
  });

  test('are freed by a release, by a party, and by time without a heartbeat', async () => {
    const { id, key } = await sell({ trial: 'P90D', seats: 1, heartbeatTime: 'P1D' });
    const activated = await call('activate', key, { machine: 'desktop', name: 'Ada' });
    expect(activated.json()).toMatchObject({ code: 'TRIAL', seats: { used: 1 } });
    // A machine that is activated again does not take a second seat.
    expect((await call('activate', key, { machine: 'desktop' })).json().code).toBe('TRIAL');
    expect((await call('release', key, { machine: 'desktop' })).statusCode).toBe(204);
    expect((await call('activate', key, { machine: 'laptop' })).json().code).toBe('TRIAL');
    days(0.9);
    expect((await call('heartbeat', key, { machine: 'laptop' })).json().code).toBe('TRIAL');
    days(0.9);
    expect(await codeOf(key, { machine: 'laptop' })).toBe('TRIAL');
    expect(await codeOf(key, { machine: 'desktop' })).toBe('TOO_MANY_MACHINES');
    days(0.2);
    expect(await codeOf(key, { machine: 'laptop' })).toBe('MACHINE_NOT_ACTIVATED');
    const late = await call('heartbeat', key, { machine: 'laptop' });
    expect(late.json().code).toBe('MACHINE_NOT_ACTIVATED');
    expect((await call('activate', key, { machine: 'desktop' })).json().code).toBe('TRIAL');
    const [machine] = (await world.provider.get(`/licenses/${id}/machines`)).json();
    const removed = await world.provider.delete(`/licenses/${id}/machines/${machine.id}`);
    expect(removed.statusCode).toBe(204);
    expect(await codeOf(key, { machine: 'desktop' })).toBe('MACHINE_NOT_ACTIVATED');
  });

  test('are not given while the licence is not valid', async () => {
    const { id, key } = await sell();
    const reply = await call('activate', key, { machine: 'desktop' });
    expect(reply.json().code).toBe('NOT_ACTIVE_YET');
    expect((await world.user.get(`/licenses/${id}/machines`)).json()).toEqual([]);
  });
});

describe('a key', () => {
  test('is stored as its hash, shown once, and outlives a renewal', async () => {
    const sold = await sell({ trial: 'P14D' });
    await pay(sold);
    expect(await codeOf(sold.key)).toBe('VALID');
    const { rows } = await api.pool.query(`select encode(hash, 'hex') as hash, k::text as row
      from license_key k where id = '${sold.keyId}'`);
    expect(rows[0].hash).toMatch(/^[0-9a-f]{64}$/u);
    const listed = await world.user.get(`/licenses/${sold.id}/keys`);
    expect(listed.json()).toMatchObject([{ id: sold.keyId, createdBy: PROVIDER }]);
    const { rows: audit } = await api.pool.query(
      `select detail::text as detail from audit where subject = 'license:${sold.id}'`,
    );
    const everything = JSON.stringify([rows[0].row, audit, listed.body, api.logged]);
    expect(audit).toHaveLength(1);
    expect(everything).not.toContain(sold.key);
  });

  test('opens nothing but the calls of its own licence', async () => {
    const { key, id } = await sell({ trial: 'P14D' });
    const other = await sell({ trial: 'P14D', seats: 1 });
    await call('activate', other.key, { machine: 'desktop' });
    await call('release', key, { machine: 'desktop' });
    expect(await codeOf(other.key, { machine: 'desktop' })).toBe('TRIAL');
    for (const url of ['/licenses', `/licenses/${id}`, `/licenses/${id}/keys`, '/operations']) {
      const headers = { authorization: `License ${key}` };
      const reply = await api.app.inject({ method: 'GET', url, headers });
      expect([url, reply.statusCode]).toEqual([url, 401]);
    }
  });

  test.each([
    ['without one', undefined],
    ['of another scheme', 'Basic dGxrXzE6'],
    ['of a token', 'Bearer nothing'],
  ])('is demanded: a call %s is 401', async (_what, authorization) => {
    const headers = authorization === undefined ? {} : { authorization };
    const reply = await api.app.inject({ method: 'POST', url: '/licenses/validate', headers });
    expect(reply.statusCode).toBe(401);
  });

  test('does not let a query parameter that is not declared pass', async () => {
    const { key } = await sell();
    const reply = await call('validate?machine=x', key);
    expect([reply.statusCode, reply.json().field]).toEqual([400, 'machine']);
  });

  test('that is garbled, empty or injected is unknown', async () => {
    const { key } = await sell({ trial: 'P14D' });
    const garbled = [key.slice(0, -1), `${key}x`, key.toUpperCase(), '', "tlk_' or '1'='1"];
    for (const each of garbled) {
      const reply = await call('validate', each);
      expect([each, reply.statusCode]).toEqual([each, 200]);
      expect(reply.json()).toMatchObject({ code: 'UNKNOWN_KEY', license: null });
    }
    expect((await call('release', newLicenseKey(), { machine: 'desktop' })).statusCode).toBe(401);
  });

  test('that is unknown counts against its address, before the database is asked', async () => {
    await using limited = await startApi(({ rateLimits }) => ({
      rateLimits: { ...rateLimits, failuresPerAddress: 3 },
    }));
    const ask = (authorization: string) =>
      limited.app.inject({ method: 'POST', url: '/licenses/validate', headers: { authorization } });
    const replies = [];
    for (let n = 0; n < 4; n += 1) replies.push(await ask(`License ${newLicenseKey()}`));
    expect(replies.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 429]);
    expect(replies[3]!.headers['retry-after']).toMatch(/^\d+$/u);
  });
});

describe('a licence file', () => {
  const verified = async (file: string, machine?: string, nowMs = api.clock.nowMs()) => {
    const jwks = (await api.app.inject({ method: 'GET', url: '/.well-known/jwks.json' })).json();
    return verifyFile(file, jwks, { machine, nowS: nowMs / 1_000 });
  };
  const fileOf = async (id: string, body: object = {}): Promise<string> => {
    const reply = await world.user.post(`/licenses/${id}/files`, body);
    expect([reply.statusCode, reply.headers['content-type']]).toEqual([201, 'application/jose']);
    return reply.body;
  };
  /** Verifies licence files with a program in Python. @returns the claims of each file, or `refused` */
  const inPython = async (...files: readonly string[]): Promise<unknown> => {
    const jwks = await api.app.inject({ method: 'GET', url: '/.well-known/jwks.json' });
    const script = `import json, sys; sys.path.insert(0, 'examples/license-files'); import verify
files, jwks, now = sys.argv[1:]
def claims(file):
    try:
        return verify.verify_file(file, json.loads(jwks), now_s=float(now))
    except ValueError:
        return 'refused'
print(json.dumps([claims(file) for file in json.loads(files)]))`;
    const args = [JSON.stringify(files), jwks.body, String(api.clock.nowMs() / 1_000)];
    const { stdout } = await promisify(execFile)('python3', ['-B', '-c', script, ...args]);
    return JSON.parse(stdout);
  };

  test('says what the licence is, to both verifiers, until the offline time ends', async () => {
    const sold = await sell({ grace: 'P3D', offlineTime: 'P2D', entitlements: { export: 'pdf' } });
    const contractId = await pay(sold);
    const file = await fileOf(sold.id);
    const claims = await verified(file);
    expect(await inPython(file)).toEqual([claims]);
    expect(claims).toMatchObject({
      iss: PROVIDER,
      sub: sold.id,
      license: { contractId, updateId: expect.any(String), user: USER },
      plan: { name: 'Team' },
      entitlements: { export: 'pdf' },
      machine: null,
    });
    expect(Math.abs(claims.exp - claims.iat - 2 * 86_400)).toBeLessThanOrEqual(1);
    await expect(verified(file, undefined, claims.exp * 1_000 + 61_000)).rejects.toThrow(
      'has ended',
    );
    api.clock.advance(29 * DAY_MS);
    const last = await verified(await fileOf(sold.id));
    expect(last.exp - last.iat).toBe(2 * 86_400);
    api.clock.advance(3.5 * DAY_MS);
    // The grace ends earlier than the time for which the licence may be used offline.
    const graced = await verified(await fileOf(sold.id));
    expect(graced.exp - graced.iat).toBeLessThan(86_400);
    api.clock.advance(DAY_MS);
    const refused = await world.user.post(`/licenses/${sold.id}/files`);
    expect([refused.statusCode, refused.json()]).toMatchObject([
      409,
      { code: 'LICENSE_NOT_VALID', validation: 'EXPIRED' },
    ]);
  });

  test('is refused when it was changed, and with another algorithm, type, audience or key', async () => {
    const { id } = await sell({ trial: 'P14D' });
    const file = await fileOf(id);
    const [head = '', body = '', signature = ''] = file.split('.');
    const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const { kid } = JSON.parse(Buffer.from(head, 'base64url').toString());
    const claims = await verified(file);
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const signed = (header: object, payload: object) => {
      const text = `${encoded(header)}.${encoded(payload)}`;
      return `${text}.${sign(null, Buffer.from(text), privateKey).toString('base64url')}`;
    };
    const header = { alg: 'EdDSA', typ: 'tenure-license+jwt', kid };
    const secret = createHmac('sha256', publicKey.export({ type: 'spki', format: 'der' }));
    const withHmac = `${encoded({ ...header, alg: 'HS256' })}.${body}`;
    const forged = [
      `${head}.${encoded({ ...claims, exp: claims.exp + 86_400 })}.${signature}`,
      `${encoded({ ...header, alg: 'none' })}.${body}.`,
      `${withHmac}.${secret.update(withHmac).digest('base64url')}`,
      `${encoded({ ...header, typ: 'JWT' })}.${body}.${signature}`,
      signed(header, claims),
      signed({ ...header, kid: 'other' }, claims),
      head,
    ];
    for (const each of forged) await expect(verified(each)).rejects.toThrow(/^(?:the|no)/u);
    expect(await inPython(...forged)).toEqual(forged.map(() => 'refused'));
    // This key is in the published set, but signs for another purpose.
    const key = { ...publicKey.export({ format: 'jwk' }), kid: 'other' };
    const other = signed({ ...header, kid: 'other' }, { ...claims, aud: 'urn:other' });
    expect(() => verifyFile(other, { keys: [key] }, { nowS: claims.iat })).toThrow(
      'another purpose',
    );
  });

  test('may be bound to a machine that holds a seat', async () => {
    const { id, key } = await sell({ trial: 'P14D', seats: 1 });
    const early = await world.user.post(`/licenses/${id}/files`, { machine: 'laptop' });
    expect(early.json()).toMatchObject({ validation: 'MACHINE_NOT_ACTIVATED' });
    await call('activate', key, { machine: 'laptop' });
    const file = await fileOf(id, { machine: 'laptop' });
    expect((await verified(file, 'laptop'))['machine']).toBe('laptop');
    await expect(verified(file, 'desktop')).rejects.toThrow('another machine');
  });

  test('is verified until it ends although its key was rotated', async () => {
    const { id } = await sell({ trial: 'P90D' });
    const before = await fileOf(id);
    const keysNow = async () =>
      (await api.app.inject({ method: 'GET', url: '/.well-known/jwks.json' })).json().keys;
    const first = (await keysNow()).length;
    const kid = await rotateSigningKey({
      databaseUrl: api.database.url,
      keys: newSealingKey(),
    });
    const { rows } = await api.pool.query('select secret from signing_key where id = $1', [kid]);
    expect(rows[0].secret).toMatch(/^sealed:/u);
    await verified(before);
    expect(await keysNow()).toHaveLength(first + 1);
    expect(JSON.stringify(await keysNow())).not.toMatch(/"d":/u);
    api.clock.advance(8 * DAY_MS);
    expect((await keysNow()).map((each: { kid: string }) => each.kid)).toEqual([kid]);
    await expect(verified(before)).rejects.toThrow('no known key');
  });
});
