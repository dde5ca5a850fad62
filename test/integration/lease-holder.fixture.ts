/*
 * A process that holds the projector's lease until a test kills or pauses it: `node lease-holder.fixture.ts <database>
 * <name> <duration of the lease in milliseconds>`. It prints `holds` when it holds the lease and its session is known
 * to be alive.
 */
import { leased } from '../../src/app/engine/lanes/leased.ts';
import { PROJECTOR_LEASE } from '../../src/app/ports/leases.ts';
import { sleep } from '../../src/app/ports/wakeup.ts';
import { createLeases } from '../../src/store/engine/lease.ts';
import { openListener } from '../../src/store/sql/listen.ts';
import { openPool } from '../../src/store/sql/pool.ts';
import { PATIENCE_MS } from '../kit/patience.ts';

const [url, holder, ttlMs] = process.argv.slice(2);
if (url === undefined || holder === undefined || ttlMs === undefined)
  throw new Error('usage: lease-holder.fixture.ts <database> <name> <ms>');

const stopping = new AbortController();
process.once('SIGTERM', () => stopping.abort());
const pool = await openPool({
  url,
  max: 2,
  pipelined: true,
  applicationName: 'tenure lease holder',
  signal: AbortSignal.timeout(PATIENCE_MS),
});
const listener = openListener({ url, applicationName: 'tenure lease listener', lifeOf: holder });
while (listener.state !== 'listening') await sleep(10, stopping.signal);
const role = {
  leases: createLeases(pool, () => listener.state === 'listening'),
  name: PROJECTOR_LEASE,
  holder,
  ttlMs: Number(ttlMs),
  random: Math.random,
  onStandby: () => undefined,
  onFailure: (error: unknown) => console.error(error),
};
await leased(role, stopping.signal, ({ signal }) => {
  process.stdout.write('holds\n');
  return sleep(PATIENCE_MS, signal);
});
await listener.stop();
await pool.end();
