import type { ReactNode } from 'react';
import { counted, numberText } from './intl.ts';

/* Texts of the page of one operation. */

export const retryOf = (operationName: string) => `Retry: ${operationName}`;
export const retry = 'Retry';
export const aNewOperationDoesTheSame =
  'A new operation does the same for the same party. This operation stays as it is.';
export const cancelOf = (operationName: string) => `Cancel: ${operationName}`;
export const cancelOperation = 'Cancel operation';
export const theOperationEndsWithoutEffect =
  'The operation ends without effect, and the next one starts. The cancellation is refused if an attempt may still take effect.';
export const inDoubtDecideItFirst = 'In doubt: decide it first';
export const theOperationHasNotEnded = 'The operation has not ended';
export const theOperationHasSucceeded = 'The operation has succeeded';
export const aRetryIsAlreadyRunning = 'A retry is already running';
export const aRetryHasSucceeded = 'A retry has succeeded';
export const theOperationHasEnded = 'The operation has ended';
export const anAttemptIsRunning = 'An attempt is running';
export const forOperatorsOf = (decidedBy: string) => `For operators of ${decidedBy}`;
export const decide = 'Decide';
export const cancel = 'Cancel';
export const theQueryStoreHasNoneOf = 'The query store has none of these contracts.';
export const active = 'Active';
export const archived = 'Archived';
export const contractId = 'contract ID';
export const archivedAtOffset = (time: ReactNode, archivedAtOffset: number | undefined) => (
  <>
    archived {time}, at offset {archivedAtOffset}
  </>
);
export const inDoubtDidItTakeEffect = 'In doubt: did it take effect?';
export const whatIsKnownAndWhereTo = 'What is known, and where to look';
export const workflowIdOfItsUpdate = 'Workflow ID of its update';
export const workflowId = 'workflow ID';
export const onParticipant = 'On participant';
export const afterOffset = 'After offset';
export const actingAs = 'Acting as';
export const mayStillTakeEffect = 'May still take effect';
export const noLongerByThisClock = 'no longer, by this clock';
export const decidedByOperatorsOf = 'Decided by operators of';
export const attemptsWithoutAnAnswer = 'Attempts without an answer';
export const noneEachAttemptHasAnAnswer = 'None: each attempt has an answer.';
export const attemptSubmission = (n: number, time: ReactNode, id: ReactNode) => (
  <>
    Attempt {n}, {time}, submission {id}
  </>
);
export const submissionId = 'submission ID';
export const contractsThatTheyNamed = 'Contracts that they named';
export const sameLifecycle = 'Same lifecycle';
export const allOperations = 'all operations';
export const related = 'Related';
export const aRetryOf = 'A retry of';
export const retriedAs = 'Retried as';
export const sameFailure = 'Same failure';
export const operationsWithTheSameFailure = 'operations with the same failure';
export const theOperationBelongsToNo = 'The operation belongs to no lifecycle yet.';
export const what: Readonly<Record<string, string>> = {
  accepted: 'Accepted',
  queued: 'First in line',
  finished: 'Ended',
};
export const attempt = (n: number) => `Attempt ${n}`;
export const openFor = (span: string) => `for ${span}`;
export const endedIn = (span: string) => `in ${span}`;
export const throughAs = (participant: string, party: ReactNode) => (
  <>
    through {participant} as {party}
  </>
);
export const costOf = (cost: string) => `, cost ${cost}`;
export const offsetOf = (offset: number) => `, offset ${offset}`;
export const trySinceThoseBeforeSentNothing = (tries: number, time: ReactNode) => (
  <>
    , try {tries} since {time}: those before sent nothing
  </>
);
export const identifiers = 'Identifiers';
export const submission = (id: ReactNode) => <>Submission {id}</>;
export const contract = (id: ReactNode) => <>Contract {id}</>;
export const whatHappened = 'What happened';
export const newestFirstTheBarsLeaveOut = 'newest first; the bars leave out idle time';
export const nothingFor = (idleMs: string) => `nothing for ${idleMs}`;
export const thisIsUsual = 'This is usual.';
export const thisIsALittleLongerThan = 'This is a little longer than usual.';
export const thatIsTimesAsLongAs = (count: string) => `That is ${count} times as long as usual.`;
export const tooFewOperationsHaveSucceeded = (operationName: string) =>
  `Too few operations “${operationName}” have succeeded recently to show a usual duration.`;
export const thisOne = 'this one';
export const usual = 'usual';
export const usual90WithinFromAcceptanceTo = (
  medianMs: string,
  mostMs: string,
  count: number,
  operationName: string,
) =>
  `Usual: ${medianMs}, 90 % within ${mostMs}. From acceptance to the end, of the last ${count} of “${operationName}” that succeeded.`;
export const whyItWaits = 'Why it waits';
export const howLongItTook = 'How long it took';
export const itWaitsForSince = (what: ReactNode, time: ReactNode) => (
  <>
    It waits for {what}, since {time}
  </>
);
export const aboutToGoOn = 'about to go on';
export const theOperationIsTriedAgainBefore = (kind: string, time: ReactNode) => (
  <>
    The operation is tried again. Before that, it waited for {kind} since {time}, and it waits again
    if the attempt fails.
  </>
);
export const itTookFromAcceptanceToIts = (span: ReactNode) => (
  <>It took {span} from acceptance to its end, without an effect.</>
);
export const user = 'User';
export const provider = 'Provider';
export const accepted = 'Accepted';
export const ended = 'Ended';
export const took = 'Took';
export const cost = 'Cost';
export const policy = 'Policy';
export const policyVersion = (name: string, version: number, reason: string) =>
  `${name} v${version}: ${reason}`;
export const requestedBy = 'Requested by';
export const forParty = 'For';
export const commandId = 'Command ID';
export const commandIdWord = 'command ID';
export const operationId = 'Operation ID';
export const operationIdWord = 'operation ID';
export const httpStatusOfTheAnswer = 'HTTP status of the answer';
export const update = 'Update';
export const updateId = 'update ID';
export const offset = 'Offset';
export const bodyOfTheAnswer = 'Body of the answer';
export const operations = 'Operations';
export const result = 'Result';
export const facts = 'Facts';
export const operatorActions = 'Operator actions';
export const operation = 'Operation';
export const itHasBeenOpenFor = (span: ReactNode, compared: string | null) => (
  <>
    It has been open for {span}. {compared}
  </>
);
export const itTook = (span: ReactNode, compared: string | null) => (
  <>
    It took {span}. {compared}
  </>
);
export const costWithUnknown = (bytes: string, unknown: number) =>
  unknown === 0 ? bytes : `${bytes}, and ${numberText(unknown)} not reported by the ledger`;
export const showOlderOnes = (count: number) => `Show ${counted(count, 'older one', 'older ones')}`;
