/* Texts of licences, renewals and subscriptions on all pages. */

export const valid = 'Valid';
export const trial = 'Trial';
export const expired = 'Expired';
export const notActiveYet = 'Not active yet';
export const suspended = 'Suspended';
export const version = (name: string, version: number) => `${name}, version ${version}`;
export const theContractIsNoLongerOn = 'The contract is no longer on the ledger.';
export const theContractIsNotActiveAny =
  'The contract is not active any more. The ledger pruned its end before Tenure read it.';
export const theRequestWasAccepted = 'The request was accepted.';
export const theRequestHasBecomeAn =
  'The request has become an installation, on which the provider creates licences.';
export const theRequestWasRejected = 'The request was rejected.';
export const theProviderRejectedTheRequest =
  'The provider rejected the request. The user may send another one.';
export const theRequestWasWithdrawn = 'The request was withdrawn.';
export const theUserWithdrewTheRequest =
  'The user withdrew the request before the decision. The user may send another one.';
export const theInstallationWasCancelled = 'The installation was cancelled.';
export const noMoreLicencesAreCreatedOn =
  'No more licences are created on this installation. Its existing licences continue.';
export const theLicenceWasEnded = 'The licence was ended.';
export const theContractIsArchivedOnThe =
  'The contract is archived on the ledger. The licence gives no rights any more and cannot be renewed.';
export const theRenewalIsSettled = 'The renewal is settled.';
export const theFeeWentToTheProvider =
  'The fee went to the provider, and the licence was extended in the same transaction.';
export const theRenewalWasWithdrawn = 'The renewal was withdrawn.';
export const theProviderWithdrewTheOfferA =
  'The provider withdrew the offer. A reserved fee stays with the user.';
export const theUserDeclinedTheRenewal = 'The user declined the renewal.';
export const nothingWasPaidTheProviderMay = 'Nothing was paid. The provider may offer another one.';
export const ended = 'Ended';
export const offeringRenewal = 'Offering renewal';
export const ending = 'Ending';
export const pending = 'Pending';
export const withdrawn = 'Withdrawn';
export const declined = 'Declined';
export const settled = 'Settled';
export const unknown = 'Unknown';
export const noneDue = 'None due';
export const toBePaid = 'To be paid';
export const notPaidInTime = 'Not paid in time';
export const paidToBeCompleted = 'Paid, to be completed';
export const paymentDiffers = 'Payment differs';
export const month = 'Month';
export const active = 'Active';
export const pastDue = 'Past due';
export const newWord = 'New';
export const renewalRate = 'Renewal rate';
export const payments = 'Payments';
export const paid = 'Paid';
export const recurringIn30Days = 'Recurring in 30 days';
export const noLicences = 'no licences';
export const licencesAtTheEndOfThe = (rangeOf: string) =>
  `Licences at the end of the month, ${rangeOf}`;
export const licencesNewestMonthFirst = 'Licences, newest month first';
export const trafficUtc = 'Traffic (UTC)';
export const revenueIn = (id: string, periods: string) => `Revenue in ${id}, ${periods}`;
export const revenueInNewestMonthFirst = (id: string) => `Revenue in ${id}, newest month first`;
export const renewalOffered = 'Renewal offered';
export const cancelled = 'Cancelled';
export const notKnownYet = 'Not known yet';
export const monthsFromTo = (first: string, last: string) => `${first} to ${last}`;
