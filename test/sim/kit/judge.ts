import type { ActiveContract } from '../../../src/domain/ledger.ts';
import { violationsIn } from '../../../src/doctor/invariants/check.ts';
import type { Change } from '../../../src/domain/change.ts';
import { isOpen } from '../../../src/domain/change.ts';
import type { ChangeId } from '../../../src/domain/ids.ts';
import { trusted } from '../../../src/domain/ids.ts';
import type { Violation } from '../../../src/doctor/invariants/violation.ts';
import { isUndecided } from '../../../src/app/engine/doubts/proof.ts';
import type { LedgerTransaction } from '../../../localnet/ledger/update.ts';
import { untold } from './targets.ts';
import { commandOf, evidenceOf } from './evidence.ts';
import type { World } from './world.ts';

/** A rule that is broken, and a sentence that describes how. */
export interface Finding {
  readonly invariant: string;
  readonly what: string;
}

const nameOf = (change: Change): string =>
  `${change.commandId} (${change.operation}, ${change.state}, change ${change.id})`;

/**
 * Returns the ledger transactions of each command. They are found by the submission IDs of its attempts, which are
 * unique. This includes attempts of operations that a restore has lost.
 */
function effectsOf(world: World): ReadonlyMap<string, LedgerTransaction[]> {
  const effects = new Map<string, LedgerTransaction[]>();
  for (const transaction of world.truth.transactions) {
    const command = world.watcher.commandBehind(transaction);
    if (command === null) continue;
    effects.set(command, [...(effects.get(command) ?? []), transaction]);
  }
  return effects;
}

/**
 * Returns the operations for which an operator has decided that they took effect, although no update could be read. The
 * operator is responsible for this decision.
 */
const saidByPersons = ({ database: { contents } }: World): ReadonlySet<unknown> =>
  new Set(
    contents
      .audit()
      .flatMap(({ entry: { act, changeId, to } }) =>
        act === 'decided' && to === 'succeeded' ? [changeId] : [],
      ),
  );

/** Returns whether a refusal names the effect, which an operation with the same command has that a restore has lost. */
function namesLost(
  { watcher, database: { contents } }: World,
  { error }: Change,
  effects: readonly LedgerTransaction[],
): boolean {
  const [lost] = effects.filter(({ updateId }) => updateId === error?.extra?.['updateId']);
  if (error?.code !== 'COMMAND_TOOK_EFFECT' || lost === undefined) return false;
  const id = watcher.changeOf.get(lost.submitter.submissionId);
  return id !== undefined && !contents.changes().some(({ change }) => change.id === id);
}

/**
 * Checks Tenure's main promise against the ledger's own record: each command has at most one effect, and an ended
 * operation has exactly the reported effect.
 */
function judgeEffects(world: World): Finding[] {
  const findings: Finding[] = [];
  const effects = effectsOf(world);
  const saidBy = saidByPersons(world);
  const say = (invariant: string, what: string) => findings.push({ invariant, what });
  for (const { change } of world.database.contents.changes()) {
    const mine = effects.get(commandOf(change)) ?? [];
    if (mine.length > 1) say('I4', `${nameOf(change)} took effect ${mine.length} times`);
    if (change.state === 'succeeded' && mine.length === 0 && !saidBy.has(change.id)) {
      say('I3', `${nameOf(change)} is said to have succeeded, and the ledger knows nothing of it`);
    }
    const isRefused = change.state === 'rejected' || change.state === 'failed';
    if (isRefused && mine.length > 0 && !namesLost(world, change, mine)) {
      say(
        'I3',
        `${nameOf(change)} is said to have failed, and took effect: ${JSON.stringify(change.error)}`,
      );
    }
  }
  return findings;
}

/**
 * Checks that each attempt of an operation that ended without an effect has a verdict, which came from an answer or
 * follows from the streams.
 */
function judgeVerdicts({ database: { contents } }: World): Finding[] {
  const changes = new Map(contents.changes().map(({ change }) => [change.id, change]));
  return contents.attempts().flatMap((attempt) => {
    const change = changes.get(attempt.changeId);
    if (change === undefined || isOpen(change.state) || change.state === 'succeeded') return [];
    if (!isUndecided(attempt)) return [];
    return [
      {
        invariant: 'I3',
        what: `${nameOf(change)} has ended, and attempt ${attempt.n} is undecided`,
      },
    ];
  });
}

/**
 * Returns whether the violation is an effect of an operation that the database has lost. The doctor must report each of
 * these effects.
 */
const isOfLost = ({ watcher, database }: World, { invariant, subjects }: Violation): boolean => {
  const { changeId, updateId } = subjects;
  if (invariant !== 'I3' || updateId === undefined || changeId === undefined) return false;
  const id = trusted<ChangeId>(changeId);
  return (
    watcher.commandOf.has(id) && !database.contents.changes().some(({ change }) => change.id === id)
  );
};

/**
 * Checks that there is a tombstone for each effect of an operation that a restore has lost. A repeated request is
 * answered from the tombstone.
 */
function judgeLost({ watcher, truth, database: { contents } }: World): Finding[] {
  const kept = new Set<string>(contents.changes().map(({ change }) => change.id));
  const buried = new Set<string>(contents.tombstones().map(({ updateId }) => updateId));
  return truth.transactions.flatMap(({ updateId, submitter: { commandId, submissionId } }) => {
    const id = watcher.changeOf.get(submissionId);
    if (id === undefined || kept.has(id) || buried.has(updateId)) return [];
    const what = `${commandId} took effect as ${updateId}, was lost, and has no tombstone`;
    return [{ invariant: 'I3', what }];
  });
}

/** Checks the eleven invariants as of this moment. @param overdueMs see `withoutStatedWait` */
const judgeInvariants = (
  world: World,
  active: readonly ActiveContract[],
  overdueMs?: number,
): Finding[] =>
  violationsIn(evidenceOf(world, active), overdueMs === undefined ? {} : { overdueMs })
    .filter((violation) => !isOfLost(world, violation))
    .map(({ invariant, what, subjects }) => ({ invariant, what: `${what} ${textOf(subjects)}` }));

/**
 * Checks the rules that must hold at any moment, even if processes are not running. The time that a dispatch takes is
 * not checked.
 */
export const judgeAlways = (world: World): Finding[] => [
  ...world.outsiders.map((what) => ({ invariant: 'lease', what })),
  ...world.delays.early.map((what) => ({ invariant: 'delay', what })),
  ...judgeEffects(world),
  ...judgeVerdicts(world),
  ...judgeInvariants(world, [], Number.POSITIVE_INFINITY),
];

/**
 * Checks the rules that must hold at the end, when every process has had enough time: each operation has an effect or a
 * refusal.
 * @param active the contracts that the participant reports as active, if the caller has asked it
 */
export const judgeEnd = (world: World, active: readonly ActiveContract[] = []): Finding[] => [
  ...judgeEffects(world),
  ...judgeVerdicts(world),
  ...judgeLost(world),
  ...judgeInvariants(world, active),
  ...world.database.contents
    .changes()
    .filter(({ change }) => isOpen(change.state))
    .map(({ change }) => ({ invariant: 'I3', what: `${nameOf(change)} is still open` })),
  ...[...untold(world)].map((what) => ({ invariant: 'webhooks', what })),
  ...world.delays.early.map((what) => ({ invariant: 'delay', what })),
];

const textOf = (subjects: object): string =>
  Object.entries(subjects)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');
