import { counted } from './intl.ts';

/* Texts of the home pages of users and providers. */

export const wasOfferedARenewalFor = (fee: string) => `was offered a renewal for ${fee}`;
export const wasSuspended = (reason: string) => `was suspended: ${reason}`;
export const recentChanges = 'Recent changes';
export const nothingHasChangedYet = 'Nothing has changed yet.';
export const completeTheRenewalOf = (licenseName: string) =>
  `Complete the renewal of ${licenseName}`;
export const acceptOrRejectARequest = 'Accept or reject a request';
export const task = 'Task';
export const customer = 'Customer';
export const amount = 'Amount';
export const timeLeft = 'Time left';
export const over = 'Over';
export const toDo = 'To do';
export const theMostUrgentOf = (shown: number, count: number) =>
  `The ${shown} most urgent of ${count}`;
export const noRequestAndNoPaidRenewal = 'No request and no paid renewal waits for you.';
export const tasks = 'Tasks';
export const requestsToDecide = 'Requests to decide';
export const renewalsToComplete = 'Renewals to complete';
export const pastDue = 'Past due';
export const paidIn = (period: string) => `Paid in ${period}`;
export const activeLicences = 'Active licences';
export const andInATrial = (count: string) => `and ${count} in a trial`;
export const expiringIn30Days = 'Expiring in 30 days';
export const renewalRate = 'Renewal rate';
export const thisMonth = 'this month';
export const createAPlan = 'Create a plan';
export const aPlanHasAPriceAnd =
  'A plan has a price and a period. You choose it when you create a licence.';
export const acceptTheRequestOfAUser = 'Accept the request of a user';
export const aRequestWaitsForYou = 'A request waits for you.';
export const usersRequestInstallations = 'Users request installations.';
export const seeRequests = 'See requests';
export const createALicence = 'Create a licence';
export const youCreateLicencesOnThe = 'You create licences on the installation of a user.';
export const seeInstallations = 'See installations';
export const home = 'Home';
export const revenue = 'Revenue';
export const waitingForYou = 'Waiting for you';
export const licencesAndRevenue = 'Licences and revenue';
export const revenueByMonth = 'Revenue by month';
export const nothingWasPaidInTheLast = 'Nothing was paid in the last 12 months.';
export const licencesByMonth = 'Licences by month';
export const firstSteps = 'First steps';
export const licence = 'Licence';
export const state = 'State';
export const validUntil = 'Valid until';
export const payBy = 'Pay by';
export const next = 'Next';
export const payFor = (licenseName: string) => `Pay for ${licenseName}`;
export const pay = 'Pay';
export const numbersOfToday = 'Numbers of today';
export const toPay = 'To pay';
export const nothing = 'Nothing';
export const licencesThatYouCanUse = 'Licences that you can use';
export const requestAnInstallation = 'Request an installation';
export const theProviderAcceptsOrRejects = 'The provider accepts or rejects your request.';
export const theProviderAcceptsYourRequest = 'The provider accepts your request';
export const youSeeTheInstallationAsSoon = 'You see the installation as soon as it is accepted.';
export const theProviderCreatesYourLicence = 'The provider creates your licence';
export const theLicenceIsValidAfterIts =
  'The licence is valid after its first payment, or during its trial.';
export const allRenewals = 'All renewals';
export const toPayTheNextDeadlineFirst = 'To pay, the next deadline first';
export const yourLicences = 'Your licences';
export const allLicences = 'All licences';
export const yourLicencesTheNextEndFirst = 'Your licences, the next end first';
export const open = (count: string) => `${count} open`;
export const payments = (count: number) => counted(count, 'payment', 'payments');
/** How an offer of a renewal ended, after the name of its licence. */
export const ends: Readonly<Record<string, (fee: string) => string>> = {
  settled: (fee) => `was renewed for ${fee}`,
  withdrawn: (fee) => `has no offer any more: the provider withdrew the renewal for ${fee}`,
  rejected: (fee) => `was not renewed: you declined the renewal for ${fee}`,
};
