import type { LicensingOperation } from '../../../src/domain/licensing.ts';
import type { LicensingKind } from '../../../src/domain/licensing.ts';
import { unreachable } from '../../../src/domain/unreachable.ts';

/*
 * A small model of licences, written from nothing but the contracts and the documentation of the interface: who may act
 * and when, which contracts the ledger then holds, and how each operation ends.
 */

export type User = 'anna' | 'ben';
export type Who = 'provider' | User;

/** One install request, install, licence or renewal. */
export interface Life {
  readonly kind: LicensingKind;
  readonly user: User;
  /**
   * The number of a licence or renewal. Numbers begin again with each installation, so two licences of a user may have
   * the same number.
   */
  readonly num: number;
  state: string;
  /** The steps in its history. Their number is its version. */
  readonly steps: string[];
  /** The number of licences that an install has created. */
  licenses: number;
  /** The time at which a licence lapses. */
  expiresAtMs: number;
  /** The terms of a renewal. */
  readonly terms: Terms;
  /** The licence for which a renewal was requested. */
  readonly license: Life | null;
}

export interface Terms {
  readonly prepareUntilMs: number;
  readonly settleBeforeMs: number;
  readonly extensionMs: number;
}

/** A user's allocation, which need not be what the renewal requests. */
export interface Money {
  readonly renewal: Life;
  readonly isExact: boolean;
  isThere: boolean;
}

export interface Ask {
  readonly operation: LicensingOperation;
  readonly by: Who;
  /** The lifecycle on which the operation is requested; `null` if it does not exist. */
  readonly life: Life | null;
  readonly ifVersion?: number;
  readonly money?: Money | null;
  readonly allowConcurrent?: boolean;
  readonly terms?: Terms;
}

/** A recorded operation, and the final answer to its caller. */
export interface Recorded {
  readonly commandId: string;
  readonly ask: Ask;
  readonly body: string;
  readonly told: string;
}

/**
 * Returns the party whose signature the ledger requires. It may differ from the caller, because the provider may also
 * act for a user.
 */
export const actsAs = ({ operation, by }: Ask): Who =>
  ['request-install', 'cancel-install-request', 'comment-license'].includes(operation)
    ? by
    : 'provider';

interface Rule {
  readonly kind: LicensingKind;
  readonly who: 'provider' | 'user' | 'either';
  /** The first line of the lifecycle's history, and its state while the operation is in progress. */
  readonly begins: string;
  readonly inFlight: string;
}

export const RULES: Readonly<Partial<Record<LicensingOperation, Rule>>> = {
  'accept-install-request': {
    kind: 'install-request',
    who: 'provider',
    begins: 'installRequest.accept',
    inFlight: 'accepting',
  },
  'reject-install-request': {
    kind: 'install-request',
    who: 'provider',
    begins: 'installRequest.reject',
    inFlight: 'rejecting',
  },
  'cancel-install-request': {
    kind: 'install-request',
    who: 'user',
    begins: 'installRequest.cancel',
    inFlight: 'cancelling',
  },
  'create-license': {
    kind: 'install',
    who: 'provider',
    begins: 'install.createLicense',
    inFlight: 'creatingLicense',
  },
  'cancel-install': {
    kind: 'install',
    who: 'either',
    begins: 'install.cancel',
    inFlight: 'cancelling',
  },
  'expire-license': {
    kind: 'license',
    who: 'either',
    begins: 'license.expire',
    inFlight: 'expiring',
  },
  'renew-license': {
    kind: 'license',
    who: 'provider',
    begins: 'license.renew',
    inFlight: 'renewing',
  },
  'comment-license': { kind: 'license', who: 'either', begins: '', inFlight: '' },
  'complete-renewal': {
    kind: 'renewal',
    who: 'provider',
    begins: 'renewal.complete',
    inFlight: 'completing',
  },
  'withdraw-renewal': {
    kind: 'renewal',
    who: 'provider',
    begins: 'renewal.withdraw',
    inFlight: 'withdrawing',
  },
};

const HOME: Readonly<Record<LicensingKind, string>> = {
  'install-request': 'requested',
  install: 'active',
  license: 'active',
  renewal: 'requested',
};

const ENDS: ReadonlySet<string> = new Set([
  'accepted',
  'rejected',
  'cancelled',
  'expired',
  'renewed',
  'withdrawn',
]);
export const hasEnded = ({ state }: Life): boolean => ENDS.has(state);

const NO_TERMS: Terms = { prepareUntilMs: 0, settleBeforeMs: 0, extensionMs: 0 };

export class LicensingModel {
  nowMs = 0;
  readonly lives: Life[] = [];
  readonly money: Money[] = [];
  /** The recorded operations. A command ID belongs to one operation for each party as which it acts. */
  readonly recorded: Recorded[] = [];
  comments = 0;

  /**
   * Returns the operation that was recorded under a command ID, or why the request is refused; undefined if the command
   * ID was not used.
   */
  known(commandId: string, ask: Ask, body: string): Recorded | string | undefined {
    const found = this.recorded.find(
      (one) => one.commandId === commandId && actsAs(one.ask) === actsAs(ask),
    );
    if (found === undefined) return undefined;
    if (found.ask.by !== ask.by) return 'COMMAND_ID_TAKEN';
    const isSame = found.ask.operation === ask.operation && found.ask.life === ask.life;
    return isSame && found.body === body ? found : 'COMMAND_ID_REUSED';
  }

  /** Returns the lane of an operation. Comments wait only for comments of the same party. */
  laneOf({ operation, by, life }: Ask): string {
    if (life === null) return 'none';
    if (operation === 'comment-license') return `${by} on ${this.lives.indexOf(life)}`;
    return `${this.lives.indexOf(life.license ?? life)}`;
  }

  /**
   * Returns why an operation is refused before anything is recorded, no matter which other operations are in progress;
   * `null` if it is not refused.
   */
  refusedAtOnce(ask: Ask): string | null {
    const { operation, by, life } = ask;
    if (operation === 'request-install') return by === 'provider' ? 'FORBIDDEN' : null;
    const rule = RULES[operation]!;
    if (life?.kind !== rule.kind || (by !== 'provider' && by !== life.user)) return 'NOT_FOUND';
    if (rule.who !== 'either' && (rule.who === 'provider') !== (by === 'provider'))
      return 'FORBIDDEN';
    if (ask.ifVersion !== undefined && ask.ifVersion !== life.steps.length)
      return 'PRECONDITION_FAILED';
    if (operation !== 'complete-renewal' || hasEnded(life)) return null;
    if (this.licenseOf(life) === undefined) return 'CONTRACT_GONE';
    if (this.nowMs >= life.terms.settleBeforeMs) return null;
    if (!ask.money?.isThere) return 'ALLOCATION_NOT_FOUND';
    return ask.money.isExact && ask.money.renewal === life ? null : 'ALLOCATION_MISMATCH';
  }

  /** Returns why an operation is refused when its turn in the lane comes; `null` if it is submitted. */
  refusedAtItsTurn({ operation, life, allowConcurrent }: Ask): string | null {
    if (life === null || operation === 'request-install') return null;
    if (hasEnded(life)) return 'LIFECYCLE_ENDED';
    if (!this.#isTimeFor(operation, life, allowConcurrent === true)) return 'STEP_NOT_ALLOWED';
    const { begins, inFlight } = RULES[operation]!;
    if (begins !== '') this.#step(life, begins, inFlight);
    return null;
  }

  /** Applies a submitted operation to the model's ledger. Returns the answer for its caller. */
  outcome(ask: Ask, license = ask.life === null ? undefined : this.licenseOf(ask.life)): string {
    const { operation, life } = ask;
    const refusal = this.#ledgerRefuses(ask, license);
    if (refusal === null) this.effect(ask, license);
    if (life !== null && operation !== 'comment-license' && !hasEnded(life)) {
      this.#step(life, refusal === null ? 'command.succeeded' : 'command.refused', HOME[life.kind]);
    }
    return refusal ?? 'succeeded';
  }

  /** Returns the licence that a renewal extends, which is the one for which it was requested. */
  licenseOf = ({ license }: Life): Life | undefined =>
    license === null || hasEnded(license) ? undefined : license;

  /** Returns whether a caller may act on a lifecycle on which no operation is in progress. */
  may(operation: LicensingOperation, life: Life, who: Who): boolean {
    const ask: Ask = {
      operation,
      by: who,
      life,
      money: { renewal: life, isExact: true, isThere: true },
    };
    const isForbidden = ['NOT_FOUND', 'FORBIDDEN'].includes(this.refusedAtOnce(ask) ?? '');
    return !isForbidden && !hasEnded(life) && this.#isTimeFor(operation, life, false);
  }

  #isTimeFor(operation: LicensingOperation, life: Life, allowConcurrent: boolean): boolean {
    if (operation === 'expire-license') return this.nowMs >= life.expiresAtMs;
    if (operation === 'complete-renewal') return this.nowMs < life.terms.settleBeforeMs;
    if (operation !== 'renew-license' || allowConcurrent) return true;
    return !this.lives.some(
      (one) =>
        one.kind === 'renewal' &&
        one.license === life &&
        !hasEnded(one) &&
        this.nowMs < one.terms.settleBeforeMs,
    );
  }

  /**
   * Returns why the ledger refuses an operation, which happens if another client has acted first; `null` if it accepts
   * it.
   */
  #ledgerRefuses({ operation, life, money }: Ask, license: Life | undefined): string | null {
    if (life === null || operation === 'comment-license') return null;
    if (hasEnded(life)) return 'CONTRACT_GONE';
    if (operation === 'expire-license')
      return this.nowMs < life.expiresAtMs ? 'LEDGER_REFUSED' : null;
    if (operation !== 'complete-renewal') return null;
    if (license === undefined || hasEnded(license)) return 'LEDGER_REFUSED';
    // The registry does not know this allocation, however often it is asked.
    return money?.isThere === true ? null : 'BUDGET_SPENT';
  }

  /** Applies the effect of an exercised choice, no matter which client has exercised it. */
  effect({ operation, by, life, terms, money }: Ask, license?: Life): void {
    if (operation === 'request-install') this.#born('install-request', by as User);
    if (operation === 'comment-license') this.comments += 1;
    if (life === null) return;
    switch (operation) {
      case 'accept-install-request':
        this.#step(life, 'ledger.requestAccepted', 'accepted');
        this.#born('install', life.user);
        break;
      case 'reject-install-request':
        this.#step(life, 'ledger.requestRejected', 'rejected');
        break;
      case 'cancel-install-request':
        this.#step(life, 'ledger.requestCancelled', 'cancelled');
        break;
      case 'create-license':
        life.licenses += 1;
        this.#step(life, 'ledger.installReplaced');
        this.#born('license', life.user, { num: life.licenses, expiresAtMs: this.nowMs });
        break;
      case 'cancel-install':
        this.#step(life, 'ledger.installCancelled', 'cancelled');
        break;
      case 'expire-license':
        this.#step(life, 'ledger.licenseExpired', 'expired');
        break;
      case 'renew-license':
        this.#born('renewal', life.user, { num: life.num, terms: terms!, license: life });
        break;
      case 'complete-renewal':
        this.#step(life, 'ledger.renewalCompleted', 'renewed');
        this.#step(license!, 'ledger.licenseRenewed');
        license!.expiresAtMs = Math.max(this.nowMs, license!.expiresAtMs) + life.terms.extensionMs;
        money!.isThere = false;
        break;
      case 'withdraw-renewal':
        this.#step(life, 'ledger.renewalWithdrawn', 'withdrawn');
        break;
      case 'request-install':
      case 'comment-license':
        break;
      default:
        unreachable(operation);
    }
  }

  /** A user's wallet rejects a renewal. */
  rejectRenewal = (life: Life): void => this.#step(life, 'ledger.renewalRejected', 'rejected');

  #step(life: Life, kind: string, state = life.state): void {
    life.steps.push(kind);
    life.state = state;
  }

  #born(kind: LicensingKind, user: User, over: Partial<Life> = {}): void {
    this.lives.push({
      kind,
      user,
      num: 0,
      state: HOME[kind],
      steps: ['ledger.created'],
      licenses: 0,
      expiresAtMs: 0,
      terms: NO_TERMS,
      license: null,
      ...over,
    });
  }
}
