import { Encoder } from '../../../localnet/grpc/encode.ts';
import { readUpdateFormat } from '../../../localnet/grpc/formats.ts';
import { CompletionStreamResponse } from '../../../proto/gen/com/daml/ledger/api/v2/command_completion_service.ts';
import { GetUpdatesResponse } from '../../../proto/gen/com/daml/ledger/api/v2/update_service.ts';
import { UPDATES_STREAM, completionsStream } from '../../../src/app/ports/streams.ts';
import type { Change } from '../../../src/domain/change.ts';
import type { NumberedEvent } from '../../../src/domain/event.ts';
import type { ChangeId, ParticipantName, SubmissionId } from '../../../src/domain/ids.ts';
import { trusted, workflowIdOf } from '../../../src/domain/ids.ts';
import type {
  ActiveContract,
  LedgerCompletion,
  LedgerTransaction,
} from '../../../src/domain/ledger.ts';
import { typesOf } from '../../../src/app/contract/model.ts';
import { NEWEST_MODEL } from '../../../src/app/licensing/model.ts';
import { updateFormat } from '../../../src/ledger/formats.ts';
import { readCompletionElement, readUpdate } from '../../../src/ledger/stream-elements.ts';
import type {
  ChangeEvidence,
  Evidence,
  LedgerEvidence,
  LifecycleEvidence,
  Observed,
  UpdateRow,
} from '../../../src/doctor/invariants/evidence.ts';
import { toldUpTo } from '../../../src/doctor/invariants/proofs.ts';
import type { DatabaseContents } from '../memory/database.ts';
import { standing } from '../memory/find.ts';
import type { Commit } from '../memory/server.ts';
import type { AttemptRow, ChangeRow, EffectRow } from '../memory/rows.ts';
import { commandText } from '../memory/tables.ts';
import { PARTICIPANTS } from './ledger.ts';
import type { Side } from './ledger.ts';
import type { Truth } from './truth.ts';
import type { World } from './world.ts';

type TransactionFormat = NonNullable<ReturnType<typeof readUpdateFormat>['transactions']>;
type Recorded = Truth['transactions'][number];
type Completion = Truth['completions'][number];

/**
 * Returns a name for a change's command. An operation that a restore has lost and the operation that repeats it have
 * the same name.
 */
export const commandOf = ({ commandId, submitter }: Change): string =>
  commandText({ commandId, actAs: submitter.actAs });

const isProven = ({ answer }: AttemptRow): boolean => answer?.provenAt !== undefined;

const iso = (ms: number): string => new Date(ms).toISOString();

/** Observes commits, to record facts that no snapshot of the database shows. */
export class Watcher {
  readonly firings: Observed['firings'][number][] = [];
  /** Every event that was ever numbered, by its number. They are stored here because retention deletes the rows. */
  readonly events = new Map<bigint, NumberedEvent>();
  /** The change of every attempt that ever began, by submission ID. */
  readonly changeOf = new Map<string, ChangeId>();
  /** The command ID and the party of every change that ever existed, including those that a restore has lost. */
  readonly commandOf = new Map<ChangeId, string>();
  /**
   * The number of the newest event at the time when the webhook became visible to other transactions. Earlier events
   * need not be delivered to it.
   */
  readonly newestAtBirth = new Map<string, bigint>();
  /**
   * The last record time that the streams had reported when an attempt was judged to be unable to take effect. Later
   * data proves nothing about that moment.
   */
  readonly proofs = new Map<SubmissionId, string | null>();
  #newest = 0n;
  life = 1;

  /** @param cursors returns the cursors as they are after the commit */
  onCommit({ call, atMs, changes }: Commit, cursors: () => Evidence['cursors']): void {
    for (const { table, key, before, after } of changes) {
      if (table === 'webhook' && before === undefined) this.newestAtBirth.set(key, this.#newest);
      if (table === 'event' && after !== undefined) {
        const event = after as NumberedEvent;
        this.events.set(event.seq, event);
        if (event.seq > this.#newest) this.#newest = event.seq;
      }
      if (table === 'change' && after !== undefined) {
        const { change } = after as ChangeRow;
        if (before === undefined) this.commandOf.set(change.id, commandOf(change));
      }
      if (table === 'attempt' && after !== undefined) {
        const { submissionId, changeId, submitter, answer } = after as AttemptRow;
        this.changeOf.set(submissionId, changeId);
        if (answer?.provenAt !== undefined && !this.proofs.has(submissionId))
          this.proofs.set(submissionId, toldUpTo({ cursors: cursors() }, submitter.participant));
      }
    }
    if (call === 'outbox.dispatchDue') this.#dispatched(changes, atMs);
  }

  /**
   * Resets the watcher to an earlier state of the database. After this, events are numbered again, and proofs must be
   * made again.
   */
  onRestore(contents: DatabaseContents): void {
    this.life += 1;
    this.#newest = contents.lastEvent();
    for (const seq of this.events.keys()) if (seq > this.#newest) this.events.delete(seq);
    const proven = new Set(
      contents.attempts().flatMap((row) => (isProven(row) ? [row.submissionId] : [])),
    );
    for (const id of this.proofs.keys()) if (!proven.has(id)) this.proofs.delete(id);
  }

  /**
   * Returns the ID of the command whose attempt caused a recorded transaction. The command is found by command ID and
   * party; for other clients, returns `null`.
   */
  commandBehind({ submitter }: Recorded): string | null {
    const changeId = this.changeOf.get(submitter.submissionId);
    return changeId === undefined ? null : (this.commandOf.get(changeId) ?? null);
  }

  #dispatched(changes: Commit['changes'], atMs: number): void {
    for (const { table, before, after } of changes) {
      if (table !== 'effect') continue;
      const [was, is] = [before, after] as [EffectRow, EffectRow];
      if (is.dispatchNo === was.dispatchNo) continue;
      this.firings.push({
        timer: is.id,
        number: is.dispatchNo,
        dueAt: iso(was.dueAtMs),
        at: iso(atMs),
        life: this.life,
      });
    }
  }
}

function grouped<Row, Key>(rows: readonly Row[], keyOf: (row: Row) => Key): Map<Key, Row[]> {
  const groups = new Map<Key, Row[]>();
  for (const row of rows) {
    const group = groups.get(keyOf(row));
    if (group === undefined) groups.set(keyOf(row), [row]);
    else group.push(row);
  }
  return groups;
}

function changesOf(
  { database: { contents } }: World,
  updates: readonly UpdateRow[],
): ChangeEvidence[] {
  const attempts = grouped(contents.attempts(), ({ changeId }) => changeId);
  const effects = new Map(contents.effects().map((row) => [row.changeId, row]));
  const history = grouped(contents.history(), ({ entry }) => entry.lifecycleId);
  const audit = grouped(contents.audit(), ({ entry }) => entry.changeId);
  return contents
    .changes()
    .map(({ change }) => {
      const effect = effects.get(change.id);
      const lines = change.lifecycleId === null ? [] : (history.get(change.lifecycleId) ?? []);
      return {
        change,
        attempts: (attempts.get(change.id) ?? []).toSorted((a, b) => a.n - b.n),
        effect: effect === undefined ? null : effectOf(effect),
        updates: updates
          .filter(
            ({ updateId, workflowId }) =>
              updateId === change.acceptance?.updateId || workflowId === workflowIdOf(change.id),
          )
          .toSorted((a, b) => Number(a.offset - b.offset)),
        audit: (audit.get(change.id) ?? []).map(({ entry }) => entry),
        history: lines
          .map(({ entry }) => entry)
          .filter(({ commandId }) => commandId === change.commandId),
      };
    })
    .toSorted(
      (a, b) =>
        a.change.lane.localeCompare(b.change.lane) || a.change.mailboxNo - b.change.mailboxNo,
    );
}

const effectOf = ({ dueAtMs, doneAtMs, heldAtMs, madeAtMs, putOffBy: _by, ...row }: EffectRow) => ({
  ...row,
  dueAt: iso(dueAtMs),
  doneAt: doneAtMs === null ? null : iso(doneAtMs),
  madeAt: iso(madeAtMs),
  heldAt: heldAtMs === null ? null : iso(heldAtMs),
});

function lifecyclesOf({ database: { contents } }: World): LifecycleEvidence[] {
  const history = grouped(contents.history(), ({ entry }) => entry.lifecycleId);
  return contents.lifecycles().map((lifecycle) => ({
    lifecycle,
    history: (history.get(lifecycle.id) ?? [])
      .toSorted((a, b) => a.entry.seq - b.entry.seq || a.n - b.n)
      .map(({ entry }) => entry),
    fromBirth: true,
    toNow: true,
  }));
}

/**
 * The ledger's own record of its transactions, in the form in which a participant would return it, including
 * transactions that have since been pruned. Keeps the transactions that were read before.
 */
class Record {
  readonly #world: World;
  readonly #transactions: (LedgerTransaction | null)[] = [];
  readonly #completions: { readonly [name in Side]: (LedgerCompletion | null)[] } = {
    'app-provider': [],
    'app-user': [],
  };

  constructor(world: World) {
    this.#world = world;
  }

  #encoder(side: Side): Encoder {
    return new Encoder(this.#world.ledger.network.participants[side]);
  }

  transactions(after: bigint, upTo: bigint): LedgerTransaction[] {
    const { transactions } = this.#world.truth;
    if (this.#transactions.length < transactions.length) {
      const format = this.#format();
      for (const transaction of transactions.slice(this.#transactions.length)) {
        this.#transactions.push(this.#read(transaction, format));
      }
    }
    return within(this.#transactions, after, upTo);
  }

  completions(side: Side, after: bigint, upTo: bigint): LedgerCompletion[] {
    const { ledger, truth } = this.#world;
    const parties = new Set<string>(side === 'app-provider' ? [ledger.provider] : ledger.users);
    const isOurs = (party: string) => parties.has(party);
    const read = this.#completions[side];
    for (const completion of truth.completions.slice(read.length)) {
      const { participant, userId, actAs } = completion.submitter;
      const isUser = ledger.usersOf(side).includes(userId);
      const isHere = participant === side && isUser && actAs.some(isOurs);
      read.push(isHere ? this.#readCompletion(side, completion, isOurs) : null);
    }
    return within(read, after, upTo);
  }

  #format(): TransactionFormat {
    const { ledger } = this.#world;
    const wanted = typesOf(NEWEST_MODEL);
    const { transactions: format } = readUpdateFormat(
      updateFormat([ledger.provider], wanted),
      ledger.network.participants['app-provider'].registry,
    );
    if (format === undefined) throw new TypeError('transactions are asked for');
    return format;
  }

  #read(transaction: Recorded, format: TransactionFormat): LedgerTransaction | null {
    const offset = transaction.offsets['app-provider'];
    if (offset === undefined) return null;
    const value = this.#encoder('app-provider').transaction(transaction, offset, format);
    if (value.events.length === 0) return null;
    const response = GetUpdatesResponse.fromPartial({ update: { $case: 'transaction', value } });
    const read = readUpdate(
      GetUpdatesResponse.decode(GetUpdatesResponse.encode(response).finish()),
      typesOf(NEWEST_MODEL).interfaces,
    );
    return read?.kind === 'transaction' ? read : null;
  }

  #readCompletion(
    side: Side,
    completion: Completion,
    isOurs: (party: string) => boolean,
  ): LedgerCompletion | null {
    const value = this.#encoder(side).completion(completion, isOurs);
    const response = CompletionStreamResponse.fromPartial({
      completionResponse: { $case: 'completion', value },
    });
    const bytes = CompletionStreamResponse.encode(response).finish();
    const read = readCompletionElement(trusted(side), CompletionStreamResponse.decode(bytes));
    return read?.kind === 'completion' ? read : null;
  }
}

const within = <T extends { readonly offset: bigint }>(
  read: readonly (T | null)[],
  after: bigint,
  upTo: bigint,
): T[] => read.filter((one) => one !== null && one.offset > after && one.offset <= upTo) as T[];

const records = new WeakMap<Truth, Record>();

function recordOf(world: World): Record {
  const known = records.get(world.truth);
  if (known !== undefined) return known;
  const record = new Record(world);
  records.set(world.truth, record);
  return record;
}

function ledgerEvidence(world: World, active: readonly ActiveContract[]): LedgerEvidence | null {
  const cursors = new Map(world.database.contents.cursors().map((row) => [row.stream, row]));
  const updates = cursors.get(UPDATES_STREAM);
  if (updates === undefined) return null;
  const record = recordOf(world);
  const [after, upTo] = [updates.oldestOffset, updates.offset];
  return {
    after,
    upTo,
    transactions: record.transactions(after, upTo),
    completions: PARTICIPANTS.flatMap((side) => {
      const cursor = cursors.get(completionsStream(trusted<ParticipantName>(side)));
      if (cursor === undefined) return [];
      const span = { after: cursor.oldestOffset, upTo: cursor.offset };
      const elements = record.completions(side, span.after, span.upTo);
      // A stream of completions of one ledger user does not contain the submissions of another user.
      const isReliable = world.ledger.usersOf(side).length === 1;
      return [{ participant: trusted<ParticipantName>(side), ...span, elements, isReliable }];
    }),
    active,
  };
}

/** For each stream, returns the moves of its cursor since the cursor was first set or a rebuild moved it. */
function movesOf({ database: { contents } }: World): Observed['moves'] {
  const moves = new Map<string, Observed['moves'][number][]>();
  for (const { stream, from, to, isReset } of contents.cursorMoves()) {
    if (isReset || from === null) moves.set(stream, []);
    else moves.get(stream)?.push({ stream, from, to });
  }
  return [...moves.values()].flat();
}

/** Returns the contracts, each with the node at which it was archived. Only the exercise shows this node. */
function contractsOf({ database: { contents } }: World): Evidence['contracts'] {
  const nodes = new Map(
    contents
      .exercises()
      .flatMap(({ contractId, offset, nodeId, consuming }) =>
        consuming ? [[`${contractId} ${offset}`, nodeId] as const] : [],
      ),
  );
  return contents.contracts().map(({ archived, ...row }) => ({
    ...row,
    archived:
      archived === null
        ? null
        : { ...archived, nodeId: nodes.get(`${row.contractId} ${archived.offset}`) ?? -1 },
  }));
}

function mailboxesOf(contents: DatabaseContents): Evidence['mailboxes'] {
  const turns = new Map(contents.interruptedLanes().map(({ lane, turnAtMs }) => [lane, turnAtMs]));
  return contents.mailboxes().map((mailbox) => {
    const turnAtMs = turns.get(mailbox.lane);
    return { ...mailbox, interruptedAt: turnAtMs === undefined ? null : iso(turnAtMs) };
  });
}

export const cursorsOf = (contents: DatabaseContents): Evidence['cursors'] =>
  contents.cursors().map((row) => ({
    stream: row.stream,
    oldest: row.oldestOffset,
    offset: row.offset,
    times: standing(row),
  }));

/**
 * Returns all evidence as of this moment. @param active the contracts that the participant reports as active, if the
 * caller has asked it
 */
export function evidenceOf(world: World, active: readonly ActiveContract[]): Evidence {
  const { contents } = world.database;
  const updates = contents.updates();
  return {
    at: iso(world.databaseMs()),
    projected: trusted<ParticipantName>('app-provider'),
    readAs: [world.ledger.provider],
    model: NEWEST_MODEL,
    cursors: cursorsOf(contents),
    leases: contents.leases().map(({ name, holder, epoch, expiresAtMs }) => ({
      name,
      holder,
      epoch,
      expiresAt: iso(expiresAtMs),
    })),
    causes: {
      pauses: contents.pauses().map(({ sinceMs, ...pause }) => ({ ...pause, since: iso(sinceMs) })),
      foreign: contents
        .foreignLedgers()
        .map(({ participant }) => trusted<ParticipantName>(participant)),
    },
    auditDeletedUntil: null,
    subscriptions: [],
    changes: changesOf(world, updates),
    mailboxes: mailboxesOf(contents),
    lifecycles: lifecyclesOf(world),
    lineage: new Map(contents.lineage().map((row) => [row.contractId, row.lifecycleId])),
    updates,
    contracts: contractsOf(world),
    exercises: contents
      .exercises()
      .map(({ actingParties, ...row }) => ({ ...row, controllers: actingParties })),
    ledger: ledgerEvidence(world, active),
    observed: {
      moves: movesOf(world),
      firings: world.watcher.firings,
      proofs: world.watcher.proofs,
    },
  };
}
