import type { ReactNode } from 'react';
import { counted, numberText, plural } from './intl.ts';

/* Texts of the page that shows what needs a person. */

export const accepted = (commandId: string, time: ReactNode) => (
  <>
    {commandId}, accepted {time}
  </>
);
export const inDoubt = 'In doubt';
export const theLedgerDoesNotShowWhether =
  'The ledger does not show whether these operations took effect. Find out and decide. Until then, later operations on the same contracts wait.';
export const allOperationsInDoubt = 'all operations in doubt';
export const decide = 'Decide…';
export const alarms = 'Alarms';
export const theseOperationsHaveWaitedToo =
  'These operations have waited too long for one thing. Check that thing.';
export const seeTheReason = 'See the reason';
export const longWaits = 'Long waits';
export const operationsThatHaveBeenOpenFor =
  'Operations that have been open for more than a minute, with what they wait for.';
export const allWaitingOperations = 'all waiting operations';
export const openFailures = 'Open failures';
export const operationsThatFailedFinally =
  'Operations that failed finally, grouped by cause. Fix the cause, then retry the group or mark it as resolved.';
export const allFailures = 'all failures';
export const retryAll = 'Retry all';
export const resolve = 'Resolve';
export const last = (time: ReactNode) => <>last {time}</>;
export const forTheProvidersOperators = 'For the provider’s operators';
export const stoppedTimers = 'Stopped timers';
export const thePolicyFailedTooOftenFor =
  'The policy failed too often for these timers, so it makes no further attempts. Fix the cause, then restart the timers.';
export const allStoppedTimers = 'all stopped timers';
export const restart = 'Restart';
export const operationsInDoubt = 'operations in doubt';
export const openFailuresWord = 'open failures';
export const longWaitsWord = 'long waits';
export const participantsInBackOff = 'participants in back-off';
export const streamsThatLag = 'streams that lag';
export const leasesWithoutAHolder = 'leases without a holder';
export const stoppedTimersWord = 'stopped timers';
export const failingWebhooks = 'failing webhooks';
export const streamsAndLeases = 'streams and leases';
export const pausedByAPerson = 'Paused by a person';
export const operationsThatThesePausesCover =
  'Operations that these pauses cover are accepted and wait. Resume what no longer needs a pause.';
export const resume = 'Resume';
export const since = (time: ReactNode) => <>since {time}</>;
export const triedAgain = (when: ReactNode) => <>. Tried again {when}</>;
export const now = 'now';
export const participantsInBackOffTitle = 'Participants in back-off';
export const tenureTriesTheseParticipants =
  'Tenure tries these participants again automatically. Their cause must be fixed at the participant.';
export const problemSince = (name: ReactNode, problem: string, time: ReactNode) => (
  <>
    {name} {problem}, since {time}
  </>
);
export const streamsThatLagTitle = 'Streams that lag';
export const tenureSeesLedgerUpdatesLateOr =
  'Tenure sees ledger updates late, or the participant does not answer.';
export const streamOf = (stream: ReactNode, participant: string) => (
  <>
    {stream} of {participant}
  </>
);
export const itsParticipantDoesNotAnswer = ': its participant does not answer';
export const behind = (span: string) => `, ${span} behind`;
export const leasesWithoutAHolderTitle = 'Leases without a holder';
export const noProcessDoesThisWorkNow =
  'No process does this work now. Check whether a process with the role is running.';
export const lastHeldByUntil = (lease: ReactNode, holder: string, time: ReactNode) => (
  <>
    {lease}, last held by {holder}, until {time}
  </>
);
export const failingWebhooksTitle = 'Failing webhooks';
export const theReceiversOfTheseWebhooksDo =
  'The receivers of these webhooks do not accept deliveries.';
export const allWebhooks = 'all webhooks';
export const deliveries = 'Deliveries';
export const noActionNeeded = 'No action needed.';
export const noOperationIsInDoubtOr = (time: ReactNode) => (
  <>
    No operation is in doubt or waits for long, no failure is open, and nothing is paused. Checked{' '}
    {time}.
  </>
);
export const noProblemsWith = (icon: ReactNode, parts: string) => (
  <>
    {icon} No problems with: {parts}.
  </>
);
export const belongToTheWholeDeploymentThe = (parts: string) =>
  `${parts} belong to the whole deployment; the provider’s operators take care of them.`;
export const checked = (time: ReactNode) => <>Checked {time}.</>;
export const somePartsCouldNotBeRead = 'Some parts could not be read';
export const nothingIsKnownAtTheMoment = (unavailable: string) =>
  `Nothing is known at the moment about: ${unavailable}. The page reads them again automatically.`;
export const needsAttention = 'Needs attention';
export const problemsThatNeedAPersonThe = 'Problems that need a person, the most serious first.';
export const waitsForSince = (what: ReactNode, time: ReactNode) => (
  <>
    Waits for {what}, since {time}
  </>
);
export const criticalWaitsForSince = (what: ReactNode, time: ReactNode) => (
  <>
    Critical: waits for {what}, since {time}
  </>
);
export const renewalOf = (licenseNum: number) => `Renewal of № ${licenseNum}`;
export const licence = (licenseNum: number) => `Licence № ${licenseNum}`;
export const closed = (time: ReactNode) => <>, closed {time}</>;
export const expired = (time: ReactNode) => <>, expired {time}</>;
export const waitForIt = (held: number) =>
  `, ${numberText(held)} ${plural(held, { one: 'waits', other: 'wait' })} for it`;
export const offsetsInBrackets = (count: number) => ` (${counted(count, 'offset', 'offsets')})`;
export const alarmsWord = 'alarms';
export const pausesWord = 'pauses';
