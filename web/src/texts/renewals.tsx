import type { ReactNode } from 'react';

/* Texts of the pages for renewals, and the receipt. */

export const state = 'State';
export const fee = 'Fee';
export const extendsBy = 'Extends by';
export const ended = 'Ended';
export const renewal = 'Renewal';
export const endedRenewals = 'Ended renewals';
export const paidTo = 'Paid to';
export const paidBy = 'Paid by';
export const licence = 'Licence';
export const plan = 'Plan';
export const none = 'None';
export const wasValidUntil = 'Was valid until';
export const validUntil = 'Valid until';
export const provider = 'Provider';
export const user = 'User';
export const contract = 'Contract';
export const updateWithId = (id: ReactNode) => <>update {id}</>;
export const offset = (offset: number) => `, offset ${offset}`;
export const requestWithId = (id: ReactNode) => <>request {id}</>;
export const ofLicence = (id: ReactNode) => <>, of licence {id}</>;
export const unknown = 'unknown';
export const noRenewalOfThisLicenceHas = 'No renewal of this licence has been paid.';
export const paidRenewals = 'Paid renewals';
export const settled = 'Settled';
export const validUntilAfterTheRenewal = 'Valid until, after the renewal';
export const tenureDoesNotKnowTheFee =
  'Tenure does not know the fee of renewals that were settled before Tenure followed the ledger. The ledger update and the history of both wallets have the fee.';
export const feeAndExtensionWereSettledIn =
  'Fee and extension were settled in one ledger transaction each. Both sides can look the updates up at their participants. Offsets are those of the participant that Tenure follows.';
export const asOf = (time: ReactNode) => <>As of {time}.</>;
export const receipt = 'Receipt';
export const licences = 'Licences';
export const receiptOfLicence = (licenseName: string) => `Receipt of licence ${licenseName}`;
export const licenceOf = (licenseName: string) => `Licence ${licenseName}`;
export const licenceEnded = 'Licence ended';
export const print = 'Print';
export const theFeeIsANumberAbove =
  'The fee is a number above zero, with at most 10 digits after the point.';
export const enterAllTimesEachTimeMust = 'Enter all times. Each time must be longer than zero.';
export const theTimeToCompleteMustBe = 'The time to complete must be longer than the time to pay.';
export const enterADescriptionTheUserReads =
  'Enter a description. The user reads it in the wallet.';
export const confirmThatYouWantASecond = 'Confirm that you want a second open renewal.';
export const feeInAmulet = 'Fee, in Amulet';
export const atMost10DigitsAfterThe = 'At most 10 digits after the point.';
export const extendsTheLicenceBy = 'Extends the licence by';
export const description = 'Description';
export const theUserReadsItInThe = 'The user reads it in the wallet.';
export const timeToPay = 'Time to pay';
export const fromNowLaterTheLedgerAccepts =
  'From now. Later, the ledger accepts no payment for this renewal.';
export const timeToComplete = 'Time to complete';
export const fromNowThisMustBeLonger =
  'From now. This must be longer than the time to pay, so that you can complete a late payment.';
export const noPlanYourOwnTerms = 'No plan: your own terms';
export const offerRenewalOf = (licenseName: string) => `Offer renewal of ${licenseName}`;
export const offer = 'Offer';
export const renewalOffered = 'Renewal offered.';
export const theUserCanPayInThe = (duration: string) =>
  `The user can pay in the wallet for ${duration}. Complete the renewal on this page after the payment.`;
export const theUserHasToPayAnd = (prepareUntilDuration: string, settleBeforeDuration: string) =>
  `The user has ${prepareUntilDuration} to pay, and you have ${settleBeforeDuration} to complete the renewal.`;
export const thisLicenceAlreadyHasAnOpen = 'This licence already has an open renewal.';
export const usuallyCompleteOrWithdrawIt =
  'Usually, complete or withdraw it first. Both renewals can be paid, and each completed renewal extends the licence.';
export const offerASecondRenewal = 'Offer a second renewal';
export const completeTheRenewalOf = (licenseName: string) =>
  `Complete the renewal of ${licenseName}`;
export const complete = 'Complete';
export const renewalCompleted = 'Renewal completed.';
export const theUserHasWithdrawnTheReserved = 'The user has withdrawn the reserved fee.';
export const toTheLicence = 'To the licence';
export const youGetAndTheLicenceIs = (fee: string, extension: string) =>
  `You get ${fee}, and the licence is extended by ${extension}. Both happen in one transaction, or neither does.`;
export const theLedgerDoesNotShowFor = (licenseNum: number) =>
  `The ledger does not show for which licence № ${licenseNum} the user was asked to pay. From now on, the renewal belongs to this licence and can extend no other licence.`;
export const withdrawTheRenewalOf = (licenseName: string) =>
  `Withdraw the renewal of ${licenseName}`;
export const withdraw = 'Withdraw';
export const renewalWithdrawn = 'Renewal withdrawn.';
export const theRequestDisappearsFromThe =
  'The request disappears from the user’s wallet. A reserved fee stays with the user.';
export const itsDeadlineHasPassed = 'its deadline has passed';
export const theUserDidNotPayIn = 'the user did not pay in time';
export const theUserHasNotPaidYet = 'the user has not paid yet';
export const thePaymentDiffersFromThe = 'the payment differs from the request';
export const itsLicenceIsNotKnownComplete =
  'its licence is not known: complete the renewal on the page of the right licence';
export const parts: Readonly<Record<string, string>> = {
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
export const lessThanADay = 'less than a day';
export const day1 = '1 day';
export const forPeriod = (extension: string) => `for ${extension}`;
export const toBePaidBy = 'To be paid by';
export const passedNotPaid = 'Passed, not paid';
export const passedPaidInTime = 'Passed, paid in time';
export const paid = 'Paid';
export const toBeCompletedBy = 'To be completed by';
export const over = 'Over';
export const theUserHasNotPaidYetTitle = 'The user has not paid yet.';
export const theRequestIsInTheUsers =
  'The request is in the user’s wallet. This page shows the payment as soon as it is made.';
export const theUserDidNotPayInTime = 'The user did not pay in time.';
export const theLedgerAcceptsNoPaymentFor =
  'The ledger accepts no payment for this renewal any more. Withdraw it, and offer another one.';
export const theDeadlineHasPassed = 'The deadline has passed.';
export const theRenewalCanNoLongerBe =
  'The renewal can no longer be completed. Withdraw it, and offer another one if the user still wants to renew.';
export const theOperationWasSentToThe = 'The operation was sent to the ledger.';
export const thePageShowsTheResult = 'The page shows the result.';
export const itIsTooLateToPay = 'It is too late to pay.';
export const theLedgerAcceptsNoPaymentForThis =
  'The ledger accepts no payment for this renewal any more. Ask the provider for another one.';
export const noFeeWasTaken = 'No fee was taken.';
export const areReservedAsRequested = (fee: string) => `${fee} are reserved, as requested.`;
export const completeTheRenewalBeforeThe =
  'Complete the renewal before the deadline. The payment and the extension happen in one transaction, or not at all.';
export const youHaveReserved = (fee: string) => `You have reserved ${fee}.`;
export const theProviderNowCompletesThe =
  'The provider now completes the renewal: payment and extension happen in one transaction, or not at all. Until then, the fee stays yours.';
export const thePaymentDiffersFromTheRequest = (differing: string) =>
  `The payment differs from the request: ${differing}.`;
export const theLedgerWouldRefuseTheRenewal = (next: string) =>
  `The ledger would refuse the renewal, so Tenure does not send it. ${next}`;
export const theUserMustWithdrawThePayment =
  'The user must withdraw the payment in the wallet and accept the request again.';
export const withdrawThePaymentInYourWallet =
  'Withdraw the payment in your wallet, and accept the request again.';
export const payInYourWallet = (fee: string) => `Pay ${fee} in your wallet.`;
export const openTheWallet = 'Open the wallet';
export const acceptTheRequestThereWhich =
  'Accept the request there, which reserves the fee. The provider then completes the renewal, and this page shows the result.';
export const noWalletIsRegisteredForYour =
  'No wallet is registered for your tenant: ask the provider.';
export const youCanWithdrawTheReservedFee = 'You can withdraw the reserved fee in the wallet.';
export const renewals = 'Renewals';
export const toPay = 'To pay';
export const renewalOfLicence = (licenseName: string) => `Renewal of ${licenseName}`;
export const terms = 'Terms';
export const facts = 'Facts';
export const customer = 'Customer';
export const offered = 'Offered';
export const orderInTheWallet = 'Order in the wallet';
export const requestId = 'request ID';
export const contractId = 'contract ID';
export const update = 'Update';
export const updateId = 'update ID';
export const setAside = 'Set aside';
export const allocationsContractId = 'allocation’s contract ID';
export const renewalOf = 'Renewal of';
export const next = 'Next';
export const timeLeft = 'Time left';
export const allOpen = 'All open';
export const toBePaid = 'To be paid';
export const paidToBeCompleted = 'Paid, to be completed';
export const paymentDiffers = 'Payment differs';
export const notPaidInTime = 'Not paid in time';
export const expired = 'Expired';
export const withdrawn = 'Withdrawn';
export const declined = 'Declined';
export const allEnded = 'All ended';
export const toComplete = 'To complete';
export const offersThatUsersPayAndYou = 'Offers that users pay and you complete.';
export const noRenewalIsOpen = 'No renewal is open.';
export const noRenewalMatches = 'No renewal matches.';
export const offerOneOnALicence = (link: ReactNode) => <>Offer one on a licence: {link}</>;
export const toTheLicences = 'to the licences';
export const renewalsThatTheProviderHas =
  'Renewals that the provider has offered you. You pay in your wallet.';
export const renewalsToPay = 'Renewals to pay';
export const youHaveNothingToPay = 'You have nothing to pay.';
export const renewalsThatTheProviderOffers = (link: ReactNode) => (
  <>Renewals that the provider offers are listed here until they are settled. {link}</>
);
export const toYourLicences = 'To your licences';
export const itWord = 'it';
export const whichIsExtendedBy = (link: ReactNode, extension: string) => (
  <>
    {link}, which is extended by {extension}.
  </>
);
