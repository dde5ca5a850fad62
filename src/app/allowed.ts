import type { Caller } from '../domain/caller.ts';
import type { Party } from '../domain/ids.ts';
import type { Lifecycle } from '../domain/lifecycle.ts';
import { unreachable } from '../domain/unreachable.ts';
import { describe, mentionedEvents, step } from '../../machines/registry.ts';
import type { MachineEvent, Snapshot } from '../../machines/registry.ts';
import type { ActionRole, LifecycleAction } from '../../machines/machine-kit.ts';

/** One thing that can be asked of a lifecycle: whether this caller may now, and if not, why not. */
export interface ActionView {
  readonly name: string;
  readonly verb: string;
  readonly allowed: boolean;
  readonly reason?: string;
}

const snapshotOf = (lifecycle: Lifecycle): Snapshot => ({
  state: lifecycle.state,
  context: lifecycle.context,
});

/** The machine event by which a change asks for an action. `nowMs` is ledger time. */
export const actionEvent = (
  action: LifecycleAction,
  changeId: string,
  nowMs: number,
): MachineEvent => ({ type: action.event, changeId, nowMs });

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

/** Names of the actions that the machine takes in this state at this time, whoever asks. */
export const allowedNow = (lifecycle: Lifecycle, nowMs: number): string[] =>
  describe(lifecycle.kind)
    .actions.filter((action) => isTaken(lifecycle, action, nowMs))
    .map((action) => action.name);

const isTaken = (lifecycle: Lifecycle, action: LifecycleAction, nowMs: number): boolean =>
  step(lifecycle.kind, snapshotOf(lifecycle), actionEvent(action, '', nowMs)) !== null;

const ROLE_WORDS: Readonly<Record<ActionRole, string>> = {
  provider: 'only the provider may do this',
  user: 'only the user who asked for it may do this',
  either: 'only the provider or the user may do this',
};

/** Why the machine does not take an action, in words; `undefined` when it does. */
export function refusalReason(
  lifecycle: Lifecycle,
  action: LifecycleAction,
  nowMs: number,
): string | undefined {
  if (lifecycle.endedAt !== null) return `it has ended: ${lifecycle.state}`;
  if (isTaken(lifecycle, action, nowMs)) return undefined;
  if (mentionedEvents(lifecycle.kind, snapshotOf(lifecycle)).has(action.event)) {
    return lifecycle.expiresAt === null
      ? `not yet possible in state ${lifecycle.state}`
      : `not before ${lifecycle.expiresAt}`;
  }
  return `not possible in state ${lifecycle.state}`;
}

/** All actions of the machine for this caller, also while something is in flight. */
export function actionsFor(lifecycle: Lifecycle, caller: Caller, nowMs: number): ActionView[] {
  return describe(lifecycle.kind).actions.map((action) => {
    const reason = hasRole(lifecycle, action.role, caller.party)
      ? refusalReason(lifecycle, action, nowMs)
      : ROLE_WORDS[action.role];
    const base = { name: action.name, verb: action.verb };
    return reason === undefined ? { ...base, allowed: true } : { ...base, allowed: false, reason };
  });
}
