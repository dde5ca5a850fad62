import assert from 'node:assert/strict';
import { applyLedger } from '../../../src/app/engine/follow/apply-ledger.ts';
import { commandFor } from '../../../src/app/engine/attempts/prepare-command.ts';
import { NEWEST_MODEL } from '../../../src/app/licensing/model.ts';
import type { Store } from '../../../src/app/ports/transaction.ts';
import { applyBulk, previewBulk } from '../../../src/app/desk/bulk-acts.ts';
import { SCHEDULER_LEASE, PROJECTOR_LEASE } from '../../../src/app/ports/leases.ts';
import { scopeOf } from '../../../src/app/ports/ops-scope.ts';
import { UPDATES_STREAM, completionsStream } from '../../../src/app/ports/streams.ts';
import type { LedgerGateway } from '../../../src/app/ports/ledger.ts';
import type { StartedAttempt } from '../../../src/app/ports/outbox.ts';
import { hearParticipant } from '../../../src/app/engine/outcomes/hear-participant.ts';
import { SENT_WITHIN_MS, createHear } from '../../../src/app/engine/doubts/proof.ts';
import { RecordClocks } from '../../../src/app/engine/doubts/record-clocks.ts';
import { Ticks } from '../../../src/app/engine/doubts/ticks.ts';
import { recordAnswer } from '../../../src/app/engine/attempts/record-answer.ts';
import { requestChange } from '../../../src/app/engine/requests/request-change.ts';
import type { Change, Operation } from '../../../src/domain/change.ts';
import { isOpen } from '../../../src/domain/change.ts';
import type { Caller } from '../../../src/domain/caller.ts';
import type { Party } from '../../../src/domain/ids.ts';
import { trusted } from '../../../src/domain/ids.ts';
import type { CompletionElement } from '../../../src/domain/ledger.ts';
import { ProblemError } from '../../../src/domain/problems.ts';
import { APP_INSTALL, LICENSE } from '../../../src/domain/licensing.ts';
import { batchOf, readDuplicates, readLedgerEnds } from '../../../src/projector/batch.ts';
import type { StreamElement } from '../../../src/projector/inbox.ts';
import { workBulk } from '../../../src/ops/bulk-duty.ts';
import { submitCommand } from '../../../workers/submit-command.ts';
import { asUs } from '../../../src/ledger/gateway.ts';
import { LEDGER_USER, PARTICIPANT } from '../../kit/ledger-stand-in.ts';
import type { DatabaseContents, MemoryDatabaseConnection } from '../../sim/memory/database.ts';
import { createMemoryDatabase } from '../../sim/memory/database.ts';
import { PROVIDER, USER } from '../../unit/app/made.ts';
import { IO } from './io.ts';
import type { Fate } from './wild-ledger.ts';
import { BOUNDS, WildLedger, contractId, created } from './wild-ledger.ts';
import { newSubmissionId } from '../../kit/submission-ids.ts';

/*
 * The parts of Tenure on which its promise depends, on the wild ledger: the outbox's attempts, the processing of
 * answers, and the projector's batches. Each step is made by a command; the store is in memory.
 */

const START_MS = Date.parse('2026-01-02T00:00:00Z');
const YEAR_MS = 366 * 86_400_000;

/** The points at which a worker may die. */
export const ENDS = [
  'lives',
  'dies before it submits',
  'dies before it records',
  'records late',
] as const;
export type WorkerEnd = (typeof ENDS)[number];

/** Converts completions of other ledger users to positions, as the completion stream of a ledger user does. */
const toldTo =
  (user: string) =>
  (element: CompletionElement): CompletionElement =>
    element.kind === 'position' || element.ledgerUser === user
      ? element
      : {
          kind: 'position',
          participant: PARTICIPANT,
          offset: element.offset,
          times: element.times,
        };

const CALLER: Caller = {
  party: PROVIDER,
  roles: new Set(['provider'] as const),
  via: 'bearer',
  tenantId: 'tenant',
  subject: 'somebody',
  name: 'Somebody',
};
const OPERATOR: Caller = { ...CALLER, roles: new Set(['provider', 'operator'] as const) };

export class WildSystem {
  readonly ledger: WildLedger;
  readonly contents: DatabaseContents;
  readonly #connection: MemoryDatabaseConnection;
  readonly #clock: { nowMs: number };
  readonly #epochs: Readonly<Record<'projector' | 'clock', bigint>>;
  /** Answers that workers have not recorded yet. */
  readonly #late: (() => Promise<void>)[] = [];
  readonly #taken = { updates: 0, completions: 0 };
  #cursors = new Map<string, bigint>();
  #commands = 0;
  /** The ledger user of every process that is started from now on. */
  #ledgerUser = LEDGER_USER;
  #rotations = 0;

  private constructor(
    clock: { nowMs: number },
    contents: DatabaseContents,
    connection: MemoryDatabaseConnection,
    epochs: Readonly<Record<'projector' | 'clock', bigint>>,
  ) {
    this.ledger = new WildLedger(() => clock.nowMs);
    this.#clock = clock;
    this.contents = contents;
    this.#connection = connection;
    this.#epochs = epochs;
  }

  /** Opens a system with an install and a licence, and with nothing in progress. */
  static async open(): Promise<WildSystem> {
    const clock = { nowMs: START_MS };
    const database = createMemoryDatabase({ now: () => clock.nowMs });
    const connection = database.connect('wild');
    const epoch = await connection.leases.acquire(PROJECTOR_LEASE, 'wild', YEAR_MS, IO);
    const schedulerEpoch = await connection.leases.acquire(SCHEDULER_LEASE, 'wild', YEAR_MS, IO);
    assert(epoch !== null && schedulerEpoch !== null);
    const epochs = { projector: epoch, clock: schedulerEpoch };
    const system = new WildSystem(clock, database.contents, connection, epochs);
    await connection.store.transact(IO, async (tx) => {
      for (const stream of [UPDATES_STREAM, completionsStream(PARTICIPANT)]) {
        await tx.startCursor({ stream, from: 0n, to: 1n, recordTime: null }, epoch);
        system.#cursors.set(stream, 1n);
      }
    });
    const { ledger } = system;
    const at = new Date(START_MS - 1_000).toISOString();
    ledger.updates.push({
      kind: 'transaction',
      offset: 2n,
      updateId: trusted('update-2'),
      commandId: '',
      workflowId: '',
      effectiveAt: at,
      recordTime: at,
      synchronizerId: 'synchronizer',
      events: [
        created(APP_INSTALL, 0, 1, { numLicensesCreated: '1' }),
        created(LICENSE, 1, 2, { licenseNum: '1', expiresAt: '2026-01-01T00:00:00Z' }),
      ],
    });
    ledger.checkpoint();
    await system.deliver(9, 9);
    return system;
  }

  get nowMs(): number {
    return this.#clock.nowMs;
  }

  pass(ms: number): void {
    this.#clock.nowMs += ms;
    this.ledger.dropLate();
  }

  /** Records a change, unless another client has ended the contract on which it acts. */
  async ask(operation: Operation): Promise<void> {
    if ((operation === 'renew-license' ? this.ledger.license : this.ledger.install) === '') return;
    this.#commands += 1;
    const isRenewal = operation === 'renew-license';
    const asked = requestChange(
      this.#recording,
      CALLER,
      {
        operation,
        target: isRenewal ? contractId(2) : contractId(1),
        // Retries of operators and policies use this prefix.
        commandId: trusted(
          `${this.#commands % 2 === 0 ? 'tenure:retry' : 'command'}:${this.#commands}`,
        ),
        body: isRenewal ? { ...TERMS, allowConcurrent: true } : {},
      },
      IO,
    );
    await asked.catch((error: unknown) => {
      // Another client was faster, so nothing is recorded.
      if (!(error instanceof ProblemError)) throw error;
    });
  }

  /** Retries all failed operations by one bulk act, as a person would. */
  async retryInBulk(): Promise<void> {
    const { bulkActs } = this.#connection;
    const request = { action: 'retry', decision: null, filter: {}, reason: 'a test' } as const;
    const scope = scopeOf(OPERATOR, this.#recording.hosting);
    const { token, count } = await previewBulk(bulkActs, OPERATOR, scope, request, IO);
    await applyBulk(bulkActs, OPERATOR, { token, count }, IO);
    const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
    const hear = createHear(this.#gateway, this.#wallClock, BOUNDS);
    const deps = { ...this.#recording, gateway: this.#gateway, hear, acts: bulkActs, log: quiet };
    const pace = { random: () => 0.5, itemsPerSecond: count };
    await workBulk({ ...deps, ...pace }, this.#epochs.clock, count, new Map(), IO);
  }

  /** Restarts all processes with the token of another ledger user, or of the previous one. */
  rotate(): void {
    this.#rotations += 1;
    this.#ledgerUser = this.#rotations % 2 === 0 ? LEDGER_USER : 'rotated';
  }

  changes = (): Change[] => this.contents.changes().map(({ change }) => change);

  /** Whether workers still have something to do, now or later. */
  get hasWork(): boolean {
    return this.contents.effects().some(({ doneAtMs }) => doneAtMs === null);
  }

  /** Waits until an effect is due, and makes an attempt. */
  async work(fate: Fate, end: WorkerEnd): Promise<void> {
    const { outbox } = this.#connection;
    this.pass((await outbox.nextDueInMs(IO)) ?? 0);
    const due: Parameters<Parameters<typeof outbox.dispatchDue>[1]>[0][number][] = [];
    const put = async (effects: readonly (typeof due)[number][]) => void due.push(...effects);
    await outbox.dispatchDue(1, put, IO);
    const [effect] = due;
    if (effect === undefined) return;
    const dies = end === 'dies before it submits' || end === 'dies before it records';
    await submitCommand(
      { effectId: effect.id, dispatchNo: effect.dispatchNo },
      {
        outbox,
        gateway: {
          ...this.#gateway,
          submit: (request, io) =>
            asUs(request, this.#rights, io, async (ours) => this.#submit(ours, fate, end)),
        },
        prepare: async (attempt) => this.#prepared(attempt),
        newSubmissionId,
        recordAnswer: async (...args) => {
          if (dies) return;
          const record = () => recordAnswer(this.#answering(this.#connection.store), ...args);
          if (end === 'records late') this.#late.push(await this.#paused(args));
          else await record();
        },
      },
      IO,
    );
  }

  /** Resumes a worker that was delayed after the ledger's answer and before the record of it. */
  async goOn(at: number): Promise<void> {
    const [late] = this.#late.splice(at % Math.max(1, this.#late.length), 1);
    await late?.();
  }

  get heldUp(): number {
    return this.#late.length;
  }

  /** Applies the next elements of both streams in one batch. */
  async deliver(updates: number, completions: number): Promise<void> {
    const { ledger } = this;
    const nextUpdates = ledger.updates.slice(this.#taken.updates, this.#taken.updates + updates);
    const nextCompletions = ledger.completions.slice(
      this.#taken.completions,
      this.#taken.completions + completions,
    );
    this.#taken.updates += nextUpdates.length;
    this.#taken.completions += nextCompletions.length;
    // The completion stream of a ledger user contains no completions of another user.
    const toldUs = nextCompletions.map(toldTo(this.#ledgerUser));
    const elements: StreamElement[] = [
      ...nextUpdates.map((element) => ({ stream: 'updates', element }) as const),
      ...toldUs.map((element) => ({ stream: 'completions', element }) as const),
    ];
    const batch = batchOf(elements, this.#cursors);
    const times = {
      now: new Date(this.nowMs).toISOString(),
      ledgerNowMs: this.nowMs,
      ledgerCertainMs: this.nowMs,
    };
    const gateway = this.#gateway;
    await applyLedger(
      {
        model: NEWEST_MODEL,
        store: this.#connection.store,
        readAs: [PROVIDER],
        projected: PARTICIPANT,
        leaseEpoch: this.#epochs.projector,
        clocks: new RecordClocks(BOUNDS),
        ticks: new Ticks(),
        random: () => 0.5,
      },
      {
        ...batch,
        duplicates: await readDuplicates(gateway, batch.completions, IO),
        ledgerEnds: await readLedgerEnds(gateway, batch.completions, IO),
      },
      times,
      IO,
    );
    this.#cursors = new Map(batch.cursors);
  }

  /** Makes the projector call the participants, because attempts have no answer. */
  async hear(): Promise<void> {
    const beforeMs = this.nowMs - SENT_WITHIN_MS - BOUNDS.clockDifferenceMs;
    const hear = createHear(this.#gateway, this.#wallClock, BOUNDS);
    const { store } = this.#connection;
    await hearParticipant(
      { model: NEWEST_MODEL, store, hear },
      PARTICIPANT,
      new Date(beforeMs).toISOString(),
      IO,
    );
  }

  get undelivered(): number {
    const { updates, completions } = this.ledger;
    return updates.length - this.#taken.updates + completions.length - this.#taken.completions;
  }

  readonly #wallClock = { nowMs: () => this.nowMs };
  readonly #ledgerClock = {
    nowMs: () => this.nowMs,
    pastMs: () => this.nowMs,
    provenMs: () => this.nowMs,
    certainMs: () => this.nowMs,
    ask: () => undefined,
    refresh: async () => undefined,
    observe: () => undefined,
  };

  get #recording() {
    return {
      store: this.#connection.store,
      hosting: {
        provider: PROVIDER,
        projected: PARTICIPANT,
        submitterFor: async (actAs: Party) => ({
          participant: PARTICIPANT,
          ledgerUser: this.#ledgerUser,
          actAs,
        }),
      },
      model: NEWEST_MODEL,
      wallClock: this.#wallClock,
      ledgerClock: this.#ledgerClock,
    };
  }

  readonly #rights = {
    of: () => ({ ledgerUser: this.#ledgerUser, actAs: [PROVIDER], readAs: [PROVIDER] }),
    refresh: async () => this.#rights.of(),
  };

  readonly #gateway: LedgerGateway = {
    submit: async () => null,
    reach: async () => null,
    ledgerEnd: async () => {
      this.ledger.readOn();
      return this.ledger.end;
    },
    synchronizers: async () => ['synchronizer'],
    synchronizersForParties: async () => {
      this.ledger.readOn();
      return ['synchronizer'];
    },
    prunedUpTo: async () => 0n,
    offsetOf: async () => null,
    updateAt: async (_participant, offset) => this.ledger.updateAt(offset),
  };

  readonly #answering = (store: Store) => ({
    model: NEWEST_MODEL,
    store,
    gateway: this.#gateway,
    wallClock: this.#wallClock,
    ledgerClock: this.#ledgerClock,
    random: () => 0.5,
  });

  /** Pauses a transaction after all of its calls to other systems. @returns a function that resumes it */
  async #paused(
    args: Parameters<typeof recordAnswer> extends [unknown, ...infer Rest] ? Rest : never,
  ): Promise<() => Promise<void>> {
    const { store } = this.#connection;
    const reached = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const held: Store = {
      ...store,
      transact: async (io, work) => {
        reached.resolve();
        await gate.promise;
        return store.transact(io, work);
      },
    };
    const recorded = recordAnswer(this.#answering(held), ...args);
    await reached.promise;
    return async () => {
      gate.resolve();
      await recorded;
    };
  }

  #submit(request: Parameters<LedgerGateway['submit']>[0], fate: Fate, end: WorkerEnd) {
    if (end === 'dies before it submits') return null;
    return this.ledger.submit(request, fate);
  }

  #prepared({ change, lifecycle }: StartedAttempt) {
    const facts = USER;
    return { command: commandFor(NEWEST_MODEL, change, lifecycle, facts), disclosed: [] };
  }

  /** Returns whether a change can continue without an operator, or reports that it needs one. */
  hasWayForward(change: Change): boolean {
    if (!isOpen(change.state)) return true;
    if (change.state === 'in-doubt' || change.acceptance !== null || change.verifyAt !== null) {
      return true;
    }
    const mailbox = this.contents.mailboxes().find(({ lane }) => lane === change.lane);
    if (change.state === 'queued') return mailbox?.head !== null && mailbox?.head !== undefined;
    const effect = this.contents.effects().find(({ changeId }) => changeId === change.id);
    return mailbox?.head === change.id && effect !== undefined && effect.doneAtMs === null;
  }
}

const MICROS_PER_HOUR = 3_600_000_000;
const TERMS = {
  licenseFeeCc: '100',
  description: 'one more hour',
  licenseExtensionMicros: String(MICROS_PER_HOUR),
  prepareUntilMicros: String(MICROS_PER_HOUR),
  settleBeforeMicros: String(2 * MICROS_PER_HOUR),
};

/** This is longer than any part of an attempt may take after the attempt has been read. */
export const LONG_MS = SENT_WITHIN_MS + 2 * BOUNDS.toleranceMs + 4 * BOUNDS.clockDifferenceMs;
