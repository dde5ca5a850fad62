import type { AnyStateMachine, AnyTransitionDefinition } from 'xstate';

/** A transition that is drawn. It comes from a machine or from a recorded shape. */
export interface OutlinedTransition {
  /** The state that the transition leaves; `null` stands for every state. */
  readonly from: string | null;
  readonly event: string;
  readonly isGuarded: boolean;
  /** The state to which the transition leads; `null` if the state does not change. */
  readonly to: string | null;
}

/** The parts of a version of a machine that are drawn. */
export interface Outline {
  readonly initial: string;
  readonly states: readonly string[];
  readonly final: readonly string[];
  readonly transitions: readonly OutlinedTransition[];
}

/** The parts of a recorded shape (`test/histories/shapes`) that are drawn. */
export interface RecordedShape {
  readonly initial: string;
  readonly transitions: Readonly<Record<string, readonly string[]>>;
  readonly final: readonly string[];
}

const WHATEVER = '*';

export function outlineOfMachine(machine: AnyStateMachine): Outline {
  const states = Object.values(machine.states);
  const ofNode = (from: string | null, transitions: Iterable<AnyTransitionDefinition[]>) =>
    [...transitions].flat().map(({ eventType, guard, target }) => ({
      from,
      event: eventType,
      isGuarded: guard !== undefined,
      to: target?.[0]?.key ?? null,
    }));
  return {
    initial: machine.root.initial.target[0]?.key ?? '',
    states: states.map(({ key }) => key),
    final: states.flatMap(({ key, type }) => (type === 'final' ? [key] : [])),
    transitions: [
      ...ofNode(null, machine.root.transitions.values()),
      ...states.flatMap((node) => ofNode(node.key, node.transitions.values())),
    ],
  };
}

/** Matches `event [guard] / actions → target`. The event is required; all other parts may be missing. */
const TRANSITION = /^(\S+)( \[[^\]]+\])?(?: \/ .*?)?(?: → (\S+))?$/u;

function transitionOf(from: string | null, text: string): OutlinedTransition {
  const [, event, guard, to] = TRANSITION.exec(text) ?? [];
  if (event === undefined) throw new Error(`no transition: ${text}`);
  return { from, event, isGuarded: guard !== undefined, to: to ?? null };
}

export function outlineOfShape({ initial, transitions, final }: RecordedShape): Outline {
  const nodes = Object.entries(transitions);
  return {
    initial,
    states: nodes.flatMap(([node]) => (node === WHATEVER ? [] : [node])),
    // A shape lists the states in the order in which its machine declares them.
    final,
    transitions: nodes.flatMap(([node, texts]) =>
      texts.map((text) => transitionOf(node === WHATEVER ? null : node, text)),
    ),
  };
}
