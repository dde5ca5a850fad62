import type { PolicyName, TimerKind } from '../../domain/automatic.ts';
import type { Caller } from '../../domain/caller.ts';
import type { ExpiryPolicy } from '../../domain/expiry-policy.ts';
import { canEndMore } from '../../domain/expiry-policy.ts';
import type { JsonRecord } from '../../domain/json.ts';
import { LIMITS } from '../../domain/limits.ts';
import { fail } from '../../domain/problems.ts';
import type { RenewalPolicy } from '../../domain/renewal-policy.ts';
import { isoAfter } from '../../domain/time.ts';
import type { LedgerClock, WallClock } from '../ports/clocks.ts';
import type { Io } from '../ports/io.ts';
import type {
  Kept,
  Policies,
  PolicyChange,
  PolicyDelays,
  PolicyReach,
  PolicySet,
} from '../ports/policies.ts';
import type { Previews } from '../ports/previews.ts';
import type { Confirmation, IrreversibleAct } from './confirm-act.ts';
import { confirmAct, previewAct } from './confirm-act.ts';

/*
 * A policy that can end existing licences is previewed, and confirmed with the number of these licences and a reason.
 * It acts only after a delay in which it can be undone. A policy that cannot end any licence sooner than its
 * predecessor needs none of this.
 */

export interface ChangePolicyDeps {
  readonly policies: Policies & PolicyDelays;
  readonly previews: Previews;
  readonly policyDelayMs: number;
  readonly ledgerClock: LedgerClock;
  readonly wallClock: WallClock;
}

/** The functions to read, set and compare one kind of policy. */
export interface PolicyKind<Policy> {
  readonly name: PolicyName;
  readonly get: (caller: Caller, io: Io) => Promise<Kept<Policy>>;
  readonly set: (change: PolicyChange<Policy>, io: Io) => Promise<PolicySet>;
  readonly canEndMore: (before: Policy, after: Policy) => boolean;
  /** Returns which timers the policy lets fire; `null` if none. */
  readonly reach: (policy: Policy) => Reach | null;
}

interface Reach {
  readonly kind: TimerKind;
  readonly withNeverRenewed: boolean;
  readonly withSuspended?: boolean;
  readonly graceMs: number;
}

export const expiryKind = (policies: Policies): PolicyKind<ExpiryPolicy> => ({
  name: 'expiry',
  get: ({ party }, io) => policies.expiry(party, io),
  set: (change, io) => policies.setExpiry(change, io),
  canEndMore,
  reach: ({ mode, paused, graceMs, includeNeverRenewed, includeSuspended = false }) =>
    mode === 'on' && !paused
      ? {
          kind: 'expire',
          withNeverRenewed: includeNeverRenewed,
          withSuspended: includeSuspended,
          graceMs,
        }
      : null,
});

/** A renewal policy withdraws renewals whose window has closed. It does not end licences. */
export const renewalKind = (policies: Policies): PolicyKind<RenewalPolicy> => ({
  name: 'renewal',
  get: ({ party }, io) => policies.renewal(party, io),
  set: (change, io) => policies.setRenewal(change, io),
  canEndMore: () => false,
  reach: ({ withdrawLapsed }) =>
    withdrawLapsed ? { kind: 'withdraw', withNeverRenewed: true, graceMs: 0 } : null,
});

const NOTHING: PolicyReach = {
  ends: { atOnce: 0, within24Hours: 0, within30Days: 0, ever: 0, neverRenewed: 0, afterChange: 0 },
  first: [],
};

/** Returns whether the policy can end an existing licence, now or after a change such as a renewal. */
const endsAny = ({ ever, afterChange }: PolicyReach['ends']): boolean => ever + afterChange > 0;

async function reachOf<Policy>(
  { policies, ledgerClock }: ChangePolicyDeps,
  kind: PolicyKind<Policy>,
  { party }: Caller,
  policy: Policy,
  io: Io,
): Promise<PolicyReach> {
  const reach = kind.reach(policy);
  if (reach === null) return NOTHING;
  // If the ledger does not answer, the last known ledger time is used.
  await ledgerClock
    .refresh({ signal: io.signal, deadlineMs: LIMITS.ledgerTimeReadMs })
    .catch(() => undefined);
  const now = isoAfter(ledgerClock.nowMs());
  return policies.reach({ provider: party, ...reach, now, limit: LIMITS.previewFirstMax }, io);
}

const actOf = <Policy extends object>(
  { name }: PolicyKind<Policy>,
  version: number,
  policy: Policy,
): IrreversibleAct => ({
  act: 'set-policy',
  on: { name, version, policy: { ...policy } as unknown as JsonRecord },
});

/** The licences that a proposed policy can end, and the token with which to set the policy. */
export interface PolicyPreview extends PolicyReach {
  /** The version that the policy would replace. */
  readonly version: number;
  readonly isConfirmationNeeded: boolean;
  readonly token: string;
  readonly expiresInMs: number;
  readonly delayMs: number;
}

/** Returns what a proposed policy can end, and the token with which the same person may set it. */
export async function previewPolicy<Policy extends object>(
  deps: ChangePolicyDeps,
  kind: PolicyKind<Policy>,
  by: Caller,
  policy: Policy,
  io: Io,
): Promise<PolicyPreview> {
  const before = await kind.get(by, io);
  const { ends, first } = await reachOf(deps, kind, by, policy, io);
  const act = actOf(kind, before.version, policy);
  const { token, expiresInMs } = await previewAct(deps.previews, by, act, ends.ever, io);
  const isConfirmationNeeded = endsAny(ends) && kind.canEndMore(before.policy, policy);
  const { version } = before;
  return {
    version,
    ends,
    first,
    isConfirmationNeeded,
    token,
    expiresInMs,
    delayMs: deps.policyDelayMs,
  };
}

/** A person's confirmation of a previewed policy. */
export interface ConfirmedPolicy extends Confirmation {
  readonly reason: string;
  /** Licences that were never renewed end only if the person confirms that here as well. */
  readonly includeNeverRenewed?: boolean;
}

export interface PolicyRequest<Policy> {
  readonly policy: Policy;
  readonly ifVersions?: readonly number[] | undefined;
  readonly confirmation?: ConfirmedPolicy | undefined;
}

function requireNeverRenewed(
  { neverRenewed }: PolicyReach['ends'],
  confirmation: ConfirmedPolicy | undefined,
): void {
  if (neverRenewed === 0 || confirmation?.includeNeverRenewed === true) return;
  fail(
    'CONFIRMATION_REQUIRED',
    `${neverRenewed} of the licences were never renewed: leave them out of the policy, or include them in the confirmation`,
    { extra: { field: 'confirmation.includeNeverRenewed', neverRenewed } },
  );
}

/**
 * Judges the request by the current policy, and sets the new policy only if the current version is still the same then.
 *
 * @returns as `Policies.setExpiry`; `isJudgedAnew` if another version was set in between and the caller named no
 * version
 */
async function setOnce<Policy extends object>(
  deps: ChangePolicyDeps,
  kind: PolicyKind<Policy>,
  by: Caller,
  { policy, ifVersions, confirmation }: PolicyRequest<Policy>,
  io: Io,
): Promise<PolicySet & { readonly isJudgedAnew: boolean }> {
  const before = await kind.get(by, io);
  const { version } = before;
  if (ifVersions?.includes(version) === false) {
    return { isWritten: false, version, isJudgedAnew: false };
  }
  const canEnd = kind.canEndMore(before.policy, policy);
  const isAsked = canEnd || confirmation !== undefined;
  const { ends } = isAsked ? await reachOf(deps, kind, by, policy, io) : NOTHING;
  const isConfirmed = confirmation !== undefined || (canEnd && endsAny(ends));
  if (isConfirmed) {
    const act = actOf(kind, version, policy);
    if (confirmation !== undefined && canEnd) requireNeverRenewed(ends, confirmation);
    const where = `POST /policies/${kind.name}/preview`;
    await confirmAct(deps.previews, by, act, confirmation, where, io);
  }
  const change = {
    provider: by.party,
    policy,
    bySubject: by.subject,
    at: new Date(deps.wallClock.nowMs()).toISOString(),
    ifVersions: [version],
    ...(confirmation === undefined
      ? {}
      : { confirmed: { reason: confirmation.reason, ends, delayMs: deps.policyDelayMs } }),
  };
  const set = await kind.set(change, io);
  const isJudgedAnew = !set.isWritten && !isConfirmed && ifVersions === undefined;
  return { ...set, isJudgedAnew };
}

/**
 * Replaces a policy.
 *
 * @throws ProblemError `CONFIRMATION_REQUIRED`, `PREVIEW_OVER` and `COUNT_MISMATCH`, like `confirmAct`
 */
export async function changePolicy<Policy extends object>(
  deps: ChangePolicyDeps,
  kind: PolicyKind<Policy>,
  by: Caller,
  request: PolicyRequest<Policy>,
  io: Io,
): Promise<PolicySet> {
  for (;;) {
    const set = await setOnce(deps, kind, by, request, io);
    if (!set.isJudgedAnew) return set;
    io.signal.throwIfAborted();
  }
}
