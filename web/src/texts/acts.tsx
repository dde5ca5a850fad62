import type { ReactNode } from 'react';
import { numberText } from './intl.ts';

/* Texts of commands: dialogs, results and errors of actions. */

export const sending = 'Sending';
export const sentToTheLedger = 'Sent to the ledger';
export const thePageShowsTheResultWhen =
  'The page shows the result when it is known. You may close this dialog.';
export const done = 'Done';
export const close = 'Close';
export const cancel = 'Cancel';
export const changeAndTryAgain = 'Change and try again';
export const waits: Readonly<Record<number, string>> = {
  401: 'Your session ended. Sign in to continue the command.',
  403: 'Your session has changed. The command is sent again.',
  503: 'The server is not available. The command is sent again.',
};
export const theCommandIsRepeatedThen = (busy: string) => `${busy} The command is repeated then.`;
export const theServerFailedTheCommandIs = 'The server failed. The command is sent again.';
export const noConnectionToTheServerThe = 'No connection to the server. The command is sent again.';
export const theServerDoesNotKnowThis = 'The server does not know this command';
export const theCommandIsTooOldTo =
  'The command is too old to be sent again without a confirmation, or the server’s data was replaced. Check the current state first.';
export const thisCannotBeUndone = 'This cannot be undone.';
export const giveAReasonTheAuditLog = 'Give a reason. The audit log keeps the reason.';
export const reason = 'Reason';
export const theAuditLogKeepsTheReason = 'The audit log keeps the reason.';
export const back = 'Back';
export const preview = 'Preview';
export const sendAgain = 'Send again';
export const isOverloaded = 'is overloaded';
export const hasNoTrafficBalanceLeft = 'has no traffic balance left';
export const cannotBeReached = 'cannot be reached';
export const participant = (name: string) => `Participant ${name}`;
export const everythingOf = (partyName: string) => `Everything of ${partyName}`;
export const nothingHasBeenDoneYet = (words: string) => `${words}. Nothing has been done yet.`;
export const leftOut = 'Left out';
export const theFirstOfThem = 'The first of them';
export const thisPreviewHasExpiredGoBack =
  'This preview has expired. Go back and make a new preview.';
export const goodUntilTheActionIsRefused = (time: ReactNode) => (
  <>Good until {time}. The action is refused if the number has changed since.</>
);
export const thereIsNothingToActOn = 'There is nothing to act on';
export const typeFirst = (count: number) => `Type ${count} first`;
export const howMany = 'How many';
export const typeToConfirmThisCannotBe = (count: number) =>
  `Type ${count} to confirm. This cannot be undone.`;
export const whetherTheActionTookEffectIs = 'Whether the action took effect is not known.';
export const theActionIsNotSentAgain = (why: string, whatToDo: string) =>
  `${why} The action is not sent again automatically. The page shows the current state: ${whatToDo}`;
export const theConnectionWasLostBeforeThe = 'The connection was lost before the server answered.';
export const sendingItAgainHasNoSecond = 'sending it again has no second effect.';
export const checkBeforeYouRepeatIt = 'check before you repeat it.';
export const resume = 'Resume';
export const resumeOf = (pauseName: string) => `Resume: ${pauseName}`;
export const paused = (what: string) => `${what}, paused`;
export const drained = (what: string) => `${what}, drained`;
export const waitingOperationsContinue = (held: number) =>
  `Waiting operations continue at once${held === 0 ? '' : `: ${numberText(held)} now`}.`;
