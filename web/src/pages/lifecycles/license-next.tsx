import { Link } from '@tanstack/react-router';
import type { components } from '../../../../client/schema.ts';
import { Button, buttonClass } from '../../parts/button.tsx';
import { statusOf } from '../../parts/license-words.ts';
import { Note } from '../../parts/note.tsx';
import { useNowMs } from '../../parts/time.tsx';
import { amount } from '../../parts/words.ts';
import { PATHS } from '../../paths.ts';
import { useOpenAct } from './actions.tsx';
import { phaseOf, renewalScope } from '../../parts/renewal-phase.ts';
import { endingOf } from '../../parts/life-words.ts';

type License = components['schemas']['License'];
type Renewal = components['schemas']['LicenseRenewalRequest'];

/** Returns the most important renewal: a paid one, else one that can be paid, else the newest. */
function firstRenewal({ renewalRequests: all }: License): Renewal | undefined {
  const of = (...phases: readonly string[]) => all.find((one) => phases.includes(phaseOf(one)));
  return of('allocated', 'differs') ?? of('requested') ?? all.at(-1);
}

const STEPS: Readonly<Record<string, readonly [provider: string, user: string]>> = {
  requested: ['Waits for payment', 'Pay the renewal'],
  late: ['Not paid in time: withdraw the renewal', 'Too late to pay'],
  allocated: ['Paid: complete the renewal', 'Paid: the provider completes it'],
  differs: ['Payment differs: see the renewal', 'Payment differs: see the renewal'],
  lapsed: ['Withdraw the expired renewal', 'The renewal expired'],
  moving: ['Renewal under way', 'Renewal under way'],
};

/** Returns the next step for a licence in a few words, for the reader's role. */
export function nextStep(license: License, isProvider: boolean): string {
  if (endingOf('license', license.state) !== null) return '';
  const renewal = firstRenewal(license);
  if (renewal === undefined) return license.isExpired && isProvider ? 'Offer renewal' : '';
  return STEPS[phaseOf(renewal)]?.[isProvider ? 0 : 1] ?? '';
}

interface RenewalNextProps {
  readonly renewal: Renewal;
  readonly isProvider: boolean;
}

function RenewalNext({ renewal, isProvider }: RenewalNextProps) {
  const [, open] = useOpenAct();
  const fee = amount(renewal.licenseFeeAmount, renewal.licenseFeeInstrument);
  const isPaid = renewal.allocationMatches === true;
  const to = (words: string) => (
    <Link
      to={PATHS.renewal}
      params={{ contractId: renewal.contractId }}
      className={buttonClass('primary')}
    >
      {words}
    </Link>
  );
  if (isPaid && phaseOf(renewal) === 'allocated') {
    return isProvider ? (
      <Note
        tone="good"
        title={`${fee} are reserved for you.`}
        acts={
          // The act is offered on this page, where the licence is known. Some renewals do not say which licence they
          // extend.
          <Button look="primary" onClick={() => open(`${renewalScope(renewal)}complete`)}>
            Complete the renewal
          </Button>
        }
      >
        <p>
          Complete the renewal before its deadline: you get the fee, and the licence is extended.
        </p>
      </Note>
    ) : (
      <Note tone="good" title={`You have reserved ${fee}.`} acts={to('See the renewal')}>
        <p>The provider completes the renewal. You need to do nothing else.</p>
      </Note>
    );
  }
  if (phaseOf(renewal) === 'requested') {
    return isProvider ? (
      <Note
        tone="info"
        title={`A renewal for ${fee} waits for payment.`}
        acts={to('See the renewal')}
      />
    ) : (
      <Note tone="warn" title={`A renewal for ${fee} is to be paid.`} acts={to('Pay it')}>
        <p>Pay in your wallet before the deadline to extend the licence.</p>
      </Note>
    );
  }
  return (
    <Note
      tone="warn"
      title={STEPS[phaseOf(renewal)]?.[isProvider ? 0 : 1] ?? 'A renewal is open.'}
      acts={to('See the renewal')}
    />
  );
}

interface LicenseNextProps {
  readonly license: License;
  readonly isProvider: boolean;
}

/** Shows the next step for a licence. */
export function LicenseNext({ license, isProvider }: LicenseNextProps) {
  const nowMs = useNowMs();
  const renewal = firstRenewal(license);
  if (renewal !== undefined) return <RenewalNext renewal={renewal} isProvider={isProvider} />;
  // While an operation is in progress no step is proposed, because the badge shows the operation.
  if (!license.isExpired || (license.state ?? 'active') !== 'active') return null;
  const { isNeverRenewed } = license;
  const isTrial = statusOf(license, nowMs) === 'trial';
  const title = isTrial
    ? 'The licence is in its trial.'
    : isNeverRenewed
      ? 'The licence is not active yet.'
      : 'The licence has expired.';
  return (
    <Note tone="warn" title={title}>
      <p>
        {isTrial ? 'After the trial it is valid once its first renewal is completed. ' : ''}
        {isNeverRenewed && !isTrial
          ? 'A new licence is valid once its first renewal is completed. '
          : ''}
        {isProvider
          ? 'Offer renewal, or end the licence.'
          : 'The provider may offer a renewal. You can ask for one in a comment below.'}
      </p>
    </Note>
  );
}
