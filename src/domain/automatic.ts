import type { Change } from './change.ts';
import type { CommandId, LaneId, LifecycleId } from './ids.ts';
import { OWN_COMMAND_PREFIX, parseCommandId } from './ids.ts';
import type { JsonRecord } from './json.ts';
import { recordAt, textAt } from './json.ts';

/*
 * Changes that nobody asked for at the moment: a provider's policy did, when its time had come. They are changes like
 * all others, and say so themselves: in their command ID, in what was fixed with them, and on the ledger.
 */

export const POLICY_NAMES = ['expiry', 'renewal'] as const;
export type PolicyName = (typeof POLICY_NAMES)[number];

/** Why a policy made a change: recorded with it, and shown with it and in the history of its lifecycle. */
export interface PolicyOrigin {
  readonly name: PolicyName;
  /** Of the policy that decided it. */
  readonly version: number;
  readonly reason: string;
  /** ISO 8601, of the timer that has fired; `null` where it was recorded before this was kept. */
  readonly lapsesAt: string | null;
  /**
   * How long after the lapse the policy waited; `null` for what knows no grace, or was recorded before this was kept.
   */
  readonly graceMs: number | null;
}

/** The identity behind the provider's party, where no person is. */
export const POLICY_SUBJECT = 'tenure';

/** What a policy's change is part of `fixed` as. */
export const originParts = ({
  name,
  version,
  reason,
  lapsesAt,
  graceMs,
}: PolicyOrigin): JsonRecord => ({
  policy: { name, version, reason, lapsesAt, graceMs },
});

/** The policy that made a change, or `null` for one that somebody asked for. */
export function originOf({ fixed }: Pick<Change, 'fixed'>): PolicyOrigin | null {
  const policy = recordAt(fixed, 'policy');
  const { name, version, graceMs } = policy;
  if (name !== 'expiry' && name !== 'renewal') return null;
  return {
    name,
    version: Number(version),
    reason: textAt(policy, 'reason') ?? '',
    lapsesAt: textAt(policy, 'lapsesAt') ?? null,
    graceMs: typeof graceMs === 'number' ? graceMs : null,
  };
}

/** What timers are of: the lapse of a licence, the end of a renewal's window. */
export const TIMER_KINDS = ['expire', 'withdraw'] as const;
export type TimerKind = (typeof TIMER_KINDS)[number];

/** What a step means for timers. */
export interface TimerWrites {
  /** Whose licences and renewals lapse at another time than before: the store keeps their timers true. */
  readonly timerLanes: readonly LaneId[];
  /** Something that a policy may wait for has happened besides. */
  readonly wakesClock: boolean;
}

/** What a policy does of itself. */
export type AutomaticStep = TimerKind | 'complete';

/** What all command IDs of a step begin with. */
export const automaticPrefix = (step: AutomaticStep): string => `${OWN_COMMAND_PREFIX}${step}:`;

/** What a policy's change is of: asked for twice, it is one change. */
export interface Firing {
  readonly step: AutomaticStep;
  readonly lifecycleId: LifecycleId;
  /** ISO 8601. */
  readonly lapsesAt: string;
  readonly generation: number;
  /** Completions: the end of the allocation's contract ID, which no two have in common. */
  readonly allocation?: string;
}

const ALLOCATION_CHARS = 24;

/** A point is no character of a ledger string. */
export function commandIdOf(firing: Firing): CommandId {
  const { step, lifecycleId, lapsesAt, generation, allocation } = firing;
  const paid = allocation === undefined ? '' : `${allocation.slice(-ALLOCATION_CHARS)}:`;
  const when = lapsesAt.replace('.', '_');
  return parseCommandId(`${automaticPrefix(step)}${lifecycleId}:${when}:${paid}${generation}`);
}

const COMMAND_ID = /^tenure:(expire|withdraw):(.+?):(\d{4}-\d\d-\d\dT[\d:_]+Z):(\d+)$/u;

/** What a timer's change is of, by its command ID; `null` for every other one. */
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

/** What the ledger is told beside the change, in place of a caller's note. */
export const noteOf = ({ name }: PolicyOrigin): JsonRecord => ({
  Note: `Triggered by ${name} policy`,
});
