import { readFileSync, writeFileSync } from 'node:fs';
import type { Chart, ChartAction, ChartTransition } from '../machines/charts.ts';
import type { LifecycleDescription } from '../machines/machine-kit.ts';
import { NEWEST_MODEL } from '../src/app/licensing/model.ts';
import { LIFECYCLE_KINDS } from '../src/domain/licensing.ts';
import { assert } from '../src/domain/unreachable.ts';
import { BOX_WIDTH, labelSize, place } from './chart-layout.ts';
import type { Outline, OutlinedTransition, RecordedShape } from './chart-outline.ts';
import { outlineOfMachine, outlineOfShape } from './chart-outline.ts';

/*
 * Draws the lifecycles' machines to machines/charts.json. The newest version of each is drawn from its machine. Older
 * versions are drawn from their recorded shapes (test/histories/shapes), which never change. Run this script after a
 * change of a machine, its actions or the layout.
 */

const RAIL = '*';
const RAIL_LABEL = 'whatever the state';

/**
 * Returns a name such as `creatingLicense` or `install-request` in words, with the spelling `licence` that prose uses.
 */
export const inWords = (name: string): string =>
  name
    .replaceAll(/[A-Z]/gu, (letter) => ` ${letter.toLowerCase()}`)
    .replaceAll('-', ' ')
    .replaceAll('license', 'licence');

const ANSWERS: Readonly<Record<string, string>> = {
  'command.refused': 'refused',
  'command.succeeded': 'done',
};

/** A line in the drawing. Transitions that differ only in their event are drawn as one line. */
interface Line {
  readonly from: string | null;
  readonly to: string | null;
  readonly events: readonly string[];
  readonly cause: ChartTransition['cause'];
  readonly label: string;
  readonly action?: ChartAction;
  readonly guard?: string;
}

function lineOf(
  { kind, actions }: LifecycleDescription,
  { from, to, event, isGuarded }: OutlinedTransition,
): Line {
  const base = { from, to, events: [event] };
  const answer = ANSWERS[event];
  if (answer !== undefined) return { ...base, cause: 'answer', label: answer };
  const asked = actions.find((action) => action.event === event);
  if (asked === undefined) {
    if (!event.startsWith('ledger.')) throw new Error(`${kind}: who causes ${event}?`);
    return { ...base, cause: 'ledger', label: inWords(event.slice('ledger.'.length)) };
  }
  const { name, role, verb, path = `:${verb}`, when } = asked;
  const operation = NEWEST_MODEL.operationOf(kind, name)?.name;
  if (operation === undefined) throw new Error(`${kind}: ${name} is no operation`);
  if (isGuarded && when === undefined) throw new Error(`${kind}: when may ${name} be asked for?`);
  return {
    ...base,
    cause: 'caller',
    label: inWords(name),
    action: { name, operation, role, path },
    ...(isGuarded && when !== undefined ? { guard: when } : {}),
  };
}

/**
 * Combines transitions into lines. If both outcomes of a command lead from one state to the same other state, they are
 * drawn as one line.
 */
function linesOf(description: LifecycleDescription, { transitions }: Outline): Line[] {
  const lines = transitions.map((transition) => lineOf(description, transition));
  const alike = Map.groupBy(lines, ({ from, to, cause, label }) =>
    cause === 'answer' ? `${from}>${to}` : `${from}>${to}>${label}`,
  );
  return [...alike.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const events = group.flatMap((line) => line.events);
    return [{ ...first, events, label: group.map(({ label }) => label).join(' or ') }];
  });
}

function there<T>(placed: T | undefined): T {
  assert(placed !== undefined, 'everything that is drawn has a place');
  return placed;
}

/** Draws one version of a machine. The same version always has the same result. */
export async function chart(
  description: LifecycleDescription,
  version: number,
  outline: Outline,
): Promise<Chart> {
  const lines = linesOf(description, outline);
  const boxes = outline.states.map((id) => ({ id, width: BOX_WIDTH }));
  const ends = new Set(outline.final);
  const placed = await place({
    // Final states come last, because lines lead to the right, from earlier boxes to later ones.
    boxes: [
      ...boxes.filter(({ id }) => !ends.has(id)),
      { id: RAIL, width: Math.max(BOX_WIDTH, labelSize(RAIL_LABEL).width) },
      ...boxes.filter(({ id }) => ends.has(id)),
    ],
    lines: lines.map(({ from, to, label }) => ({
      from: from ?? RAIL,
      to: to ?? from ?? RAIL,
      label,
    })),
  });
  const drawn: ChartTransition[] = lines.map((line, n) => ({ ...line, ...there(placed.lines[n]) }));
  const waits = new Set(lines.flatMap(({ cause, from }) => (cause === 'answer' ? [from] : [])));
  return {
    kind: description.kind,
    version,
    newest: version === description.version,
    title: inWords(description.kind).replace(/^./u, (letter) => letter.toUpperCase()),
    width: placed.width,
    height: placed.height,
    states: outline.states.map((id) => ({
      id,
      label: inWords(id),
      initial: id === outline.initial,
      final: outline.final.includes(id),
      waits: waits.has(id),
      ...there(placed.boxes.get(id)),
    })),
    transitions: drawn.filter(({ from }) => from !== null),
    rail: {
      label: RAIL_LABEL,
      ...there(placed.boxes.get(RAIL)),
      transitions: drawn.filter(({ from }) => from === null),
    },
  };
}

const recorded = (kind: string, version: number): RecordedShape =>
  JSON.parse(
    readFileSync(
      new URL(`../test/histories/shapes/${kind}.v${version}.json`, import.meta.url),
      'utf8',
    ),
  ) as RecordedShape;

/** Draws all versions of all machines of the contract model, by kind, the newest first. */
export async function charts(): Promise<Chart[]> {
  const drawn: Chart[] = [];
  for (const kind of LIFECYCLE_KINDS) {
    const { description } = NEWEST_MODEL.lifecycle(kind);
    for (let version = description.version; version >= 1; version -= 1) {
      const outline =
        version === description.version
          ? outlineOfMachine(description.machine)
          : outlineOfShape(recorded(kind, version));
      drawn.push(await chart(description, version, outline));
    }
  }
  return drawn;
}

/**
 * Returns the text of machines/charts.json. It is indented: if each chart were on a single line, a diff would not show
 * what has changed.
 */
export const chartsText = async (): Promise<string> =>
  `${JSON.stringify(await charts(), null, 2)}\n`;

if (import.meta.main) {
  writeFileSync(new URL('../machines/charts.json', import.meta.url), await chartsText());
}
