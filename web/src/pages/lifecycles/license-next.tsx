import { Link } from '@tanstack/react-router';
import type { components } from '../../../../client/schema.ts';
import { useReadOnly } from '../../api/caller.tsx';
import { Button, buttonClass } from '../../parts/button.tsx';
import { statusOf } from '../../parts/license-words.ts';
import { Note } from '../../parts/note.tsx';
import { useNowMs } from '../../parts/time.tsx';
import { amount } from '../../parts/words.ts';
import { PATHS } from '../../paths.ts';
import * as t from '../../texts/licenses.tsx';
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
  requested: [t.waitsForPayment, t.payTheRenewal],
  late: [t.notPaidInTimeWithdrawThe, t.tooLateToPay],
  allocated: [t.paidCompleteTheRenewal, t.paidTheProviderCompletesIt],
  differs: [t.paymentDiffersSeeTheRenewal, t.paymentDiffersSeeTheRenewal],
  lapsed: [t.withdrawTheExpiredRenewal, t.theRenewalExpired],
  moving: [t.renewalUnderWay, t.renewalUnderWay],
};

/** Returns the next step for a licence in a few words, for the reader's role. */
export function nextStep(license: License, isProvider: boolean): string {
  if (endingOf('license', license.state) !== null) return '';
  const renewal = firstRenewal(license);
  if (renewal === undefined) return license.isExpired && isProvider ? t.offerRenewal : '';
  return STEPS[phaseOf(renewal)]?.[isProvider ? 0 : 1] ?? '';
}

interface RenewalNextProps {
  readonly renewal: Renewal;
  readonly isProvider: boolean;
}

function RenewalNext({ renewal, isProvider }: RenewalNextProps) {
  const [, open] = useOpenAct();
  const refused = useReadOnly();
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
        title={t.areReservedForYou(fee)}
        acts={
          // The act is offered on this page, where the licence is known. Some renewals do not say which licence they
          // extend.
          <Button
            look="primary"
            refused={refused}
            onClick={() => open(`${renewalScope(renewal)}complete`)}
          >
            {t.completeTheRenewal}
          </Button>
        }
      >
        <p>{t.completeTheRenewalBeforeIts}</p>
      </Note>
    ) : (
      <Note tone="good" title={t.youHaveReserved(fee)} acts={to(t.seeTheRenewal)}>
        <p>{t.theProviderCompletesTheRenewal}</p>
      </Note>
    );
  }
  if (phaseOf(renewal) === 'requested') {
    return isProvider ? (
      <Note tone="info" title={t.aRenewalForWaitsForPayment(fee)} acts={to(t.seeTheRenewal)} />
    ) : (
      <Note tone="warn" title={t.aRenewalForIsToBe(fee)} acts={to(t.payIt)}>
        <p>{t.payInYourWalletBeforeThe}</p>
      </Note>
    );
  }
  return (
    <Note
      tone="warn"
      title={STEPS[phaseOf(renewal)]?.[isProvider ? 0 : 1] ?? t.aRenewalIsOpen}
      acts={to(t.seeTheRenewal)}
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
    ? t.theLicenceIsInItsTrial
    : isNeverRenewed
      ? t.theLicenceIsNotActiveYet
      : t.theLicenceHasExpired;
  return (
    <Note tone="warn" title={title}>
      <p>
        {isTrial ? `${t.afterTheTrialItIsValid} ` : ''}
        {isNeverRenewed && !isTrial ? `${t.aNewLicenceIsValidOnce} ` : ''}
        {isProvider ? t.offerRenewalOrEndTheLicence : t.theProviderMayOfferARenewal}
      </p>
    </Note>
  );
}
