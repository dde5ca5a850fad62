import type { ReactNode } from 'react';

/* Texts of the pages for installations and for their requests. */

export const requestAnInstallation = 'Request an installation';
export const ask = 'Ask';
export const requestSent = 'Request sent.';
export const seeTheRequest = 'See the request';
export const theProviderReadsThisRequestAnd =
  'The provider reads this request, and accepts or rejects it.';
export const details = 'Details';
export const forExampleYourReasonYouAnd =
  'For example your reason. You and the provider can read it on the ledger.';
export const createLicenceOfThis = (next: number) => `Create licence ${next} of this installation`;
export const createALicence = 'Create a licence';
export const create = 'Create';
export const licenceCreated = 'Licence created.';
export const toTheLicence = 'To the licence';
export const aNewLicenceIsNotActive =
  'A new licence is not active yet. It becomes valid with the trial of its plan, or when its first renewal is paid and completed.';
export const noPlan = 'No plan';
export const theLicenceKeepsThisVersionOf = 'The licence keeps this version of the plan.';
export const forExampleAnOrderNumberBoth =
  'For example an order number. Both sides can read it on the ledger.';
export const cancel = 'Cancel';
export const cancelTheInstallation = 'Cancel the installation';
export const installationCancelled = 'Installation cancelled.';
export const noMoreLicencesCanBeCreated =
  'No more licences can be created on this installation. Its existing licences continue until they end.';
export const thisInstallationHasNoLicence = 'This installation has no licence yet.';
export const createTheFirstOne = 'Create the first one.';
export const theProviderCreatesLicencesYou =
  'The provider creates licences. You find them under Licences.';
export const installation = 'Installation';
export const installations = 'Installations';
export const installationOf = (name: string) => `Installation of ${name}`;
export const facts = 'Facts';
export const licencesOfThisUser = 'Licences of this user';
export const yourLicences = 'Your licences';
export const customer = 'Customer';
export const user = 'User';
export const provider = 'Provider';
export const licencesCreated = 'Licences created';
export const contract = 'Contract';
export const contractId = 'contract ID';
export const installationBy = (partyName: string) => `Installation by ${partyName}`;
export const state = 'State';
export const youCreateLicencesOn =
  'You create licences on installations. Each accepted request becomes an installation.';
export const theProviderCreatesYourLicences = 'The provider creates your licences on them.';
export const noInstallationMatches = 'No installation matches.';
export const thereAreNoInstallations = 'There are no installations.';
export const anAcceptedRequestBecomesAn = 'An accepted request becomes an installation.';
export const requestOneItIsListedHere =
  'Request one. It is listed here when the provider has accepted the request.';
export const toTheRequests = 'To the requests';
export const acceptTheRequest = 'Accept the request';
export const accept = 'Accept';
export const requestAccepted = 'Request accepted.';
export const toTheInstallation = 'To the installation';
export const theRequestBecomesAn =
  'The request becomes an installation, on which you create licences.';
export const detailsOfTheInstallation = 'Details of the installation';
export const theseDetailsStartWithThoseOf =
  'These details start with those of the request. They are written to the ledger, where both sides can read them.';
export const reject = 'Reject';
export const rejectTheRequest = 'Reject the request';
export const requestRejected = 'Request rejected.';
export const theRequestEndsTheUserMay = 'The request ends. The user may send another one.';
export const withdraw = 'Withdraw';
export const withdrawTheRequest = 'Withdraw the request';
export const requestWithdrawn = 'Request withdrawn.';
export const theRequestEndsBeforeThe =
  'The request ends before the provider decides. You may send another request.';
export const theOperationWasSentToThe = 'The operation was sent to the ledger.';
export const thePageShowsTheResultAs =
  'The page shows the result as soon as the ledger has answered.';
export const theUserWaitsForYourDecision = 'The user waits for your decision.';
export const acceptTheRequestToCreateAn =
  'Accept the request to create an installation, or reject it with a reason.';
export const theProviderDecidesTitle = 'The provider decides.';
export const youNeedToDoNothingUntil =
  'You need to do nothing until then. You may withdraw the request.';
export const requestForAnInstallation = 'Request for an installation';
export const requests = 'Requests';
export const toTheInstallations = 'To the installations';
export const detailsFromTheUser = 'Details from the user';
export const acceptOrRejectIt = 'Accept or reject it';
export const theProviderDecides = 'The provider decides';
export const beingAccepted = 'Being accepted';
export const beingRejected = 'Being rejected';
export const beingWithdrawn = 'Being withdrawn';
export const request = 'Request';
export const requestOf = (name: string) => `Request of ${name}`;
export const requestTo = (partyName: string) => `Request to ${partyName}`;
export const next = 'Next';
export const noRequestWaitsForYou = 'No request waits for you.';
export const usersRequestInstallationsYou =
  'Users request installations. You accept or reject their requests here.';
export const youHaveNoOpenRequest = 'You have no open request.';
export const requestAnInstallationWhenThe = (link: ReactNode) => (
  <>
    Request an installation. When the provider has accepted the request, you find it under {link},
    and licences can be created on it.
  </>
);
export const installationsWord = 'installations';
export const requestsOfUsersForAn = 'Requests of users for an installation.';
export const yourRequestsForAnInstallation = 'Your requests for an installation.';
export const noRequestMatches = 'No request matches.';
export const theProviderDecidesAboutIt = (link: ReactNode) => (
  <>{link}. The provider decides about it.</>
);
export const toOfferItsFirstRenewal = (link: ReactNode) => <>{link}, to offer its first renewal.</>;
export const toCreateItsFirstLicence = (link: ReactNode) => (
  <>{link}, to create its first licence.</>
);
