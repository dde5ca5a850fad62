import type { AnyStateMachine, AnyTransitionDefinition } from 'xstate';
import type { Snapshot } from '../../../machines/machine-kit.ts';
import { describe, machineOf, mentionedEvents, step } from './machines.ts';
import type { MachineEvent } from '../../../machines/machine-kit.ts';
import type { LicensingKind } from '../../../src/domain/licensing.ts';
import { atOf, graphOf, walkOf } from './walks.ts';

/** One version of a machine: its states and transitions, and its reactions to the events of its walk. */
export interface Shape {
  readonly kind: LicensingKind;
  readonly version: number;
  readonly initial: string;
  /**
   * The transitions of each state, as `event [guard] / actions → target`. Transitions that every state has are under
   * `*`.
   */
  readonly transitions: Readonly<Record<string, readonly string[]>>;
  readonly final: readonly string[];
  /** Names of the members of the context. */
  readonly context: readonly string[];
  /** Every step of the walk that the machine takes, or that a guard prevents. */
  readonly steps: readonly ShapeStep[];
}

export interface ShapeStep {
  readonly from: Pick<Snapshot, 'state' | 'context'>;
  readonly event: MachineEvent;
  /** The snapshot after the step; `null` if the machine does not take it. */
  readonly to: Pick<Snapshot, 'state' | 'context'> | null;
  readonly effects: readonly string[];
}

const nameOf = (part: unknown): string => {
  if (typeof part === 'string') return part;
  if (typeof part === 'function') return part.name;
  return (part as { type: string }).type;
};

function transitionText({ eventType, guard, actions, target }: AnyTransitionDefinition): string {
  return [
    eventType,
    ...(guard === undefined ? [] : [`[${nameOf(guard)}]`]),
    ...(actions.length === 0 ? [] : [`/ ${actions.map(nameOf).join(', ')}`]),
    ...(target === undefined ? [] : [`→ ${target.map(({ key }) => key).join(', ')}`]),
  ].join(' ');
}

/** Returns the transitions of a machine in the order in which they are tried, each with the state that has it. */
export const transitionsOf = (
  machine: AnyStateMachine,
): {
  readonly node: string;
  readonly transition: AnyTransitionDefinition;
  readonly text: string;
}[] =>
  [machine.root, ...Object.values(machine.states)].flatMap((node) =>
    [...node.transitions.values()].flat().map((transition) => ({
      node: node === machine.root ? '*' : node.key,
      transition,
      text: transitionText(transition),
    })),
  );

const placeOf = ({ state, context }: Snapshot) => ({ state, context });

function stepsOf(kind: LicensingKind): ShapeStep[] {
  const walk = walkOf(kind);
  return Object.values(graphOf(walk)).flatMap(({ state }) => {
    const from = atOf(kind, state);
    const mentioned = mentionedEvents(kind, from);
    return walk.events.flatMap((event) => {
      const made = step(kind, from, event);
      if (made === null && !mentioned.has(event.type)) return [];
      const to = made === null ? null : placeOf(made.snapshot);
      return [{ from: placeOf(from), event, to, effects: made?.effects ?? [] }];
    });
  });
}

/** Returns the shape of the current machine. */
export function shapeOf(kind: LicensingKind): Shape {
  const machine = machineOf(kind);
  const states = Object.values(machine.states);
  const steps = stepsOf(kind);
  return {
    kind,
    version: describe(kind).version,
    initial: machine.root.initial.target.map(({ key }) => key).join(', '),
    transitions: Object.fromEntries(
      ['*', ...states.map(({ key }) => key)].map((node) => [
        node,
        transitionsOf(machine)
          .filter((found) => found.node === node)
          .map(({ text }) => text),
      ]),
    ),
    final: states.filter(({ type }) => type === 'final').map(({ key }) => key),
    context: Object.keys(steps[0]?.from.context ?? {}).sort(),
    steps,
  };
}
