import type { Tone } from '../../parts/badge.tsx';
import { inWords } from '../../parts/words.ts';

/* Words of the operations desk. */

export const STATES = [
  ['in-doubt', 'In doubt'],
  ['retrying', 'Retrying'],
  ['submitting', 'Submitting'],
  ['queued', 'Queued'],
  ['failed', 'Failed'],
  ['rejected', 'Rejected'],
  ['cancelled', 'Cancelled'],
  ['succeeded', 'Succeeded'],
] as const;

export const OPEN_STATES: ReadonlySet<string> = new Set([
  'in-doubt',
  'retrying',
  'submitting',
  'queued',
]);

/** The classes into which the ledger's answers fall, with their names. */
export const CLASSES = [
  ['refused', 'Refused finally'],
  ['unknown', 'Outcome unknown'],
  ['contention', 'Conflict'],
  ['stale-contract', 'Contract not active'],
  ['in-flight', 'Earlier attempt under way'],
  ['no-traffic', 'No traffic left'],
  ['busy', 'Ledger is busy'],
  ['credentials', 'Credentials refused'],
  ['done', 'Took effect'],
] as const;

export const POLICIES = [
  ['', 'Any origin'],
  ['expiry', 'Expiry policy'],
  ['renewal', 'Renewal policy'],
] as const;

export const KINDS = [
  ['install-request', 'Install requests'],
  ['install', 'Installations'],
  ['license', 'Licences'],
  ['renewal', 'Renewals'],
] as const;

const WAITS: Readonly<Record<string, string>> = {
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

/** Returns the words for what an operation waits for, as the end of "waits for …". */
export const waitWords = (kind: string): string => WAITS[kind] ?? inWords(kind).toLowerCase();

/** The answers to attempts, with their tones and words. */
export const ANSWERS: Readonly<Record<string, readonly [Tone, string]>> = {
  accepted: ['good', 'Accepted'],
  refused: ['bad', 'Refused'],
  unknown: ['warn', 'Unknown'],
  pending: ['info', 'No answer yet'],
};

export const DECISION_WORDS: Readonly<Record<string, readonly [words: string, meaning: string]>> = {
  'took-effect': [
    'It took effect',
    'The ledger accepted one of the attempts. The operation succeeds.',
  ],
  'no-effect': [
    'It took no effect',
    'The ledger accepted no attempt and will accept none. The operation fails, and the next one starts.',
  ],
  'submit-again': [
    'Submit it again',
    'The ledger accepted no attempt and will accept none. The operation is submitted again, and can take effect once.',
  ],
};

export const FAILURE_STATES: Readonly<Record<string, readonly [Tone, string]>> = {
  open: ['bad', 'Open'],
  resolved: ['good', 'Resolved'],
  ignored: ['plain', 'Ignored'],
};

export const ACT_STATES: Readonly<Record<string, readonly [Tone, string]>> = {
  running: ['info', 'Running'],
  done: ['good', 'Done'],
  stopped: ['warn', 'Stopped'],
};

export const BULK_WORDS: Readonly<Record<string, string>> = {
  retry: 'Retry',
  cancel: 'Cancel',
  decide: 'Decide',
};

export const TIMER_STATES: Readonly<Record<string, readonly [Tone, string]>> = {
  waiting: ['info', 'Waiting'],
  fired: ['good', 'Fired'],
  'given-up': ['bad', 'Given up'],
};

export const TIMER_KINDS: Readonly<Record<string, string>> = {
  expire: 'Licence expires',
  withdraw: 'Renewal closes',
};
