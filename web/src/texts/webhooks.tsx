import type { ReactNode } from 'react';
import { numberText, plural } from './intl.ts';

/* Texts of the pages for webhooks. */

export const waits = 'Waits';
export const delivered = 'Delivered';
export const givenUp = 'Given up';
export const untilItIsEnabled = 'until it is enabled';
export const isSentNext = 'is sent next';
export const forEarlierDeliveries = 'for earlier deliveries';
export const nextTry = (time: ReactNode) => <>next try {time}</>;
export const notTriedYet = 'not tried yet';
export const noAnswer = 'No answer';
export const afterMs = (answer: string, ms: number, time: ReactNode) => (
  <>
    {answer} after {ms} ms, {time}
  </>
);
export const event = 'Event';
export const state = 'State';
export const attempts = 'Attempts';
export const lastAnswer = 'Last answer';
export const made = 'Made';
export const message = 'Message';
export const messageId = 'message ID';
export const again = 'Again';
export const theWebhookIsDisabled = 'The webhook is disabled';
export const sendAgainLabel = (messageId: string) => `Send again: ${messageId}`;
export const sendAgain = 'Send again';
export const deliveries = 'Deliveries';
export const sendMessageAgain = (messageId: string) => `Send ${messageId} again`;
export const deliveriesToThisWebhook = 'Deliveries to this webhook';
export const nothingHasBeenSentToThis = 'Nothing has been sent to this webhook yet.';
export const sendATestOrWaitFor = 'Send a test, or wait for the next event.';
export const operations = 'Operations';
export const accepted = 'Accepted';
export const beingSubmitted = 'Being submitted';
export const triedAgain = 'Tried again';
export const inDoubt = 'In doubt';
export const succeeded = 'Succeeded';
export const rejected = 'Rejected';
export const failed = 'Failed';
export const cancelled = 'Cancelled';
export const lifecycles = 'Lifecycles';
export const began = 'Began';
export const changed = 'Changed';
export const ended = 'Ended';
export const licences = 'Licences';
export const suspended = 'Suspended';
export const reinstated = 'Reinstated';
export const aboutToEnd = 'About to end';
export const expired = 'Expired';
export const renewalNotPaid = 'Renewal not paid';
export const priceChanges = 'Price changes';
export const alarms = 'Alarms';
export const anOperationWaitsTooLong = 'An operation waits too long';
export const theOperationGoesOn = 'The operation goes on';
export const comments = 'Comments';
export const allEvents = 'All events';
export const all = 'All';
export const theSecretOfTheWebhook = 'The secret of the webhook';
export const copyTheSecretNowToThe =
  'Copy the secret now to the receiver, which verifies signatures with it. The secret is shown only once. Later, you can only create a new one.';
export const secret = 'secret';
export const thePreviousSecretAlsoSigns = (time: ReactNode) => (
  <>The previous secret also signs until {time}.</>
);
export const iHaveCopiedIt = 'I have copied it';
export const address = 'Address';
export const anHttpsAddressThatTenureCan = 'An https address that Tenure can reach.';
export const close = 'Close';
export const theWebhookIsDisabledEnableIt = 'The webhook is disabled. Enable it first.';
export const changeTheWebhook = 'Change the webhook';
export const save = 'Save';
export const createANewSecret = 'Create a new secret';
export const theNewSecretIsShownOnce =
  'The new secret is shown once. The old secret also signs for one day, so that no delivery is rejected.';
export const deleteTheWebhook = 'Delete the webhook';
export const deleteWord = 'Delete';
export const receivesNoMoreEventsWaiting = (url: ReactNode) => (
  <>
    {url} receives no more events. Waiting deliveries are not sent, and the list of deliveries is
    deleted.
  </>
);
export const sendATest = 'Send a test';
export const disable = 'Disable';
export const enable = 'Enable';
export const change = 'Change';
export const newSecret = 'New secret';
export const nothingIsSentToThisWebhook = 'Nothing is sent to this webhook.';
export const itIsDisabledNewEventsWait = (disabledReason: string) =>
  `It is disabled: ${disabledReason}. New events wait until it is enabled.`;
export const noReasonIsKnown = 'no reason is known';
export const since = (time: ReactNode) => <>Since {time}. </>;
export const tenureSendsOneDeliveryAtA =
  'Tenure sends one delivery at a time until the receiver accepts one. The deliveries below show the receiver’s answers.';
export const webhook = 'Webhook';
export const webhooks = 'Webhooks';
export const facts = 'Facts';
export const events = 'Events';
export const identifier = 'Identifier';
export const webhooksIdentifier = 'webhook’s identifier';
export const disabled = 'Disabled';
export const failing = 'Failing';
export const on = 'On';
export const failuresInARow = 'Failures in a row';
export const aPartyHasAtMostTwenty = 'A party has at most twenty webhooks.';
export const addAWebhook = 'Add a webhook';
export const tenureSendsSignedEventsAbout =
  'Tenure sends signed events about your operations and lifecycles to your programs, and repeats them until a program answers.';
export const youHaveNoWebhooksYet = 'You have no webhooks yet.';
export const addTheAddressOfAReceiver =
  'Add the address of a receiver for Standard Webhooks, and test it.';
export const add = 'Add';
export const httpStatus = (status: number) => `HTTP ${status}`;
export const theLastFailed = (failures: number) =>
  plural(failures, {
    one: 'The last try failed.',
    other: `The last ${numberText(failures)} tries failed.`,
  });
