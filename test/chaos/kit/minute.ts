import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import { FIRST_CROWD } from '../../../chaos/script.ts';
import { chaos } from '../../e2e/kit/chaos-command.ts';

/** The time limit of the test. It is longer than a minute of chaos and everything for which callers wait after it. */
export const MINUTE_TIMEOUT_MS = 600_000;

/**
 * Runs one minute of chaos. It is always the same for a seed, because a test with other findings each day would not
 * show what a change has broken. `CHAOS_SEED` sets another seed.
 */
export async function expectToSurviveMinute(
  queue: string,
  usualSeed: number,
  { size = 'small', crowd = FIRST_CROWD } = {},
): Promise<void> {
  const seed = Number(process.env['CHAOS_SEED'] ?? usualSeed);
  const options = [`--seed=${seed}`, `--size=${size}`, '--minutes=1', `--queue=${queue}`];
  options.push(`--crowd=${crowd}`);
  const child = chaos(...options, '--actors=4', '--json');
  const [json, said] = await Promise.all([
    text(child.stdout!),
    text(child.stderr!),
    once(child, 'exit'),
  ]);
  const report = JSON.parse(json || '{}');
  const all = `seed ${seed}\n${said}\n${JSON.stringify(report.broken, null, 2)}`;
  if (child.exitCode !== 0 || report.broken?.length !== 0) {
    expect.fail(`it ended with ${child.exitCode}:\n${all}`);
  }
  console.log(report.stalls);
  expect(report.operations).toMatchObject({ unanswered: 0 });
  expect(report.operations.succeeded).toBeGreaterThan(3);
  expect(report.wiped.ended).toBe(report.wiped.inFlight);
  expect(report.expired).toBeGreaterThan(3);
  expect(report.acts).toBeGreaterThan(0);
  expect(report.webhooks.taken).toBeGreaterThan(report.webhooks.again);
}
