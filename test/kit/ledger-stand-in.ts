import { RecordClocks } from '../../src/app/engine/doubts/record-clocks.ts';
import { Ticks } from '../../src/app/engine/doubts/ticks.ts';
import { randomBytes } from 'node:crypto';
import { Big } from 'big.js';
import type { Pool } from 'pg';
import { applyLedger } from '../../src/app/engine/follow/apply-ledger.ts';
import type { LedgerBatch } from '../../src/app/engine/follow/apply-ledger.ts';
import type { Io } from '../../src/app/ports/io.ts';
import type { StartedAttempt } from '../../src/app/ports/outbox.ts';
import type { LifecycleView } from '../../src/app/ports/views.ts';
import type { TokenRegistry } from '../../src/app/ports/registry.ts';
import type { Store } from '../../src/app/ports/transaction.ts';
import { NEWEST_MODEL } from '../../src/app/licensing/model.ts';
import { prepareCommand } from '../../src/app/engine/attempts/prepare-command.ts';
import { UPDATES_STREAM, completionsStream } from '../../src/app/ports/streams.ts';
import type { LedgerAnswer } from '../../src/domain/answer.ts';
import type {
  ContractId,
  ParticipantName,
  Party,
  SubmissionId,
  UpdateId,
} from '../../src/domain/ids.ts';
import { trusted, workflowIdOf } from '../../src/domain/ids.ts';
import type { JsonRecord } from '../../src/domain/json.ts';
import { recordAt, textAt } from '../../src/domain/json.ts';
import type {
  CreatedEvent,
  ExercisedEvent,
  LedgerCommand,
  LedgerCompletion,
  LedgerEvent,
  LedgerTransaction,
  TemplateName,
} from '../../src/domain/ledger.ts';
import {
  ALLOCATION,
  ALLOCATION_REQUEST,
  APP_INSTALL,
  LICENSE,
  LICENSE_RENEWAL_REQUEST,
} from '../../src/domain/licensing.ts';
import { isoAfter, isoToMs } from '../../src/domain/time.ts';
import { PROJECTOR_LEASE } from '../../src/app/ports/leases.ts';
import { createLeases } from '../../src/store/engine/lease.ts';
import { createOutbox } from '../../src/store/engine/outbox.ts';
import { PATIENCE_MS } from './patience.ts';

/*
 * Relay, worker, ledger and projector in one object, on a real store and with the core's own use cases: it submits due
 * effects and projects their results when a test calls it. It is used by tests of everything that happens before a
 * submission reaches the ledger.
 */

export const PARTICIPANT = trusted<ParticipantName>('app-provider');
export const LEDGER_USER = 'backend';

const IO: Io = { signal: new AbortController().signal, deadlineMs: PATIENCE_MS };

/** The answer of a ledger that refuses every command. */
export const REFUSAL: LedgerAnswer = {
  class: 'refused',
  code: 'DAML_FAILURE',
  explanation: 'a rule of the contract says no',
  text: 'UNHANDLED_EXCEPTION/DA.Exception.AssertionFailed',
  takesNoTry: false,
  definite: true,
  heard: true,
  duplicateOf: null,
};

export interface LedgerStandIn {
  /** Submits the due effects and projects their results. @returns the number of commands */
  step(answer?: LedgerAnswer): Promise<number>;
  /** Submits what is due now, and loses all answers. @returns the number of commands */
  lose(): Promise<number>;
  /** Applies ledger events that no submission of Tenure has caused. */
  happen(events: readonly LedgerEvent[], workflowId?: string): Promise<void>;
  /** Returns the ledger's current end. */
  end(): bigint;
  /** Calls `step` whenever an effect is due, until it is stopped. */
  follow(): { stop(): Promise<void> };
}

/** The bytes of traffic that every submission costs. */
export const COST = 812n;

interface Done {
  readonly events: readonly LedgerEvent[];
}

/** Contract IDs begin with random digits, as on a ledger. */
const freshContractId = (): ContractId => trusted(`00${randomBytes(68).toString('hex')}`);

export const created = (
  nodeId: number,
  contractId: ContractId,
  template: TemplateName,
  payload: JsonRecord,
): CreatedEvent => {
  const parties = [payload['provider'] as Party, payload['user'] as Party];
  return {
    kind: 'created',
    nodeId,
    contractId,
    template,
    packageId: 'package-1',
    payload,
    views: [],
    // The only signatory of a comment is its commenter.
    signatories:
      typeof payload['commenter'] === 'string' ? [trusted(payload['commenter'])] : parties,
    observers: typeof payload['commenter'] === 'string' ? parties : [],
    witnesses: parties,
  };
};

type Exercise = Extract<LedgerCommand, { kind: 'exercise' }>;

const exercised = (
  command: Exercise,
  descendants: number,
  result: ExercisedEvent['result'],
  over: Partial<ExercisedEvent> = {},
): ExercisedEvent => ({
  kind: 'exercised',
  nodeId: 0,
  lastDescendantNodeId: descendants,
  contractId: command.contractId,
  template: command.template,
  packageId: 'package-1',
  choice: command.choice,
  argument: command.argument,
  result,
  consuming: true,
  actingParties: [],
  witnesses: [],
  ...over,
});

/** The party that issues this ledger's token. */
export const TOKEN_ADMIN = trusted<Party>('dso::1220ee');

const REGISTRY: TokenRegistry = {
  instrumentAdmin: async () => TOKEN_ADMIN,
  settlementContext: async () => ({ values: {}, disclosed: [] }),
};

/** Returns the allocation that a user's wallet creates for a renewal request, with the given changes. */
export function allocationFor(
  renewal: JsonRecord,
  over: { readonly amount?: string; readonly requestId?: string } = {},
): CreatedEvent {
  const { requestId, user, provider, licenseFeeAmount, licenseFeeInstrumentId } = renewal;
  const meta = {
    values: {
      'splice.lfdecentralizedtrust.org/reason': renewal['description'] ?? '',
      'cn-quickstart.example.org/licenseNum': renewal['licenseNum'] ?? '',
    },
  };
  const event = created(0, freshContractId(), ALLOCATION, { provider: provider!, user: user! });
  const value = {
    allocation: {
      settlement: {
        executor: provider!,
        settlementRef: { id: over.requestId ?? requestId!, cid: null },
        requestedAt: renewal['requestedAt']!,
        allocateBefore: renewal['prepareUntil']!,
        settleBefore: renewal['settleBefore']!,
        meta,
      },
      transferLegId: 'licenseFeePayment',
      transferLeg: {
        sender: user!,
        receiver: provider!,
        amount: over.amount ?? licenseFeeAmount!,
        instrumentId: licenseFeeInstrumentId!,
        meta,
      },
    },
    holdingCids: [],
    meta: { values: {} },
  };
  return {
    ...event,
    template: { ...ALLOCATION, packageName: 'splice-amulet', entityName: 'AmuletAllocation' },
    payload: null,
    views: [{ interface: ALLOCATION, packageId: 'package-2', value }],
    signatories: [TOKEN_ADMIN, trusted<Party>(textAt(renewal, 'user') ?? '')],
    observers: [trusted<Party>(textAt(renewal, 'provider') ?? '')],
  };
}

/** The event with which a choice archives a contract. */
export const ending = (
  contractId: ContractId,
  template: TemplateName,
  choice: string,
): ExercisedEvent =>
  exercised({ kind: 'exercise', contractId, template, choice, argument: {} }, 0, {});

/** Interprets License_Renew, which creates a renewal request, and the choices that end one. */
function interpretRenewal(
  command: Exercise,
  payload: JsonRecord,
  license: LifecycleView | null,
  now: string,
): Done {
  const { argument } = command;
  if (command.choice === 'License_Renew') {
    const { provider, user, licenseNum } = payload as Record<string, string>;
    const amount = new Big(textAt(argument, 'licenseFeeAmount') ?? '').toFixed(10);
    const renewal = created(1, freshContractId(), LICENSE_RENEWAL_REQUEST, {
      ...argument,
      provider: provider!,
      user: user!,
      licenseNum: licenseNum!,
      licenseFeeAmount: amount,
    });
    return {
      events: [exercised(command, 1, renewal.contractId, { consuming: false }), renewal],
    };
  }
  if (command.template === ALLOCATION_REQUEST) {
    return { events: [exercised(command, 0, {}, { template: LICENSE_RENEWAL_REQUEST })] };
  }
  const old = license!;
  const { microseconds } = recordAt(payload, 'licenseExtensionDuration') as Record<string, string>;
  const from = Math.max(isoToMs(now), isoToMs(textAt(old.payload, 'expiresAt') ?? ''));
  const expiresAt = isoAfter(from, BigInt(microseconds ?? '0'));
  const next = created(3, freshContractId(), LICENSE, { ...old.payload, expiresAt });
  const archived = { ...ending(old.lifecycle.contractId, LICENSE, 'Archive'), nodeId: 2 };
  const paid = ending(trusted(textAt(argument, 'allocationCid') ?? ''), ALLOCATION, 'Execute');
  return {
    events: [
      exercised(command, 3, next.contractId),
      { ...paid, nodeId: 1, lastDescendantNodeId: 1 },
      { ...archived, lastDescendantNodeId: 2 },
      next,
    ],
  };
}

/** Interprets the choices of the licensing contracts, as far as their effects are visible in answers and lifecycles. */
function interpret(
  command: LedgerCommand,
  payload: JsonRecord,
  license: LifecycleView | null,
  now: string,
): Done {
  if (command.kind !== 'exercise') {
    return {
      events: [created(0, freshContractId(), command.template, command.argument)],
    };
  }
  const { provider, user } = payload as { provider: string; user: string };
  switch (command.choice) {
    case 'AppInstallRequest_Accept': {
      const install = created(1, freshContractId(), APP_INSTALL, {
        provider,
        user,
        meta: recordAt(command.argument, 'installMeta'),
        numLicensesCreated: '0',
      });
      return { events: [exercised(command, 1, { installId: install.contractId }), install] };
    }
    case 'AppInstall_CreateLicense': {
      const number = String(Number(payload['numLicensesCreated']) + 1);
      const install = created(1, freshContractId(), APP_INSTALL, {
        ...payload,
        numLicensesCreated: number,
      });
      const license = created(2, freshContractId(), LICENSE, {
        provider,
        user,
        params: recordAt(command.argument, 'params'),
        expiresAt: now,
        licenseNum: number,
      });
      const result = { installId: install.contractId, licenseId: license.contractId };
      return { events: [exercised(command, 2, result), install, license] };
    }
    case 'License_Renew':
    case 'LicenseRenewalRequest_CompleteRenewal':
    case 'AllocationRequest_Withdraw':
      return interpretRenewal(command, payload, license, now);
    default:
      return { events: [exercised(command, 0, {})] };
  }
}

export async function standInForLedger(
  pool: Pool,
  store: Store,
  provider: Party,
  nowMs: () => number,
): Promise<LedgerStandIn> {
  const outbox = createOutbox(pool);
  const leaseEpoch = await createLeases(pool).acquire(PROJECTOR_LEASE, 'test', 600_000, IO);
  if (leaseEpoch === null) throw new Error('another projector holds the lease');
  const completions = completionsStream(PARTICIPANT);
  await store.transact(IO, async (tx) => {
    for (const stream of [UPDATES_STREAM, completions]) {
      await tx.startCursor({ stream, from: 0n, to: 1n, recordTime: null }, leaseEpoch);
    }
  });
  let offset = 1n;
  const deps = {
    model: NEWEST_MODEL,
    store,
    readAs: [provider],
    projected: PARTICIPANT,
    leaseEpoch,
    clocks: new RecordClocks({ toleranceMs: 0, clockDifferenceMs: Infinity }),
    ticks: new Ticks(),
    random: () => 0,
  };

  async function apply(
    events: readonly LedgerEvent[] | null,
    completion: ((offset: bigint, updateId: UpdateId) => LedgerCompletion) | null,
    commandId: string,
    workflowId = '',
  ): Promise<void> {
    const now = new Date(nowMs()).toISOString();
    const from = offset;
    offset += 1n;
    const updateId = trusted<UpdateId>(`update-${offset}`);
    const transaction: LedgerTransaction = {
      kind: 'transaction',
      offset,
      updateId,
      commandId,
      workflowId,
      effectiveAt: now,
      recordTime: now,
      synchronizerId: 'synchronizer::1220dd',
      events: events ?? [],
    };
    const batch: LedgerBatch = {
      ledgerEnds: new Map(),
      replaying: new Set(),
      transactions: events === null ? [] : [transaction],
      completions: completion === null ? [] : [completion(offset, updateId)],
      moves: [UPDATES_STREAM, completions].map((stream) => ({
        stream,
        from,
        to: offset,
        recordTime: now,
      })),
      cursors: new Map([UPDATES_STREAM, completions].map((stream) => [stream, offset])),
      duplicates: new Map(),
    };
    await applyLedger(deps, batch, { now, ledgerNowMs: nowMs(), ledgerCertainMs: nowMs() }, IO);
  }

  async function answerOne(
    attempt: StartedAttempt,
    submissionId: SubmissionId,
    answer: LedgerAnswer | undefined,
  ): Promise<void> {
    const { change, lifecycle, through } = attempt;
    const viewOf = (of: typeof lifecycle) =>
      of === null ? null : store.reads.lifecycle(of.id, IO);
    const [view, licenseView] = await Promise.all([viewOf(lifecycle), viewOf(through)]);
    const preparing = { registry: REGISTRY, model: NEWEST_MODEL, judge: async () => null };
    const prepared = await prepareCommand(preparing, attempt, IO);
    if ('class' in prepared) throw new Error(`not prepared: ${prepared.explanation}`);
    const now = new Date(nowMs()).toISOString();
    const { events } = interpret(prepared.command, view?.payload ?? {}, licenseView, now);
    await apply(
      answer === undefined ? events : null,
      (at, updateId) => ({
        kind: 'completion',
        participant: PARTICIPANT,
        offset: at,
        commandId: change.commandId,
        submissionId,
        ledgerUser: LEDGER_USER,
        actAs: [change.submitter.actAs],
        updateId: answer === undefined ? updateId : null,
        answer: answer ?? null,
        cost: COST,
        times: new Map(),
      }),
      change.commandId,
      workflowIdOf(change.id),
    );
  }

  /** Begins an attempt for every due effect. */
  async function submitDue(): Promise<[StartedAttempt, SubmissionId][]> {
    const due: { id: StartedAttempt['change']['id'] | string; dispatchNo: number }[] = [];
    await outbox.dispatchDue(
      100,
      async (effects) => {
        due.push(...effects);
      },
      IO,
    );
    const begun: [StartedAttempt, SubmissionId][] = [];
    for (const effect of due) {
      const submissionId = trusted<SubmissionId>(`submission-${effect.id}-${effect.dispatchNo}`);
      const started = await outbox.startAttempt(
        trusted(effect.id),
        effect.dispatchNo,
        submissionId,
        IO,
      );
      if (started !== null) begun.push([started, submissionId]);
    }
    return begun;
  }

  async function step(answer?: LedgerAnswer): Promise<number> {
    const begun = await submitDue();
    for (const [attempt, submissionId] of begun) await answerOne(attempt, submissionId, answer);
    return begun.length;
  }

  return {
    step,
    lose: async () => (await submitDue()).length,
    end: () => offset,
    happen: (events, workflowId) => apply(events, null, '', workflowId),
    follow() {
      const stopping = new AbortController();
      const following = (async () => {
        while (!stopping.signal.aborted) {
          if ((await step()) === 0) await new Promise((resolve) => setTimeout(resolve, 5));
        }
      })();
      // `stop` rejects with this failure, so it must not end the process before.
      following.catch(() => {});
      return {
        async stop() {
          stopping.abort();
          await following;
        },
      };
    },
  };
}
