import type { Change } from './change.ts';
import type { CommandId, LaneId, LifecycleId } from './ids.ts';
import { OWN_COMMAND_PREFIX, parseCommandId } from './ids.ts';
import type { JsonRecord } from './json.ts';
import { recordAt, textAt } from './json.ts';

/*
 * Changes that a provider's policy requests at a due time, without a caller. They are processed like all other changes.
 * Their command ID, their `fixed` member and the note in the ledger's metadata show that a policy requested them.
 */

export const POLICY_NAMES = ['expiry', 'renewal'] as const;
export type PolicyName = (typeof POLICY_NAMES)[number];

/** Sources of changes that no caller requested: a provider's policies, and the subscriptions of single licences. */
export const ORIGIN_NAMES = [...POLICY_NAMES, 'subscription'] as const;
export type OriginName = (typeof ORIGIN_NAMES)[number];

/** Why a policy made a change: stored with the change, and shown with it and in the history of its lifecycle. */
export interface PolicyOrigin {
  readonly name: OriginName;
  /** Version of the policy, or of the subscription's terms, by which the change was decided. */
  readonly version: number;
  readonly reason: string;
  /** The lapse time of the timer that fired, ISO 8601; `null` if an earlier version of Tenure recorded none. */
  readonly lapsesAt: string | null;
  /**
   * How long the policy waited after the lapse; `null` for steps without a grace, and for changes that an earlier
   * version of Tenure recorded without it.
   */
  readonly graceMs: number | null;
}

/** The subject recorded for the provider's party when no person acts. */
export const POLICY_SUBJECT = 'tenure';

/** The part of a policy change's `fixed` that names the policy. */
export const originParts = ({
  name,
  version,
  reason,
  lapsesAt,
  graceMs,
}: PolicyOrigin): JsonRecord => ({
  policy: { name, version, reason, lapsesAt, graceMs },
});

/** Returns the policy that made a change, or `null` for a change that a caller requested. */
export function originOf({ fixed }: Pick<Change, 'fixed'>): PolicyOrigin | null {
  const policy = recordAt(fixed, 'policy');
  const { name, version, graceMs } = policy;
  const known = ORIGIN_NAMES.find((each) => each === name);
  if (known === undefined) return null;
  return {
    name: known,
    version: Number(version),
    reason: textAt(policy, 'reason') ?? '',
    lapsesAt: textAt(policy, 'lapsesAt') ?? null,
    graceMs: typeof graceMs === 'number' ? graceMs : null,
  };
}

/** The events for which timers wait: the lapse of a licence, or the end of a renewal's window. */
export const TIMER_KINDS = ['expire', 'withdraw'] as const;
export type TimerKind = (typeof TIMER_KINDS)[number];

/** A step's effects on timers. */
export interface TimerWrites {
  /** Lanes of lifecycles whose lapse time this step has changed: the store updates their timers. */
  readonly timerLanes: readonly LaneId[];
  /** Whether the step had another event for which a policy may be waiting. */
  readonly wakesClock: boolean;
}

/** The steps that a policy takes automatically. */
export type AutomaticStep = TimerKind | 'complete';

/** Returns the common prefix of the command IDs of all changes of a step. */
export const automaticPrefix = (step: AutomaticStep): string => `${OWN_COMMAND_PREFIX}${step}:`;

/** The values that identify a policy's change: two requests with the same values are the same change. */
export interface Firing {
  readonly step: AutomaticStep;
  readonly lifecycleId: LifecycleId;
  /** The lapse time of the timer, ISO 8601. */
  readonly lapsesAt: string;
  readonly generation: number;
  /** Only for completions: the last characters of the allocation's contract ID, which identify the allocation. */
  readonly allocation?: string;
}

const ALLOCATION_CHARS = 24;

/** Returns the command ID of a firing. Dots are replaced, because ledger strings cannot contain a dot. */
export function commandIdOf(firing: Firing): CommandId {
  const { step, lifecycleId, lapsesAt, generation, allocation } = firing;
  const paid = allocation === undefined ? '' : `${allocation.slice(-ALLOCATION_CHARS)}:`;
  const when = lapsesAt.replace('.', '_');
  return parseCommandId(`${automaticPrefix(step)}${lifecycleId}:${when}:${paid}${generation}`);
}

const COMMAND_ID = /^tenure:(expire|withdraw):(.+?):(\d{4}-\d\d-\d\dT[\d:_]+Z):(\d+)$/u;

/** Returns the firing that a timer's command ID encodes; `null` for any other command ID. */
export function firingOf(commandId: string): Firing | null {
  const [, step, lifecycleId, when, generation] = COMMAND_ID.exec(commandId) ?? [];
  if (step === undefined || lifecycleId === undefined || when === undefined) return null;
  return {
    step: step === 'expire' ? 'expire' : 'withdraw',
    lifecycleId: lifecycleId as LifecycleId,
    lapsesAt: when.replace('_', '.'),
    generation: Number(generation),
  };
}

/** Returns the ledger metadata of a policy's change, which replaces a caller's note. */
export const noteOf = ({ name }: PolicyOrigin): JsonRecord => ({
  Note: `Triggered by ${name} policy`,
});
