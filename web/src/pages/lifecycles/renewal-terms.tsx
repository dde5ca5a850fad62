import type { components } from '../../../../client/schema.ts';
import { descriptionWords } from '../../parts/license-words.ts';
import { Badge } from '../../parts/badge.tsx';
import { Note } from '../../parts/note.tsx';
import { Deadline, Time } from '../../parts/time.tsx';
import { webAddress } from '../../parts/web-address.ts';
import { WebLink } from '../../parts/web-link.tsx';
import { amount } from '../../parts/words.ts';
import { useCaller } from '../../api/caller.tsx';
import * as t from '../../texts/renewals.tsx';
import styles from './life.module.css';
import { phaseBadge, phaseOf } from '../../parts/renewal-phase.ts';

type Renewal = components['schemas']['LicenseRenewalRequest'];

export const feeOf = ({ licenseFeeAmount, licenseFeeInstrument }: Renewal): string =>
  amount(licenseFeeAmount, licenseFeeInstrument);

/** Returns the extension in words. The API rounds it down to whole days, so a shorter one is "0 days". */
export const extensionOf = ({ licenseExtensionDuration: told }: Renewal): string =>
  ({ '0 days': t.lessThanADay, '1 days': t.day1 })[told] ?? told;

export function PhaseBadge({ renewal }: { readonly renewal: Renewal }) {
  const [tone, words] = phaseBadge(renewal);
  return <Badge tone={tone}>{words}</Badge>;
}

interface ClockProps {
  readonly name: string;
  readonly at: string;
  readonly over: string;
  /** A text that replaces the time that is left. */
  readonly done?: string | undefined;
  readonly isStill: boolean;
}

function Clock({ name, at, over, done, isStill }: ClockProps) {
  return (
    <div className={styles.clock}>
      <dt>{name}</dt>
      {isStill ? null : <dd className={styles.left}>{done ?? <Deadline at={at} over={over} />}</dd>}
      <dd className={styles.muted}>
        <Time at={at} as="short" />
      </dd>
    </div>
  );
}

/** The cost, the extension and the deadlines of a renewal. */
export function RenewalTerms({ renewal }: { readonly renewal: Renewal }) {
  const phase = phaseOf(renewal);
  const isStill = phase === 'settled' || phase === 'over';
  const isPaid = phase === 'allocated';
  const description = descriptionWords(renewal.description);
  return (
    <>
      <p className={styles.fee}>
        {feeOf(renewal)} <small>{t.forPeriod(extensionOf(renewal))}</small>
      </p>
      {description === '' ? null : <p className={styles.text}>{description}</p>}
      <dl className={styles.clocks}>
        <Clock
          name={t.toBePaidBy}
          at={renewal.prepareUntil}
          over={renewal.allocationCid === null ? t.passedNotPaid : t.passedPaidInTime}
          done={isPaid ? t.paid : undefined}
          isStill={isStill}
        />
        <Clock name={t.toBeCompletedBy} at={renewal.settleBefore} over={t.over} isStill={isStill} />
      </dl>
    </>
  );
}

/** Returns how an allocation differs from the requested terms. */
function differing({ allocationDiffers }: Renewal): string {
  const named = allocationDiffers.map((part) => t.parts[part] ?? part);
  return named.length === 0 ? t.itWord : named.join(', ');
}

const PROVIDER_NOTES: Readonly<Record<string, readonly [title: string, text: string]>> = {
  requested: [t.theUserHasNotPaidYetTitle, t.theRequestIsInTheUsers],
  late: [t.theUserDidNotPayInTime, t.theLedgerAcceptsNoPaymentFor],
  lapsed: [t.theDeadlineHasPassed, t.theRenewalCanNoLongerBe],
  moving: [t.theOperationWasSentToThe, t.thePageShowsTheResult],
};

const USER_NOTES: Readonly<Record<string, readonly [title: string, text: string]>> = {
  late: [t.itIsTooLateToPay, t.theLedgerAcceptsNoPaymentForThis],
  lapsed: [t.theDeadlineHasPassed, t.noFeeWasTaken],
  moving: [t.theOperationWasSentToThe, t.thePageShowsTheResult],
};

function PaidNote({ renewal, isProvider }: RenewalNoteProps) {
  return isProvider ? (
    <Note tone="good" title={t.areReservedAsRequested(feeOf(renewal))}>
      <p>{t.completeTheRenewalBeforeThe}</p>
    </Note>
  ) : (
    <Note tone="good" title={t.youHaveReserved(feeOf(renewal))}>
      <p>{t.theProviderNowCompletesThe}</p>
    </Note>
  );
}

function DiffersNote({ renewal, isProvider }: RenewalNoteProps) {
  return (
    <Note tone="bad" title={t.thePaymentDiffersFromTheRequest(differing(renewal))}>
      <p>
        {t.theLedgerWouldRefuseTheRenewal(
          isProvider ? t.theUserMustWithdrawThePayment : t.withdrawThePaymentInYourWallet,
        )}
      </p>
    </Note>
  );
}

/** Tells the user how to pay, with a link to the tenant's wallet if it is known. */
function PayNote({ renewal }: { readonly renewal: Renewal }) {
  const { walletUrl } = useCaller();
  const wallet = webAddress(walletUrl);
  return (
    <Note
      tone="warn"
      title={t.payInYourWallet(feeOf(renewal))}
      acts={
        wallet === null ? undefined : (
          <WebLink href={wallet} look="primary">
            {t.openTheWallet}
          </WebLink>
        )
      }
    >
      <p>{t.acceptTheRequestThereWhich}</p>
      {wallet === null ? <p>{t.noWalletIsRegisteredForYour}</p> : null}
    </Note>
  );
}

interface RenewalNoteProps {
  readonly renewal: Renewal;
  readonly isProvider: boolean;
}

/** Shows the next step for a renewal. */
export function RenewalNote({ renewal, isProvider }: RenewalNoteProps) {
  const phase = phaseOf(renewal);
  if (phase === 'allocated') return <PaidNote renewal={renewal} isProvider={isProvider} />;
  if (phase === 'differs') return <DiffersNote renewal={renewal} isProvider={isProvider} />;
  if (phase === 'requested' && !isProvider) return <PayNote renewal={renewal} />;
  const [title, text] = (isProvider ? PROVIDER_NOTES : USER_NOTES)[phase] ?? [];
  if (title === undefined) return null;
  return (
    <Note tone={phase === 'late' || phase === 'lapsed' ? 'warn' : 'info'} title={title}>
      <p>
        {text}
        {phase === 'lapsed' && !isProvider && renewal.allocationCid !== null
          ? ` ${t.youCanWithdrawTheReservedFee}`
          : null}
      </p>
    </Note>
  );
}
