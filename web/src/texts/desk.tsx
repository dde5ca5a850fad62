import type { ReactNode } from 'react';
import { counted, numberText, plural } from './intl.ts';

/* Texts of the lists of the operations desk. */

export const toDo = (left: number) => `${left} to do`;
export const notDone = (left: number) => `${left} not done`;
export const processed = 'Processed';
export const doneRefused = (done: number, refused: number, notDone: string) =>
  `${done} done, ${refused} refused, ${notDone}`;
export const doneCount = (done: number) => `${done} done`;
export const refusedCount = (refused: number) => `${refused} refused`;
export const noneWasRefused = 'None was refused.';
export const oneOfThemGotThisAnswer = (reason: string) => `One of them got this answer: ${reason}`;
export const operationsThatMatchTheFilter = 'Operations that match the filter now';
export const retriesSinceThen = 'Retries since then';
export const theSameFilterInAnyState = 'The same filter in any state';
export const eachOperationListsThisActAnd =
  'Each operation lists this act and its reason under “Operator actions”.';
export const bulkActs = 'Bulk acts';
export const theActHasEnded = 'The act has ended';
export const stop = 'Stop';
export const progress = 'Progress';
export const on = 'On';
export const reason = 'Reason';
export const by = 'By';
export const forWord = 'For';
export const applied = 'Applied';
export const over = 'Over';
export const refusedOperations = 'Refused operations';
export const results = 'Results';
export const stopThisAct = 'Stop this act';
export const noFurtherOperationsAre =
  'No further operations are processed. Finished ones stay as they are.';
export const bulkAct = 'Bulk act';
export const state = 'State';
export const act = 'Act';
export const onFilter = (filter: string) => `on ${filter}`;
export const actsOnAllOperationsThatMatch =
  'Acts on all operations that match a filter. Each act is recorded at once, and its operations are processed in order.';
export const thereAreNoBulkActsYet = 'There are no bulk acts yet.';
export const filterTheOrChooseAAnd = (link: ReactNode, link2: ReactNode) => (
  <>
    Filter the {link}, or choose a {link2}, and act on all of them.
  </>
);
export const operationsLink = 'operations';
export const failureLink = 'failure';
export const titleByAt = (title: ReactNode, person: ReactNode, time: ReactNode) => (
  <>
    {title} by {person}, {time}
  </>
);
export const giveAReasonTheAuditLog = 'Give a reason. The audit log keeps the reason.';
export const actOnAllOfThese = 'Act on all of these';
export const onOnAllPages = (filter: ReactNode) => <>On {filter}, on all pages.</>;
export const showsWhetherItIsThere = (link: ReactNode) => <>{link} shows whether it is there.</>;
export const retry = 'Retry';
export const operationsThatEndedWithout =
  'Operations that ended without effect are done again, each as a new operation.';
export const cancel = 'Cancel';
export const operationsThatHaveNotTaken = 'Operations that have not taken effect are cancelled.';
export const decide = 'Decide';
export const operationsInDoubtAllGetThe = 'Operations in doubt all get the same decision.';
export const whatToDo = 'What to do';
export const oneDecisionForAllOfThem = 'One decision for all of them';
export const eachOperationIsStillCheckedA =
  'Each operation is still checked: a decision that the ledger contradicts is refused.';
export const decision = 'Decision';
export const theAuditLogKeepsTheReason = 'The audit log keeps the reason for each operation.';
export const decideTheOutcome = 'Decide the outcome';
export const chooseAnOutcome = 'Choose an outcome.';
export const outcome = 'Outcome';
export const updateId = 'Update ID';
export const theLedgerUpdateOfTheOperation =
  'The ledger update of the operation, if the query store has it. The caller then gets its result. Leave empty if unknown.';
export const anAttemptMayStillTakeEffect = 'An attempt may still take effect';
export const theDecisionIsRefusedUntilThe = (deadline: ReactNode) => (
  <>The decision is refused until the ledger’s time is later than: {deadline}.</>
);
export const passedByThisClock = 'passed, by this clock';
export const waits: Readonly<Record<string, string>> = {
  mailbox: 'its turn',
  queue: 'a worker',
  ledger: 'the ledger’s answer',
  registry: 'the token registry',
  participant: 'its participant',
  backoff: 'the next try',
  traffic: 'traffic on the network',
  projection: 'the query store',
  lease: 'a lease',
  person: 'a decision',
  pause: 'the end of a pause',
  behind: 'a participant that is behind',
  quiet: 'a participant that is silent',
  gone: 'a participant that has left',
  clock: 'clocks that agree',
  replay: 'what the ledger tells after a restart of the database',
  foreign: 'a person: the ledger is another one',
};
export const inDoubt = 'In doubt';
export const retrying = 'Retrying';
export const submitting = 'Submitting';
export const queued = 'Queued';
export const failed = 'Failed';
export const rejected = 'Rejected';
export const cancelled = 'Cancelled';
export const succeeded = 'Succeeded';
export const refusedFinally = 'Refused finally';
export const outcomeUnknown = 'Outcome unknown';
export const conflict = 'Conflict';
export const contractNotActive = 'Contract not active';
export const earlierAttemptUnderWay = 'Earlier attempt under way';
export const noTrafficLeft = 'No traffic left';
export const ledgerIsBusy = 'Ledger is busy';
export const credentialsRefused = 'Credentials refused';
export const tookEffect = 'Took effect';
export const anyOrigin = 'Any origin';
export const expiryPolicy = 'Expiry policy';
export const renewalPolicy = 'Renewal policy';
export const installRequests = 'Install requests';
export const installations = 'Installations';
export const licences = 'Licences';
export const renewals = 'Renewals';
export const accepted = 'Accepted';
export const refused = 'Refused';
export const unknown = 'Unknown';
export const noAnswerYet = 'No answer yet';
export const itTookEffect = 'It took effect';
export const theLedgerAcceptedOneOfThe =
  'The ledger accepted one of the attempts. The operation succeeds.';
export const itTookNoEffect = 'It took no effect';
export const theLedgerAcceptedNoAttemptAnd =
  'The ledger accepted no attempt and will accept none. The operation fails, and the next one starts.';
export const submitItAgain = 'Submit it again';
export const theLedgerAcceptedNoAttemptAndWill =
  'The ledger accepted no attempt and will accept none. The operation is submitted again, and can take effect once.';
export const open = 'Open';
export const resolved = 'Resolved';
export const ignored = 'Ignored';
export const running = 'Running';
export const done = 'Done';
export const stopped = 'Stopped';
export const waiting = 'Waiting';
export const fired = 'Fired';
export const givenUp = 'Given up';
export const licenceExpires = 'Licence expires';
export const renewalCloses = 'Renewal closes';
export const resolve = 'Resolve';
export const theCauseIsFixedTheFailure =
  'The cause is fixed. The failure opens again if it happens again.';
export const ignore = 'Ignore';
export const theFailureStaysIgnoredEvenIf = 'The failure stays ignored, even if it happens again.';
export const reopen = 'Reopen';
export const theFailureIsListedAsOpen = 'The failure is listed as open again.';
export const thisFailure = (verb: string) => `${verb} this failure`;
export const thisAppliesToAllOperatorsOf = (meaning: string) =>
  `${meaning} This applies to all operators of your party.`;
export const happenedAgainAfterItWas = (time: ReactNode) => (
  <>Happened again after it was resolved {time}</>
);
export const retryIt = 'Retry it';
export const retryAll = (count: string) => `Retry all ${count}`;
export const eachOfTheseHasItsOwn = 'Each of these has its own reason, written by a person.';
export const lastFirstTheLastOne = (time: ReactNode, time2: ReactNode, link: ReactNode) => (
  <>
    Last {time}, first {time2}. The last one: {link}
  </>
);
export const all = 'All';
export const noFailureIsOpen = 'No failure is open.';
export const noFailureMatches = 'No failure matches.';
export const operationsThatFailedFinallyAre =
  'Operations that failed finally are grouped here by cause.';
export const chooseOtherFilters = 'Choose other filters.';
export const failures = 'Failures';
export const failedOperationsGroupedByCause =
  'Failed operations, grouped by cause, the most recent first.';
export const shown = 'Shown';
export const operation = 'Operation';
export const any = 'Any';
export const eachOperationIsListedUnder = (link: ReactNode) => (
  <>Each operation is listed under {link}.</>
);
export const operations = 'Operations';
export const commandId = 'Command ID';
export const addToMatchTheBeginning = 'Add * to match the beginning';
export const lifecycleId = 'Lifecycle ID';
export const orAnyContractIdThatThe = 'Or any contract ID that the lifecycle had';
export const contractId = 'Contract ID';
export const aContractThatAnAttemptNamed = 'A contract that an attempt named';
export const party = 'Party';
export const theCompletePartyHint = 'The complete party: hint::fingerprint';
export const code = 'Code';
export const tenuresOrTheLedgersSuchAs = 'Tenure’s or the ledger’s, such as LEDGER_REFUSED';
export const requestedBy = 'Requested by';
export const theIdentityTenureStandsForA = 'The identity; tenure stands for a policy';
export const failure = 'Failure';
export const theFingerprintOfAFailure = 'The fingerprint of a failure';
export const identifier = 'Identifier';
export const what = 'What';
export const is = 'Is';
export const filter = 'Filter';
export const whenAndByWhom = 'When and by whom';
export const acceptedWithin = 'Accepted within';
export const acceptedBefore = 'Accepted before';
export const filters = 'Filters';
export const answer = 'Answer';
export const order = 'Order';
export const newestFirst = 'Newest first';
export const oldestFirst = 'Oldest first';
export const lifecycle = 'Lifecycle';
export const contract = 'Contract';
export const command = 'Command';
export const olderThan = 'Older than';
export const newerThan = 'Newer than';
export const policy = 'Policy';
export const allOperations = 'all operations';
export const or = ' or ';
export const startedBefore = 'Started before';
export const hintFingerprint = 'hint::fingerprint';
export const renewalOf = (licenseNum: number) => `Renewal of № ${licenseNum}`;
export const inThisStateSince = 'In this state since';
export const user = 'User';
export const started = 'Started';
export const validUntil = 'Valid until';
export const allOfIt = 'all of it';
export const kind = 'Kind';
export const lifecycles = 'Lifecycles';
export const noLifecycleMatches = 'No lifecycle matches.';
export const onlyActiveLifecyclesAreCounted = 'Only active lifecycles are counted and listed.';
export const activeLifecyclesByStateSelectA =
  'Active lifecycles by state. Select a state to list its lifecycles, the oldest first.';
export const byState = (kind: string) => `${kind}, by state`;
export const waitsFor = (what: ReactNode) => <>Waits for {what}</>;
export const since = (time: ReactNode) => <>, since {time}</>;
export const took = (span: string) => `took ${span}`;
export const waitOrResult = 'Wait or result';
export const attempts = 'Attempts';
export const openForAnHour = 'Open for an hour';
export const failedToday = 'Failed today';
export const mine = 'Mine';
export const noOperationMatches = 'No operation matches.';
export const thereAreNoOperationsYet = 'There are no operations yet.';
export const removeAFilterOrChooseAnother = 'Remove a filter, or choose another view.';
export const eachActionOnALicenceOr =
  'Each action on a licence or an installation is listed here as an operation.';
export const allRequestsToChangeTheLedger =
  'All requests to change the ledger, with what they wait for and how they ended.';
export const setAFilterFirst = 'Set a filter first';
export const hours24 = '24 hours';
export const days7 = '7 days';
export const days30 = '30 days';
export const days90 = '90 days';
export const failedOrRejected = 'Failed or rejected';
export const noneFinished = 'none finished';
export const ofTheFinished = (count: string) => `${count} of the finished`;
export const from = (at: string, counts: string) => `From ${at}: ${counts}`;
export const hour = 'Hour';
export const dayUtc = 'Day, UTC';
export const theNewestFirst = (title: string) => `${title}, the newest first`;
export const anHour = (count: string) => `${count} an hour`;
export const medianDuration = 'Median duration';
export const tooFewHaveSucceeded = 'too few have succeeded';
export const withinOfTheLast90 = (mostMs: string, count: number) =>
  `90 % within ${mostMs}, of the last ${count}`;
export const rates = 'Rates';
export const theLast = (words: string) => `The last ${words}`;
export const range = 'Range';
export const thereWasNoOperationInThis = 'There was no operation in this time.';
export const restartThisTimer = 'Restart this timer';
export const restart = 'Restart';
export const ifItsPolicyIsOnThe =
  'If its policy is on, the policy starts again at once, with the full number of attempts.';
export const operationsByState = 'Operations by state';
export const licence = (licenseNum: number) => `Licence № ${licenseNum}`;
export const itsOperation = 'its operation';
export const expiredNoPolicyActedOnIt = 'Expired; no policy acted on it.';
export const notBefore = (time: ReactNode) => <>; not before {time}</>;
export const licenceOrRenewal = 'Licence or renewal';
export const expires = 'Expires';
export const next = 'Next';
export const anyState = 'Any state';
export const anyKind = 'Any kind';
export const forTheProvidersOperators = 'For the provider’s operators';
export const timers = 'Timers';
export const whenLicencesExpireAndRenewals =
  'When licences expire and renewals close, by the ledger’s time. A policy acts on expired ones.';
export const noTimerMatches = 'No timer matches.';
export const eachLicenceHasOneThatSays =
  'Each licence has one that says when it expires, and each renewal when it closes.';
export const actOn = (verb: string, count: number) =>
  `${verb}: ${counted(count, 'operation', 'operations')}`;
export const decisionOn = (verb: string, decision: string, count: number) =>
  `${verb} “${decision}”: ${counted(count, 'operation', 'operations')}`;
/** These complete a number that is shown before them. */
export const operationsTo = (count: number, verb: string) =>
  `${plural(count, { one: 'operation', other: 'operations' })} to ${verb}`;
export const operationsToDecideAs = (count: number, decision: string) =>
  `${operationsTo(count, 'decide')} as “${decision}”`;
export const ofItsOperationsHaveFailed = (count: number) =>
  `${numberText(count)} of its operations ${plural(count, { one: 'has', other: 'have' })} failed`;
export const noneWord = 'none';
export const operationsByHour = 'Operations by the hour of acceptance';
export const operationsByDay = 'Operations by the day of acceptance';
export const byWithReason = (person: ReactNode, time: ReactNode, reason: string) => (
  <>
    {' '}
    by {person}, {time}: “{reason}”
  </>
);
