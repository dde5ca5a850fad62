import type { ReactNode } from 'react';

/* Texts of the frame of each page: navigation, palette, keys, connection, preferences. */

export const thisPageFailed = 'This page failed';
export const aPartOfTheApplicationCould = 'A part of the application could not be loaded.';
export const loadThePageAgainEverythingThat = (reason: string) =>
  `${reason} Load the page again. Everything that you have sent is kept and continues.`;
export const theServerDoesNotAnswerOr =
  'The server does not answer, or it runs another version now.';
export const thePageMayBeOlderThan = 'The page may be older than the server.';
export const loadAgain = 'Load again';
export const pageNotFound = 'Page not found';
export const thereIsNoPageAtThis = 'There is no page at this address.';
export const orFindSomethingWithCtrlK = (link: ReactNode) => (
  <>{link}, or find something with Ctrl K.</>
);
export const goToYourFirstPage = 'Go to your first page';
export const live = 'Live';
export const notLive = 'Not live';
export const reconnecting = ': reconnecting';
export const offline = 'Offline';
export const ledgerAway = 'Ledger away';
export const yourBrowserIsOffline = 'Your browser is offline.';
export const thePageShowsItsLastState =
  'The page shows its last state. Your changes are sent when the connection is back.';
export const theLedgerHasNotAnsweredFor = (span: string) =>
  `The ledger has not answered for ${span}.`;
export const yourChangesAreKeptAndAre =
  'Your changes are kept, and are sent when the ledger answers again.';
export const sending = 'Sending';
export const sent = 'Sent';
export const done = 'Done';
export const failed = 'Failed';
export const dismiss = (label: string) => `Dismiss ${label}`;
export const yourOperations = 'Your operations';
export const licenceNamed = (licenseName: string) => `Licence ${licenseName}`;
export const renewalOf = (licenseName: string) => `Renewal of ${licenseName}`;
export const installationOf = (name: string) => `Installation of ${name}`;
export const installation = 'Installation';
export const ctrlK = 'Ctrl K';
export const findAPageLifecycleContractId = 'Find a page, lifecycle, contract ID or command ID';
export const theSame = 'The same';
export const jK = 'j  k';
export const nextAndPreviousRow = 'Next and previous row';
export const enter = 'Enter';
export const openTheRow = 'Open the row';
export const esc = 'Esc';
export const closeADialog = 'Close a dialog';
export const theseKeys = 'These keys';
export const keys = 'Keys';
export const mine = 'Mine';
export const home = 'Home';
export const licences = 'Licences';
export const toPay = 'To pay';
export const subscriptions = 'Subscriptions';
export const installations = 'Installations';
export const requests = 'Requests';
export const customers = 'Customers';
export const renewals = 'Renewals';
export const payments = 'Payments';
export const statistics = 'Statistics';
export const settings = 'Settings';
export const plans = 'Plans';
export const policies = 'Policies';
export const webhooks = 'Webhooks';
export const tenants = 'Tenants';
export const desk = 'Desk';
export const needsAttention = 'Needs attention';
export const operations = 'Operations';
export const failures = 'Failures';
export const lifecycles = 'Lifecycles';
export const timers = 'Timers';
export const bulkActs = 'Bulk acts';
export const system = 'System';
export const streamsAndLeases = 'Streams and leases';
export const costs = 'Costs';
export const quotas = 'Quotas';
export const sessions = 'Sessions';
export const audit = 'Audit';
export const installRequest = 'Install request';
export const licence = 'Licence';
export const renewal = 'Renewal';
export const operation = 'Operation';
export const operationOnTheDesk = 'Operation on the desk';
export const find = 'Find';
export const pageLicenceNumberNameOrder = 'Page, licence number, name, order reference or ID';
export const results = 'Results';
export const searching = 'Searching…';
export const nothingFoundThatYouHave = 'Nothing found that you have permission to see.';
export const yourSessionIsAboutToEnd = 'Your session is about to end';
export const notYet = 'Not yet';
export const staySignedIn = 'Stay signed in';
export const yourSessionEnded = 'Your session ended';
export const signInAgainYouReturnTo =
  'Sign in again. You return to this page. Everything that you have sent continues.';
export const theme = 'Theme';
export const likeTheSystem = 'Like the system';
export const light = 'Light';
export const dark = 'Dark';
export const times = 'Times';
export const inMyTimeZone = 'In my time zone';
export const asOnTheLedger = 'As on the ledger';
export const rows = 'Rows';
export const comfortable = 'Comfortable';
export const compact = 'Compact';
export const user = 'User';
export const provider = 'Provider';
export const operator = 'Operator';
export const pages = 'Pages';
export const tenure = 'Tenure';
export const findMore = 'Find…';
export const whereYouAreSignedIn = 'Where you are signed in';
export const signOut = 'Sign out';
export const skipToContent = 'Skip to content';
export const theServerTakesNoMoreRequests = (retryAfterS: number | null) =>
  retryAfterS === null
    ? 'The server takes no more requests for a moment.'
    : `The server takes no more requests for ${retryAfterS} s.`;
export const itEndsBecauseItReachesIts = (end: ReactNode) => (
  <>
    It ends {end} because it reaches its maximum duration. Sign in again now, or continue until
    then. You return to this page.
  </>
);
export const itEndsBecauseItHasBeen = (end: ReactNode) => (
  <>It ends {end} because it has been idle.</>
);
export const utc = 'UTC';
export const goTo = (key: string) => `g ${key}`;
export const anotherPersonHasSignedIn = 'Another person has signed in.';
