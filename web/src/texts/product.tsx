import type { ReactNode } from 'react';
import { counted } from './intl.ts';

/* Texts of the pages for customers, payments and statistics. */

export const party = 'Party';
export const theUserOnTheLedgerHint = 'The user on the ledger: hint::fingerprint.';
export const name = 'Name';
export const theNameThatYouCallThe = 'The name that you call the customer by.';
export const shortName = 'Short name';
export const referencesOfNewLicencesBegin = 'References of new licences begin with it: ACME-0001.';
export const upTo16CapitalLettersAnd = 'Up to 16 capital letters and digits';
export const mailAddresses = 'Mail addresses';
export const separateSeveralAddressesBy = 'Separate several addresses by commas.';
export const separateSeveralAddressesByCommas = (count: number, unsubscribed: string) =>
  `Separate several addresses by commas. ${count} unsubscribed: ${unsubscribed}.`;
export const timeZone = 'Time zone';
export const forExampleEuropeZurich = 'For example Europe/Zurich.';
export const language = 'Language';
export const forExampleDeCh = 'For example de-CH.';
export const note = 'Note';
export const onlyProvidersSeeTheNote = 'Only providers see the note.';
export const addACustomer = 'Add a customer';
export const change = (name: string) => `Change ${name}`;
export const add = 'Add';
export const save = 'Save';
export const references = 'References';
export const theCustomersIdsInYourOther =
  'The customer’s IDs in your other systems, such as crm and 4711.';
export const customers = 'Customers';
export const licences = 'Licences';
export const licencesOf = (name: string) => `Licences of ${name}`;
export const changed = 'Changed';
export const noCustomerMatches = 'No customer matches.';
export const showAllCustomers = 'Show all customers';
export const youHaveNoCustomersYet = 'You have no customers yet.';
export const addACustomerAndLicencesShow =
  'Add a customer, and licences show its name instead of the party ID.';
export const thePartiesThatYouSellTo =
  'The parties that you sell to, with names and addresses. Tenure writes none of this to the ledger.';
export const nameReferenceOrParty = 'Name, reference or party';
export const thisPageIsForTheProvider = 'This page is for the provider only.';
export const youHaveSignedInForAnother = (link: ReactNode) => (
  <>You have signed in for another party. {link}</>
);
export const toYourFirstPage = 'To your first page';
export const payments = 'Payments';
export const requested = 'Requested';
export const setAside = 'Set aside';
export const settled = 'Settled';
export const withdrawn = 'Withdrawn';
export const declined = 'Declined';
export const any = 'Any';
export const anyTime = 'Any time';
export const inTheLastWeek = 'In the last week';
export const inTheLast30Days = 'In the last 30 days';
export const inTheLast90Days = 'In the last 90 days';
export const inTheLastYear = 'In the last year';
export const noNumberYet = 'No number yet';
export const receiptOf = (receiptNo: number | undefined) => `Receipt ${receiptNo}`;
export const licence = 'Licence';
export const customer = 'Customer';
export const onlyThisCustomer = (user: string) => `${user}\nOnly this customer`;
export const state = 'State';
export const amount = 'Amount';
export const receipt = 'Receipt';
export const plan = 'Plan';
export const version = (id: string, version: number) => `${id}, version ${version}`;
export const ended = 'Ended';
export const paidIn12Months = (id: string) => `Paid in 12 months, ${id}`;
export const inPayments = (paid: string, count: number) =>
  `${paid} in ${counted(count, 'payment', 'payments')}`;
export const nothingWasPaidToYouIn = 'Nothing was paid to you in the last 12 months.';
export const noPaymentMatches = 'No payment matches.';
export const showAllPayments = 'Show all payments';
export const thereAreNoPaymentsYet = 'There are no payments yet.';
export const aPaymentBeginsWhenYouOffer = (link: ReactNode) => (
  <>A payment begins when you offer a renewal of a licence. {link}</>
);
export const toTheLicences = 'To the licences';
export const toBePaid = 'To be paid';
export const settledIn30Days = 'Settled in 30 days';
export const requestedAndPaidRenewalsA =
  'Requested and paid renewals. A payment is shown here within 30 seconds.';
export const statistics = 'Statistics';
export const theLast90Days = 'The last 90 days';
export const theLastYear = 'The last year';
export const theLastThreeYears = 'The last three years';
export const now = 'Now';
export const activeLicences = 'Active licences';
export const expiringIn30Days = 'Expiring in 30 days';
export const inATrial = 'In a trial';
export const pastDue = 'Past due';
export const notActiveYet = 'Not active yet';
export const yourLicencesAndRevenueByMonth =
  'Your licences and revenue by month. The newest month is not complete.';
export const revenue = 'Revenue';
export const time = 'Time';
export const thereIsNoMonthInThis = 'There is no month in this range.';
export const licencesByMonth = 'Licences by month';
export const revenueByMonth = 'Revenue by month';
export const nothingWasPaidInThisTime = 'Nothing was paid in this time.';
export const aCompletedRenewalIsShownHere = 'A completed renewal is shown here within 30 seconds.';
