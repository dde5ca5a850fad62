import { NEWEST_MODEL } from '../../src/app/licensing/model.ts';
import type { Attempt, Change, Effect } from '../../src/domain/change.ts';
import type { ContractId, LaneId, UpdateId } from '../../src/domain/ids.ts';
import { trusted, workflowIdOf } from '../../src/domain/ids.ts';
import type { LedgerEvent, LedgerTransaction, TemplateName } from '../../src/domain/ledger.ts';
import { templateFqn } from '../../src/domain/ledger.ts';
import { APP_INSTALL, LICENSE, LICENSE_RENEWAL_REQUEST } from '../../src/domain/licensing.ts';
import type { HistoryEntry, Lifecycle } from '../../src/domain/lifecycle.ts';
import { violationsIn } from '../../src/doctor/invariants/check.ts';
import type {
  ChangeEvidence,
  ContractRow,
  Evidence,
  ExerciseRow,
  LedgerEvidence,
} from '../../src/doctor/invariants/evidence.ts';
import type { InvariantId } from '../../src/doctor/invariants/violation.ts';
import {
  PROVIDER,
  USER,
  answer,
  change,
  created,
  effectId,
  exercised,
  lifecycle,
  mailbox,
  queued,
  rejected,
  succeeded,
} from './store-rows.ts';

/*
 * The evidence of a small system without violations and with operations in progress: an install with three changes in
 * its lane, a licence that was renewed, settled and expired, and a renewal that was refused. Each test changes one part
 * of it so that an invariant is violated.
 */

const contractId = (letter: string): ContractId => trusted<ContractId>(`00${letter.repeat(68)}`);

/** Returns the ledger time of an offset: the times of successive offsets are one minute apart. */
export const instant = (offset: number): string =>
  `2026-01-01T00:${String(offset).padStart(2, '0')}:00.000001Z`;

export const CONTRACTS = {
  install1: contractId('1'),
  install2: contractId('2'),
  license1: contractId('a'),
  license2: contractId('b'),
  renewal: contractId('c'),
};

const PARTIES = { provider: PROVIDER, user: USER };
const LICENSE_LANE = trusted<LaneId>(`license:${PROVIDER}/${USER}/1`);

const install: Lifecycle = lifecycle({
  kind: 'install',
  id: trusted<Lifecycle['id']>(`install-${CONTRACTS.install1.slice(2, 42)}`),
  contractId: CONTRACTS.install2,
  context: { numLicensesCreated: '1' },
  state: 'creatingLicense',
  version: 5,
  createdAt: instant(3),
});
const license: Lifecycle = lifecycle({
  kind: 'license',
  id: trusted<Lifecycle['id']>(`license-${CONTRACTS.license1.slice(2, 42)}`),
  contractId: CONTRACTS.license2,
  context: { expiresAt: instant(15) },
  lane: LICENSE_LANE,
  state: 'expired',
  expiresAt: instant(15),
  version: 8,
  createdAt: instant(10),
  endedAt: instant(16),
});
const renewal: Lifecycle = lifecycle({
  kind: 'renewal',
  id: trusted<Lifecycle['id']>(`renewal-${CONTRACTS.renewal.slice(2, 42)}`),
  contractId: CONTRACTS.renewal,
  context: { settleBefore: instant(40) },
  lane: LICENSE_LANE,
  originId: license.id,
  state: 'renewed',
  version: 3,
  createdAt: instant(12),
  endedAt: instant(14),
});
const installLane = install.lane;

const accepted = (offset: number) => ({
  updateId: trusted<UpdateId>(`update-${offset}`),
  offset: BigInt(offset),
  readBack: false,
});

function ended(offset: number, over: Partial<Change>): Change {
  return succeeded(change(over), { acceptance: accepted(offset) });
}

export const create = ended(10, {
  commandId: trusted('create'),
  operation: 'create-license',
  lifecycleId: install.id,
  lane: installLane,
});
export const renew = ended(12, {
  commandId: trusted('renew'),
  operation: 'renew-license',
  lifecycleId: license.id,
  lane: LICENSE_LANE,
});
export const refusedRenew: Change = {
  ...rejected(
    change({
      commandId: trusted('renew-again'),
      operation: 'renew-license',
      lifecycleId: license.id,
      lane: LICENSE_LANE,
      mailboxNo: 2,
    }),
  ),
  acceptance: null,
};
export const complete = ended(14, {
  commandId: trusted('complete'),
  operation: 'complete-renewal',
  lifecycleId: renewal.id,
  lane: LICENSE_LANE,
  mailboxNo: 3,
});
export const expire = ended(16, {
  commandId: trusted('expire'),
  operation: 'expire-license',
  lifecycleId: license.id,
  lane: LICENSE_LANE,
  mailboxNo: 4,
});
export const inFlight = change({
  commandId: trusted('create-2'),
  lifecycleId: install.id,
  lane: installLane,
  mailboxNo: 2,
});
export const waiting: Change = {
  ...queued(inFlight, 3),
  commandId: trusted('create-3'),
  waitingFor: { kind: 'mailbox', detail: 'behind create-2', since: instant(17) },
};

const licensePayload = (expiresAt: string) => ({ ...PARTIES, licenseNum: '1', expiresAt });

/** For each synchronizer, the time up to which every stream has been read. */
const TIMES = new Map([['global::1220dd', instant(17)]]);

const at = (offset: number, of: Change, events: readonly LedgerEvent[]): LedgerTransaction => ({
  kind: 'transaction',
  offset: BigInt(offset),
  updateId: trusted<UpdateId>(`update-${offset}`),
  commandId: of.commandId,
  workflowId: workflowIdOf(of.id),
  effectiveAt: instant(offset),
  recordTime: instant(offset),
  synchronizerId: 'global::1220dd',
  events,
});

const make = (id: ContractId, template: TemplateName, nodeId: number, payload: object) =>
  created(install, { contractId: id, template, nodeId, payload: payload as never });

const TRANSACTIONS: readonly LedgerTransaction[] = [
  at(10, create, [
    exercised(CONTRACTS.install1, APP_INSTALL, { lastDescendantNodeId: 2 }),
    make(CONTRACTS.license1, LICENSE, 1, licensePayload(instant(10))),
    make(CONTRACTS.install2, APP_INSTALL, 2, { ...PARTIES, numLicensesCreated: '1' }),
  ]),
  at(12, renew, [
    exercised(CONTRACTS.license1, LICENSE, {
      choice: 'License_Renew',
      consuming: false,
      lastDescendantNodeId: 1,
    }),
    make(CONTRACTS.renewal, LICENSE_RENEWAL_REQUEST, 1, {
      ...PARTIES,
      licenseNum: '1',
      requestId: 'request-1',
      settleBefore: instant(40),
    }),
  ]),
  at(14, complete, [
    exercised(CONTRACTS.renewal, LICENSE_RENEWAL_REQUEST, {
      choice: 'LicenseRenewalRequest_CompleteRenewal',
      argument: { allocationCid: contractId('d'), licenseCid: CONTRACTS.license1 },
      lastDescendantNodeId: 2,
    }),
    exercised(CONTRACTS.license1, LICENSE, {
      choice: 'Archive',
      nodeId: 1,
      lastDescendantNodeId: 1,
    }),
    make(CONTRACTS.license2, LICENSE, 2, licensePayload(instant(15))),
  ]),
  at(16, expire, [exercised(CONTRACTS.license2, LICENSE, { choice: 'License_Expire' })]),
];

/** Returns the store's rows for these transactions, and for the installation that existed before. */
export function rowsOf(transactions: readonly LedgerTransaction[]): {
  readonly contracts: ContractRow[];
  readonly exercises: ExerciseRow[];
} {
  const contracts = new Map<string, ContractRow>();
  const exercises: ExerciseRow[] = [];
  const row = (event: LedgerEvent & { kind: 'created' }, offset: bigint, when: string) => ({
    ...event,
    templateFqn: templateFqn(event.template),
    payload: event.payload ?? {},
    divulgedOnly: false,
    createdAtOffset: offset,
    createdNodeId: event.nodeId,
    createdAt: when,
    archived: null,
  });
  const before = make(CONTRACTS.install1, APP_INSTALL, 0, { ...PARTIES, numLicensesCreated: '0' });
  contracts.set(CONTRACTS.install1, row(before, 3n, instant(3)));
  for (const { offset, effectiveAt, events } of transactions) {
    for (const event of events) {
      if (event.kind === 'created') {
        contracts.set(event.contractId, row(event, offset, effectiveAt));
        continue;
      }
      exercises.push({
        ...event,
        offset,
        templateFqn: templateFqn(event.template),
        controllers: event.actingParties,
      });
      const known = contracts.get(event.contractId);
      if (!event.consuming || known === undefined) continue;
      const archived = { offset, nodeId: event.nodeId, at: effectiveAt };
      contracts.set(event.contractId, { ...known, archived });
    }
  }
  return { contracts: [...contracts.values()], exercises };
}

const line = (
  of: Lifecycle,
  seq: number,
  kind: string,
  state: string,
  by: Change | number,
  contract: ContractId = of.contractId,
): HistoryEntry => ({
  lifecycleId: of.id,
  seq,
  at: instant(typeof by === 'number' ? by : 9),
  kind,
  state,
  by: typeof by === 'number' ? null : by.callerParty,
  commandId: typeof by === 'number' ? null : by.commandId,
  offset: typeof by === 'number' ? BigInt(by) : null,
  updateId: typeof by === 'number' ? `update-${by}` : null,
  contractId: contract,
  detail: {},
});

const { install1, license1 } = CONTRACTS;
const HISTORY: readonly HistoryEntry[] = [
  line(install, 1, 'ledger.created', 'active', 3, install1),
  line(install, 2, 'install.createLicense', 'creatingLicense', create, install1),
  line(install, 3, 'ledger.installReplaced', 'creatingLicense', 10),
  line(install, 4, 'command.succeeded', 'active', create),
  line(install, 5, 'install.createLicense', 'creatingLicense', inFlight),
  line(license, 1, 'ledger.created', 'active', 10, license1),
  line(license, 2, 'license.renew', 'renewing', renew, license1),
  line(license, 3, 'command.succeeded', 'active', renew, license1),
  line(license, 4, 'license.renew', 'renewing', refusedRenew, license1),
  line(license, 5, 'command.refused', 'active', refusedRenew, license1),
  line(license, 6, 'ledger.licenseRenewed', 'active', 14),
  line(license, 7, 'license.expire', 'expiring', expire),
  line(license, 8, 'ledger.licenseExpired', 'expired', 16),
  line(renewal, 1, 'ledger.created', 'requested', 12),
  line(renewal, 2, 'renewal.complete', 'completing', complete),
  line(renewal, 3, 'ledger.renewalCompleted', 'renewed', 14),
];

function attemptOf(of: Change): Attempt[] {
  if (of.state === 'queued') return [];
  const verdict = of.state === 'rejected' ? 'refused' : 'accepted';
  return [
    {
      changeId: of.id,
      n: 1,
      submissionId: trusted<Attempt['submissionId']>(`submission-${of.commandId}`),
      submitter: of.submitter,
      contractId: install1,
      at: instant(9),
      overAt: null,
      answer:
        of.finishedAt === null ? null : answer(verdict, { offset: of.acceptance?.offset ?? null }),
    },
  ];
}

const effectOf = (of: Change): Effect | null =>
  of.state === 'queued'
    ? null
    : {
        id: effectId(of),
        changeId: of.id,
        dueAt: instant(18),
        dispatchNo: 1,
        doneAt: of.finishedAt,
        madeAt: instant(8),
        heldAt: null,
      };

const CHANGES = [create, renew, refusedRenew, complete, expire, inFlight, waiting];

/** Returns the evidence without violations, with the parts in `over` replaced. */
export function evidence(over: Partial<Evidence> = {}): Evidence {
  const transactions = over.ledger?.transactions ?? TRANSACTIONS;
  const entries: ChangeEvidence[] = CHANGES.map((of) => ({
    change: of,
    attempts: attemptOf(of),
    effect: effectOf(of),
    updates: transactions.filter(({ updateId }) => updateId === of.acceptance?.updateId),
    audit: [],
    history: HISTORY.filter(({ commandId }) => commandId === of.commandId),
  }));
  return {
    at: instant(18),
    projected: trusted('app-provider'),
    readAs: [PROVIDER],
    model: NEWEST_MODEL,
    cursors: [
      { stream: 'updates', oldest: 4n, offset: 17n, times: TIMES },
      { stream: 'completions:app-provider', oldest: 4n, offset: 17n, times: TIMES },
    ],
    leases: [{ name: 'projector', holder: 'here:1', epoch: 1n, expiresAt: instant(19) }],
    causes: { pauses: [], foreign: [] },
    auditDeletedUntil: null,
    subscriptions: [],
    changes: entries,
    mailboxes: [
      mailbox(installLane, { head: inFlight.id, nextNo: 4, waiting: 1 }),
      mailbox(LICENSE_LANE, { nextNo: 5 }),
    ].map((of) => ({ ...of, interruptedAt: null })),
    lifecycles: [install, license, renewal].map((of) => ({
      lifecycle: of,
      history: HISTORY.filter(({ lifecycleId }) => lifecycleId === of.id),
      fromBirth: true,
      toNow: true,
    })),
    lineage: new Map([
      [CONTRACTS.install1, install.id],
      [CONTRACTS.install2, install.id],
      [CONTRACTS.license1, license.id],
      [CONTRACTS.license2, license.id],
      [CONTRACTS.renewal, renewal.id],
    ]),
    updates: transactions,
    ...rowsOf(TRANSACTIONS),
    ledger: {
      after: 4n,
      upTo: 17n,
      transactions,
      completions: [
        {
          participant: trusted('app-provider'),
          after: 4n,
          upTo: 17n,
          isReliable: true,
          elements: [create, renew, complete, expire].map((of) => ({
            kind: 'completion',
            participant: trusted('app-provider'),
            offset: of.acceptance?.offset ?? 0n,
            commandId: of.commandId,
            submissionId: trusted(`submission-${of.commandId}`),
            ledgerUser: 'backend',
            actAs: [PROVIDER],
            updateId: of.acceptance?.updateId ?? null,
            answer: null,
            times: new Map(),
          })),
        },
      ],
      active: [],
    },
    observed: {
      moves: [
        { stream: 'updates', from: 4n, to: 12n },
        { stream: 'updates', from: 12n, to: 17n },
      ],
      firings: [
        { timer: effectId(create), number: 1, dueAt: instant(9), at: instant(9), life: 1 },
        { timer: effectId(renew), number: 1, dueAt: instant(11), at: instant(12), life: 1 },
      ],
      proofs: new Map(),
    },
    ...over,
  };
}

/** The evidence with one change's entry replaced. */
export const withChange = (
  of: Evidence,
  id: Change['id'],
  spoil: (entry: ChangeEvidence) => ChangeEvidence,
): Evidence => ({
  ...of,
  changes: of.changes.map((entry) => (entry.change.id === id ? spoil(entry) : entry)),
});

/** Returns the violations of one invariant, as sentences. */
export const told = (spoiled: Evidence, only: InvariantId): string[] =>
  violationsIn(spoiled, { only: [only] }).map(({ what }) => what);

export const sound = evidence();

/** Returns the same evidence, with parts of its ledger replaced. */
export function ledgerOf(over: (ledger: LedgerEvidence) => Partial<LedgerEvidence>): Evidence {
  const ledger = sound.ledger!;
  return { ...sound, ledger: { ...ledger, ...over(ledger) } };
}

/** Returns the same evidence, in whose ledger a change that has an update already has a second one. */
export const repeated = (offset: bigint, by: Change): Evidence =>
  ledgerOf(({ transactions }) => ({
    transactions: [
      ...transactions,
      ...transactions.flatMap((found) => {
        const updateId = trusted<typeof found.updateId>('update-17');
        const again = { ...found, offset: 17n, updateId, workflowId: workflowIdOf(by.id) };
        return found.offset === offset ? [again] : [];
      }),
    ],
  }));
