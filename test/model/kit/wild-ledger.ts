import type { LedgerGateway, SubmitRequest } from '../../../src/app/ports/ledger.ts';
import type { LedgerAnswer } from '../../../src/domain/answer.ts';
import type { ContractId, SubmissionId, UpdateId } from '../../../src/domain/ids.ts';
import { trusted } from '../../../src/domain/ids.ts';
import type {
  CompletionElement,
  CreatedEvent,
  LedgerEvent,
  LedgerUpdate,
  TemplateName,
} from '../../../src/domain/ledger.ts';
import { APP_INSTALL, LICENSE, LICENSE_RENEWAL_REQUEST } from '../../../src/domain/licensing.ts';
import { PARTICIPANT } from '../../kit/ledger-stand-in.ts';
import { answer, created as createdAs, exercised } from '../../unit/app/made.ts';

/*
 * A ledger whose answers are as bad as a ledger's answers may be. Each answer is possible for some participant, network
 * and moment, and says no more than it must. There is one install, with one licence.
 */

/**
 * Returns a contract ID. Its first digits are different for each number, because lifecycles are distinguished by them.
 */
export const contractId = (n: number): ContractId =>
  trusted(`00${n.toString(16).padStart(40, '0')}${'0'.repeat(24)}`);

export const created = (
  template: TemplateName,
  nodeId: number,
  id: number,
  payload: CreatedEvent['payload'],
): CreatedEvent => createdAs(template, nodeId, id, payload, { contractId: contractId(id) });

/** The immediate results of a submission. */
export const FATES = [
  'taken',
  'taken, and the answer is lost',
  'lost',
  'left unread',
  'never sent',
  'refused',
  'contended',
  'busy',
  'without credentials',
  'already in flight',
  'taken, and delivered twice',
  'on a contract that is gone',
] as const;
export type Fate = (typeof FATES)[number];

/** How an accepted submission may end. */
export const VERDICTS = [
  'accepted',
  'accepted, and no completion tells',
  'rejected',
  'forgotten without a word',
] as const;
export type Verdict = (typeof VERDICTS)[number];

/** A submission that may still be sequenced. */
interface Pending {
  readonly request: SubmitRequest;
  readonly contract: ContractId;
  readonly untilMs: number;
}

/** What Tenure assumes about clocks, and how long after its arrival a submission may be sequenced. */
export const BOUNDS = { toleranceMs: 60_000, clockDifferenceMs: 1_000 };
const SEQUENCED_WITHIN_MS = 2 * BOUNDS.toleranceMs;

const refusedAs = (kind: LedgerAnswer['class'], code: string, takesNoTry = false): LedgerAnswer =>
  answer({ class: kind, code, takesNoTry, explanation: `the ledger says ${code}` });

const FORGOTTEN = refusedAs('unknown', 'INVALID_DEDUPLICATION_PERIOD');
const GONE = refusedAs('stale-contract', 'CONTRACT_NOT_FOUND');
const UNKNOWN = refusedAs('unknown', 'NO_ERROR_INFO:DEADLINE_EXCEEDED');

const ANSWERS: Readonly<Partial<Record<Fate, LedgerAnswer>>> = {
  'never sent': refusedAs('unknown', 'NO_ERROR_INFO:UNAVAILABLE', true),
  refused: refusedAs('refused', 'DAML_FAILURE'),
  contended: refusedAs('contention', 'INTERPRETATION_TIME_EXCEEDED'),
  busy: refusedAs('busy', 'PARTICIPANT_BACKPRESSURE'),
  'without credentials': refusedAs('credentials', 'UNAUTHENTICATED'),
  'already in flight': refusedAs('in-flight', 'SUBMISSION_ALREADY_IN_FLIGHT'),
  'on a contract that is gone': GONE,
};

/**
 * Returns whether two submissions are for the same change. A ledger deduplicates commands separately for each ledger
 * user.
 */
const isSameChange = (a: SubmitRequest, b: SubmitRequest): boolean =>
  a.commandId === b.commandId && a.submitter.ledgerUser === b.submitter.ledgerUser;

export class WildLedger {
  end = 10n;
  install = contractId(1);
  license = contractId(2);
  readonly pending: Pending[] = [];
  /** Requests that arrived while the participant was stopped. */
  readonly unread: Pick<Pending, 'request' | 'contract'>[] = [];
  readonly updates: LedgerUpdate[] = [];
  readonly completions: CompletionElement[] = [];
  /** Effects, with the submission that caused each. */
  readonly effects: { readonly request: SubmitRequest; readonly offset: bigint }[] = [];
  /** The offset after which the ledger remembers the commands that were accepted. */
  remembersFrom = 0n;
  /** Whether the ledger has ever answered that it does not remember the whole deduplication period of a command. */
  hasForgotten = false;
  readonly #nowMs: () => number;
  #contracts = 10;
  #licenses = 1;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Drops submissions whose time for being sequenced has passed. */
  dropLate(): void {
    const alive = this.pending.filter(({ untilMs }) => untilMs > this.#nowMs());
    this.pending.splice(0, this.pending.length, ...alive);
  }

  /** Resumes after a stop: the participant now reads the requests that arrived during the stop. */
  readOn(): void {
    for (const { request, contract } of this.unread.splice(0)) {
      const rival = this.pending.some((one) => isSameChange(one.request, request));
      if (rival || !this.#isActive(contract)) continue;
      this.pending.push({ request, contract, untilMs: this.#nowMs() + SEQUENCED_WITHIN_MS });
    }
  }

  /** Submits a command. The checks are, in this order: interpretation, submissions in flight, and the command ID. */
  submit(request: SubmitRequest, fate: Fate): LedgerAnswer | null {
    const { command } = request;
    const contract = command.kind === 'exercise' ? command.contractId : trusted<ContractId>('');
    const arrives = fate !== 'lost' && fate !== 'never sent';
    const isTwice = fate === 'taken, and delivered twice';
    const isOpen = fate === 'taken' || fate === 'taken, and the answer is lost' || isTwice;
    if (fate === 'left unread') {
      this.unread.push({ request, contract });
      return UNKNOWN;
    }
    if (!arrives) return ANSWERS[fate] ?? UNKNOWN;
    this.readOn();
    if (!this.#isActive(contract)) return isOpen && fate !== 'taken' ? UNKNOWN : GONE;
    const rival = this.pending.some((one) => isSameChange(one.request, request));
    if (isOpen && rival) return ANSWERS['already in flight'] ?? null;
    if (fate === 'already in flight' && !rival) return ANSWERS['busy'] ?? null;
    if (!isOpen) return ANSWERS[fate] ?? null;
    this.pending.push({ request, contract, untilMs: this.#nowMs() + SEQUENCED_WITHIN_MS });
    if (isTwice) return ANSWERS['already in flight'] ?? null;
    return fate === 'taken' ? null : UNKNOWN;
  }

  /** Decides a submission that is pending. */
  decide(at: number, verdict: Verdict): void {
    this.dropLate();
    const [one] = this.pending.splice(at, 1);
    if (one === undefined || verdict === 'forgotten without a word') return;
    const { request, contract } = one;
    // Acceptances from before the command's deduplication period are ignored.
    const known = this.effects.find(
      (effect) =>
        isSameChange(effect.request, request) && effect.offset > request.deduplicationOffset,
    );
    if (request.deduplicationOffset < this.remembersFrom) {
      this.hasForgotten = true;
      this.#complete(request, FORGOTTEN);
    } else if (!this.#isActive(contract)) {
      this.#complete(request, refusedAs('stale-contract', 'LOCAL_VERDICT_INACTIVE_CONTRACTS'));
    } else if (known !== undefined) {
      const duplicateOf = { accepted: true, offset: known.offset };
      this.#complete(request, { ...refusedAs('done', 'DUPLICATE_COMMAND'), duplicateOf });
    } else if (verdict === 'rejected') {
      this.#complete(request, refusedAs('contention', 'LOCAL_VERDICT_TIMEOUT'));
    } else {
      this.#accept(request, verdict === 'accepted');
    }
  }

  /** Another client creates a licence, or ends the contract on which Tenure's operation acts. */
  actOfOthers(what: 'replace' | 'end'): void {
    if (what === 'end') {
      const [template, id, choice] = [LICENSE, this.license, 'License_Expire'] as const;
      this.license = trusted<ContractId>('');
      this.#publish('', [{ ...exercised(template, 0, 0, 0, choice), contractId: id }]);
      const gone = this.install;
      this.install = trusted<ContractId>('');
      this.#publish('', [
        { ...exercised(APP_INSTALL, 0, 0, 0, 'AppInstall_Cancel'), contractId: gone },
      ]);
    } else if (this.install !== '') {
      this.#publish('', this.#licenseEvents());
    }
  }

  /** The participant reports how far its streams have come. */
  checkpoint(): void {
    this.end += 1n;
    const { end: offset } = this;
    const times = this.#times();
    this.updates.push({ kind: 'position', offset, recordTime: null, times });
    this.completions.push({ kind: 'position', participant: PARTICIPANT, offset, times });
  }

  updateAt(offset: bigint): Awaited<ReturnType<LedgerGateway['updateAt']>> {
    const found = this.updates.find((update) => update.offset === offset);
    return found?.kind === 'transaction' ? found : null;
  }

  /** Returns whether a submission of this command may still be accepted. */
  mayAccept(commandId: string): boolean {
    this.dropLate();
    return [...this.pending, ...this.unread].some(
      ({ request, contract }) =>
        request.commandId === commandId &&
        request.deduplicationOffset >= this.remembersFrom &&
        this.#isActive(contract),
    );
  }

  #isActive = (contract: ContractId): boolean =>
    contract !== '' && [this.install, this.license].includes(contract);

  #accept(request: SubmitRequest, tells: boolean): void {
    const isRenewal =
      request.command.kind === 'exercise' && request.command.choice === 'License_Renew';
    const events = isRenewal ? this.#renewalEvents(request) : this.#licenseEvents();
    const updateId = this.#publish(request.workflowId, events, request.commandId);
    this.effects.push({ request, offset: this.end });
    if (tells) this.#complete(request, null, updateId);
  }

  #publish(workflowId: string, events: LedgerEvent[], commandId = ''): UpdateId {
    this.end += 1n;
    const updateId = trusted<UpdateId>(`update-${this.end}`);
    const at = new Date(this.#nowMs()).toISOString();
    this.updates.push({
      kind: 'transaction',
      offset: this.end,
      updateId,
      commandId,
      workflowId,
      effectiveAt: at,
      recordTime: at,
      synchronizerId: 'synchronizer',
      events,
    });
    return updateId;
  }

  /** Adds a completion. If the submission was accepted, the completion has the offset of its update. */
  #complete(request: SubmitRequest, answer: LedgerAnswer | null, updateId: UpdateId | null = null) {
    if (updateId === null) this.end += 1n;
    this.completions.push({
      kind: 'completion',
      participant: PARTICIPANT,
      offset: this.end,
      commandId: request.commandId,
      submissionId: trusted<SubmissionId>(request.submissionId),
      ledgerUser: request.submitter.ledgerUser,
      actAs: [request.submitter.actAs],
      updateId,
      answer,
      times: this.#times(),
    });
  }

  #times = () => new Map([['synchronizer', new Date(this.#nowMs()).toISOString()]]);

  #newContract(): number {
    this.#contracts += 1;
    return this.#contracts;
  }

  #licenseEvents(): LedgerEvent[] {
    this.#licenses += 1;
    const [next, license] = [this.#newContract(), this.#newContract()];
    const choice = exercised(APP_INSTALL, 0, 2, 0, 'AppInstall_CreateLicense', {
      contractId: this.install,
      result: { installId: contractId(next), licenseId: contractId(license) },
    });
    this.install = contractId(next);
    const count = String(this.#licenses);
    return [
      choice,
      created(LICENSE, 1, license, { licenseNum: count, expiresAt: '2026-01-01T00:00:00Z' }),
      created(APP_INSTALL, 2, next, { numLicensesCreated: count }),
    ];
  }

  #renewalEvents({ command }: SubmitRequest): LedgerEvent[] {
    const terms = command.argument;
    const renewal = this.#newContract();
    return [
      exercised(LICENSE, 0, 1, 0, 'License_Renew', {
        contractId: this.license,
        consuming: false,
        result: contractId(renewal),
      }),
      created(LICENSE_RENEWAL_REQUEST, 1, renewal, { ...terms, licenseNum: '1' }),
    ];
  }
}
