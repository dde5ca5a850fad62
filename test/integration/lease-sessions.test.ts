import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { Leases } from '../../src/app/ports/leases.ts';
import { PROJECTOR_LEASE } from '../../src/app/ports/leases.ts';
import { PATIENCE_MS } from '../kit/patience.ts';
import { postgresStore } from '../kit/postgres-store.ts';
import { io } from '../kit/store-rows.ts';

/*
 * Processes that hold a lease and are killed, frozen or stopped. The tests show which process may take the lease next.
 */

const FIXTURE = fileURLToPath(new URL('lease-holder.fixture.ts', import.meta.url));

/** The duration of a lease that lasts longer than every test. */
const TTL_MS = 10 * PATIENCE_MS;

async function startHolder(url: string, holder: string, ttlMs: number) {
  const args = [FIXTURE, url, holder, String(ttlMs)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const said: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => said.push(line));
  await expect.poll(() => said).toEqual(['holds']);
  return {
    said,
    exited,
    signal: (name: NodeJS.Signals) => child.kill(name),
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

const ask = ({ leases }: { readonly leases: Leases }): Promise<bigint | null> =>
  leases.acquire(PROJECTOR_LEASE, 'the other', TTL_MS, io());

test.each([
  ['is killed', 'SIGKILL'],
  ['stops in order', 'SIGTERM'],
] as const)('the lease of a process that %s is free long before it runs out', async (_, name) => {
  await using under = await postgresStore();
  await using holder = await startHolder(under.url, 'one', TTL_MS);
  expect(await ask(under)).toBeNull();
  holder.signal(name);
  await holder.exited;
  await expect.poll(() => ask(under)).toBe(2n);
  // A write that the dead process sent before its death is refused.
  expect(await under.leases.renew(PROJECTOR_LEASE, 'one', 1n, TTL_MS, io())).toBe(false);
});

test('a process that is frozen has its lease until that runs out, and a new one of its name does not wait', async () => {
  await using under = await postgresStore();
  await using frozen = await startHolder(under.url, 'one', TTL_MS);
  frozen.signal('SIGSTOP');
  for (let n = 0; n < 10; n += 1) expect(await ask(under)).toBeNull();
  await using again = await startHolder(under.url, 'one', TTL_MS);
  expect(again.said).toEqual(['holds']);
  expect(await ask(under)).toBeNull();
});

test('where the holder has shown no session only the time ends its lease', async () => {
  await using under = await postgresStore();
  const { leases } = under;
  expect(await leases.acquire(PROJECTOR_LEASE, 'one', TTL_MS, io())).toBe(1n);
  for (let n = 0; n < 3; n += 1) expect(await ask(under)).toBeNull();
  // The holder had a session. At its next renewal, it reports that it has none.
  await using holder = await startHolder(under.url, 'one', TTL_MS);
  expect(await leases.renew(PROJECTOR_LEASE, 'one', 2n, TTL_MS, io())).toBe(true);
  holder.signal('SIGKILL');
  await holder.exited;
  expect(await ask(under)).toBeNull();
});

test('of many that ask when a holder is gone one gets the lease', async () => {
  await using under = await postgresStore();
  await using holder = await startHolder(under.url, 'one', TTL_MS);
  holder.signal('SIGKILL');
  await holder.exited;
  const names = Array.from({ length: 8 }, (_, n) => `standby ${n}`);
  const taken: bigint[] = [];
  const askAll = async () => {
    const asked = names.map((name) => under.leases.acquire(PROJECTOR_LEASE, name, TTL_MS, io()));
    taken.push(...(await Promise.all(asked)).flatMap((epoch) => epoch ?? []));
    return taken;
  };
  await expect.poll(askAll).toEqual([2n]);
});
