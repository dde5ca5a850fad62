import { Link } from '@tanstack/react-router';
import { AskDialog } from '../../acts/ask-dialog.tsx';
import type { components } from '../../../../client/schema.ts';
import { licenseName } from '../../parts/license-words.ts';
import { PATHS } from '../../paths.ts';
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
  const title = `Complete the renewal of ${licenseName(renewal)}`;
  return (
    <AskDialog
      form={form}
      title={title}
      label={title}
      verb="Complete"
      done="Renewal completed."
      url={
        licenseId === undefined
          ? href
          : `/licenses/${encodeURIComponent(licenseId)}:complete-renewal`
      }
      body={() =>
        allocationCid === null
          ? 'The user has withdrawn the reserved fee.'
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
            <Link to={PATHS.license} params={{ contractId: renewed }}>
              To the licence
            </Link>
            , which is extended by {extensionOf(renewal)}.
          </p>
        );
      }}
    >
      <p>
        You get {feeOf(renewal)}, and the licence is extended by {extensionOf(renewal)}. Both happen
        in one transaction, or neither does.
      </p>
      {renewal.licenseLifecycleId === null ? (
        <p>
          The ledger does not show for which licence № {renewal.licenseNum} the user was asked to
          pay. From now on, the renewal belongs to this licence and can extend no other licence.
        </p>
      ) : null}
    </AskDialog>
  );
}

function WithdrawDialog({ form, href, onClose, renewal }: RenewalDialogProps) {
  const title = `Withdraw the renewal of ${licenseName(renewal)}`;
  return (
    <AskDialog
      form={form}
      title={title}
      label={title}
      verb="Withdraw"
      done="Renewal withdrawn."
      look="danger"
      url={href}
      body={() => ({})}
      onClose={onClose}
    >
      <p>The request disappears from the user’s wallet. A reserved fee stays with the user.</p>
    </AskDialog>
  );
}

/**
 * Returns why completing the renewal would be useless, although the machine allows it; undefined if it would be useful.
 */
function uselessness(renewal: Renewal, licenseId: string | undefined): string | undefined {
  const { allocationCid, allocationMatches } = renewal;
  if (renewal.settleDeadlinePassed) return 'its deadline has passed';
  if (allocationCid === null) {
    return renewal.prepareDeadlinePassed
      ? 'the user did not pay in time'
      : 'the user has not paid yet';
  }
  if (allocationMatches === false) return 'the payment differs from the request';
  return licenseId === undefined && renewal.licenseLifecycleId === null
    ? 'its licence is not known: complete the renewal on the page of the right licence'
    : undefined;
}

export const renewalOffers = (renewal: Renewal, licenseId?: string): Offers => ({
  complete: {
    words: 'Complete',
    look: 'primary',
    refused: uselessness(renewal, licenseId),
    dialog: (props) => <CompleteDialog {...props} renewal={renewal} licenseId={licenseId} />,
  },
  withdraw: {
    words: 'Withdraw',
    look: 'danger',
    dialog: (props) => <WithdrawDialog {...props} renewal={renewal} />,
  },
});
