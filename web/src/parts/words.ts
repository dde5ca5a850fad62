import type { Tone } from './tone.ts';

/* Words for people that replace the API's identifiers. */

type Said = readonly [tone: Tone, words: string];

const OPERATION_STATES: Readonly<Record<string, Said>> = {
  queued: ['plain', 'Queued'],
  submitting: ['info', 'Submitting'],
  retrying: ['warn', 'Retrying'],
  'in-doubt': ['bad', 'In doubt'],
  succeeded: ['good', 'Succeeded'],
  rejected: ['bad', 'Rejected'],
  failed: ['bad', 'Failed'],
  cancelled: ['plain', 'Cancelled'],
};

const STEPS: Readonly<Record<string, string>> = {
  'request-install': 'Request installation',
  'accept-install-request': 'Accept request',
  'reject-install-request': 'Reject request',
  'cancel-install-request': 'Withdraw request',
  'create-license': 'Create licence',
  'cancel-install': 'Cancel installation',
  'expire-license': 'Expire licence',
  'renew-license': 'Offer renewal',
  'complete-renewal': 'Complete renewal',
  'withdraw-renewal': 'Withdraw renewal',
  'comment-license': 'Comment',
};

/** Converts an identifier to words: "waitingForCompletion" is "Waiting for completion", "in-doubt" is "In doubt". */
export function inWords(name: string): string {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/gu, '$1 $2')
    .replaceAll(/[-_]/gu, ' ')
    .toLowerCase()
    .replaceAll('license', 'licence');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Returns a text of the API as a sentence, with a capital at the beginning and a full stop at the end. */
export const asSentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?…]$/u.test(text) ? '' : '.'}`;

const NOT_IN_STATE = /^not possible in state (\w+)$/u;

/** Words for the operation that is in progress in a state, as the end of "not possible while …". */
const UNDER_WAY: Readonly<Record<string, string>> = {
  accepting: 'the request is being accepted',
  rejecting: 'the request is being rejected',
  cancelling: 'it is being cancelled',
  creatingLicense: 'a licence is being created',
  renewing: 'a renewal is being offered',
  expiring: 'the licence is being ended',
  completing: 'the renewal is being completed',
  withdrawing: 'it is being withdrawn',
};

/** Returns why an action is refused, as a part of a sentence. */
export function refusalWords(reason: string): string {
  const [, state] = NOT_IN_STATE.exec(reason) ?? [];
  if (state === undefined) return reason;
  return `not possible while ${UNDER_WAY[state] ?? `it is ${inWords(state).toLowerCase()}`}`;
}

export const operationState = (state: string): Said =>
  OPERATION_STATES[state] ?? ['plain', inWords(state)];

/** Pairs of an operation's identifier and its name. */
export const OPERATIONS = Object.entries(STEPS);

export const operationName = (operation: string): string => STEPS[operation] ?? inWords(operation);

const WAITING =
  /^(?:accepting|rejecting|cancelling|creating|expiring|renewing|completing|withdrawing|requesting)/u;
const ENDED = /^(?:ended|gone|expired|rejected|cancelled|withdrawn|lapsed)$/u;

/**
 * Returns the tone and the words of a lifecycle's state: an operation is in progress, the lifecycle has ended, or it is
 * active.
 */
export function lifecycleState(state: string): Said {
  if (WAITING.test(state)) return ['info', inWords(state)];
  return [ENDED.test(state) ? 'plain' : 'good', inWords(state)];
}

export const KIND_WORDS: Readonly<Record<string, string>> = {
  'install-request': 'Install request',
  install: 'Installation',
  license: 'Licence',
  renewal: 'Renewal',
};

/** Returns an amount with its instrument, with all its digits. */
export function amount(value: number | string, instrument?: string): string {
  const digits = value as Intl.StringNumericLiteral | number;
  const text = new Intl.NumberFormat('en', { maximumFractionDigits: 10 }).format(digits);
  // A no-break space keeps the unit on the line of its number.
  return instrument === undefined ? text : `${text}\u00A0${instrument.split(':').at(-1) ?? ''}`;
}

const UNITS = [
  ['Y', 'year'],
  ['M', 'month'],
  ['W', 'week'],
  ['D', 'day'],
  ['H', 'hour'],
  ['m', 'minute'],
  ['S', 'second'],
] as const;

/** Returns an ISO 8601 duration in words: "P30D" is "30 days". */
export function durationWords(iso: string): string {
  const [date = '', time = ''] = iso.replace(/^P/u, '').split('T');
  const parts = [...`${date}${time.replaceAll('M', 'm')}`.matchAll(/([\d.]+)([A-Za-z])/gu)];
  if (parts.length === 0) return iso;
  return parts
    .map(([, count, unit]) => {
      const word = UNITS.find(([letter]) => letter === unit)?.[1] ?? unit ?? '';
      return `${count} ${word}${count === '1' ? '' : 's'}`;
    })
    .join(' ');
}

/** Returns a span of time in its two largest units: "1.2 s", "3 min 4 s", "2 d 5 h". */
export function spanWords(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 10_000) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  const steps = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3_600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ] as const;
  const first = steps.findIndex(([count]) => count > 0);
  return steps
    .slice(first, first + 2)
    .flatMap(([count, unit]) => (count === 0 ? [] : [`${count} ${unit}`]))
    .join(' ');
}

/** Returns a number of bytes in words: "18.4 kB". */
export function bytesWords(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  const [size, unit] = bytes < 1_000_000 ? [bytes / 1_000, 'kB'] : [bytes / 1_000_000, 'MB'];
  return `${new Intl.NumberFormat('en', { maximumFractionDigits: 1 }).format(size)} ${unit}`;
}

/** Returns a count, with a plus if there are more: "10,000+". */
export const countWords = (count: number, more = false): string =>
  `${new Intl.NumberFormat('en').format(count)}${more ? '+' : ''}`;

/** Returns a text of the API as a sentence: it begins with a capital, and party IDs are shortened to their hints. */
export const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}`.replaceAll(/(\w)::[0-9a-f]{16,}/gu, '$1');

/** Ages by which lists can be filtered, as ISO 8601 durations. */
export const AGES = [
  ['', 'Any time'],
  ['PT1H', 'An hour'],
  ['PT24H', '24 hours'],
  ['P7D', '7 days'],
  ['P30D', '30 days'],
] as const;
