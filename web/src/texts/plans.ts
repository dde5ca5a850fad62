/* Texts of the pages for plans. */

export const amulet = 'Amulet';
export const aCalendarMonth = 'A calendar month';
export const aCalendarYear = 'A calendar year';
export const anotherTime = 'Another time';
export const period = 'Period';
export const theTimeThatOneFeeCovers = 'The time that one fee covers.';
export const timeOfOneFee = 'Time of one fee';
export const timeToPay = 'Time to pay';
export const howLongTheUserMayPay = 'How long the user may pay.';
export const timeToComplete = 'Time to complete';
export const longerThanTheTimeToPay = 'Longer than the time to pay.';
export const trial = 'Trial';
export const noPolicyEndsANewLicence = 'No policy ends a new licence during this time.';
export const grace = 'Grace';
export const noPolicyEndsAnExpiredLicence = 'No policy ends an expired licence during this time.';
export const offlineFiles = 'Offline files';
export const theLongestValidityOfALicence = 'The longest validity of a licence file.';
export const heartbeat = 'Heartbeat';
export const aMachineWithoutAHeartbeatFor =
  'A machine without a heartbeat for this time frees its seat.';
export const smallLettersDigitsAndHyphens =
  'Small letters, digits and hyphens. Contracts name the plan by it.';
export const name = 'Name';
export const theNameThatPeopleRead = 'The name that people read.';
export const fee = 'Fee';
export const forOnePeriodTheAmountIs =
  'For one period. The amount is kept exactly as you enter it.';
export const instrument = 'Instrument';
export const theTokenInWhichTheFee = 'The token in which the fee is paid.';
export const seats = 'Seats';
export const machinesAtATimeEmptyAny = 'Machines at a time. Empty: any number.';
export const changeSomethingFirstANew = 'Change something first: a new version must differ.';
export const newPlan = 'New plan';
export const newVersionOf = (name: string) => `New version of ${name}`;
export const addPlan = 'Add plan';
export const createVersion = 'Create version';
export const newLicencesGetVersionLicences = (version: number) =>
  `New licences get version ${version}. Licences that are already sold keep their version.`;
export const entitlements = 'Entitlements';
export const whatALicenceIncludesForExample =
  'What a licence includes, for example “projects” and 10. The contract contains the entitlements.';
export const version = 'Version';
export const anyNumber = 'Any number';
export const made = 'Made';
export const versionsOf = (name: string) => `Versions of ${name}`;
export const close = 'Close';
export const plans = 'Plans';
export const yourPermissionsDoNotInclude = 'Your permissions do not include “policy”.';
export const state = 'State';
export const onSale = 'On sale';
export const archived = 'Archived';
export const versionOf = (version: number) => `Version ${version}`;
export const change = 'Change';
export const newVersion = 'New version';
export const sale = 'Sale';
export const archive = 'Archive';
export const restore = 'Restore';
export const noNewLicenceIsSoldUnder =
  'No new licence is sold under the plan. Licences that have the plan keep it, and can be renewed under it.';
export const newLicencesCanBeSoldUnder = 'New licences can be sold under the plan again.';
export const thePlansThatYouSellA =
  'The plans that you sell. A change creates a new version; sold licences keep their version.';
export const showArchivedPlans = 'Show archived plans';
export const youHaveNoPlansYet = 'You have no plans yet.';
export const noPlanIsOnSale = 'No plan is on sale.';
export const createAPlanAndChooseIt =
  'Create a plan, and choose it when you create or renew a licence.';
export const actOnPlan = (verb: string, name: string) => `${verb} ${name}`;
