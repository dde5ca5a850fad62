import type { components } from '../../../../client/schema.ts';
import { descriptionWords } from '../../parts/license-words.ts';
import { Badge } from '../../parts/badge.tsx';
import { Note } from '../../parts/note.tsx';
import { Deadline, Time } from '../../parts/time.tsx';
import { webAddress } from '../../parts/web-address.ts';
import { WebLink } from '../../parts/web-link.tsx';
import { amount } from '../../parts/words.ts';
import { useCaller } from '../../api/caller.tsx';
import styles from './life.module.css';
import { phaseBadge, phaseOf } from '../../parts/renewal-phase.ts';

type Renewal = components['schemas']['LicenseRenewalRequest'];

export const feeOf = ({ licenseFeeAmount, licenseFeeInstrument }: Renewal): string =>
  amount(licenseFeeAmount, licenseFeeInstrument);

/** Returns the extension in words. The API rounds it down to whole days, so a shorter one is "0 days". */
export const extensionOf = ({ licenseExtensionDuration: told }: Renewal): string =>
  ({ '0 days': 'less than a day', '1 days': '1 day' })[told] ?? told;

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
        {feeOf(renewal)} <small>for {extensionOf(renewal)}</small>
      </p>
      {description === '' ? null : <p className={styles.text}>{description}</p>}
      <dl className={styles.clocks}>
        <Clock
          name="To be paid by"
          at={renewal.prepareUntil}
          over={renewal.allocationCid === null ? 'Over, not paid' : 'Over, set aside in time'}
          done={isPaid ? 'Paid' : undefined}
          isStill={isStill}
        />
        <Clock name="To be completed by" at={renewal.settleBefore} over="Over" isStill={isStill} />
      </dl>
    </>
  );
}

const PARTS: Readonly<Record<string, string>> = {
  transferLegId: 'what it is paid for',
  sender: 'the payer',
  receiver: 'the payee',
  executor: 'the one who may settle it',
  settlementRef: 'the request that it names',
  requestedAt: 'the time of the request',
  allocateBefore: 'the time to pay',
  settleBefore: 'the time to complete it',
  meta: 'its metadata',
};

/** Returns how an allocation differs from the requested terms. */
function differing({ allocationDiffers }: Renewal): string {
  const named = allocationDiffers.map((part) => PARTS[part] ?? part);
  return named.length === 0 ? 'it' : named.join(', ');
}

const PROVIDER_NOTES: Readonly<Record<string, readonly [title: string, text: string]>> = {
  requested: [
    'The user has not paid yet.',
    'The request is in the user’s wallet. This page shows it as soon as the fee is set aside.',
  ],
  late: [
    'The user has not paid in time.',
    'The ledger takes no payment for it any more. Withdraw it, and offer another one.',
  ],
  lapsed: [
    'Its window has closed.',
    'It cannot be completed any more. Withdraw it, and offer another one if the user still wants it.',
  ],
  moving: ['It is on its way to the ledger.', 'The page shows what became of it.'],
};

const USER_NOTES: Readonly<Record<string, readonly [title: string, text: string]>> = {
  late: [
    'It is too late to pay.',
    'The ledger takes no payment for it any more. Ask the provider for another renewal.',
  ],
  lapsed: ['Its window has closed.', 'Nothing was taken.'],
  moving: ['It is on its way to the ledger.', 'The page shows what became of it.'],
};

function PaidNote({ renewal, isProvider }: RenewalNoteProps) {
  return isProvider ? (
    <Note tone="good" title={`${feeOf(renewal)} are set aside, as you asked for.`}>
      <p>
        Complete the renewal while its window is open. Fee and licence change hands in one
        transaction, or not at all.
      </p>
    </Note>
  ) : (
    <Note tone="good" title={`You have set ${feeOf(renewal)} aside.`}>
      <p>
        The provider completes the renewal now: the fee is taken and the licence is extended in one
        transaction, or neither. Until then the fee is yours.
      </p>
    </Note>
  );
}

function DiffersNote({ renewal, isProvider }: RenewalNoteProps) {
  return (
    <Note tone="bad" title={`What was set aside is not what was asked for: ${differing(renewal)}.`}>
      <p>
        The ledger would refuse it, so it is not sent.{' '}
        {isProvider
          ? 'The user withdraws it in the wallet and accepts the request again.'
          : 'Withdraw it in your wallet, and accept the request again.'}
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
      title={`Pay ${feeOf(renewal)} in your wallet.`}
      acts={
        wallet === null ? undefined : (
          <WebLink href={wallet} look="primary">
            Open the wallet
          </WebLink>
        )
      }
    >
      <p>
        Accept the request there, which sets the fee aside. The provider then completes the renewal,
        and this page shows it.
      </p>
      {wallet === null ? <p>No wallet is registered for your tenant: ask the provider.</p> : null}
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
          ? ' What you had set aside can be withdrawn in the wallet.'
          : null}
      </p>
    </Note>
  );
}
