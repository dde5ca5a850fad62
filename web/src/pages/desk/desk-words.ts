import type { Tone } from '../../parts/badge.tsx';
import { inWords } from '../../parts/words.ts';
import * as t from '../../texts/desk.tsx';

/* Words of the operations desk. */

export const STATES = [
  ['in-doubt', t.inDoubt],
  ['retrying', t.retrying],
  ['submitting', t.submitting],
  ['queued', t.queued],
  ['failed', t.failed],
  ['rejected', t.rejected],
  ['cancelled', t.cancelled],
  ['succeeded', t.succeeded],
] as const;

export const OPEN_STATES: ReadonlySet<string> = new Set([
  'in-doubt',
  'retrying',
  'submitting',
  'queued',
]);

/** The classes into which the ledger's answers fall, with their names. */
export const CLASSES = [
  ['refused', t.refusedFinally],
  ['unknown', t.outcomeUnknown],
  ['contention', t.conflict],
  ['stale-contract', t.contractNotActive],
  ['in-flight', t.earlierAttemptUnderWay],
  ['no-traffic', t.noTrafficLeft],
  ['busy', t.ledgerIsBusy],
  ['credentials', t.credentialsRefused],
  ['done', t.tookEffect],
] as const;

export const POLICIES = [
  ['', t.anyOrigin],
  ['expiry', t.expiryPolicy],
  ['renewal', t.renewalPolicy],
] as const;

export const KINDS = [
  ['install-request', t.installRequests],
  ['install', t.installations],
  ['license', t.licences],
  ['renewal', t.renewals],
] as const;

/** Returns the words for what an operation waits for, as the end of "waits for …". */
export const waitWords = (kind: string): string => t.waits[kind] ?? inWords(kind).toLowerCase();

/** The answers to attempts, with their tones and words. */
export const ANSWERS: Readonly<Record<string, readonly [Tone, string]>> = {
  accepted: ['good', t.accepted],
  refused: ['bad', t.refused],
  unknown: ['warn', t.unknown],
  pending: ['info', t.noAnswerYet],
};

export const DECISION_WORDS: Readonly<Record<string, readonly [words: string, meaning: string]>> = {
  'took-effect': [t.itTookEffect, t.theLedgerAcceptedOneOfThe],
  'no-effect': [t.itTookNoEffect, t.theLedgerAcceptedNoAttemptAnd],
  'submit-again': [t.submitItAgain, t.theLedgerAcceptedNoAttemptAndWill],
};

export const FAILURE_STATES: Readonly<Record<string, readonly [Tone, string]>> = {
  open: ['bad', t.open],
  resolved: ['good', t.resolved],
  ignored: ['plain', t.ignored],
};

export const ACT_STATES: Readonly<Record<string, readonly [Tone, string]>> = {
  running: ['info', t.running],
  done: ['good', t.done],
  stopped: ['warn', t.stopped],
};

export const BULK_WORDS: Readonly<Record<string, string>> = {
  retry: t.retry,
  cancel: t.cancel,
  decide: t.decide,
};

export const TIMER_STATES: Readonly<Record<string, readonly [Tone, string]>> = {
  waiting: ['info', t.waiting],
  fired: ['good', t.fired],
  'given-up': ['bad', t.givenUp],
};

export const TIMER_KINDS: Readonly<Record<string, string>> = {
  expire: t.licenceExpires,
  withdraw: t.renewalCloses,
};
