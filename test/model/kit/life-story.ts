import { NEWEST_MODEL } from '../../../src/app/licensing/model.ts';
import { isDeepStrictEqual } from 'node:util';
import { current } from './machines.ts';
import type { MachineEvent } from '../../../machines/machine-kit.ts';
import { applyFact, stepForChange } from '../../../src/app/engine/lanes/lifecycles.ts';
import { factsOf } from '../../../src/app/engine/lanes/facts.ts';
import { WorkingSet } from '../../../src/app/engine/lanes/working-set.ts';
import type { Change } from '../../../src/domain/change.ts';
import type { Party } from '../../../src/domain/ids.ts';
import type { JsonRecord } from '../../../src/domain/json.ts';
import type { LedgerTransaction } from '../../../src/domain/ledger.ts';
import type { HistoryEntry, Lifecycle } from '../../../src/domain/lifecycle.ts';

/*
 * The steps of some lifecycles and their state after each step: recorded once, and replayed with the current machines
 * and the current reader of facts.
 */

/** The part of a change on which the effect of a step depends. */
export type ChangePart = Pick<
  Change,
  'id' | 'commandId' | 'operation' | 'lifecycleId' | 'callerParty' | 'callerSubject'
>;

/** An event: a fact of the ledger, or a change that begins or ends. */
export type Happening =
  | { readonly transaction: LedgerTransaction }
  | {
      readonly change: ChangePart;
      readonly event: MachineEvent;
      readonly at: string;
      readonly detail: JsonRecord;
    };

/** A row of a version that did not know origins is read with this origin. */
const UNKNOWN = { originId: null };

/** An event, with its effect on the lifecycles involved. */
export type StoryStep = Happening & {
  readonly history: readonly HistoryEntry[];
  readonly lifecycles: readonly Lifecycle[];
};

export interface Story {
  readonly name: string;
  readonly about: string;
  readonly readAs: readonly Party[];
  readonly steps: readonly StoryStep[];
}

/** A working set that keeps what is saved, as the store would. */
export class Telling {
  readonly #readAs: ReadonlySet<Party>;
  readonly #ws = new WorkingSet(NEWEST_MODEL);
  #lines = 0;

  /** @param before steps before this story. Their lifecycles count as stored, with every contract that led to them */
  constructor(readAs: readonly Party[], before: readonly StoryStep[] = []) {
    this.#readAs = new Set(readAs);
    const stored = before.flatMap(({ lifecycles }) => lifecycles);
    const newest = new Map(stored.map((lifecycle) => [lifecycle.id, lifecycle]));
    const lifecycles = [...newest.values()].map((one) => ({ ...UNKNOWN, ...one }));
    this.#ws.add({ mailboxes: [], lifecycles, heads: [] });
    this.#ws.addLineage(
      stored.map(({ contractId, id, lane }) => ({ contractId, lifecycleId: id, lane })),
    );
  }

  lifecycle = (id: Lifecycle['id']): Lifecycle | undefined => this.#ws.lifecycle(id);
  lifecyclesIn = (lane: Lifecycle['lane']): Lifecycle[] => this.#ws.lifecyclesIn(lane);

  /** Applies an event. @returns the effect on the lifecycles involved */
  tell(happening: Happening): Pick<StoryStep, 'history' | 'lifecycles'> {
    if ('transaction' in happening) {
      const { transaction } = happening;
      for (const fact of factsOf(NEWEST_MODEL, transaction, this.#readAs)) {
        applyFact(this.#ws, fact, transaction);
      }
    } else {
      const { change, event, at, detail } = happening;
      stepForChange(this.#ws, change as Change, event, at, detail);
    }
    const history = this.#ws.writes().history.slice(this.#lines);
    this.#lines += history.length;
    const touched = [...new Set(history.map(({ lifecycleId }) => lifecycleId))];
    return { history, lifecycles: touched.map((id) => this.#ws.lifecycle(id)!) };
  }
}

/**
 * Returns a lifecycle as the current machine would have stored it. If it has no origin, it is returned as such a row is
 * read.
 */
const today = (lifecycle: Lifecycle): Lifecycle => ({
  ...UNKNOWN,
  ...lifecycle,
  originId: lifecycle.originId ?? null,
  ...current(lifecycle.kind, {
    machineVersion: lifecycle.machineVersion,
    state: lifecycle.state,
    context: lifecycle.context,
  }),
});

/** Returns the recorded part of a step that must not change. States may have other names in a later version. */
function expected({ history, lifecycles }: StoryStep): Pick<StoryStep, 'history' | 'lifecycles'> {
  const now = lifecycles.map(today);
  const stateOf = (line: HistoryEntry): string =>
    now.find(({ id, version }) => id === line.lifecycleId && version === line.seq)?.state ??
    line.state;
  return { history: history.map((line) => ({ ...line, state: stateOf(line) })), lifecycles: now };
}

const wordsOf = (step: StoryStep): string => {
  if (!('transaction' in step)) return `${step.change.operation}: ${step.event.type}`;
  const { events, offset } = step.transaction;
  const said = events.map((event) =>
    event.kind === 'created' ? `create ${event.template.entityName}` : event.choice,
  );
  return `the ledger at ${offset}: ${said.join(', ')}`;
};

const ADVICE = `A recorded history is never edited: lifecycles of databases out there have lived it.
- Is this a mistake? Then the machine or the fact reader has to be put right.
- Is the machine meant to change? Raise its \`version\`, append to its \`migrations\` what makes of a stored snapshot one of the
  new version, and record the new shape: node test/histories/record.ts. Histories of older versions go through migrations.
- Were facts read wrongly when it was recorded? Then say so in the commit, delete the file, and record it again.`;

/** Thrown if a story has a different course with the current code. The message says what to do. */
export class StoryBroken extends Error {
  override readonly name = 'StoryBroken';
  constructor(story: Story, step: number, what: string) {
    const broken = story.steps[step];
    const where = broken === undefined ? 'its end' : wordsOf(broken);
    super(`history ${story.name} broke at step ${step + 1} (${where}): ${what}\n${ADVICE}`);
  }
}

const differing = (actual: object, wanted: object): string =>
  Object.keys({ ...wanted, ...actual })
    .filter((key) => !isDeepStrictEqual(actual[key as never], wanted[key as never]))
    .map((key) => {
      const text = (value: unknown) =>
        JSON.stringify(value, (_key, part: unknown) =>
          typeof part === 'bigint' ? `${part}` : part,
        );
      return `${key} is ${text(actual[key as never])} and was ${text(wanted[key as never])}`;
    })
    .join('; ');

/** Details that later versions have added to facts. They do not change any other detail. */
const TOLD_SINCE = ['through', 'endedBy'];

/** Returns a line of the history as the version that recorded `by` would have written it. */
const asTold = (line: HistoryEntry, by: HistoryEntry | undefined): HistoryEntry => ({
  ...line,
  detail: Object.fromEntries(
    Object.entries(line.detail).filter(
      ([name]) => !TOLD_SINCE.includes(name) || name in (by?.detail ?? {}),
    ),
  ),
});

function compare(story: Story, n: number, found: Pick<StoryStep, 'history' | 'lifecycles'>): void {
  const wanted = expected(story.steps[n]!);
  const pairs: readonly (readonly [string, readonly object[], readonly object[]])[] = [
    [
      'line of history',
      found.history.map((line, at) => asTold(line, wanted.history[at])),
      wanted.history,
    ],
    ['lifecycle', found.lifecycles, wanted.lifecycles],
  ];
  for (const [what, actual, was] of pairs) {
    const differs = was.findIndex((one, at) => !isDeepStrictEqual(actual[at], one));
    if (differs < 0 && actual.length === was.length) continue;
    const at = Math.max(differs, 0);
    const [one, other] = [actual[at], was[at]];
    const how =
      one === undefined || other === undefined || actual.length !== was.length
        ? `${actual.length} are touched and ${was.length} were`
        : differing(one, other);
    throw new StoryBroken(story, n, `${what} ${at + 1}: ${how}`);
  }
}

/**
 * Replays a story, from its beginning or from the state after its first `from` steps.
 *
 * @throws StoryBroken at the first step whose result differs from the recorded one
 */
export function tellAgain(story: Story, from = 0): void {
  const telling = new Telling(story.readAs, story.steps.slice(0, from));
  for (let n = from; n < story.steps.length; n += 1) {
    const step = story.steps[n]!;
    let found: Pick<StoryStep, 'history' | 'lifecycles'>;
    try {
      found = telling.tell(step);
    } catch (error) {
      throw new StoryBroken(story, n, String(error));
    }
    compare(story, n, found);
  }
}
