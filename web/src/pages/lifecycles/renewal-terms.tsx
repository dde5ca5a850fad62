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
          over={renewal.allocationCid === null ? 'Passed, not paid' : 'Passed, paid in time'}
          done={isPaid ? 'Paid' : undefined}
          isStill={isStill}
        />
        <Clock name="To be completed by" at={renewal.settleBefore} over="Over" isStill={isStill} />
      </dl>
    </>
  );
}

const PARTS: Readonly<Record<string, string>> = {
  transferLegId: 'the purpose',
  sender: 'the payer',
  receiver: 'the payee',
  executor: 'the executor',
  settlementRef: 'the request ID',
  requestedAt: 'the request time',
  allocateBefore: 'the payment deadline',
  settleBefore: 'the settlement deadline',
  meta: 'the metadata',
};

/** Returns how an allocation differs from the requested terms. */
function differing({ allocationDiffers }: Renewal): string {
  const named = allocationDiffers.map((part) => PARTS[part] ?? part);
  return named.length === 0 ? 'it' : named.join(', ');
}

const PROVIDER_NOTES: Readonly<Record<string, readonly [title: string, text: string]>> = {
  requested: [
    'The user has not paid yet.',
    'The request is in the user’s wallet. This page shows the payment as soon as it is made.',
  ],
  late: [
    'The user did not pay in time.',
    'The ledger accepts no payment for this renewal any more. Withdraw it, and offer another one.',
  ],
  lapsed: [
    'The deadline has passed.',
    'The renewal can no longer be completed. Withdraw it, and offer another one if the user still wants to renew.',
  ],
  moving: ['The operation was sent to the ledger.', 'The page shows the result.'],
};

const USER_NOTES: Readonly<Record<string, readonly [title: string, text: string]>> = {
  late: [
    'It is too late to pay.',
    'The ledger accepts no payment for this renewal any more. Ask the provider for another one.',
  ],
  lapsed: ['The deadline has passed.', 'No fee was taken.'],
  moving: ['The operation was sent to the ledger.', 'The page shows the result.'],
};

function PaidNote({ renewal, isProvider }: RenewalNoteProps) {
  return isProvider ? (
    <Note tone="good" title={`${feeOf(renewal)} are reserved, as requested.`}>
      <p>
        Complete the renewal before the deadline. The payment and the extension happen in one
        transaction, or not at all.
      </p>
    </Note>
  ) : (
    <Note tone="good" title={`You have reserved ${feeOf(renewal)}.`}>
      <p>
        The provider now completes the renewal: payment and extension happen in one transaction, or
        not at all. Until then, the fee stays yours.
      </p>
    </Note>
  );
}

function DiffersNote({ renewal, isProvider }: RenewalNoteProps) {
  return (
    <Note tone="bad" title={`The payment differs from the request: ${differing(renewal)}.`}>
      <p>
        The ledger would refuse the renewal, so Tenure does not send it.{' '}
        {isProvider
          ? 'The user must withdraw the payment in the wallet and accept the request again.'
          : 'Withdraw the payment in your wallet, and accept the request again.'}
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
        Accept the request there, which reserves the fee. The provider then completes the renewal,
        and this page shows the result.
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
          ? ' You can withdraw the reserved fee in the wallet.'
          : null}
      </p>
    </Note>
  );
}
