import { createEmptyActor, getNextTransitions } from 'xstate';
import type { AnyActorScope, AnyMachineSnapshot } from 'xstate';
import type { JsonRecord } from '../src/domain/json.ts';
import type { LifecycleDescription, MachineEvent, Snapshot } from './machine-kit.ts';
import { migrate } from './migrate.ts';

/** The result of a step. */
export interface Step {
  readonly snapshot: Snapshot;
  /** Names of the operations whose commands are to be submitted. */
  readonly effects: readonly string[];
  readonly isFinal: boolean;
}

const toSnapshot = (of: LifecycleDescription, snapshot: AnyMachineSnapshot): Snapshot => ({
  machineVersion: of.version,
  state: String(snapshot.value),
  context: snapshot.context as JsonRecord,
});

function restore(of: LifecycleDescription, at: Snapshot): AnyMachineSnapshot {
  const { state, context } = migrate(of, at);
  return of.machine.resolveState({ value: state, context }) as AnyMachineSnapshot;
}

/** An actor that only satisfies XState's API: the machines send no messages, to themselves or to others. */
const NO_ACTOR = createEmptyActor();

const ignore = (): void => {};

/**
 * Returns the scope in which a machine is stepped. XState's own `transition` creates an actor for each step. It also
 * computes the machine's initial state each time, without the input that these machines need. Both together cost
 * several times as much as the step itself.
 *
 * @param onAction called for each action; the action itself is not run
 */
const scopeOf = (onAction: AnyActorScope['actionExecutor']): AnyActorScope => ({
  self: NO_ACTOR,
  system: NO_ACTOR.system,
  id: '',
  sessionId: '',
  logger: ignore,
  defer: ignore,
  emit: ignore,
  stopChild: ignore,
  actionExecutor: onAction,
});

/**
 * Returns the names of the effects. XState has already performed the assignments (`xstate.…`); every other action has a
 * name and runs elsewhere.
 */
const effectNames = (actions: readonly { readonly type: string }[]): string[] =>
  actions.map((action) => action.type).filter((name) => !name.startsWith('xstate.'));

/** Returns a lifecycle's first snapshot. */
export function begin(of: LifecycleDescription, input: JsonRecord): Snapshot {
  const snapshot = of.machine.getInitialSnapshot(scopeOf(ignore), input);
  return toSnapshot(of, snapshot as AnyMachineSnapshot);
}

/**
 * Takes one event. Returns `null` if the machine does not accept the event in this state: for a request of a caller
 * this means a refusal, for a ledger fact a repetition.
 *
 * @throws Error if the machine does not know the stored state, because a migration of its version is missing
 * @throws ProblemError if a newer version has written the state
 */
export function step(of: LifecycleDescription, at: Snapshot, event: MachineEvent): Step | null {
  const before = restore(of, at);
  // A final state accepts no event, not even one that every state accepts.
  if (before.status === 'done' || !before.can(event as never)) return null;
  const actions: { readonly type: string }[] = [];
  const scope = scopeOf((action) => actions.push(action));
  const after = of.machine.transition(before, event as never, scope) as AnyMachineSnapshot;
  return {
    snapshot: toSnapshot(of, after),
    effects: effectNames(actions),
    isFinal: after.status === 'done',
  };
}

/** Returns the caller events for which the state has a transition, whatever its guard decides. */
export function mentionedEvents(of: LifecycleDescription, at: Snapshot): ReadonlySet<string> {
  return new Set(getNextTransitions(restore(of, at)).map((found) => found.eventType));
}
