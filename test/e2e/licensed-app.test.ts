import { expect, test } from 'vitest';
import { licensedApp } from '../../examples/licensed-app/app.mjs';
import { forFile } from '../kit/for-file.ts';
import { startWorld } from './kit/world.ts';

/* The example of a licensed program, with a whole Tenure: the licence is sold, suspended and reinstated. */

const DAY_S = 86_400;
const world = await forFile(startWorld());
let commands = 0;

async function done(who: 'user' | 'provider', path: string, body: object) {
  // Only requests that record an operation have a command ID.
  const url = path.startsWith('/app-install') ? `${path}?commandId=app-${(commands += 1)}` : path;
  const answer = await world.call(who, 'POST', url, { body });
  expect([path, answer.status < 300 ? true : answer.body]).toEqual([path, true]);
  return answer.body;
}

test('a program is sold, installed, works offline, is suspended and reinstated', async () => {
  await done('provider', '/plans', {
    id: 'team',
    name: 'Team',
    period: 'P30D',
    fee: '100',
    trial: 'P14D',
    seats: 1,
    entitlements: { export: 'pdf' },
  });
  const { contractId: request } = await done('user', '/app-install-requests', {});
  const { contractId: install } = await done(
    'provider',
    `/app-install-requests/${request}:accept`,
    {
      installMeta: {},
    },
  );
  const { licenseId } = await done('provider', `/app-installs/${install}:create-license`, {
    planId: 'team',
    params: {},
  });
  const { secret: key } = await done('user', `/licenses/${licenseId}/keys`, { name: 'laptop' });
  const api = world.tenure.state.apiUrl;
  const app = licensedApp({ api, key, machine: 'laptop' });

  expect((await app.mayRun('export')).code).toBe('MACHINE_NOT_ACTIVATED');
  expect((await app.install('Laptop of Ada')).code).toBe('TRIAL');
  expect(await app.mayRun('export')).toEqual({ runs: true, code: 'TRIAL' });
  expect(await app.mayRun('import')).toEqual({ runs: false, code: 'NOT_ENTITLED' });
  const second = licensedApp({ api, key, machine: 'desktop' });
  expect((await second.install('Desktop')).code).toBe('TOO_MANY_MACHINES');

  const file = await done('user', `/licenses/${licenseId}/files`, { machine: 'laptop' });
  const { body: jwks } = await world.call('user', 'GET', '/.well-known/jwks.json', { token: null });
  const nowS = Date.now() / 1_000;
  const offline = (days: number) =>
    app.mayRunOffline(file, jwks, 'export', nowS + days * DAY_S).runs;
  expect([0, 6.9, 7.1].map(offline)).toEqual([true, true, false]);
  expect(second.mayRunOffline(file, jwks, 'export', nowS).code).toMatch(/another machine/u);

  await done('provider', `/licenses/${licenseId}/suspend`, { reason: 'unpaid' });
  expect(await app.mayRun('export')).toEqual({ runs: false, code: 'SUSPENDED' });
  const refused = await world.call('user', 'POST', `/licenses/${licenseId}/files`, { body: {} });
  expect([refused.status, refused.body.validation]).toEqual([409, 'SUSPENDED']);
  await done('provider', `/licenses/${licenseId}/reinstate`, { reason: 'paid' });
  expect(await app.mayRun('export')).toEqual({ runs: true, code: 'TRIAL' });
  expect((await app.beat()).code).toBe('TRIAL');
  expect(await app.remove()).toBeNull();
  expect((await second.install('Desktop')).code).toBe('TRIAL');
});
