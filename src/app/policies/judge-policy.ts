import type { LedgerAnswer } from '../../domain/answer.ts';
import { NOTHING_SENT } from '../../domain/answer.ts';
import type { PolicyOrigin } from '../../domain/automatic.ts';
import { originOf } from '../../domain/automatic.ts';
import type { Change } from '../../domain/change.ts';
import type { ExpiryPolicy, Hold, LapsingLicense } from '../../domain/expiry-policy.ts';
import { anotherLapse, expiryVerdict, holdOf } from '../../domain/expiry-policy.ts';
import { textAt } from '../../domain/json.ts';
import type { Lifecycle } from '../../domain/lifecycle.ts';
import { retryIn } from '../../domain/retries.ts';
import { isoToMs } from '../../domain/time.ts';
import type { Judged } from '../engine/attempts/prepare-command.ts';
import { POLICY_OUTDATED, outdatedMessage } from '../engine/lanes/outdated.ts';
import type { ClockCheck } from '../ports/clocks.ts';
import type { Kept, Policies } from '../ports/policies.ts';
import type { LedgerClock, WallClock } from '../ports/clocks.ts';
import type { Io } from '../ports/io.ts';
import type { Reads } from '../ports/reads.ts';
import type { LifecycleView } from '../ports/views.ts';

/*
 * A policy decides at one moment about one lapse. The change may then be in progress for hours, while the participant
 * is unreachable or a person has paused it. So the change is judged again before each attempt, as if the policy were
 * deciding again.
 */

export interface JudgeDeps {
  readonly policies: Pick<Policies, 'expiry' | 'renewal' | 'holds'>;
  readonly reads: Pick<Reads, 'lifecycle' | 'ledgerTime'>;
  readonly wallClock: WallClock;
  readonly ledgerClock: LedgerClock;
  readonly clocks: Pick<ClockCheck, 'ownDefect'>;
  /** Judges a change of a subscription: see `judgeSubscription`. */
  readonly subscription: (judged: Judged, io: Io) => Promise<Spared | null>;
}

const HELD: Readonly<Record<Hold['why'], string>> = {
  off: 'the policy is off',
  'dry-run': 'the policy is in dry-run mode',
  paused: 'the policy is paused',
  'quiet-hours': 'the policy’s quiet hours have begun',
};

const anotherVersion = ({ version }: Kept<unknown>, origin: PolicyOrigin): string | null =>
  version === origin.version
    ? null
    : `version ${origin.version} of the policy requested the operation, but the policy is now at version ${version}`;

/** Returns when the last payment window among the licence's open renewals closes. */
function openUntilOf(view: LifecycleView | null): number | null {
  const windows = (view?.renewals ?? []).flatMap(
    ({ lifecycle }) => textAt(lifecycle.context, 'settleBefore') ?? [],
  );
  return windows.length === 0 ? null : Math.max(...windows.map(isoToMs));
}

/**
 * Why an attempt is not sent. With `untilMs`, the change may already be due, but this process cannot know that before
 * the ledger's time has passed `untilMs`.
 */
export interface Spared {
  readonly why: string;
  readonly untilMs?: number;
}

/**
 * Returns why the policy spares a licence, even if a person retries the change. The process that requested the change
 * may know a later ledger time than this one, so a time that is uncertain only here does not end the change.
 */
function sparedBy(
  policy: ExpiryPolicy,
  { expiresAt, createdAt }: Lifecycle,
  { openUntilMs, hold }: Pick<LapsingLicense, 'openUntilMs' | 'hold'>,
  ledgerClock: LedgerClock,
): Spared | null {
  if (expiresAt === null) return null;
  const expiresAtMs = isoToMs(expiresAt);
  const isNeverRenewed = expiresAtMs <= isoToMs(createdAt);
  const license = { expiresAtMs, isNeverRenewed, openUntilMs, hold };
  const nowMs = ledgerClock.nowMs();
  const judgedBy = (certainMs: number) => expiryVerdict(license, policy, { nowMs, certainMs });
  const verdict = judgedBy(ledgerClock.certainMs());
  if (verdict.kind === 'due') return null;
  if (verdict.kind === 'never' || judgedBy(nowMs).kind !== 'due') return { why: verdict.why };
  return { why: verdict.why, untilMs: verdict.atMs };
}

async function whyNotExpire(
  { policies, reads, wallClock, ledgerClock }: JudgeDeps,
  origin: PolicyOrigin,
  isByPerson: boolean,
  lifecycle: Lifecycle,
  io: Io,
): Promise<Spared | null> {
  const [kept, holds, view, ledgerTime] = await Promise.all([
    policies.expiry(lifecycle.provider, io),
    policies.holds([lifecycle.id], io),
    reads.lifecycle(lifecycle.id, io),
    reads.ledgerTime(io),
  ]);
  // The projector may have seen a later ledger time than this process.
  if (ledgerTime !== null) ledgerClock.observe(isoToMs(ledgerTime));
  const moved = anotherLapse(lifecycle, origin);
  if (moved !== null) return { why: moved };
  if (!isByPerson) {
    const other = anotherVersion(kept, origin);
    if (other !== null) return { why: other };
    const hold = holdOf(kept.policy, wallClock.nowMs());
    if (hold !== null) return { why: HELD[hold.why] };
  }
  const keeps = { openUntilMs: openUntilOf(view), hold: holds.get(lifecycle.id) };
  return sparedBy(kept.policy, lifecycle, keeps, ledgerClock);
}

const outdatedAnswer = (change: Change, why: string): LedgerAnswer => ({
  class: 'refused',
  code: POLICY_OUTDATED,
  explanation: outdatedMessage(change, why),
  text: 'not sent',
  takesNoTry: false,
  ...NOTHING_SENT,
});

/** Returns the answer that makes the change wait until it can be judged. */
const notJudged = (code: string, explanation: string): LedgerAnswer => ({
  class: 'unknown',
  code,
  explanation,
  text: 'not sent',
  takesNoTry: true,
  ...NOTHING_SENT,
});

const TIME_UNKNOWN = notJudged(
  'LEDGER_TIME_UNKNOWN',
  'the ledger does not report its time, which the policy needs',
);

/**
 * Judges a policy's change again before an attempt is sent: by the lapse for which it was decided, the policy's
 * version, pause and quiet hours, the grace, and open renewals. Reads nothing for a caller's change. A retry by a
 * person applies even if the policy is switched off or paused, but not to licences that the policy spares.
 *
 * @returns the attempt's answer, instead of the ledger's; `null` if the attempt must be sent
 */
export async function judgeAgain(
  deps: JudgeDeps,
  { change, lifecycle }: Judged,
  io: Io,
): Promise<LedgerAnswer | null> {
  const origin = originOf(change);
  if (origin === null || lifecycle === null) return null;
  const isByPerson = retryIn(change.commandId) !== null;
  if (origin.name === 'renewal') {
    if (isByPerson) return null;
    const other = anotherVersion(await deps.policies.renewal(lifecycle.provider, io), origin);
    return other === null ? null : outdatedAnswer(change, other);
  }
  const wrong = deps.clocks.ownDefect();
  if (wrong !== null) return notJudged('CLOCK_WRONG', `the policy needs a correct time: ${wrong}`);
  try {
    await deps.ledgerClock.refresh(io);
  } catch {
    return TIME_UNKNOWN;
  }
  const spared =
    origin.name === 'subscription'
      ? await deps.subscription({ change, lifecycle }, io)
      : await whyNotExpire(deps, origin, isByPerson, lifecycle, io);
  if (spared === null) return null;
  const { why, untilMs } = spared;
  if (untilMs === undefined) return outdatedAnswer(change, why);
  deps.ledgerClock.ask(untilMs);
  return notJudged('LEDGER_TIME_UNKNOWN', `${why}, and the ledger has not reported a later time`);
}
