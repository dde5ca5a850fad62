import { getNextTransitions, initialTransition, transition } from 'xstate';
import type { AnyMachineSnapshot } from 'xstate';
import type { JsonRecord } from '../src/domain/json.ts';
import type { LifecycleDescription, MachineEvent, Snapshot } from './machine-kit.ts';
import { migrate } from './migrate.ts';

/** What a step made of it. */
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

/** Assignments are done by the transition itself; what is left over has a name and runs elsewhere. */
const effectNames = (actions: readonly { readonly type: string }[]): string[] =>
  actions.map((action) => action.type).filter((name) => !name.startsWith('xstate.'));

/** A lifecycle's first snapshot. */
export function begin(of: LifecycleDescription, input: JsonRecord): Snapshot {
  const [snapshot] = initialTransition(of.machine, input);
  return toSnapshot(of, snapshot as AnyMachineSnapshot);
}

/**
 * Takes one event, or `null` when the machine does not take it in this state: for a caller that is a
 * refusal, for a ledger fact a repetition.
 *
 * @throws Error when the stored state is unknown to the machine: its version has no migration that it needs.
 * @throws ProblemError when a newer version has written it
 */
export function step(of: LifecycleDescription, at: Snapshot, event: MachineEvent): Step | null {
  const before = restore(of, at);
  // A final state takes nothing, not even what the machine takes in every state.
  if (before.status === 'done' || !before.can(event as never)) return null;
  const [after, actions] = transition(of.machine, before as never, event as never);
  return {
    snapshot: toSnapshot(of, after as AnyMachineSnapshot),
    effects: effectNames(actions),
    isFinal: (after as AnyMachineSnapshot).status === 'done',
  };
}

/** Names of the caller events that some transition of this state mentions, whatever its guard says. */
export function mentionedEvents(of: LifecycleDescription, at: Snapshot): ReadonlySet<string> {
  return new Set(getNextTransitions(restore(of, at)).map((found) => found.eventType));
}
