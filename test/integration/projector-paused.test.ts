import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { APP_INSTALL } from '../../src/domain/licensing.ts';
import { int64, party } from '../contract/kit/values.ts';
import { PROVIDER, ProjectorWorld, USER, reached, readiness } from '../kit/projector-world.ts';
import { newContract } from '../kit/told-ledger.ts';

/* A process is paused while it applies a batch, and resumes when another process has taken over its role. */

const FIXTURE = fileURLToPath(new URL('paused-projector.fixture.ts', import.meta.url));

const install = () =>
  newContract(
    APP_INSTALL,
    { provider: party(PROVIDER), user: party(USER), numLicensesCreated: int64(0n) },
    [PROVIDER],
  );

/** Starts the process that the test pauses. Keeps the lines that the process prints, in order. */
function startPaused(world: ProjectorWorld) {
  const args = [FIXTURE, world.under.url, world.peer.address, world.userPeer.address];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const said: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => said.push(line));
  return {
    said,
    signal: (name: NodeJS.Signals) => child.kill(name),
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}

test('a process that is paused in a batch is replaced in time, and writes nothing when it wakes up', async () => {
  await using world = await ProjectorWorld.open();
  await using paused = startPaused(world);
  await expect.poll(() => paused.said).toContain('following');
  const first = world.ledger.create(install());
  await expect.poll(() => paused.said).toContain('committed');
  const before = paused.said.length;
  const second = world.ledger.create(install());
  await expect.poll(() => paused.said.slice(before), { interval: 5 }).toContain('in batch');
  paused.signal('SIGSTOP');
  const projector = world.start();
  const third = world.ledger.create(install());
  // The other process continues when the lease has expired and the server has ended the transaction, whichever comes
  // later.
  await expect.poll(() => reached(projector)).toBe(third);
  const at = paused.said.length;
  paused.signal('SIGCONT');
  await expect.poll(() => paused.said.slice(at)).toContain('standby');
  const fourth = world.ledger.create(install());
  await expect.poll(() => reached(projector)).toBe(fourth);
  expect(paused.said.slice(at)).not.toContain('committed');
  expect(readiness(projector)).toBe('ok');
  const { rows } = await world.under.pool.query('select "offset" from ledger_update order by 1');
  expect(rows).toEqual([first, second, third, fourth].map((offset) => ({ offset })));
  const { rows: leases } = await world.under.pool.query('select holder, epoch from lease');
  expect(leases).toEqual([{ holder: 'projector-1', epoch: 2n }]);
});
