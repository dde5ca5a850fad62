import type { ReactNode } from 'react';
import { counted } from './intl.ts';

/* Texts of the pages for the system: streams, costs, quotas, sessions and the audit log. */

export const words: Readonly<Record<string, string>> = {
  act: 'Did',
  subject: 'Who',
  object: 'To',
  since: 'Since',
};
export const whatWasDone = 'What was done';
export const whoDidIt = 'Who did it';
export const theIdentity = 'the identity';
export const toWhat = 'To what';
export const anIdOrPauseOperation = 'an ID, or pause:operation:…';
export const filters = 'Filters';
export const within = 'Within';
export const filter = 'Filter';
export const bulkAct = 'Bulk act';
export const when = 'When';
export const who = 'Who';
export const didWhat = 'Did what';
export const why = 'Why';
export const more = 'More';
export const audit = 'Audit';
export const whoDidWhatOnWhichObject = 'Who did what, on which object and why, newest first.';
export const actsOfPersons = 'Acts of persons';
export const noEntryMatches = 'No entry matches.';
export const thereAreNoEntriesYet = 'There are no entries yet.';
export const eachActThatRequiresAReason =
  'Each act that requires a reason is listed here with its reason.';
export const aDay = 'A day';
export const days7 = '7 days';
export const days30 = '30 days';
export const days90 = '90 days';
export const operation = 'Operation';
export const party = 'Party';
export const until = 'Until';
export const period = 'Period';
export const groupBy = 'Group by';
export const operations = 'Operations';
export const hintFingerprint = 'hint::fingerprint';
export const dayUtc = 'Day (UTC)';
export const traffic = 'Traffic';
export const trafficByDay = 'Traffic by day';
export const trafficInKbTo = (first: string, last: string) => `Traffic in kB, ${first} to ${last}`;
export const trafficByDayNewestFirst = 'Traffic by day, newest first';
export const attempts = 'Attempts';
export const each = 'Each';
export const unknown = 'Unknown';
export const trafficOnThisPage = 'Traffic on this page';
export const perOperation = 'Per operation';
export const attemptsWithoutAReportedCost = 'Attempts without a reported cost';
export const costs = 'Costs';
export const theTrafficThatOperationsUsedOn =
  'The traffic that operations used on the network, in bytes. Attempts without a reported cost are counted separately.';
export const thereWasNoAttemptInThis = 'There was no attempt in this time.';
export const chooseALongerTimeOrFewer = 'Choose a longer time, or fewer filters.';
/** The duties for which there are leases, in words. */
export const work: Readonly<Record<string, string>> = {
  projector: 'reads the ledger’s updates',
  clock: 'fires timers and starts the actions of policies',
  events: 'publishes events and delivers webhooks',
};
export const lease = 'Lease';
export const state = 'State';
export const held = 'Held';
export const notHeld = 'Not held';
export const holder = 'Holder';
export const process = 'Process';
export const processWord = 'process';
export const epoch = 'Epoch';
export const leases = 'Leases';
export const noLeaseHasBeenTakenYet = 'No lease has been taken yet.';
export const processesWithTheRolesProjector =
  'Processes with the roles projector and clock take them when they start.';
export const leasesAndTheirHolders = 'Leases and their holders';
export const drained = 'Drained';
export const paused = 'Paused';
export const backingOff = 'Backing off';
export const participantNamed = (name: string) => `Participant ${name}`;
export const what = 'What';
export const waitingOperations = 'Waiting operations';
export const since = 'Since';
export const by = 'By';
export const ends = 'Ends';
export const resume = 'Resume';
export const stopped = 'Stopped';
export const pauseOrDrainMore = 'Pause or drain…';
export const nothingIsPaused = 'Nothing is paused.';
export const pauseAParticipantBeforeYou =
  'Pause a participant before you upgrade it. No operation is lost.';
export const activePauses = 'Active pauses';
export const ofMb = (used: string, limit: string) => `${used} of ${limit} MB`;
export const tenant = 'Tenant';
export const openOperations = 'Open operations';
export const commentsTodayUtc = 'Comments today (UTC)';
export const webhooks = 'Webhooks';
export const trafficTodayUtc = 'Traffic today (UTC)';
export const quotas = 'Quotas';
export const whatEachTenantUsesAndHow =
  'What each tenant uses, and how much it may use. Requests beyond a quota are refused.';
export const quotasOfTenants = 'Quotas of tenants';
export const noTenantUsesAnything = 'No tenant uses anything.';
export const aTenantIsListedOnceIt =
  'A tenant is listed once it has open operations, comments or webhooks.';
export const subject = 'Subject';
export const theIdentityThatSignedIn = 'the identity that signed in';
export const person = 'Person';
export const signedIn = 'Signed in';
export const lastUsed = 'Last used';
export const action = 'Action';
export const endSession = 'End session';
export const endTheSessionOf = (name: string) => `End the session of ${name}`;
export const thisIsYourSessionInThis =
  'This is your session in this browser. You sign in again afterwards.';
export const thePersonSignsInAgainIn =
  'The person signs in again in that browser. Accepted operations continue.';
export const sessions = 'Sessions';
export const theBrowsersInWhichPersonsAre =
  'The browsers in which persons are signed in. A program with a token has no session.';
export const sessionsOfPersons = 'Sessions of persons';
export const noSessionMatches = 'No session matches.';
export const thePartyAndTheSubjectMust = 'The party and the subject must be complete.';
export const operationsThroughAParticipant = 'Operations through a participant';
export const oneKindOfOperation = 'One kind of operation';
export const allOperationsOfTheProvider = 'All operations of the provider';
export const pause = 'Pause';
export const noFurtherCommandIsSubmitted =
  'No further command is submitted. Submitted commands are followed to their end.';
export const drain = 'Drain';
export const operationsThatHaveStarted =
  'Operations that have started continue. No new operation starts.';
export const pauseOrDrain = 'Pause or drain';
export const thereIsNothingToChooseFrom = 'There is nothing to choose from yet.';
export const operationsAreStillAcceptedAnd =
  'Operations are still accepted, and wait until you resume.';
export const participant = 'Participant';
export const how = 'How';
export const noAnswer = 'No answer';
export const atTheEnd = 'At the end';
export const behind = 'Behind';
export const behindOf = (span: string) => `${span} behind`;
export const stream = 'Stream';
export const lag = 'Lag';
export const appliedOffset = 'Applied offset';
export const ledgerEnd = 'Ledger end';
export const newestOf = 'Newest of';
export const streams = 'Streams';
export const noStreamIsReadYet = 'No stream is read yet.';
export const aProcessWithTheRoleProjector =
  'A process with the role projector reads the streams. Check whether one is running.';
export const ledgerStreams = 'Ledger streams';
export const queueBoard = 'Queue board';
export const apiReference = 'API reference';
export const streamsAndLeases = 'Streams and leases';
export const progressOfTheLedgerStreamsThe =
  'Progress of the ledger streams, the holders of leases, and active pauses.';
export const thisPageIsForTheWhole = 'This page is for the whole deployment.';
export const streamsLeasesSynchronizersAnd =
  'Streams, leases, synchronizers and pauses belong to no tenant. The provider’s operators take care of them. The page of an operation shows if it waits for one of them.';
export const giveUpThisSynchronizer = 'Give up this synchronizer';
export const giveUp = 'Give up';
export const hasLeftAndWillNotReturn = (participant: string, synchronizer: ReactNode) => (
  <>
    {participant} has left {synchronizer}, and will not return to it.
  </>
);
export const tenureNoLongerWaitsForThe = 'Tenure no longer waits for the time of this synchronizer';
export const tenureAssumesThatUnanswered =
  'Tenure assumes that unanswered commands there did not take effect. This is refused while the participant is connected to the synchronizer or does not answer.';
export const synchronizer = 'Synchronizer';
export const synchronizerWord = 'synchronizer';
export const followed = 'Followed';
export const givenUp = 'Given up';
export const timeReportedUpTo = 'Time reported up to';
export const act = 'Act';
export const givenUpAlready = 'Given up already';
export const synchronizers = 'Synchronizers';
export const noParticipantHasReportedA = 'No participant has reported a synchronizer yet.';
export const synchronizersByParticipant = 'Synchronizers by participant';
export const unknownWord = 'unknown';
export const usedOf = (used: number, limit: number) => `${used} of ${limit}`;
export const sinceTime = (since: string) => `since ${since}`;
export const offsets = (count: number) => counted(count, 'offset', 'offsets');
