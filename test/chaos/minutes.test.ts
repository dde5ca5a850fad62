import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { chaos } from '../e2e/kit/chaos-command.ts';
import { hasRedis } from '../e2e/kit/has-redis.ts';

/*
 * Minutes of chaos, always the same: a check that finds something else each day does not tell what a change has broken.
 * `CHAOS_SEED` runs others.
 */
const seedOf = (seed: number): number => Number(process.env['CHAOS_SEED'] ?? seed);
const RUNS = [
  { seed: seedOf(313_163), queue: 'postgres' },
  ...(hasRedis('chaos') ? [{ seed: seedOf(4), queue: 'redis' }] : []),
];

test.each(RUNS)(
  'seed $seed, queue on $queue: everything accepted ends once',
  { timeout: 600_000 },
  async ({ seed, queue }) => {
    const child = chaos(
      `--seed=${seed}`,
      '--minutes=1',
      `--queue=${queue}`,
      '--actors=4',
      '--json',
    );
    const [json, said] = await Promise.all([
      text(child.stdout!),
      text(child.stderr!),
      once(child, 'exit'),
    ]);
    const report = JSON.parse(json || '{}');
    const all = `${said}\n${JSON.stringify(report.broken, null, 2)}`;
    if (child.exitCode !== 0 || report.broken?.length !== 0) {
      expect.fail(`it ended with ${child.exitCode}:\n${all}`);
    }
    expect(report.operations).toMatchObject({ unanswered: 0 });
    expect(report.operations.succeeded).toBeGreaterThan(3);
    expect(report.wiped.ended).toBe(report.wiped.inFlight);
    expect(report.expired).toBeGreaterThan(3);
    expect(report.acts).toBeGreaterThan(0);
    expect(report.webhooks.taken).toBeGreaterThan(report.webhooks.again);
  },
);
