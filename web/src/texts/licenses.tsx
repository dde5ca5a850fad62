import type { ReactNode } from 'react';
import { counted, plural } from './intl.ts';

/* Texts of the pages for licences. */

export const offerRenewal = 'Offer renewal';
export const asksEachUserToPayThe =
  'Asks each user to pay the next period of the plan, now. You can withdraw an offer.';
export const toBeOfferedARenewalAt = 'to be offered a renewal at once';
export const offeredARenewal = 'offered a renewal';
export const suspend = 'Suspend';
export const checksOfTheLicenceFailAt =
  'Checks of the licence fail at once, and its user sees the reason. You can reinstate it.';
export const toSuspendAtOnce = 'to suspend at once';
export const reinstate = 'Reinstate';
export const endsTheSuspensionAtOnce = 'Ends the suspension at once.';
export const toReinstateAtOnce = 'to reinstate at once';
export const changePlan = 'Change plan';
export const licencesThatRenewThemselvesGet =
  'Licences that renew themselves get another plan from their next renewal on.';
export const toMoveToThePlanAt = 'to move to the plan at their next renewal';
export const movedToThePlanFromTheir = 'moved to the plan from their next renewal on';
export const end = 'End';
export const endsExpiredLicencesAnEnded =
  'Ends expired licences. An ended licence cannot be restored.';
export const toEndNowThisCannotBe = 'to end now; this cannot be undone';
export const beingEnded = 'being ended';
export const whatToDo = 'What to do';
export const chooseAPlan = 'Choose a plan';
export const chooseThePlanOfLaterRenewals = 'Choose the plan of later renewals.';
export const reason = 'Reason';
export const giveAReason = 'Give a reason.';
export const usersPayInTheirWalletsAnd = (link: ReactNode) => (
  <>Users pay in their wallets, and you complete the renewals: {link}.</>
);
export const toTheRenewals = 'to the renewals';
export const theAuditLogKeepsTheAct =
  'The audit log keeps the act and its reason. The list shows the current licences.';
export const leftOut = 'Left out';
export const close = 'Close';
export const licenceWithoutAReference = 'Licence without a reference';
export const validUntilTime = (time: ReactNode) => <>valid until {time}</>;
export const actOnLicences = 'Act on licences';
export const on = (licences: ReactNode) => <>On {licences}.</>;
export const waitsForPayment = 'Waits for payment';
export const payTheRenewal = 'Pay the renewal';
export const notPaidInTimeWithdrawThe = 'Not paid in time: withdraw the renewal';
export const tooLateToPay = 'Too late to pay';
export const paidCompleteTheRenewal = 'Paid: complete the renewal';
export const paidTheProviderCompletesIt = 'Paid: the provider completes it';
export const paymentDiffersSeeTheRenewal = 'Payment differs: see the renewal';
export const withdrawTheExpiredRenewal = 'Withdraw the expired renewal';
export const theRenewalExpired = 'The renewal expired';
export const renewalUnderWay = 'Renewal under way';
export const areReservedForYou = (fee: string) => `${fee} are reserved for you.`;
export const completeTheRenewal = 'Complete the renewal';
export const completeTheRenewalBeforeIts =
  'Complete the renewal before its deadline: you get the fee, and the licence is extended.';
export const youHaveReserved = (fee: string) => `You have reserved ${fee}.`;
export const seeTheRenewal = 'See the renewal';
export const theProviderCompletesTheRenewal =
  'The provider completes the renewal. You need to do nothing else.';
export const aRenewalForWaitsForPayment = (fee: string) =>
  `A renewal for ${fee} waits for payment.`;
export const aRenewalForIsToBe = (fee: string) => `A renewal for ${fee} is to be paid.`;
export const payIt = 'Pay it';
export const payInYourWalletBeforeThe =
  'Pay in your wallet before the deadline to extend the licence.';
export const aRenewalIsOpen = 'A renewal is open.';
export const theLicenceIsInItsTrial = 'The licence is in its trial.';
export const theLicenceIsNotActiveYet = 'The licence is not active yet.';
export const theLicenceHasExpired = 'The licence has expired.';
export const afterTheTrialItIsValid =
  'After the trial it is valid once its first renewal is completed.';
export const aNewLicenceIsValidOnce = 'A new licence is valid once its first renewal is completed.';
export const offerRenewalOrEndTheLicence = 'Offer renewal, or end the licence.';
export const theProviderMayOfferARenewal =
  'The provider may offer a renewal. You can ask for one in a comment below.';
export const notKnownAnyLicenceWithThis = 'not known: any licence with this number is possible';
export const endLicence = 'End licence';
export const endLicenceOf = (licenseName: string) => `End licence ${licenseName}`;
export const licenceEnded = 'Licence ended.';
export const theLicenceEndsForBothSides =
  'The licence ends for both sides and cannot be restored: its contract is archived on the ledger.';
export const nameThisUser = 'Name this user';
export const accepted = (terms: ReactNode, hash: ReactNode, time: ReactNode) => (
  <>
    {terms} {hash}, accepted {time}
  </>
);
export const sha256OfTheTerms = 'SHA-256 of the terms';
export const trialUntil = 'Trial until';
export const validUntil = 'Valid until';
export const wasValidUntil = 'Was valid until';
export const facts = 'Facts';
export const customer = 'Customer';
export const user = 'User';
export const provider = 'Provider';
export const number = 'Number';
export const plan = 'Plan';
export const terms = 'Terms';
export const contract = 'Contract';
export const contractId = 'contract ID';
export const details = 'Details';
export const receipt = 'Receipt';
export const licenceNamed = (licenseName: string) => `Licence ${licenseName}`;
export const licences = 'Licences';
export const licence = 'Licence';
export const state = 'State';
export const next = 'Next';
export const anyTime = 'Any time';
export const alreadyExpired = 'Already expired';
export const withinADay = 'Within a day';
export const withinAWeek = 'Within a week';
export const within30Days = 'Within 30 days';
export const within90Days = 'Within 90 days';
export const current = 'Current';
export const valid = 'Valid';
export const trial = 'Trial';
export const expired = 'Expired';
export const notActiveYet = 'Not active yet';
export const suspended = 'Suspended';
export const offeringRenewal = 'Offering renewal';
export const ending = 'Ending';
export const ended = 'Ended';
export const noLicenceMatches = 'No licence matches.';
export const showAllLicences = 'Show all licences';
export const thereAreNoLicences = 'There are no licences.';
export const licencesAreCreatedOnAn = 'Licences are created on an installation.';
export const requestAnInstallationFirstThe =
  'Request an installation first. The provider then creates your licences.';
export const toTheInstallations = 'To the installations';
export const requestAnInstallation = 'Request an installation';
export const setAFilterFirst = 'Set a filter first';
export const endedLicencesAllowNoActions = 'Ended licences allow no actions';
export const selectTheRowsThisFilterCovers = 'Select the rows: this filter covers only this page';
export const expiringIn30Days = 'Expiring in 30 days';
export const expires = 'Expires';
export const allLicencesThatMatchTheFilter = 'all licences that match the filter';
export const actOnAllOfThese = 'Act on all of these';
export const theLicencesThatYouHaveSold = 'The licences that you have sold.';
export const theLicencesThatYouHaveBought = 'The licences that you have bought.';
export const atMostAtOnce = (actMax: number) => `At most ${actMax} at once`;
export const actOnTheSelected = 'Act on the selected';
export const suspendLicence = 'Suspend licence';
export const withinFiveMinutesTenureTells =
  'Within five minutes, Tenure tells programs that the licence is not valid. The contract on the ledger does not change. You can reinstate the licence at any time.';
export const reinstateLicence = 'Reinstate licence';
export const tenureTellsProgramsThatThe =
  'Tenure tells programs that the licence is valid again, if it has not expired.';
export const actOnLicence = (verb: string, licenseName: string) => `${verb} licence ${licenseName}`;
export const theUserSeesTheReasonToo = 'The user sees the reason too.';
export const theLicenceIsSuspended = 'The licence is suspended.';
export const since = (time: ReactNode, reason: string) => (
  <>
    Since {time}: {reason}
  </>
);
export const tenureTellsProgramsThatTheLicence =
  'Tenure tells programs that the licence is not valid. Reinstate the licence when the cause is settled.';
export const tenureTellsProgramsThatTheLicenceIs =
  'Tenure tells programs that the licence is not valid. Ask the provider in a comment below.';
/** These complete a number that is shown before them. */
export const licencesTo = (count: number, act: string) =>
  `${plural(count, { one: 'licence', other: 'licences' })} ${act}`;
export const licencesDid = (count: number, did: string) =>
  `${counted(count, 'licence', 'licences')} ${did}`;
export const selectedLicences = (count: number) =>
  counted(count, 'selected licence', 'selected licences');
export const openRenewals = (count: number) =>
  plural(count, { one: 'Open renewal', other: 'Open renewals' });
export const keptInTheAuditLog = 'Kept in the audit log.';
export const keptAndShown = 'Kept in the audit log, and shown to the users.';
