import type { ContractId, LifecycleId, ParticipantName } from '../domain/ids.ts';
import { changeOfWorkflow } from '../domain/ids.ts';
import { isOpen } from '../domain/change.ts';
import type { LedgerCompletion, LedgerTransaction } from '../domain/ledger.ts';
import type { LedgerSource, Ownership, StoreSource } from './evidence-source.ts';
import type { ChangeEvidence, Evidence, LifecycleEvidence } from './invariants/evidence.ts';
import { cursorOf, emptyEvidence } from './invariants/evidence.ts';
import { UPDATES_STREAM } from '../app/ports/streams.ts';
import { DOCTOR_LIMITS } from './limits.ts';

/*
 * Gathers the evidence of a store of any size in parts. Each part fulfils the guarantees of `Evidence`. The parts
 * together cover the whole store: a state that breaks an invariant also breaks it in one of the parts.
 */

/** A part of the evidence, and the number of its rows that the progress counts. */
export interface Part {
  readonly evidence: Evidence;
  readonly count: number;
}

type Parts = AsyncGenerator<Part, void, undefined>;

/** Reads the values that describe the snapshot itself, before any rows are read. */
export async function headOf(store: StoreSource, ownership: Ownership): Promise<Evidence> {
  return { ...emptyEvidence({ ...ownership, at: '' }), ...(await store.head()) };
}

/** Yields the mailboxes that are not empty, each with its head. */
export async function* mailboxParts(store: StoreSource, head: Evidence): Parts {
  for await (const mailboxes of store.mailboxPages()) {
    const heads = mailboxes.flatMap((mailbox) => mailbox.head ?? []);
    const evidence = { ...head, mailboxes, changes: await store.changes(heads) };
    yield { evidence, count: 0 };
  }
}

/**
 * Returns the earlier changes of the last lane on a page with which the changes on the next page are compared: the open
 * one, the newest one with an effect, and the newest renewals.
 */
function carriedOn(page: readonly ChangeEvidence[]): readonly ChangeEvidence[] {
  const lane = page.at(-1)?.change.lane;
  const inLane = page.filter(({ change }) => change.lane === lane);
  const open = inLane.find(({ change }) => isOpen(change.state));
  const last = inLane.findLast(({ updates }) => updates.length > 0);
  const renewals = inLane.filter(
    ({ change, updates }) => change.operation === 'renew-license' && updates.length > 0,
  );
  const carried = [
    ...renewals.slice(-DOCTOR_LIMITS.carriedMax),
    ...[open, last].flatMap((of) => of ?? []),
  ];
  return [...new Set(carried)];
}

/** Yields all changes, lane by lane, with the mailboxes of open changes and the contracts that renewals created. */
export async function* changeParts(store: StoreSource, head: Evidence): Parts {
  let carried: readonly ChangeEvidence[] = [];
  for await (const page of store.changePages()) {
    const lane = page[0]?.change.lane;
    const before = carried.filter(({ change }) => change.lane === lane);
    const changes = [...before, ...page];
    const open = changes.filter(({ change }) => isOpen(change.state));
    const mailboxes = await store.mailboxes([...new Set(open.map(({ change }) => change.lane))]);
    const there = new Set(changes.map(({ change }) => change.id));
    const missing = mailboxes.flatMap((of) =>
      of.head === null || there.has(of.head) ? [] : [of.head],
    );
    const updates = changes
      .filter(({ change }) => change.operation === 'renew-license')
      .flatMap((entry) => entry.updates);
    const evidence = {
      ...head,
      changes: [...changes, ...(await store.changes(missing))],
      mailboxes,
      updates,
      contracts: await store.contractsCreatedAt(updates.map(({ offset }) => offset)),
    };
    yield { evidence, count: page.length };
    carried = carriedOn(changes);
  }
}

/** Yields all lifecycles with their histories and current contracts. */
export async function* lifecycleParts(store: StoreSource, head: Evidence): Parts {
  for await (const lifecycles of store.lifecyclePages()) {
    const ids = lifecycles.map(({ lifecycle }) => lifecycle.contractId);
    const evidence = {
      ...head,
      lifecycles,
      contracts: await store.contracts(ids),
      lineage: await store.lineage(ids),
    };
    yield { evidence, count: lifecycles.filter(({ toNow }) => toNow).length };
  }
}

/** Yields all subscriptions, each with the facts about its licence. */
export async function* subscriptionParts(store: StoreSource, head: Evidence): Parts {
  for await (const subscriptions of store.subscriptionPages()) {
    yield { evidence: { ...head, subscriptions }, count: subscriptions.length };
  }
}

/** Reads a ledger stream in steps, each up to a given offset. */
class Reader<T extends { readonly offset: bigint }> {
  readonly #source: AsyncIterator<T>;
  #next: T | null | undefined;

  constructor(source: AsyncIterable<T>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** Returns at most `limit` elements, up to offset `upTo`. `isAll` is false if more elements follow before `upTo`. */
  async take(upTo: bigint, limit: number): Promise<{ elements: T[]; isAll: boolean }> {
    const elements: T[] = [];
    for (;;) {
      this.#next ??= await this.#read();
      if (this.#next === null || this.#next.offset > upTo) return { elements, isAll: true };
      if (elements.length >= limit) return { elements, isAll: false };
      elements.push(this.#next);
      this.#next = undefined;
    }
  }

  async #read(): Promise<T | null> {
    const { done, value } = await this.#source.next();
    return done === true ? null : value;
  }

  async close(): Promise<void> {
    await this.#source.return?.();
  }
}

/** Returns evidence without history, for a lifecycle that is included only because an update names it. */
const withoutHistory = (lifecycle: LifecycleEvidence['lifecycle']): LifecycleEvidence => ({
  lifecycle,
  history: [],
  fromBirth: false,
  toNow: false,
});

function contractsOf(
  transactions: readonly LedgerTransaction[],
  rows: Pick<Evidence, 'contracts' | 'exercises'>,
): ContractId[] {
  const found = new Set<ContractId>();
  for (const { events } of transactions) {
    for (const event of events) {
      if (event.kind === 'created' || event.consuming) found.add(event.contractId);
    }
  }
  for (const { contractId, consuming } of rows.exercises) if (consuming) found.add(contractId);
  const there = new Set(rows.contracts.map(({ contractId }) => contractId));
  return [...found].filter((contractId) => !there.has(contractId));
}

async function windowPart(
  store: StoreSource,
  head: Evidence,
  span: { readonly after: bigint; readonly upTo: bigint },
  transactions: readonly LedgerTransaction[] | null,
): Promise<Evidence> {
  const rows = await store.rowsIn(span.after, span.upTo);
  const told = transactions ?? [];
  const others = contractsOf(told, rows);
  const named = [...rows.updates, ...told].flatMap(
    ({ workflowId }) => changeOfWorkflow(workflowId) ?? [],
  );
  const contracts = [...rows.contracts, ...(await store.contracts(others))];
  const lineage = await store.lineage([...new Set(contracts.map((row) => row.contractId))]);
  const lifecycles = await store.lifecycles([...new Set<LifecycleId>(lineage.values())]);
  return {
    ...head,
    ...rows,
    contracts,
    lineage,
    // Some contracts of these lifecycles are missing in this part, so the lifecycles are judged in another part.
    lifecycles: lifecycles.map(withoutHistory),
    changes: await store.changes([...new Set(named)]),
    ledger: transactions === null ? null : { ...span, transactions, completions: [], active: [] },
  };
}

/**
 * Yields the updates after `from`, a few at a time, from the store and from the ledger.
 *
 * @param ledger `null`: the updates are read only from the store
 */
export async function* updateParts(
  store: StoreSource,
  ledger: LedgerSource | null,
  head: Evidence,
  from: bigint,
  signal: AbortSignal,
): Parts {
  const end = cursorOf(head, UPDATES_STREAM)?.offset ?? from;
  const reader = ledger === null ? null : new Reader(ledger.updates(from, end, signal));
  try {
    for (let after = from; after < end;) {
      let upTo = await store.bound(after, end, DOCTOR_LIMITS.page);
      const told = reader === null ? null : await reader.take(upTo, DOCTOR_LIMITS.page);
      const last = told?.elements.at(-1);
      if (told?.isAll === false && last !== undefined) upTo = last.offset;
      const evidence = await windowPart(store, head, { after, upTo }, told?.elements ?? null);
      yield { evidence, count: told?.elements.length ?? evidence.updates.length };
      after = upTo;
    }
  } finally {
    await reader?.close();
  }
  yield { evidence: { ...head, updates: await store.updatesBeyond(end) }, count: 0 };
}

/** The range of one participant's completions: `after` is excluded, `upTo` included. */
export interface CompletionSpan {
  readonly participant: ParticipantName;
  readonly after: bigint;
  readonly upTo: bigint;
  readonly isReliable: boolean;
}

/** Yields the completions that a participant has reported, with their attempts. */
export async function* completionParts(
  store: StoreSource,
  ledger: LedgerSource,
  head: Evidence,
  { participant, after, upTo, isReliable }: CompletionSpan,
  signal: AbortSignal,
): Parts {
  let page: LedgerCompletion[] = [];
  const part = async (): Promise<Part> => {
    const ids = await store.changesOfSubmissions(page.map((of) => of.submissionId));
    const completions = [{ participant, after, upTo, elements: page, isReliable }];
    const evidence = {
      ...head,
      changes: await store.changes(ids),
      ledger: { after: 0n, upTo: 0n, transactions: [], completions, active: [] },
    };
    return { evidence, count: page.length };
  };
  for await (const completion of ledger.completions(participant, after, upTo, signal)) {
    page.push(completion);
    if (page.length < DOCTOR_LIMITS.page) continue;
    yield await part();
    page = [];
  }
  if (page.length > 0) yield await part();
}

/** Yields the contracts that were active on the participant at the store's offset, a few at a time. */
export async function* activeParts(
  store: StoreSource,
  ledger: LedgerSource,
  head: Evidence,
  signal: AbortSignal,
): Parts {
  const upTo = cursorOf(head, UPDATES_STREAM)?.offset ?? 0n;
  if (upTo === 0n) return;
  let active = [];
  const part = async (page: NonNullable<Evidence['ledger']>['active']): Promise<Part> => {
    const ids = page.map(({ created }) => created.contractId);
    const lineage = await store.lineage(ids);
    const lifecycles = await store.lifecycles([...new Set<LifecycleId>(lineage.values())]);
    const evidence = {
      ...head,
      contracts: await store.contracts(ids),
      lineage,
      lifecycles: lifecycles.map(withoutHistory),
      ledger: { after: upTo, upTo, transactions: [], completions: [], active: page },
    };
    return { evidence, count: page.length };
  };
  for await (const contract of ledger.activeContracts(upTo, signal)) {
    active.push(contract);
    if (active.length < DOCTOR_LIMITS.page) continue;
    yield await part(active);
    active = [];
  }
  if (active.length > 0) yield await part(active);
}

/** Returns how many rows the active contracts should have in the store: one for the template and one for each view. */
export const rowsOfActive = ({ ledger }: Evidence): number =>
  (ledger?.active ?? []).reduce(
    (sum, { created }) => sum + (created.payload === null ? 0 : 1) + created.views.length,
    0,
  );
