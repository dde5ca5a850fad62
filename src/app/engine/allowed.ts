import type { Caller } from '../../domain/caller.ts';
import type { Party } from '../../domain/ids.ts';
import { textAt } from '../../domain/json.ts';
import type { LedgerTimes } from '../../domain/licensing.ts';
import { isPast } from '../../domain/licensing.ts';
import type { Lifecycle } from '../../domain/lifecycle.ts';
import { unreachable } from '../../domain/unreachable.ts';
import { current, describe, mentionedEvents, step } from '../../../machines/registry.ts';
import type { MachineEvent } from '../../../machines/registry.ts';
import type { ActionRole, LifecycleAction, Snapshot } from '../../../machines/machine-kit.ts';
import type { ContractModel } from '../licensing/commands.ts';
import { missingIn } from '../licensing/commands.ts';
import { operationOf } from '../licensing/operations.ts';
import type { LifecycleView } from '../ports/views.ts';

/** One thing that can be asked of a lifecycle: whether this caller may now, and if not, why not. */
export interface ActionView {
  readonly name: string;
  /** What follows the address of the lifecycle: `:expire`, `/comments`. */
  readonly path: string;
  readonly allowed: boolean;
  readonly reason?: string;
}

const snapshotOf = (lifecycle: Lifecycle): Snapshot => current(lifecycle.kind, lifecycle);

/** What a step depends on besides the lifecycle itself. */
export interface Circumstances extends LedgerTimes {
  /** Licences: its renewals that could still be completed. */
  readonly openRenewals: number;
  /** Licences: whether one more renewal is wanted beside those. */
  readonly allowConcurrent: boolean;
}

/** The machine event by which a change asks for an action. */
export const actionEvent = (
  action: LifecycleAction,
  changeId: string,
  { nowMs, certainMs, openRenewals, allowConcurrent }: Circumstances,
): MachineEvent => ({
  type: action.event,
  changeId,
  nowMs: action.isUntil === true ? certainMs : nowMs,
  openRenewals,
  allowConcurrent: allowConcurrent ? 1 : 0,
});

/** When the window of a renewal closes. ISO 8601 with microseconds. */
export const closesAt = (renewal: Lifecycle): string =>
  textAt(snapshotOf(renewal).context, 'settleBefore') ?? '';

/** Whether a renewal could still be completed: it has not ended, and its window is not certainly closed. */
export const isOpenRenewal = (lifecycle: Lifecycle, certainMs: number): boolean =>
  lifecycle.kind === 'renewal' &&
  lifecycle.endedAt === null &&
  !isPast(closesAt(lifecycle), certainMs);

export function actionOf(lifecycle: Lifecycle, name: string): LifecycleAction {
  const action = describe(lifecycle.kind).actions.find((found) => found.name === name);
  if (action === undefined) throw new Error(`${lifecycle.kind} has no action ${name}`);
  return action;
}

/** Whether the party stands in the role that the action asks for. */
export function hasRole(lifecycle: Lifecycle, role: ActionRole, party: Party): boolean {
  switch (role) {
    case 'provider':
      return party === lifecycle.provider;
    case 'user':
      return party === lifecycle.appUser;
    case 'either':
      return party === lifecycle.provider || party === lifecycle.appUser;
    default:
      return unreachable(role);
  }
}

/** Names of the actions that the machine takes in this state under these circumstances, whoever asks. */
export const allowedNow = (lifecycle: Lifecycle, now: Circumstances): string[] =>
  describe(lifecycle.kind)
    .actions.filter((action) => isTaken(lifecycle, action, now))
    .map((action) => action.name);

const isTaken = (lifecycle: Lifecycle, action: LifecycleAction, now: Circumstances): boolean =>
  step(lifecycle.kind, snapshotOf(lifecycle), actionEvent(action, '', now)) !== null;

const ROLE_WORDS: Readonly<Record<ActionRole, string>> = {
  provider: 'only the provider may do this',
  user: 'only the user who asked for it may do this',
  either: 'only the provider or the user may do this',
};

/** Why the machine does not take an action, in words; `undefined` when it does. */
export function refusalReason(
  lifecycle: Lifecycle,
  action: LifecycleAction,
  now: Circumstances,
): string | undefined {
  if (lifecycle.endedAt !== null) return `it has ended: ${lifecycle.state}`;
  if (isTaken(lifecycle, action, now)) return undefined;
  if (mentionedEvents(lifecycle.kind, snapshotOf(lifecycle)).has(action.event)) {
    return (
      action.whyNot?.(snapshotOf(lifecycle).context) ??
      `not yet possible in state ${lifecycle.state}`
    );
  }
  return `not possible in state ${lifecycle.state}`;
}

/** What callers read of a step's circumstances: as it would be for one that does not ask for more. */
const seen = ({ renewals }: LifecycleView, { nowMs, certainMs }: LedgerTimes): Circumstances => ({
  nowMs,
  certainMs,
  openRenewals: renewals.filter(({ lifecycle }) => isOpenRenewal(lifecycle, certainMs)).length,
  allowConcurrent: false,
});

/** All actions of the machine for this caller, also while something is in flight. */
export function actionsFor(
  view: LifecycleView,
  caller: Caller,
  times: LedgerTimes,
  model: ContractModel,
): ActionView[] {
  const { lifecycle } = view;
  const missing = ({ name }: LifecycleAction): string | undefined => {
    const operation = operationOf(lifecycle.kind, name);
    return operation === undefined ? undefined : missingIn(model, operation);
  };
  return describe(lifecycle.kind).actions.map((action) => {
    const reason = hasRole(lifecycle, action.role, caller.party)
      ? (missing(action) ?? refusalReason(lifecycle, action, seen(view, times)))
      : ROLE_WORDS[action.role];
    const base = { name: action.name, path: action.path ?? `:${action.verb}` };
    return reason === undefined ? { ...base, allowed: true } : { ...base, allowed: false, reason };
  });
}
