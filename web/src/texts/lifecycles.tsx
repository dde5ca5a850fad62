import type { ReactNode } from 'react';
import { counted } from './intl.ts';

/* Texts of all pages of one lifecycle: its actions, comments and operations. */

export const notNow = 'Not now';
export const after = (pauseMs: string) => `after ${pauseMs}`;
export const attempt = (n: number, answer: string) => `Attempt ${n}: ${answer}`;
export const ledgerCode = (code: ReactNode) => <>ledger code {code}, </>;
export const submission = (id: ReactNode) => <>submission {id}</>;
export const submissionId = 'submission ID';
export const offsetOf = (offset: number) => `, offset ${offset}`;
export const nothingHasBeenSentToThe = 'Nothing has been sent to the ledger.';
export const provider = 'provider';
export const user = 'user';
export const writtenByAnotherProgramBelongs = (licenseNum: number) =>
  `written by another program: belongs to any licence № ${licenseNum}`;
export const notNowWord = 'not now';
export const commentAdded = 'Comment added.';
export const addAComment = 'Add a comment';
export const theOtherSideCanReadIt = 'The other side can read it. You cannot delete it.';
export const sentToTheLedger = 'Sent to the ledger';
export const changeAndTryAgain = 'Change and try again';
export const comment = 'Comment';
export const showOlderComments = (count: string) => `Show older comments (${count})`;
export const comments = 'Comments';
export const noComments = 'No comments.';
export const noCommentsYet = 'No comments yet.';
export const commentOnLicence = (license: string) => `Comment on licence ${license}`;
export const noFurtherActionsArePossible = (text: string) =>
  `${text} No further actions are possible.`;
export const byThePolicyOf = (policy: string) => `, by the ${policy} policy of`;
export const by = ', by ';
export const and = ' and ';
export const lifecycle = 'Lifecycle';
export const history = 'History';
export const details = 'Details';
export const theRequest = 'The request';
export const theInstallation = 'The installation';
export const theLicence = 'The licence';
export const theRenewal = 'The renewal';
export const lifecycleId = 'lifecycle ID';
export const theOperationTookEffectOnThe = 'The operation took effect on the ledger.';
export const exactlyOnceEvenIfItWas = 'Exactly once, even if it was sent repeatedly.';
export const theOperationDidNotTakeEffect =
  'The operation did not take effect, and is not tried again.';
export const theOperationIsRunning = 'The operation is running.';
export const tenureContinuesItAutomatically =
  'Tenure continues it automatically until it has ended.';
export const thisTakesAMoment = 'This takes a moment.';
export const itWaits = (detail: string) => `It waits: ${detail}`;
export const since = (time: ReactNode, time2: ReactNode) => (
  <>
    Since {time} ({time2}).
  </>
);
export const theOperationContinuesAsSoonAs = 'The operation continues as soon as possible.';
export const theOperationContinues = (deadline: ReactNode) => (
  <>The operation continues automatically: {deadline}.</>
);
export const now = 'now';
export const result = 'Result';
export const made = 'Made';
export const answer = 'Answer';
export const update = 'Update';
export const updateId = 'update ID';
export const offset = 'Offset';
export const body = 'Body';
export const facts = 'Facts';
export const about = 'About';
export const accepted = 'Accepted';
export const ended = 'Ended';
export const commandId = 'Command ID';
export const commandIdWord = 'command ID';
export const operationId = 'Operation ID';
export const operationIdWord = 'operation ID';
export const requestedBy = 'Requested by';
export const policyVersion = (name: string, version: number, reason: string) =>
  `${name} policy, version ${version}: ${reason}`;
export const retryOf = 'Retry of';
export const retriedAs = 'Retried as';
export const attempts = 'Attempts';
export const operation = 'Operation';
export const thereIsNoOperationWithThis = 'There is no operation with this command ID.';
export const wasNeverRecordedOrBelongsTo = (commandId: ReactNode) => (
  <>
    {commandId} was never recorded, or belongs to the other side. If its request got no answer, the
    page repeats it automatically: see the list at the lower right.
  </>
);
export const planTerms = (name: string, fee: string, period: string) =>
  `${name}: ${fee} for ${period}`;
export const plan = 'Plan';
export const reasonForTheOtherSide = 'Reason for the other side';
export const optionalTheReasonIsWrittenTo = 'Optional. The reason is written to the ledger.';
export const theLastOfTriesSinceThose = (tries: number, time: ReactNode) => (
  <>
    , the last of {counted(tries, 'try', 'tries')} since {time}: those before sent nothing
  </>
);
export const httpStatus = (status: number) => `HTTP ${status}`;
