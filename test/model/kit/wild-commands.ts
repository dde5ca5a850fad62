import fc from 'fast-check';
import type { AsyncCommand } from 'fast-check';
import { isOpen } from '../../../src/domain/change.ts';
import type { Change, Operation } from '../../../src/domain/change.ts';
import { same } from './same.ts';
import type { Fate, Verdict } from './wild-ledger.ts';
import { FATES, VERDICTS } from './wild-ledger.ts';
import { ENDS, LONG_MS } from './wild-system.ts';
import type { WildSystem, WorkerEnd } from './wild-system.ts';

const nameOf = ({ commandId, operation, state, error }: Change): string =>
  `${operation} ${commandId} is ${state}${error === null ? '' : ` (${error.code})`}`;

/** Checks the part of Tenure's promise that must hold at any moment. */
export function expectPromise(system: WildSystem): void {
  const { ledger, contents } = system;
  const attempts = contents.attempts();
  const changes = system.changes();
  for (const change of changes) {
    const name = nameOf(change);
    const effects = ledger.effects.filter(({ request }) => request.commandId === change.commandId);
    same(effects.length <= 1, true, `${name}, and took effect ${effects.length} times`);
    const isRefused = change.state === 'rejected' || change.state === 'failed';
    if (change.state === 'succeeded') same(effects.length, 1, `${name}, and took no effect`);
    if (isRefused) same(effects.length, 0, `${name}, and took effect`);
    if (isRefused) same(ledger.mayAccept(change.commandId), false, `${name}, and may take effect`);
    const answered = attempts.filter(({ changeId }) => changeId === change.id);
    const refused = answered.filter(({ answer }) => answer?.verdict === 'refused').length;
    same(change.attempts <= refused, true, `${name}: ${change.attempts} refusals are counted`);
    if (change.state === 'in-doubt') {
      same(ledger.hasForgotten, true, `${name}, and the ledger remembers everything`);
    }
    for (const { request } of effects) {
      const row = attempts.find(({ submissionId }) => submissionId === request.submissionId);
      const { ledgerUser } = row?.submitter ?? request.submitter;
      same(ledgerUser, request.submitter.ledgerUser, `${name}: an attempt names another user`);
    }
    same(system.hasWayForward(change), true, `${name}, and has no way forward`);
    const later = changes.filter(
      (other) => other.lane === change.lane && other.mailboxNo > change.mailboxNo,
    );
    const overtaken = isOpen(change.state) ? later : [];
    const begun = overtaken.filter(({ id }) => attempts.some(({ changeId }) => changeId === id));
    same(begun.map(nameOf), [], `${name}, and what waits behind it has begun`);
  }
}

/** Commands need no separate model: what is true is in the ledger's record, which is a part of the system. */
export type Command = AsyncCommand<WildSystem, WildSystem>;

const command = (
  text: string,
  does: (system: WildSystem) => Promise<void> | void,
  isPossible: (system: Readonly<WildSystem>) => boolean = () => true,
): Command => ({
  check: isPossible,
  toString: () => text,
  run: async (_same, system) => {
    await does(system);
    expectPromise(system);
  },
});

export const asking = (
  operation: Operation,
  isTime?: (system: Readonly<WildSystem>) => boolean,
): Command => command(`somebody asks: ${operation}`, (system) => system.ask(operation), isTime);

const hasWork = (system: Readonly<WildSystem>): boolean => system.hasWork;

export const working = (fate: Fate, end: WorkerEnd): Command =>
  command(
    `a worker submits and is ${fate}${end === 'lives' ? '' : `; it ${end}`}`,
    (system) => system.work(fate, end),
    hasWork,
  );

/** Gives the same answer many times, as if there were many retries after an outage. */
const storm = (fate: Fate, times: number): Command =>
  command(
    `${times} times a worker submits and is ${fate}`,
    async (system) => {
      for (let n = 0; n < times && system.hasWork; n += 1) await system.work(fate, 'lives');
    },
    hasWork,
  );

export const deciding = (at: number, verdict: Verdict): Command =>
  command(
    `the ledger decides about attempt ${at} in flight: ${verdict}`,
    ({ ledger }) => ledger.decide(at % ledger.pending.length, verdict),
    ({ ledger }) => ledger.pending.length > 0,
  );

export const delivering = (updates: number, completions: number): Command =>
  command(
    `${updates} updates and ${completions} completions arrive`,
    (system) => system.deliver(updates, completions),
    ({ undelivered }) => undelivered > 0,
  );

export const passing = (ms: number): Command =>
  command(`${ms / 1_000} s pass`, (system) => system.pass(ms));

const workers = (fates: readonly Fate[], ends: readonly WorkerEnd[]) =>
  fc.tuple(fc.constantFrom(...fates), fc.constantFrom(...ends)).map((of) => working(...of));

const deliveries = (updates: number, completions: number) =>
  fc.tuple(fc.nat(updates), fc.nat(completions)).map((of) => delivering(...of));

export const goingOn = (at: number): Command =>
  command(
    'a worker that was held up goes on',
    (one) => one.goOn(at),
    ({ heldUp }) => heldUp > 0,
  );

export const forgetting = command('the ledger forgets what it has deduplicated', ({ ledger }) => {
  ledger.checkpoint();
  ledger.remembersFrom = ledger.end;
});

export const rotating = command('the ledger user is rotated', (system) => system.rotate());

export const retrying = command('a bulk action retries all that has failed', (system) =>
  system.retryInBulk(),
);

export const checkpointing = command('the participant says how far it is', ({ ledger }) =>
  ledger.checkpoint(),
);

export const hearing = command('the participant is asked something, and heard', (system) =>
  system.hear(),
);

export const others = (what: 'replace' | 'end'): Command =>
  command(`others ${what} the contract`, ({ ledger }) => ledger.actOfOthers(what));

const goesOn = fc.nat(2).map(goingOn);

/** Requests, most of which are made when nothing is in progress, because most lives are short. */
const asks = fc
  .tuple(fc.constantFrom<Operation>('create-license', 'renew-license'), fc.nat(2))
  .map(([operation, beside]) =>
    asking(operation, (system) => {
      const states = system.changes().map(({ state }) => state);
      return states.length < 12 && states.filter(isOpen).length <= Math.max(0, beside - 1);
    }),
  );

/** Commands that every history contains. */
const ALWAYS = [
  asks,
  workers(['taken'], ['lives']),
  workers(['taken'], ['lives']),
  fc.nat(2).map((at) => deciding(at, 'accepted')),
  deliveries(2, 2),
];

/** The kinds of faults, each with the commands that belong to it. */
const TROUBLES: readonly (readonly fc.Arbitrary<Command>[])[] = [
  [workers(['taken, and the answer is lost', 'lost', 'never sent'], ['lives'])],
  [workers(['refused', 'contended', 'on a contract that is gone'], ['lives'])],
  [workers(['refused', 'contended', 'on a contract that is gone'], ['records late']), goesOn],
  [workers(FATES, ENDS), goesOn],
  [fc.nat(2).map((at) => deciding(at, 'accepted, and no completion tells')), deliveries(0, 2)],
  [deliveries(0, 1), deliveries(1, 0)],
  [fc.tuple(fc.nat(2), fc.constantFrom(...VERDICTS)).map((of) => deciding(...of))],
  [fc.constantFrom(1_000, LONG_MS).map(passing), fc.constantFrom(checkpointing, hearing)],
  [workers(['left unread'], ['lives']), fc.constantFrom(hearing, passing(LONG_MS))],
  [fc.constantFrom('replace' as const, 'end' as const).map(others)],
  [fc.constant(forgetting)],
  [fc.constant(rotating), workers(['taken, and the answer is lost', 'lost'], ['lives'])],
  [workers(['taken, and delivered twice'], ['lives']), workers(['lost', 'refused'], ['lives'])],
  [
    fc
      .tuple(
        fc.constantFrom<Fate>('contended', 'busy', 'on a contract that is gone', 'never sent'),
        fc.integer({ min: 2, max: 13 }),
      )
      .map((of) => storm(...of)),
  ],
];

/**
 * Commands between the first request and the last answer, in any order. Each history has only a few kinds of faults: if
 * all kinds occurred in each, two given kinds would rarely occur together.
 */
export const wildHistories = (settings: fc.CommandsContraints) =>
  fc
    .subarray([...TROUBLES], { minLength: 1, maxLength: 4 })
    .chain((some) => fc.commands([...ALWAYS, ...some.flat()], settings));

/** Runs without faults until all operations have ended, except those in doubt and those that wait for them. */
export async function calmDown(system: WildSystem): Promise<void> {
  const { ledger } = system;
  const moving = () =>
    system.changes().filter(({ state }) => isOpen(state) && state !== 'in-doubt').length;
  for (let round = 0; round < 300 && (moving() > 0 || system.undelivered > 0); round += 1) {
    while (system.heldUp > 0) await system.goOn(0);
    while (ledger.pending.length > 0) ledger.decide(0, 'accepted');
    ledger.checkpoint();
    await system.deliver(999, 999);
    await system.hear();
    if (system.hasWork) await system.work('taken', 'lives');
    else system.pass(5_000);
    expectPromise(system);
  }
}

/** Expects that every open operation needs an operator, and that every operation with an effect has succeeded. */
export function expectEnd(system: WildSystem): void {
  const changes = system.changes();
  for (const change of changes) {
    const effects = system.ledger.effects.filter(
      ({ request }) => request.commandId === change.commandId,
    );
    if (effects.length > 0) same(change.state, 'succeeded', `${nameOf(change)}, and took effect`);
    if (!isOpen(change.state) || change.state === 'in-doubt') continue;
    const head = changes.find(({ lane, state }) => lane === change.lane && state === 'in-doubt');
    same(head !== undefined, true, `${nameOf(change)}, and waits for nobody`);
  }
}
