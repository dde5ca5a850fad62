import { assign, setup } from 'xstate';
import type { JsonRecord } from '../src/domain/json.ts';
import { LIMITS } from '../src/domain/limits.ts';
import { isPast, isoAfter, isoToMs } from '../src/domain/time.ts';
import type { AwaitedTime, Circumstances, GoneEvent, OutcomeEvent } from './machine-kit.ts';
import { asItWas, defineLifecycle, runElsewhere } from './machine-kit.ts';
import { closesAt, openRenewals, renewal } from './renewal.machine.ts';

export interface LicenseContext {
  /** ISO 8601 with microseconds, from the contract. */
  readonly expiresAt: string;
}

export type LicenseEvent =
  // Requests of a caller. `nowMs` is ledger time, milliseconds since 1970.
  | { readonly type: 'license.expire'; readonly changeId: string; readonly nowMs: number }
  | {
      readonly type: 'license.renew';
      readonly changeId: string;
      /** The number of renewals that are known to belong to this licence and could still be completed. */
      readonly openRenewals: number;
      /** Whether the caller accepts a concurrent renewal. */
      readonly allowConcurrent: boolean;
    }
  | { readonly type: 'license.comment'; readonly changeId: string }
  // The outcome of a command.
  | OutcomeEvent
  // Facts of the ledger.
  | GoneEvent
  | { readonly type: 'ledger.licenseRenewed'; readonly expiresAt: string }
  | { readonly type: 'ledger.licenseExpired' };

/**
 * One licence of one user, from its first contract to its end. A new licence is created expired: its contract's
 * `expiresAt` is the ledger time of its creation. A completed renewal replaces the contract; the lifecycle continues.
 *
 * - `active`: the contract exists. Whether the licence is still valid depends on time, not on the state.
 * - `renewing`: License_Renew is on its way. It requests a payment from the user, and does not change the licence.
 * - `expiring`: License_Expire is on its way. Entered only after `expiresAt` has passed.
 * - `expired`: final.
 * - `gone`: final. The contract is no longer active; the update that ended it was pruned before it was read.
 */
export const licenseMachine = setup({
  types: {} as { events: LicenseEvent; context: LicenseContext; input: LicenseContext },
  actions: {
    'expire-license': runElsewhere,
    'renew-license': runElsewhere,
    'comment-license': runElsewhere,
  },
  guards: {
    isLapsed: ({ context }, params: { nowMs: number }) => isPast(context.expiresAt, params.nowMs),
    mayRenew: (_, params: { openRenewals: number; allowConcurrent: boolean }) =>
      params.openRenewals === 0 || params.allowConcurrent,
  },
}).createMachine({
  id: 'license',
  context: ({ input }) => ({ expiresAt: input.expiresAt }),
  initial: 'active',
  on: {
    // Accepted in every state, because another client of the participant may complete renewals too.
    'ledger.licenseRenewed': { actions: assign({ expiresAt: ({ event }) => event.expiresAt }) },
    'ledger.licenseExpired': '.expired',
    'ledger.gone': '.gone',
    // Accepted until the licence ends, also while a command is on its way, because a comment names the licence only by
    // its number.
    'license.comment': { actions: 'comment-license' },
  },
  states: {
    active: {
      on: {
        'license.expire': {
          target: 'expiring',
          guard: { type: 'isLapsed', params: ({ event }) => ({ nowMs: event.nowMs }) },
          actions: 'expire-license',
        },
        'license.renew': {
          target: 'renewing',
          guard: {
            type: 'mayRenew',
            params: ({ event: { openRenewals, allowConcurrent } }) => ({
              openRenewals,
              allowConcurrent,
            }),
          },
          actions: 'renew-license',
        },
      },
    },
    renewing: { on: { 'command.refused': 'active', 'command.succeeded': 'active' } },
    expiring: { on: { 'command.refused': 'active', 'command.succeeded': 'active' } },
    expired: { type: 'final' },
    gone: { type: 'final' },
  },
});

const isConcurrent = (body: JsonRecord): boolean => body['allowConcurrent'] === true;

/**
 * Returns whether a licence has the maximum number of renewals that may not have ended, open or not. The number is
 * limited because every step of the licence locks all these renewals.
 */
const isFull = ({ around }: Circumstances): boolean =>
  around.filter(({ kind, endedAt }) => kind === renewal.kind && endedAt === null).length >=
  LIMITS.renewalsUnendedMax;

/**
 * Returns when the last window of the open renewals closes, if all windows have closed by our clock but the ledger has
 * not confirmed this yet; otherwise `null`.
 */
function windowOfRenewal(now: Circumstances): AwaitedTime | null {
  const { around, certainMs, nowMs, body } = now;
  if (isConcurrent(body) || isFull(now)) return null;
  const closing = openRenewals(around, certainMs).map((open) => isoToMs(closesAt(open)));
  const last = Math.max(...closing);
  if (closing.length === 0 || last > nowMs) return null;
  return { at: isoAfter(last), of: 'the window of the open renewal' };
}

export const license = defineLifecycle({
  kind: 'license',
  version: 3,
  // Version 2 added `gone`. Since version 3 only facts of the ledger end a lifecycle.
  migrations: [asItWas, asItWas],
  machine: licenseMachine,
  actions: [
    {
      name: 'expire',
      event: 'license.expire',
      role: 'either',
      verb: 'expire',
      // The guard checks whether it is too early; the ledger checks again.
      fields: ({ nowMs }) => ({ nowMs }),
      when: 'its time is over',
      whyNot: ({ expiresAt }) => `not before ${expiresAt}`,
    },
    {
      name: 'renew',
      event: 'license.renew',
      role: 'provider',
      verb: 'renew',
      // A licence with the maximum number of renewals accepts no further renewal, from any caller.
      fields: (now) => ({
        openRenewals: isFull(now)
          ? LIMITS.renewalsUnendedMax
          : openRenewals(now.around, now.certainMs).length,
        allowConcurrent: isConcurrent(now.body) && !isFull(now),
      }),
      awaits: windowOfRenewal,
      when: 'no renewal of it is open, unless allowConcurrent is asked for',
      whyNot: (_, now) =>
        isFull(now)
          ? `${LIMITS.renewalsUnendedMax} renewals of this licence have not ended: withdraw some of them first`
          : `a renewal of this licence is open: complete or withdraw ${openRenewals(now.around, now.certainMs)[0]?.contractId ?? 'that one'} first (a program that wants both sends allowConcurrent)`,
    },
    {
      name: 'comment',
      event: 'license.comment',
      role: 'either',
      verb: 'comment',
      path: '/comments',
      isAside: true,
    },
  ],
});
