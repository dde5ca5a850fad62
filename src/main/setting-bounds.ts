import type { Environment } from './environment.ts';
import { MAIN_LIMITS } from './limits.ts';
import { shortDurationMs } from './short-duration.ts';

const tooShort = (env: Environment): string[] =>
  (['TENURE_KEEP_CHANGES_DAYS', 'TENURE_KEEP_CONTRACTS_DAYS'] as const)
    .filter((name) => env[name] > 0 && env[name] < MAIN_LIMITS.keepDaysMin)
    .map((name) => `${name} is ${env[name]}: it must be 0, or ${MAIN_LIMITS.keepDaysMin} at least`);

/**
 * A clock difference below a second cannot be measured over a network; with one above a minute, licences would be
 * judged by a wrong clock.
 */
const BOUNDS = [
  { name: 'LEDGER_TIME_TOLERANCE', min: 'PT0S', max: 'PT1H' },
  { name: 'CLOCK_DIFFERENCE_MAX', min: 'PT1S', max: 'PT1M' },
  { name: 'POLICY_DELAY', min: 'PT0S', max: 'PT1H' },
  { name: 'TENURE_SUBSCRIPTION_LOOK', min: 'PT0.1S', max: 'PT1H' },
] as const;

const wrongDurations = (env: Environment): string[] =>
  BOUNDS.filter(({ name, min, max }) => {
    const ms = shortDurationMs(env[name]);
    return ms < shortDurationMs(min) || ms > shortDurationMs(max);
  }).map(({ name, min, max }) => `${name} is ${env[name]}: it must be ${min} to ${max}`);

/** Returns the settings whose form is valid but whose value is too small or too large. */
export const outOfBounds = (env: Environment): string[] => [
  ...tooShort(env),
  ...wrongDurations(env),
];
