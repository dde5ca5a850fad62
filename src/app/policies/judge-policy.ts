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
import type { Judged } from '../engine/prepare-command.ts';
import { POLICY_OUTDATED, outdatedMessage } from '../engine/outdated.ts';
import type { ClockWatch } from '../ports/clocks.ts';
import type { Kept, Policies } from '../ports/policies.ts';
import type { LedgerClock, WallClock } from '../ports/clocks.ts';
import type { Io } from '../ports/io.ts';
import type { Reads } from '../ports/reads.ts';
import type { LifecycleView } from '../ports/views.ts';

/*
 * What a policy decided, it decided for one lapse, at one moment. Its change may be on its way for hours, while nobody
 * can be reached or a person has stopped it: so it is judged again before each attempt, as if the policy were asked
 * anew.
 */

export interface JudgeDeps {
  readonly policies: Pick<Policies, 'expiry' | 'renewal' | 'holds'>;
  readonly reads: Pick<Reads, 'lifecycle' | 'ledgerTime'>;
  readonly wallClock: WallClock;
  readonly ledgerClock: LedgerClock;
  readonly clocks: Pick<ClockWatch, 'ownDefect'>;
}

const HELD: Readonly<Record<Hold['why'], string>> = {
  off: 'the policy is off',
  'dry-run': 'the policy is only tried',
  paused: 'the policy is paused',
  'quiet-hours': 'the policy’s quiet hours have begun',
};

const anotherVersion = ({ version }: Kept<unknown>, origin: PolicyOrigin): string | null =>
  version === origin.version
    ? null
    : `version ${origin.version} of the policy decided it, and it is at version ${version}`;

/** When the last window of the licence's open renewals closes. */
function openUntilOf(view: LifecycleView | null): number | null {
  const windows = (view?.renewals ?? []).flatMap(
    ({ lifecycle }) => textAt(lifecycle.context, 'settleBefore') ?? [],
  );
  return windows.length === 0 ? null : Math.max(...windows.map(isoToMs));
}

/**
 * Why it is not sent; with `untilMs` it may be due, which is not known here before the ledger's time has passed that.
 */
interface Spared {
  readonly why: string;
  readonly untilMs?: number;
}

/**
 * What the policy leaves alone: also where a person has it tried again. Who fired it may have heard more of the
 * ledger's time than this process: what only is not certain here is no reason to end it.
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
  // What the projector has seen may be news to this process.
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

/** It waits until it can be judged. */
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
  'the ledger cannot be asked for its time, by which the policy is judged',
);

/**
 * Judges a policy's change once more, before an attempt of it is sent: the lapse that it was decided for, the policy's
 * version, its pause and quiet hours, grace, and open renewals. Costs nothing for what a caller asked for. A person who
 * has it tried again stands in for the policy's switch, and not for what the policy leaves alone.
 *
 * @returns the answer that the attempt has in place of the ledger's; `null` where it is to be sent
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
  if (wrong !== null) return notJudged('CLOCK_WRONG', `the policy is judged by the time: ${wrong}`);
  try {
    await deps.ledgerClock.refresh(io);
  } catch {
    return TIME_UNKNOWN;
  }
  const spared = await whyNotExpire(deps, origin, isByPerson, lifecycle, io);
  if (spared === null) return null;
  const { why, untilMs } = spared;
  if (untilMs === undefined) return outdatedAnswer(change, why);
  deps.ledgerClock.ask(untilMs);
  return notJudged(
    'LEDGER_TIME_UNKNOWN',
    `${why}, and the ledger has not said here that it is over`,
  );
}
