import { getNextTransitions, initialTransition, transition } from 'xstate';
import type { AnyMachineSnapshot, AnyStateMachine } from 'xstate';
import type { JsonRecord } from '../src/domain/json.ts';
import type { LifecycleKind } from '../src/domain/lifecycle.ts';
import { install, installMachine } from './install.machine.ts';
import { installRequest, installRequestMachine } from './install-request.machine.ts';
import { license, licenseMachine } from './license.machine.ts';
import type { LifecycleDescription, Snapshot } from './machine-kit.ts';
import { migrate } from './migrate.ts';
import { renewal, renewalMachine } from './renewal.machine.ts';

/** What a step made of it. `effects` are the names of the actions that must be run elsewhere. */
export interface Step {
  readonly snapshot: Snapshot;
  readonly effects: readonly string[];
  readonly isFinal: boolean;
}

/** Any machine event; each machine's own union says which. */
export interface MachineEvent {
  readonly type: string;
  readonly [key: string]: string | number;
}

interface Entry {
  readonly machine: AnyStateMachine;
  readonly description: LifecycleDescription;
}

const REGISTRY: Readonly<Record<LifecycleKind, Entry>> = {
  'install-request': { machine: installRequestMachine, description: installRequest },
  install: { machine: installMachine, description: install },
  license: { machine: licenseMachine, description: license },
  renewal: { machine: renewalMachine, description: renewal },
};

export const describe = (kind: LifecycleKind): LifecycleDescription => REGISTRY[kind].description;

/** The machine itself, for graph walks and for drawing. */
export const machineOf = (kind: LifecycleKind): AnyStateMachine => REGISTRY[kind].machine;

const toSnapshot = (kind: LifecycleKind, snapshot: AnyMachineSnapshot): Snapshot => ({
  machineVersion: REGISTRY[kind].description.version,
  state: String(snapshot.value),
  context: snapshot.context as JsonRecord,
});

/**
 * A stored snapshot as the machine of today would have written it.
 *
 * @throws ProblemError when a newer version has written it
 */
export const current = (kind: LifecycleKind, at: Snapshot): Snapshot =>
  migrate(REGISTRY[kind].description, at);

function restore(kind: LifecycleKind, at: Snapshot): AnyMachineSnapshot {
  const { state, context } = current(kind, at);
  return REGISTRY[kind].machine.resolveState({ value: state, context }) as AnyMachineSnapshot;
}

/** Assignments are done by the transition itself; what is left over has a name and runs elsewhere. */
const effectNames = (actions: readonly { readonly type: string }[]): string[] =>
  actions.map((action) => action.type).filter((name) => !name.startsWith('xstate.'));

/** A lifecycle's first snapshot. */
export function begin(kind: LifecycleKind, input: JsonRecord): Snapshot {
  const [snapshot] = initialTransition(REGISTRY[kind].machine, input);
  return toSnapshot(kind, snapshot as AnyMachineSnapshot);
}

/**
 * Takes one event, or `null` when the machine does not take it in this state: for a caller that is a
 * refusal, for a ledger fact a repetition.
 *
 * @throws Error when the stored state is unknown to the machine: its version has no migration that it needs.
 * @throws ProblemError when a newer version has written it
 */
export function step(kind: LifecycleKind, at: Snapshot, event: MachineEvent): Step | null {
  const { machine } = REGISTRY[kind];
  const before = restore(kind, at);
  // A final state takes nothing, not even what the machine takes in every state.
  if (before.status === 'done' || !before.can(event as never)) return null;
  const [after, actions] = transition(machine, before as never, event as never);
  const effects = effectNames(actions);
  return {
    snapshot: toSnapshot(kind, after as AnyMachineSnapshot),
    effects,
    isFinal: (after as AnyMachineSnapshot).status === 'done',
  };
}

/** Names of the caller events that some transition of this state mentions, whatever its guard says. */
export function mentionedEvents(kind: LifecycleKind, at: Snapshot): ReadonlySet<string> {
  return new Set(getNextTransitions(restore(kind, at)).map((found) => found.eventType));
}
