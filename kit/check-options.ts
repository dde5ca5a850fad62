import { PARTICIPANT_NAMES } from '../localnet/ports.ts';
import type { ParticipantName } from '../localnet/ports.ts';
import type { Duration, LocalnetOptions } from './api.ts';

/*
 * Checks for callers without types, so that they get an error about a wrong option at once, and not about its later
 * consequences.
 */

type Check = (value: unknown) => boolean;

interface Rule {
  readonly is: string;
  readonly holds: Check;
}

const isObject: Check = (value) =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const oneOf = (...names: readonly string[]): Rule => ({
  is: names.join(' or '),
  holds: (value) => names.some((name) => name === value),
});
const text: Rule = { is: 'a text', holds: (value) => typeof value === 'string' };
const list: Rule = { is: 'a list', holds: (value) => Array.isArray(value) };
const table: Rule = { is: 'an object', holds: isObject };
const amount: Rule = {
  is: 'a number from 0 on',
  holds: (value) => typeof value === 'number' && Number.isFinite(value) && value >= 0,
};
const isMoment: Check = (value) => value instanceof Date && !Number.isNaN(value.getTime());

/** Checks of the options. The bytes of a snapshot and individual faults are checked where they are read. */
const RULES: Partial<Record<keyof LocalnetOptions, Rule>> = {
  parties: table,
  users: table,
  dars: list,
  faults: list,
  time: {
    is: "'wall', 'static' or a valid Date",
    holds: (value) => value === 'wall' || value === 'static' || isMoment(value),
  },
  ports: {
    is: "'free', 'fixed' or an object of ports",
    holds: (value) => value === 'free' || value === 'fixed' || isObject(value),
  },
  isSingle: { is: 'true or false', holds: (value) => typeof value === 'boolean' },
  auth: oneOf('oauth2', 'shared-secret'),
  dataFolder: text,
  issuerBase: text,
  host: text,
  partyHint: text,
  latencyMs: amount,
  checkpointIntervalMs: amount,
  maxDeduplicationDurationMs: amount,
  maxCommandsInFlight: amount,
  ledgerTimeToleranceMs: amount,
  trafficBalance: amount,
  log: { is: 'a function', holds: (value) => typeof value === 'function' },
};

/** @throws TypeError for an option with a wrong value */
export function checkOptions(options: LocalnetOptions): void {
  if (!isObject(options)) throw new TypeError('the options of LocalNet are an object');
  for (const [name, value] of Object.entries(options)) {
    const rule = RULES[name as keyof LocalnetOptions];
    if (rule === undefined || value === undefined || rule.holds(value)) continue;
    throw new TypeError(`LocalNet's option ${name} must be ${rule.is}`);
  }
  for (const [party, participant] of Object.entries(options.parties ?? {})) {
    requireParticipant(participant, `party ${party}`);
  }
  for (const [user, wanted] of Object.entries(options.users ?? {})) {
    if (!isObject(wanted)) throw new TypeError(`user ${user} must be an object`);
    const { participant } = wanted;
    if (participant !== undefined) requireParticipant(participant, `user ${user}`);
  }
}

/** @throws TypeError for a name that is not a participant's */
export function requireParticipant(name: unknown, where: string): asserts name is ParticipantName {
  if (PARTICIPANT_NAMES.some((each) => each === name)) return;
  throw new TypeError(
    `${where}: there is no participant ${String(name)}; there are ${PARTICIPANT_NAMES.join(', ')}`,
  );
}

const MS: Readonly<Record<keyof Duration, number>> = {
  days: 86_400_000,
  hours: 3_600_000,
  minutes: 60_000,
  seconds: 1_000,
  milliseconds: 1,
};

/** @throws TypeError for an unknown unit, RangeError for an invalid or negative time */
export function millisecondsOf(by: number | Duration): number {
  const units: Readonly<Record<string, unknown>> =
    typeof by === 'number' ? { milliseconds: by } : { ...by };
  let sum = 0;
  for (const [unit, value = 0] of Object.entries(units)) {
    const ms = (MS as Readonly<Record<string, number | undefined>>)[unit];
    if (ms === undefined) {
      throw new TypeError(`there is no unit ${unit}; there are ${Object.keys(MS).join(', ')}`);
    }
    sum += ms * Number(value);
  }
  if (Number.isFinite(sum) && sum >= 0) return sum;
  throw new RangeError('time goes forward only, by a number of milliseconds or of units');
}
