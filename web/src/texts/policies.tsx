import type { ReactNode } from 'react';
import { counted } from './intl.ts';

/* Texts of the page for policies. */

export const atOnce = 'At once';
export const within24Hours = 'Within 24 hours';
export const within30Days = 'Within 30 days';
export const ever = 'Ever';
export const ofTheseNeverRenewed = 'Of these, never renewed';
export const theFirstOfThem = 'The first of them';
export const saveAPolicyThatEndsLicences = 'Save a policy that ends licences';
export const anEndedLicenceCannotBeBrought = (ends: ReactNode) => (
  <>{ends} An ended licence cannot be brought back.</>
);
export const endTheThatWereNeverRenewed = (count: string) =>
  `End the ${count} that were never renewed, too`;
export const includeTheseLicencesHereOr =
  'Include these licences here, or exclude them in the policy.';
export const numberOfLicencesThatEnd = 'Number of licences that end';
export const typeToConfirm = (count: number) => `Type ${count} to confirm.`;
export const thePreviewCounted = (count: number) => `The preview counted ${count}.`;
export const reason = 'Reason';
export const theAuditLogKeepsTheReason = 'The audit log keeps the reason.';
export const giveAReasonTheAuditLog = 'Give a reason. The audit log keeps the reason.';
export const cancel = 'Cancel';
export const end = (count: string) => `End ${count}`;
export const offNoLicenceIsEnded = 'Off: no licence is ended automatically';
export const dryRunOnlyListLicencesThat = 'Dry run: only list licences that would end';
export const onEndLicencesThatAreDue = 'On: end licences that are due';
export const mode = 'Mode';
export const grace = 'Grace';
export const alsoLicencesThatWereNever = 'Also licences that were never renewed';
export const quietHours = 'Quiet hours';
export const paused = 'Paused';
export const enterAGracePeriod0Means = 'Enter a grace period; 0 means none.';
export const between1And1000Expiries = 'Between 1 and 1,000 expiries can run at the same time.';
export const quietHoursFromToTimesAre = (from: string, to: string) =>
  `Quiet hours from ${from} to ${to}: times are HH:MM, and differ.`;
export const gracePeriodAfterExpiry = 'Grace period after expiry';
export const maximumSimultaneousExpiries = 'Maximum simultaneous expiries';
export const alsoEndLicencesThatWereNever =
  'Also end licences that were never renewed (this includes new licences)';
export const pauseStartNoNewExpiriesRunning = 'Pause: start no new expiries; running ones finish';
export const thisPolicyIsNotInEffect = 'This policy is not in effect yet.';
export const undo = 'Undo';
export const thePolicyIsInEffectNow = 'The policy is in effect now.';
export const undoThisPolicy = 'Undo this policy';
export const thePreviousPolicyIsInEffect =
  'The previous policy is in effect again. No licence has ended yet.';
export const policies = 'Policies';
export const policiesEndExpiredLicencesAnd =
  'Policies end expired licences and complete paid renewals automatically. Before you save a policy, a preview shows which licences it ends. A delay before the first expiry lets you undo the policy.';
export const expiry = 'Expiry';
export const renewal = 'Renewal';
export const anotherPersonHasSavedThis = 'Another person has saved this policy in the meantime.';
export const takeTheSavedValues = 'Take the saved values';
export const keepMineAndOverwriteTheSaved = 'Keep mine, and overwrite the saved values';
export const saved = (others: string) => `saved: ${others}`;
export const yours = (mine: string) => `yours: ${mine}`;
export const thisFormNotSaved = (ends: ReactNode) => <>This form, not saved: {ends}</>;
export const chooseWhichValuesToKeep = 'Choose which values to keep.';
export const noChanges = 'No changes.';
export const save = 'Save';
export const discardChanges = 'Discard changes';
export const savedNow = 'Saved.';
export const due = 'Due';
export const later = 'Later';
export const notByThisPolicy = 'Not by this policy';
export const thePolicyIsOffNoLicence = 'The policy is off: no licence is ended automatically.';
export const theListShowsWhatThePolicy =
  'The list shows what the policy would do. Choose the dry run to list licences when they are due.';
export const dryRunNoLicenceEnds = 'Dry run: no licence ends.';
export const licencesThatAreDueWouldEnd = 'Licences that are due would end if the policy were on.';
export const thePolicyIsNotInEffect = 'The policy is not in effect yet.';
export const licencesThatAreDueEndAfter =
  'Licences that are due end after its start. Until then, you can undo the policy.';
export const thePolicyIsPaused = 'The policy is paused.';
export const noFurtherLicenceEndsLicences =
  'No further licence ends. Licences that are due wait until the pause ends.';
export const theseAreQuietHours = 'These are quiet hours.';
export const licencesThatAreDueWaitUntil =
  'Licences that are due wait until the quiet hours are over.';
export const licence = 'Licence';
export const user = 'User';
export const validUntil = 'Valid until';
export const ends = 'Ends';
export const when = 'When';
export const why = 'Why';
export const thePolicyIsOnLicencesThat = 'The policy is on: licences that are due end.';
export const thePolicyIsHeldBack = (by: string) => `The policy is held back: ${by}`;
export const licencesThatAreDueWait = 'Licences that are due wait.';
export const licencesThatTheSavedPolicyEnds = 'Licences that the saved policy ends';
export const licencesThatTheExpiryPolicy = 'Licences that the expiry policy ends';
export const noLicenceCanEnd = 'No licence can end.';
export const theSavedPolicyAffectsNoLicence = 'The saved policy affects no licence yet.';
export const theFeeIsPaidAsRequested = 'the fee is paid as requested';
export const completes = 'Completes';
export const waitsForYou = 'Waits for you';
export const itsDeadlineHasPassed = 'its deadline has passed';
export const isWithdrawn = 'Is withdrawn';
export const waitsForTheUser = 'Waits for the user';
export const thePaymentDiffersFromThe = 'the payment differs from the request';
export const renewalOf = 'Renewal of';
export const licenceOf = (licenseNum: number) => `Licence № ${licenseNum}`;
export const fee = 'Fee';
export const whatHappens = 'What happens';
export const effectOnOpenRenewals = 'Effect on open renewals';
export const renewalsThatWaitForPaymentDo = 'Renewals that wait for payment do not change.';
export const effectOfTheRenewalPolicy = 'Effect of the renewal policy';
export const youCannotChangeThisPolicy = 'You cannot change this policy.';
export const yourPermissionsDoNotInclude = (needs: string, link: ReactNode) => (
  <>
    Your permissions do not include “{needs}”. {link}
  </>
);
export const toYourFirstPage = 'To your first page';
export const thisPageIsForTheProvider = 'This page is for the provider only.';
export const youHaveSignedInForAnother = (link: ReactNode) => (
  <>You have signed in for another party. {link}</>
);
export const noLicenceIsEndedAutomatically =
  'No licence is ended automatically during quiet hours. If From is later than To, they extend past midnight. 24:00 is the end of the day.';
export const from = 'From';
export const to = 'To';
export const timeZone = 'Time zone';
export const removeTo = (from: string, to: string) => `Remove ${from} to ${to}`;
export const sixteenIsTheMaximum = 'Sixteen is the maximum.';
export const addQuietHours = 'Add quiet hours';
export const completePaidRenewals = 'Complete paid renewals';
export const withdrawExpiredRenewals = 'Withdraw expired renewals';
export const completeARenewalWhenTheFee =
  'Complete a renewal when the fee is paid exactly as requested';
export const withdrawARenewalThatWasNot =
  'Withdraw a renewal that was not paid before its deadline';
export const endsNone = {
  licenses: 'Ends no licences of today.',
  renewals: 'Ends no renewals of today.',
};
export const countOf = {
  licenses: (count: number) => counted(count, 'licence', 'licences'),
  renewals: (count: number) => counted(count, 'renewal', 'renewals'),
};
export const endsTheFirstAt = (what: ReactNode, time: ReactNode) => (
  <>
    Ends {what}, the first at {time}.
  </>
);
export const numberedLicenceOf = (licenseNum: number, user: string) => `№ ${licenseNum} of ${user}`;
export const neverRenewedLicenceOf = (licenseNum: number, user: string) =>
  `${numberedLicenceOf(licenseNum, user)}, never renewed`;
export const beforeTheFirstEnds = (left: ReactNode, count: number, reason: string | undefined) => (
  <>
    {left} before the first {count > 1 ? `of ${counted(count, 'licence', 'licences')}` : 'licence'}{' '}
    ends. {reason}
  </>
);
export const theFirstLicenceEndsAfter = (seconds: number) =>
  `The first licence ends after ${counted(seconds, 'second', 'seconds')}. Until then, you can undo the policy.`;
export const noRenewalIsPaidOrHas = 'No renewal is paid or has expired.';
export const noneOfTheFirst1000 = 'No renewal among the first 1,000 is paid or has expired.';
