import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { PATIENCE_MS } from '../kit/patience.ts';
import type { Finished } from './kit/tenure-command.ts';
import { runCommand, startCommand } from './kit/tenure-command.ts';
import type { World } from './kit/world.ts';
import { startWorld } from './kit/world.ts';

/* The jobs of a provider on the command line. Each job takes one command. */

let world: World;
let operator: string;

beforeAll(async () => {
  world = await startWorld();
  operator = await world.tokenOf('operator');
});
afterAll(async () => world[Symbol.asyncDispose]());

const there = () => ({ TENURE_API_URL: world.tenure.state.apiUrl, TENURE_TOKEN: operator });

const tenure = (...args: readonly string[]): Promise<Finished> =>
  runCommand(world.dataDir, args, there());

/** Runs a command that must succeed, and returns its JSON document. */
// oxlint-disable-next-line typescript/no-explicit-any -- tests state what they expect of it
async function json(...args: readonly string[]): Promise<any> {
  const { code, out, err } = await tenure(...args, '--json');
  expect({ code, err }, args.join(' ')).toEqual({ code: 0, err: '' });
  return JSON.parse(out);
}

const line = async (...args: readonly string[]): Promise<string> => {
  const { code, out, err } = await tenure(...args);
  expect({ code, err }, args.join(' ')).toEqual({ code: 0, err: '' });
  return out;
};

async function newInstall(): Promise<{ readonly user: string }> {
  const id = () => `?commandId=${randomUUID()}`;
  const request = await world.call('user', 'POST', `/app-install-requests${id()}`, { body: {} });
  const path = `/app-install-requests/${request.body.contractId}:accept${id()}`;
  return (await world.call('provider', 'POST', path, { body: { installMeta: {}, meta: {} } })).body;
}

test(
  'each job of a provider takes one command',
  async () => {
    const { user } = await newInstall();
    await json('customers', 'add', '--party', user, '--name', 'Orchard', '--short-name', 'ORCH');
    await json('plans', 'add', 'pro', '--name', 'Pro', '--period', 'P30D', '--fee', '12.50');

    const [install] = await json('licenses', 'installs');
    expect(install.customer.name).toBe('Orchard');
    const create = ['licenses', 'create', install.lifecycleId, '--plan-id', 'pro'];
    const made = await json(...create, '--command-id', 'sale-1');
    expect(await json(...create, '--command-id', 'sale-1')).toEqual(made);
    const license = await json('licenses', 'show', made.licenseId);
    expect(license).toMatchObject({ reference: 'ORCH-0001', plan: { id: 'pro' } });
    const { lifecycleId } = license;

    const watching = startCommand(world.dataDir, ['licenses', 'watch', lifecycleId], there());
    const toInterrupt = startCommand(world.dataDir, ['licenses', 'watch', lifecycleId], there());
    for (const started of [watching, toInterrupt])
      await vi.waitFor(() => expect(started.output()).toContain('  now  '), PATIENCE_MS);
    expect(await line('licenses', 'offer', lifecycleId, '--plan-id', 'pro')).toBe('');
    expect(await json('licenses', 'renewals')).toMatchObject([{ licenseFeeAmount: 12.5 }]);
    expect(await line('licenses', 'list', '--search', 'Orchard', '--csv')).toContain('ORCH-0001');
    expect(await json('customers', 'list', '--search', 'orch')).toMatchObject([{ party: user }]);
    expect(await json('payments', 'list', '--since', '1d')).toEqual(expect.any(Array));
    expect((await tenure('payments', 'sums', '--group-by', 'plan')).code).toBe(0);
    expect(await json('stats', 'licenses', '--since', '7d')).toEqual(expect.any(Object));
    expect(await json('stats', 'revenue', '--group-by', 'month')).toEqual(expect.any(Object));
    const soon = ['--expires-after', '0s', '--expires-before', '30d'];
    expect((await tenure('licenses', 'list', ...soon)).code).toBe(0);
    expect(await json('subscriptions', 'list')).toEqual([]);
    expect(await json('licenses', 'validate', 'ORCH-0001')).toMatchObject({ valid: false });
    await json('policy', 'set', 'expiry', '--mode', 'dry-run');
    const [act] = await json('ops', 'audit', '--object', 'policy:expiry');
    expect(act.bySubject).not.toBe('');

    toInterrupt.interrupt();
    expect(await toInterrupt.finished).toMatchObject({ code: 0, err: '' });
    const path = `/licenses/${lifecycleId}:expire?commandId=${randomUUID()}`;
    expect((await world.call('user', 'POST', path, { body: { meta: {} } })).status).toBe(200);
    const { code, out } = await watching.finished;
    expect(code).toBe(0);
    expect(out).toMatch(/^\S+ {2}now {2}\S+/u);
    expect(out).toMatch(/ {2}operation\.succeeded {2}succeeded {2}operation renew-license/u);
    expect(out.trim().split('\n').at(-1)).toMatch(/^\S+ {2}lifecycle\.ended {2}/u);

    const watched = await tenure('licenses', 'watch', lifecycleId, '--json');
    expect(JSON.parse(watched.out)).toMatchObject({ lifecycleId });
    expect(await tenure('licenses', 'watch', 'license-00')).toMatchObject({ code: 4, out: '' });
    const bulk = ['licenses', 'bulk', 'expire', '--where', 'search=Orchard', '--reason', 'over'];
    expect(await tenure(...bulk)).toMatchObject({ code: 3, out: '' });
  },
  4 * PATIENCE_MS,
);
