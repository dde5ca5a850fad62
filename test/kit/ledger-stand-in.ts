import { randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import { applyLedger } from '../../src/app/apply-ledger.ts';
import type { LedgerBatch } from '../../src/app/apply-ledger.ts';
import { commandFor } from '../../src/app/commands.ts';
import type { Io, StartedAttempt, Store } from '../../src/app/ports.ts';
import { UPDATES_STREAM, completionsStream } from '../../src/app/ports.ts';
import type { LedgerAnswer } from '../../src/domain/answer.ts';
import type {
  ContractId,
  ParticipantName,
  Party,
  SubmissionId,
  UpdateId,
} from '../../src/domain/ids.ts';
import { trusted } from '../../src/domain/ids.ts';
import type { JsonRecord } from '../../src/domain/json.ts';
import { recordAt } from '../../src/domain/json.ts';
import type {
  CreatedEvent,
  ExercisedEvent,
  LedgerCommand,
  LedgerCompletion,
  LedgerEvent,
  LedgerTransaction,
  TemplateName,
} from '../../src/domain/ledger.ts';
import { APP_INSTALL, LICENSE } from '../../src/domain/licensing.ts';
import { PROJECTOR_LEASE } from '../../src/app/ports.ts';
import { createLeases } from '../../src/store/lease.ts';
import { createOutbox } from '../../src/store/outbox.ts';

/*
 * Relay, worker, ledger and projector in one, on a real store and through the core's own use-cases: what is due is
 * submitted and what came of it is applied, when a test says so. For tests of what stands before the ledger.
 */

export const PARTICIPANT = trusted<ParticipantName>('app-provider');
export const LEDGER_USER = 'backend';

const IO: Io = { signal: new AbortController().signal, deadlineMs: 20_000 };

/** A ledger's refusal, whatever was asked. */
export const REFUSAL: LedgerAnswer = {
  class: 'refused',
  code: 'DAML_FAILURE',
  explanation: 'a rule of the contract says no',
  text: 'UNHANDLED_EXCEPTION/DA.Exception.AssertionFailed',
  unsent: false,
  duplicateOf: null,
};

export interface LedgerStandIn {
  /** Submits what is due now and applies what came of it. @returns how many commands there were */
  step(answer?: LedgerAnswer): Promise<number>;
  /** Steps whenever something is due, until stopped. */
  follow(): { stop(): Promise<void> };
}

interface Done {
  readonly events: readonly LedgerEvent[];
}

/** As on a ledger, contract IDs tell nothing by their beginnings. */
const freshContractId = (): ContractId => trusted(`00${randomBytes(68).toString('hex')}`);

const created = (
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
    signatories: parties,
    observers: [],
    witnesses: parties,
  };
};

type Exercise = Extract<LedgerCommand, { kind: 'exercise' }>;

const exercised = (command: Exercise, descendants: number, result: JsonRecord): ExercisedEvent => ({
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
});

/** What the licensing contracts do, as far as answers and lifecycles can tell. */
function interpret(command: LedgerCommand, payload: JsonRecord, now: string): Done {
  if (command.kind === 'create') {
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
  const deps = { store, readAs: [provider], projected: PARTICIPANT, leaseEpoch, random: () => 0 };

  async function answerOne(
    { change, lifecycle }: StartedAttempt,
    submissionId: SubmissionId,
    answer: LedgerAnswer | undefined,
  ): Promise<void> {
    const now = new Date(nowMs()).toISOString();
    const from = offset;
    offset += 1n;
    const view = lifecycle === null ? null : await store.reads.lifecycle(lifecycle.id, IO);
    const command = commandFor(change, lifecycle);
    const updateId = trusted<UpdateId>(`update-${offset}`);
    const completion: LedgerCompletion = {
      kind: 'completion',
      participant: PARTICIPANT,
      offset,
      commandId: change.commandId,
      submissionId,
      ledgerUser: LEDGER_USER,
      actAs: [change.submitter.actAs],
      updateId: answer === undefined ? updateId : null,
      answer: answer ?? null,
    };
    const transaction: LedgerTransaction = {
      kind: 'transaction',
      offset,
      updateId,
      commandId: change.commandId,
      workflowId: '',
      effectiveAt: now,
      recordTime: now,
      synchronizerId: 'synchronizer::1220dd',
      events: interpret(command, view?.payload ?? {}, now).events,
    };
    const batch: LedgerBatch = {
      ledgerEnds: new Map(),
      transactions: answer === undefined ? [transaction] : [],
      completions: [completion],
      moves: [UPDATES_STREAM, completions].map((stream) => ({
        stream,
        from,
        to: offset,
        recordTime: now,
      })),
      cursors: new Map([UPDATES_STREAM, completions].map((stream) => [stream, offset])),
      duplicates: new Map(),
    };
    await applyLedger(deps, batch, { now, ledgerNowMs: nowMs() }, IO);
  }

  async function step(answer?: LedgerAnswer): Promise<number> {
    const due: { id: StartedAttempt['change']['id'] | string; dispatchNo: number }[] = [];
    await outbox.dispatchDue(
      100,
      async (effects) => {
        due.push(...effects);
      },
      IO,
    );
    for (const effect of due) {
      const submissionId = trusted<SubmissionId>(`submission-${effect.id}-${effect.dispatchNo}`);
      const started = await outbox.startAttempt(
        trusted(effect.id),
        effect.dispatchNo,
        submissionId,
        IO,
      );
      if (started !== null) await answerOne(started, submissionId, answer);
    }
    return due.length;
  }

  return {
    step,
    follow() {
      const stopping = new AbortController();
      const following = (async () => {
        while (!stopping.signal.aborted) {
          if ((await step()) === 0) await new Promise((resolve) => setTimeout(resolve, 5));
        }
      })();
      // Told to whoever stops it.
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
