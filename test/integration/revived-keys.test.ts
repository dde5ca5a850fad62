import { expect, test } from 'vitest';
import { findRestored, readAuditCopy } from '../../src/main/doctor-audit.ts';
import { forFile } from '../kit/for-file.ts';
import { IO } from '../kit/http-api.ts';
import { asOperator } from '../kit/http-ops.ts';
import { startRenewalsWorld } from '../kit/http-renewals.ts';

/* After a restore, the doctor names the revocations and suspensions that the restored database lacks. */

const world = await forFile(startRenewalsWorld());
const { api, provider } = world;

const find = async (options: Parameters<typeof findRestored>[1]) =>
  (await findRestored(api.pool, options, IO)).map(({ level, what, todo }) => [level, what, todo]);

test('keys that a restore has revived are named, and suspensions that it has undone', async () => {
  const contractId = await world.newLicense();
  const license = String((await world.shown(contractId))['lifecycleId']);
  const post = async (path: string, body: object) =>
    (await provider.post(`/licenses/${license}/${path}`, body)).json();
  const [kept, revoked] = [await post('keys', { name: 'a' }), await post('keys', { name: 'b' })];
  const copiedAt = new Date(Date.now() + 60_000).toISOString();
  const headers = { authorization: await asOperator(api) };
  const url = `/licenses/${license}/keys/${revoked.id}`;
  expect((await api.app.inject({ method: 'DELETE', url, headers })).statusCode).toBe(204);
  await post('suspend', { reason: 'a' });
  await post('reinstate', { reason: 'b' });
  await post('suspend', { reason: 'c' });
  const log = await api.app.inject({ method: 'GET', url: '/ops/audit', headers });
  const copy = readAuditCopy(log.body);
  expect(await find({ copy })).toEqual([['well', expect.any(String), undefined]]);

  // A restore to a state before the revocation and the suspension.
  await api.pool.query(`update license_key set revoked_at = null, revoked_by = null`);
  await api.pool.query(`update license_record set suspended_at = null, suspended_for = null`);
  expect(await find({ copy, copiedAt })).toEqual([
    [
      'wrong',
      expect.stringMatching(`licence key ${revoked.id} works again, although it was revoked at `),
      `Revoke it: tenure licenses revoke-key ${license} ${revoked.id}`,
    ],
    ['wrong', expect.stringContaining(`licence ${license} is not suspended`), expect.any(String)],
  ]);
  expect(kept.id).not.toBe(revoked.id);
  expect(await find({ copiedAt })).toEqual([
    ['wrong', expect.stringMatching(/^2 licence keys work/u), expect.any(String)],
  ]);
  expect(await find({})).toEqual([]);
});

test.each(['{}', '[{"at": 1}]', 'x'])('%s is no copy of an audit log', (text) => {
  expect(() => readAuditCopy(text)).toThrow();
});
