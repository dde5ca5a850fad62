import { may } from '../../../domain/caller.ts';
import type { Caller } from '../../../domain/caller.ts';
import type { Party } from '../../../domain/ids.ts';
import type { LedgerTimes } from '../../../domain/time.ts';
import type { Lifecycle } from '../../../domain/lifecycle.ts';
import { assert, unreachable } from '../../../domain/unreachable.ts';
import type {
  ActionRole,
  Circumstances,
  LifecycleAction,
  LifecycleDescription,
  MachineEvent,
} from '../../../../machines/machine-kit.ts';
import { migrate } from '../../../../machines/migrate.ts';
import { mentionedEvents, step } from '../../../../machines/stepping.ts';
import type { ContractModel } from '../../contract/model.ts';
import type { LifecycleView } from '../../ports/views.ts';
import { shownAround } from '../../ports/views.ts';

/** An action on a lifecycle: whether the caller may request it now and, if not, why not. */
export interface ActionView {
  readonly name: string;
  /** The path after the lifecycle's address, such as `:expire` or `/comments`. */
  readonly path: string;
  readonly allowed: boolean;
  readonly reason?: string;
}

const descriptionOf = (model: ContractModel, { kind }: Lifecycle): LifecycleDescription =>
  model.lifecycle(kind).description;

/** Returns the machine event with which a change requests an action. */
export const actionEvent = (
  { event, fields }: LifecycleAction,
  changeId: string,
  now: Circumstances,
): MachineEvent => ({ ...fields?.(now), type: event, changeId });

export function actionOf(
  model: ContractModel,
  lifecycle: Lifecycle,
  name: string,
): LifecycleAction {
  const { kind, actions } = descriptionOf(model, lifecycle);
  const action = actions.find((found) => found.name === name);
  assert(action !== undefined, `${kind} has no action ${name}`);
  return action;
}

/** Returns whether the party has the role that the action requires. */
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

/** Returns the actions that the machine accepts in this state and under these circumstances, for any caller. */
export function allowedNow(
  model: ContractModel,
  lifecycle: Lifecycle,
  now: Circumstances,
): string[] {
  const description = descriptionOf(model, lifecycle);
  return description.actions
    .filter((action) => isTaken(description, lifecycle, action, now))
    .map((action) => action.name);
}

const isTaken = (
  description: LifecycleDescription,
  lifecycle: Lifecycle,
  action: LifecycleAction,
  now: Circumstances,
): boolean => step(description, lifecycle, actionEvent(action, '', now)) !== null;

const ROLE_WORDS: Readonly<Record<ActionRole, string>> = {
  provider: 'only the provider may take this step',
  user: 'only the user who requested this may take this step',
  either: 'only the provider or the user may take this step',
};

/** Returns why the machine does not accept an action; `undefined` if it does. */
export function refusalReason(
  model: ContractModel,
  lifecycle: Lifecycle,
  action: LifecycleAction,
  now: Circumstances,
): string | undefined {
  if (lifecycle.endedAt !== null) return `the lifecycle has ended: it is ${lifecycle.state}`;
  const description = descriptionOf(model, lifecycle);
  if (isTaken(description, lifecycle, action, now)) return undefined;
  if (mentionedEvents(description, lifecycle).has(action.event)) {
    return (
      action.whyNot?.(migrate(description, lifecycle).context, now) ??
      `not yet possible in state ${lifecycle.state}`
    );
  }
  return `not possible in state ${lifecycle.state}`;
}

/** Returns the circumstances by which actions are judged for display: those of a request with an empty body. */
const seen = (view: LifecycleView, { nowMs, certainMs }: LedgerTimes): Circumstances => ({
  nowMs,
  certainMs,
  around: shownAround(view),
  body: {},
});

/** Returns all actions of the machine as shown to this caller, also while a change is in flight. */
export function actionsFor(
  view: LifecycleView,
  caller: Caller,
  times: LedgerTimes,
  model: ContractModel,
): ActionView[] {
  const { lifecycle } = view;
  const missing = ({ name }: LifecycleAction): string | undefined => {
    const operation = model.operationOf(lifecycle.kind, name);
    return operation === undefined ? undefined : model.missing(operation.name);
  };
  const unwritable = may(caller, 'write')
    ? undefined
    : 'the caller has only the permission to read';
  return descriptionOf(model, lifecycle).actions.map((action) => {
    const reason = hasRole(lifecycle, action.role, caller.party)
      ? (unwritable ??
        missing(action) ??
        refusalReason(model, lifecycle, action, seen(view, times)))
      : ROLE_WORDS[action.role];
    const base = { name: action.name, path: action.path ?? `:${action.verb}` };
    return reason === undefined ? { ...base, allowed: true } : { ...base, allowed: false, reason };
  });
}
