import { NEWEST_MODEL } from '../../src/app/licensing/model.ts';
import { decideDoubt } from '../../src/app/desk/decide-doubt.ts';
import type { LedgerGateway } from '../../src/app/ports/ledger.ts';
import type { LedgerAnswer } from '../../src/domain/answer.ts';
import type { Operation } from '../../src/domain/change.ts';
import type { ContractId, Party } from '../../src/domain/ids.ts';
import { trusted } from '../../src/domain/ids.ts';
import type { JsonRecord } from '../../src/domain/json.ts';
import type { LedgerEvent, LedgerTransaction } from '../../src/domain/ledger.ts';
import type { Lifecycle, LifecycleKind } from '../../src/domain/lifecycle.ts';
import { LIMITS } from '../../src/domain/limits.ts';
import { IO } from '../model/kit/io.ts';
import { Others } from '../model/kit/others.ts';
import type { QuietOptions } from '../model/kit/quiet-system.ts';
import { StoryRecorder } from '../model/kit/story-recorder.ts';
import type { Story } from '../model/kit/life-story.ts';

/* Lives of lifecycles, which are recorded on the whole simulated system. */

const MINUTE_MS = 60_000;
/** The maximum number of rounds of every wait in these lives. */
const ROUNDS_MAX = 100;

/** The system on which a life is lived, with functions for its steps. */
class Stage {
  readonly recorder: StoryRecorder;
  readonly others: Others;
  #commands = 0;

  constructor(recorder: StoryRecorder) {
    this.recorder = recorder;
    this.others = new Others(recorder.system.ledger.network);
  }

  get provider(): Party {
    return this.recorder.system.ledger.provider;
  }

  get user(): Party {
    return this.recorder.system.ledger.users[0];
  }

  /** Returns the newest lifecycle of a kind. */
  the(kind: LifecycleKind): Lifecycle {
    const found = this.recorder.system.contents.lifecycles().findLast((one) => one.kind === kind);
    if (found === undefined) throw new Error(`there is no ${kind} yet`);
    return found;
  }

  contract = (kind: LifecycleKind): ContractId => this.the(kind).contractId;

  /** Requests an operation without waiting for its outcome. */
  async ask(by: Party, operation: Operation, of: LifecycleKind | null, body: JsonRecord = {}) {
    const { system } = this.recorder;
    system.pass(MINUTE_MS);
    this.#commands += 1;
    const target = of === null ? null : this.the(of).id;
    const commandId = `command-${this.#commands}`;
    return system.ask(by, { operation, target, body, commandId: trusted(commandId) });
  }

  /** Requests an operation, and waits for its outcome. */
  async do(by: Party, operation: Operation, of: LifecycleKind | null, body: JsonRecord = {}) {
    await this.ask(by, operation, of, body);
    await this.recorder.system.settle();
  }

  /** Acts on the ledger as another client. */
  async elsewhere(does: (others: Others) => Promise<unknown>): Promise<void> {
    this.recorder.system.pass(MINUTE_MS);
    if ((await does(this.others)) === false) throw new Error('the ledger refuses it');
  }

  async withInstall(): Promise<void> {
    await this.do(this.user, 'request-install', null, { provider: this.provider });
    await this.do(this.provider, 'accept-install-request', 'install-request');
  }

  async withLicense(): Promise<void> {
    await this.withInstall();
    await this.do(this.provider, 'create-license', 'install');
  }

  /** Requests a renewal by one day for a fee that must be paid within half an hour. */
  renew = (): Promise<void> =>
    this.do(this.provider, 'renew-license', 'license', {
      licenseFeeCc: '100',
      description: 'one more day',
      licenseExtensionMicros: '86400000000',
      prepareUntilMicros: '1200000000',
      settleBeforeMicros: '1800000000',
    });

  async payAndComplete(): Promise<void> {
    const { system } = this.recorder;
    const allocation = await this.others.allocate(this.user, this.contract('renewal'));
    await system.settle();
    const body = { allocationContractId: allocation ?? '' };
    await this.do(this.provider, 'complete-renewal', 'renewal', body);
  }
}

interface Life {
  readonly name: string;
  readonly about: string;
  readonly options?: () => QuietOptions;
  live(stage: Stage): Promise<void>;
}

/** Returns an event whose payload is of the template's next version. This version does not know some of its fields. */
const upgraded = (event: LedgerEvent): LedgerEvent =>
  event.kind === 'created' && event.payload !== null
    ? {
        ...event,
        packageId: 'the-next-version',
        payload: { ...event.payload, supportLevel: 'gold', seats: null },
      }
    : { ...event, packageId: 'the-next-version' };

const seenUpgraded = (transaction: LedgerTransaction): LedgerTransaction => ({
  ...transaction,
  events: transaction.events.map(upgraded),
});

const answerOf = (answer: Pick<LedgerAnswer, 'class' | 'code' | 'duplicateOf'>): LedgerAnswer => ({
  ...answer,
  explanation: 'as it happened',
  text: '',
  takesNoTry: false,
  definite: false,
  heard: answer.duplicateOf !== null,
});

const LOST = answerOf({ class: 'unknown', code: 'NO_ERROR_INFO:UNAVAILABLE', duplicateOf: null });
const DUPLICATE = answerOf({
  class: 'done',
  code: 'DUPLICATE_COMMAND',
  duplicateOf: { accepted: true, offset: null },
});

/**
 * Returns a gateway that answers the creation of a licence badly: first the answer proves nothing, and later it says
 * that the command is a duplicate, but does not name the update.
 */
function forgetful(real: LedgerGateway): LedgerGateway {
  const answers = [LOST, ...Array<LedgerAnswer>(LIMITS.duplicatesUnreadMax).fill(DUPLICATE)];
  return {
    ...real,
    submit: async (request, io) => {
      const isOurs =
        request.command.kind === 'exercise' &&
        request.command.choice === 'AppInstall_CreateLicense';
      return (isOurs ? answers.shift() : undefined) ?? real.submit(request, io);
    },
  };
}

export const LIVES: readonly Life[] = [
  {
    name: 'normal',
    about: 'requested, accepted, two licences, a comment, one expired, the install cancelled',
    async live(stage) {
      await stage.withLicense();
      await stage.do(stage.provider, 'create-license', 'install');
      await stage.do(stage.user, 'comment-license', 'license', { body: 'good' });
      await stage.do(stage.user, 'expire-license', 'license');
      await stage.do(stage.user, 'cancel-install', 'install');
    },
  },
  {
    name: 'rejected',
    about: 'the provider rejects the request',
    async live(stage) {
      await stage.do(stage.user, 'request-install', null, { provider: stage.provider });
      await stage.do(stage.provider, 'reject-install-request', 'install-request');
    },
  },
  {
    name: 'cancelled',
    about: 'the user takes the request back',
    async live(stage) {
      await stage.do(stage.user, 'request-install', null, { provider: stage.provider });
      await stage.do(stage.user, 'cancel-install-request', 'install-request');
    },
  },
  {
    name: 'cancelled-by-archive',
    about: 'the user’s own program archives the request while the provider is accepting it',
    async live(stage) {
      const { system } = stage.recorder;
      await stage.do(stage.user, 'request-install', null, { provider: stage.provider });
      await stage.ask(stage.provider, 'accept-install-request', 'install-request');
      await stage.elsewhere((others) =>
        others.archiveRequest(stage.user, stage.contract('install-request')),
      );
      await system.settle();
    },
  },
  {
    name: 'renewed-twice',
    about: 'renewed and paid for twice, the second time before the first has run out',
    async live(stage) {
      await stage.withLicense();
      for (const _time of [1, 2]) {
        await stage.renew();
        await stage.payAndComplete();
      }
    },
  },
  {
    name: 'renewals-without-money',
    about: 'one renewal turned down in the wallet, one withdrawn after its window has closed',
    async live(stage) {
      const { system } = stage.recorder;
      await stage.withLicense();
      await stage.renew();
      await stage.elsewhere((others) =>
        others.rejectRenewal(stage.user, stage.contract('renewal')),
      );
      await system.settle();
      await stage.renew();
      system.pass(60 * MINUTE_MS);
      await stage.do(stage.provider, 'withdraw-renewal', 'renewal');
      await stage.do(stage.provider, 'expire-license', 'license');
    },
  },
  {
    name: 'expired-while-completing',
    about: 'the licence ends by another client while its renewal is being completed',
    async live(stage) {
      const { system } = stage.recorder;
      await stage.withLicense();
      await stage.renew();
      const allocation = await stage.others.allocate(stage.user, stage.contract('renewal'));
      await system.settle();
      const body = { allocationContractId: allocation ?? '' };
      await stage.ask(stage.provider, 'complete-renewal', 'renewal', body);
      await stage.elsewhere((others) => others.expireLicense(stage.contract('license')));
      await system.settle();
    },
  },
  {
    name: 'concurrent-creates',
    about: 'five licences and a cancel asked for before the first is on the ledger',
    async live(stage) {
      await stage.withInstall();
      for (const _licence of [1, 2, 3, 4, 5]) {
        await stage.ask(stage.provider, 'create-license', 'install');
      }
      await stage.ask(stage.user, 'cancel-install', 'install');
      await stage.ask(stage.provider, 'create-license', 'install');
      await stage.recorder.system.settle();
    },
  },
  {
    name: 'in-doubt',
    about: 'a licence in doubt until a person finds that it was not created; the one behind it is',
    options: () => ({ gateway: forgetful }),
    async live(stage) {
      const { system } = stage.recorder;
      await stage.withInstall();
      const { change } = await stage.ask(stage.provider, 'create-license', 'install');
      await stage.ask(stage.provider, 'create-license', 'install');
      const stateOf = () =>
        system.contents.changes().find((row) => row.change.id === change.id)?.change.state;
      for (let round = 0; stateOf() !== 'in-doubt'; round += 1) {
        if (round > ROUNDS_MAX) throw new Error(`it is ${stateOf()}, not in doubt`);
        system.pass(MINUTE_MS);
        await system.work();
        await system.follow();
      }
      // Waits until the ledger has reported a time after which none of the operation's attempts can take effect.
      for (let minute = 0; minute < 5; minute += 1) {
        system.pass(MINUTE_MS);
        await system.follow();
      }
      await decideDoubt(
        {
          model: NEWEST_MODEL,
          store: system.store,
          hosting: system.ledger.hosting,
          wallClock: { nowMs: () => system.nowMs },
          ledgerClock: system.ledger.ledgerClock,
          hear: async () => null,
        },
        {
          party: stage.provider,
          roles: new Set(['provider', 'operator'] as const),
          via: 'bearer',
          tenantId: 'tenant',
          subject: 'operator',
          name: 'Operator',
        },
        { changeId: change.id, decision: 'no-effect', reason: 'compared with the ledger' },
        IO,
      );
      await system.settle();
    },
  },
  {
    name: 'all-by-others',
    about: 'another program of the provider and the user’s wallet do everything',
    async live(stage) {
      const { system } = stage.recorder;
      const steps: readonly ((others: Others) => Promise<boolean>)[] = [
        (others) => others.requestInstall(stage.user),
        (others) => others.acceptRequest(stage.contract('install-request')),
        (others) => others.createLicense(stage.contract('install')),
        (others) => others.createLicense(stage.contract('install')),
        (others) => others.expireLicense(stage.contract('license')),
        (others) => others.cancelInstall(stage.contract('install')),
      ];
      for (const step of steps) {
        await stage.elsewhere(step);
        await system.settle();
      }
    },
  },
  {
    name: 'overtaken',
    about:
      'others create licences while we cancel the install, and withdraw a renewal while we complete it',
    async live(stage) {
      const { system } = stage.recorder;
      await stage.withLicense();
      await stage.renew();
      const allocation = await stage.others.allocate(stage.user, stage.contract('renewal'));
      await system.settle();
      const body = { allocationContractId: allocation ?? '' };
      await stage.ask(stage.provider, 'complete-renewal', 'renewal', body);
      await stage.elsewhere((others) => others.withdrawRenewal(stage.contract('renewal')));
      await system.settle();
      await stage.ask(stage.user, 'cancel-install', 'install');
      await stage.elsewhere((others) => others.createLicense(stage.contract('install')));
      await system.settle();
    },
  },
  {
    name: 'upgraded-package',
    about: 'the templates have got fields that are not known here, and another package ID',
    options: () => ({ seen: seenUpgraded }),
    async live(stage) {
      await stage.withLicense();
      await stage.renew();
      await stage.payAndComplete();
      await stage.do(stage.provider, 'create-license', 'install');
      await stage.do(stage.provider, 'expire-license', 'license');
    },
  },
];

/** Runs a life on a new system. @returns the events of the life */
export async function storyOf(life: Life): Promise<Story> {
  const { name, about } = life;
  await using recorder = await StoryRecorder.open(life.options?.());
  await life.live(new Stage(recorder));
  const { ledger } = recorder.system;
  return { name, about, readAs: [ledger.provider], steps: recorder.steps };
}
