import { Link } from '@tanstack/react-router';
import { AskDialog } from '../../acts/ask-dialog.tsx';
import type { components } from '../../../../client/schema.ts';
import { licenseName } from '../../parts/license-words.ts';
import { PATHS } from '../../paths.ts';
import * as t from '../../texts/renewals.tsx';
import type { OfferProps, Offers } from './actions.tsx';
import { contractIn } from './ask-install.tsx';
import { extensionOf, feeOf } from './renewal-terms.tsx';

type Renewal = components['schemas']['LicenseRenewalRequest'];

interface RenewalDialogProps extends OfferProps {
  readonly renewal: Renewal;
}

interface CompleteProps extends RenewalDialogProps {
  /** The licence on whose page the renewal is completed. */
  readonly licenseId?: string | undefined;
}

function CompleteDialog({ form, href, onClose, renewal, licenseId }: CompleteProps) {
  const { allocationCid, contractId } = renewal;
  const title = t.completeTheRenewalOf(licenseName(renewal));
  return (
    <AskDialog
      form={form}
      title={title}
      label={title}
      verb={t.complete}
      done={t.renewalCompleted}
      url={
        licenseId === undefined
          ? href
          : `/licenses/${encodeURIComponent(licenseId)}:complete-renewal`
      }
      body={() =>
        allocationCid === null
          ? t.theUserHasWithdrawnTheReserved
          : {
              ...(licenseId === undefined ? {} : { renewalRequestContractId: contractId }),
              allocationContractId: allocationCid,
            }
      }
      onClose={onClose}
      renderDone={(result) => {
        const renewed = contractIn(result, 'licenseId');
        return renewed === null ? null : (
          <p>
            {t.whichIsExtendedBy(
              <Link to={PATHS.license} params={{ contractId: renewed }}>
                {t.toTheLicence}
              </Link>,
              extensionOf(renewal),
            )}
          </p>
        );
      }}
    >
      <p>{t.youGetAndTheLicenceIs(feeOf(renewal), extensionOf(renewal))}</p>
      {renewal.licenseLifecycleId === null ? (
        <p>{t.theLedgerDoesNotShowFor(renewal.licenseNum)}</p>
      ) : null}
    </AskDialog>
  );
}

function WithdrawDialog({ form, href, onClose, renewal }: RenewalDialogProps) {
  const title = t.withdrawTheRenewalOf(licenseName(renewal));
  return (
    <AskDialog
      form={form}
      title={title}
      label={title}
      verb={t.withdraw}
      done={t.renewalWithdrawn}
      look="danger"
      url={href}
      body={() => ({})}
      onClose={onClose}
    >
      <p>{t.theRequestDisappearsFromThe}</p>
    </AskDialog>
  );
}

/**
 * Returns why completing the renewal would be useless, although the machine allows it; undefined if it would be useful.
 */
function uselessness(renewal: Renewal, licenseId: string | undefined): string | undefined {
  const { allocationCid, allocationMatches } = renewal;
  if (renewal.settleDeadlinePassed) return t.itsDeadlineHasPassed;
  if (allocationCid === null) {
    return renewal.prepareDeadlinePassed ? t.theUserDidNotPayIn : t.theUserHasNotPaidYet;
  }
  if (allocationMatches === false) return t.thePaymentDiffersFromThe;
  return licenseId === undefined && renewal.licenseLifecycleId === null
    ? t.itsLicenceIsNotKnownComplete
    : undefined;
}

export const renewalOffers = (renewal: Renewal, licenseId?: string): Offers => ({
  complete: {
    words: t.complete,
    look: 'primary',
    refused: uselessness(renewal, licenseId),
    dialog: (props) => <CompleteDialog {...props} renewal={renewal} licenseId={licenseId} />,
  },
  withdraw: {
    words: t.withdraw,
    look: 'danger',
    dialog: (props) => <WithdrawDialog {...props} renewal={renewal} />,
  },
});
