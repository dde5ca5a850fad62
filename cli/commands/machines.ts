import type { Flags } from '../api/run.ts';
import { apiOf, tell } from '../api/run.ts';
import type { Column } from '../api/description.ts';
import { CommandError, EXIT } from '../exit.ts';
import { harmless } from '../output.ts';

/** The parts of a machine's chart that are printed here. Positions for drawing are omitted. */
interface Transition {
  readonly from: string | null;
  readonly to: string | null;
  readonly label: string;
  readonly cause: string;
  readonly action?: { readonly role: string };
  readonly guard?: string;
}

export interface Chart {
  readonly kind: string;
  readonly version: number;
  readonly title: string;
  readonly states: readonly {
    readonly id: string;
    readonly label: string;
    readonly initial: boolean;
    readonly final: boolean;
    readonly waits: boolean;
  }[];
  readonly transitions: readonly Transition[];
  readonly rail: { readonly label: string; readonly transitions: readonly Transition[] };
}

export interface MachineFlags extends Flags {
  readonly mermaid?: boolean;
}

const COLUMNS: readonly Column[] = [
  ['kind', 'kind', 'whole'],
  ['version', 'version', 'whole'],
  ['newest', 'newest', 'whole'],
  ['title', 'title', 'whole'],
  ['states', 'states'],
];

const WHO: Readonly<Record<string, string>> = {
  provider: 'the provider',
  user: 'the user',
  either: 'the provider or the user',
};

function transitionLine({ label, to, cause, action, guard }: Transition): string {
  const who =
    action === undefined
      ? { answer: 'the answer to the command', ledger: 'the ledger' }[cause]
      : WHO[action.role];
  const when = guard === undefined ? '' : `, if ${guard}`;
  return `  ${label}${to === null ? '' : ` → ${to}`}  (${who ?? cause}${when})`;
}

/** Returns the machine's states and transitions, one per line. */
export function outlineOf({ title, version, states, transitions, rail }: Chart): string {
  const lines = [`${title}, version ${version}`];
  for (const { id, initial, final, waits } of states) {
    const notes = [
      ...(initial ? ['begins here'] : []),
      ...(waits ? ['waits for the ledger'] : []),
      ...(final ? ['final'] : []),
    ];
    lines.push('', notes.length === 0 ? id : `${id}: ${notes.join(', ')}`);
    lines.push(...transitions.filter(({ from }) => from === id).map(transitionLine));
  }
  lines.push('', `${rail.label}:`, ...rail.transitions.map(transitionLine));
  return lines.map(harmless).join('\n');
}

/**
 * Returns the chart as a Mermaid diagram. A box surrounds all states that are not final, and transitions that are
 * possible in each of these states start at the box.
 */
export function mermaidOf({ states, transitions, rail }: Chart): string {
  const lines = ['stateDiagram-v2', '  direction LR'];
  const ends = new Set(states.flatMap(({ id, final }) => (final ? [id] : [])));
  lines.push(`  state "${rail.label}" as whatever {`);
  for (const { id, label, initial } of states) {
    if (ends.has(id)) continue;
    lines.push(`    state "${label}" as ${id}`, ...(initial ? [`    [*] --> ${id}`] : []));
  }
  const within = transitions.filter(({ to }) => to === null || !ends.has(to));
  lines.push(...within.map(({ from, to, label }) => `    ${from} --> ${to ?? from} : ${label}`));
  lines.push('  }');
  for (const { id, label, final } of states) if (final) lines.push(`  state "${label}" as ${id}`);
  const beyond = transitions.filter(({ to }) => to !== null && ends.has(to));
  for (const { from, to, label } of [...beyond, ...rail.transitions]) {
    lines.push(`  ${from ?? 'whatever'} --> ${to ?? 'whatever'} : ${label}`);
  }
  for (const id of ends) lines.push(`  ${id} --> [*]`);
  return lines.map(harmless).join('\n');
}

/** Lists the machines, or shows one of them. @default the newest version */
export async function machines(
  kind: string | undefined,
  version: string | undefined,
  flags: MachineFlags,
): Promise<void> {
  const api = await apiOf(flags);
  const list = async () => (await api.call({ method: 'GET', path: '/machines' })).text;
  if (kind === undefined) return tell([await list()], flags, { columns: COLUMNS });
  const newest = async (): Promise<string> => {
    const all = JSON.parse(await list()) as readonly (Chart & { readonly newest: boolean })[];
    const found = all.find((machine) => machine.kind === kind && machine.newest);
    if (found !== undefined) return String(found.version);
    const known = [...new Set(all.map((machine) => machine.kind))].join(', ');
    throw new CommandError(
      EXIT.notFound,
      `machine ${kind} does not exist; the machines are: ${known}`,
    );
  };
  const at = encodeURIComponent(version ?? (await newest()));
  const path = `/machines/${encodeURIComponent(kind)}/${at}`;
  const { text } = await api.call({ method: 'GET', path });
  if (flags.json === true) return tell([text], flags);
  const chart = JSON.parse(text) as Chart;
  return console.log(flags.mermaid === true ? mermaidOf(chart) : outlineOf(chart));
}
