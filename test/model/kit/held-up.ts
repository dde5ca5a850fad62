import assert from 'node:assert/strict';
import type { LedgerGateway, SubmitRequest } from '../../../src/app/ports/ledger.ts';
import type { LedgerAnswer } from '../../../src/domain/answer.ts';
import { NOTHING_SENT } from '../../../src/domain/answer.ts';
import type { Change } from '../../../src/domain/change.ts';
import type { ContractId } from '../../../src/domain/ids.ts';
import { trusted } from '../../../src/domain/ids.ts';
import { LICENSE, LICENSE_RENEWAL_REQUEST } from '../../../src/domain/licensing.ts';
import type { Lifecycle, LifecycleKind } from '../../../src/domain/lifecycle.ts';
import { isoAfter } from '../../../src/domain/time.ts';
import { IO } from './io.ts';
import { Others } from './others.ts';
import { QuietSystem } from './quiet-system.ts';

/*
 * One licence of a provider that has an expiry policy. The test decides how the submissions of its expiries are
 * answered.
 */

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
const MICROS = 1_000;

/** Decides how a submission of Tenure is answered. `real` submits it, and returns the real answer. */
export type Answering = (real: () => Promise<LedgerAnswer | null>) => Promise<LedgerAnswer | null>;

export const away: LedgerAnswer = {
  class: 'unknown',
  code: 'UNAVAILABLE',
  explanation: 'the participant is unreachable',
  text: 'no connection',
  takesNoTry: true,
  ...NOTHING_SENT,
};

export const lost: LedgerAnswer = {
  ...away,
  code: 'NO_ERROR_INFO:UNAVAILABLE',
  takesNoTry: false,
  definite: false,
};

/** The connection between Tenure and the participant, as far as it carries expiries. */
interface Wire {
  answering: Answering;
  /** The contracts that the submissions named. */
  readonly submitted: string[];
}

/** The policy includes licences that were never renewed, because a new licence has lapsed when it is created. */
export const POLICY = { includeNeverRenewed: true, grace: 'P1D', graceMs: DAY_MS };

export class Stage implements AsyncDisposable {
  readonly system: QuietSystem;
  readonly others: Others;
  readonly ledger: Wire;
  #commands = 0;

  constructor(system: QuietSystem, ledger: Wire) {
    this.system = system;
    this.others = new Others(system.ledger.network);
    this.ledger = ledger;
  }

  static async open(): Promise<Stage> {
    const wire: Wire = { answering: (real) => real(), submitted: [] };
    const gateway = (real: LedgerGateway): LedgerGateway => ({
      ...real,
      submit: (request, io) => {
        const { command } = request;
        if (command.kind !== 'exercise' || command.choice !== 'License_Expire') {
          return real.submit(request, io);
        }
        wire.submitted.push(command.contractId);
        return wire.answering(() => real.submit(request, io));
      },
    });
    const stage = new Stage(await QuietSystem.open({ gateway }), wire);
    const { provider, users } = stage.system.ledger;
    await stage.do(users[0], 'request-install', null, { provider });
    await stage.do(provider, 'accept-install-request', 'install-request');
    await stage.do(provider, 'create-license', 'install');
    return stage;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.system[Symbol.asyncDispose]();
  }

  the(kind: LifecycleKind): Lifecycle {
    return this.system.contents.lifecycles().findLast((one) => one.kind === kind)!;
  }

  async ask(
    by: Change['callerParty'],
    operation: Change['operation'],
    of: LifecycleKind | null,
    body: Change['body'] = {},
  ) {
    this.#commands += 1;
    const target = of === null ? null : this.the(of).id;
    const commandId = trusted<Change['commandId']>(`command-${this.#commands}`);
    return this.system.ask(by, { operation, target, body, commandId });
  }

  async do(...asked: Parameters<Stage['ask']>): Promise<void> {
    this.system.pass(MINUTE_MS);
    await this.ask(...asked);
    await this.system.settle();
  }

  /** Another program of the provider requests a fee. The user pays it, and the program completes the renewal. */
  async renewElsewhere(extensionMs: number): Promise<void> {
    await this.openRenewal(extensionMs);
    const { registry, users } = this.system.ledger;
    const { contractId } = this.the('renewal');
    const allocation = trusted<ContractId>(
      (await this.others.allocate(users[0], contractId)) ?? '',
    );
    const { values, disclosed } = await registry.settlementContext(allocation, IO);
    const argument = {
      allocationCid: allocation,
      licenseCid: this.the('license').contractId,
      extraArgs: { context: { values }, meta: { values: {} } },
    };
    const choice = 'LicenseRenewalRequest_CompleteRenewal';
    const exercise = { template: LICENSE_RENEWAL_REQUEST, contractId, choice, argument } as const;
    await this.#elsewhere({ kind: 'exercise', ...exercise }, disclosed);
    assert.equal(this.the('renewal').state, 'renewed');
  }

  /** Another program of the provider requests a fee that must be paid within an hour. */
  async openRenewal(extensionMs: number): Promise<void> {
    const { registry } = this.system.ledger;
    const at = (ms: number): string => isoAfter(this.system.nowMs + ms);
    const argument = {
      requestId: `request-${this.#commands}`,
      licenseFeeInstrumentId: { admin: await registry.instrumentAdmin(IO), id: 'Amulet' },
      licenseFeeAmount: '1.0',
      licenseExtensionDuration: { microseconds: String(extensionMs * MICROS) },
      requestedAt: at(0),
      prepareUntil: at(HOUR_MS / 2),
      settleBefore: at(HOUR_MS),
      description: 'a while more',
    };
    const { contractId } = this.the('license');
    const exercise = { template: LICENSE, contractId, choice: 'License_Renew', argument } as const;
    await this.#elsewhere({ kind: 'exercise', ...exercise });
    assert.equal(this.the('renewal').state, 'requested');
  }

  /** Submits a command as another program of the provider. */
  async #elsewhere(
    command: SubmitRequest['command'],
    disclosed: SubmitRequest['disclosed'] = [],
  ): Promise<void> {
    this.#commands += 1;
    const { gateway, hosting, provider } = this.system.ledger;
    const submitter = (await hosting.submitterFor(provider, IO))!;
    const request: SubmitRequest = {
      submitter,
      commandId: trusted(`others-${this.#commands}`),
      submissionId: trusted(`others-${this.#commands}`),
      workflowId: '',
      deduplicationOffset: 0n,
      command,
      disclosed,
    };
    assert.equal(await gateway.submit(request, IO), null);
    await this.system.follow();
  }

  get submitted(): readonly string[] {
    return this.ledger.submitted;
  }

  expiries = (): Change[] =>
    this.system.contents
      .changes()
      .map(({ change }) => change)
      .filter(({ operation }) => operation === 'expire-license');

  /** Makes the licence's timer fire once more, after its change has ended. */
  async fireAgain(): Promise<void> {
    const { system } = this;
    const ofLicense = () => system.contents.timers().find(({ kind }) => kind === 'expire');
    await system.fire(() => ofLicense()?.changeId === null);
    const count = this.expiries().length;
    system.pass(MINUTE_MS);
    await system.fire(() => this.expiries().length === count + 1);
    await system.settle();
  }

  /** Does the due work, follows the ledger, and lets this time pass. */
  async live(ms: number, stepMs = 30_000): Promise<void> {
    for (let passed = 0; passed < ms; passed += stepMs) {
      this.system.pass(stepMs);
      await this.system.work();
      await this.system.follow();
    }
  }
}

/**
 * Creates a licence that a policy with a grace of one day has begun to end, but none of whose submissions has reached
 * the participant.
 */
export async function heldUp(answering: Answering = async () => away): Promise<Stage> {
  const stage = await Stage.open();
  await stage.system.setExpiry(POLICY);
  stage.ledger.answering = answering;
  stage.system.pass(DAY_MS + MINUTE_MS);
  await stage.system.fire(() => stage.expiries().length === 1);
  await stage.live(10 * MINUTE_MS);
  assert.deepEqual(
    stage.expiries().map(({ finishedAt }) => finishedAt),
    [null],
  );
  return stage;
}
