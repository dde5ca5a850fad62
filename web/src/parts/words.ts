import type { Tone } from './badge.tsx';

/* What people read in place of the API's words. */

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

/** "waitingForCompletion" and "in-doubt" as words: "Waiting for completion", "In doubt". */
export function inWords(name: string): string {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/gu, '$1 $2')
    .replaceAll(/[-_]/gu, ' ')
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export const operationState = (state: string): Said =>
  OPERATION_STATES[state] ?? ['plain', inWords(state)];

export const operationName = (operation: string): string => STEPS[operation] ?? inWords(operation);

const WAITING =
  /^(?:accepting|rejecting|cancelling|creating|expiring|renewing|completing|withdrawing|requesting)/u;
const ENDED = /^(?:ended|gone|expired|rejected|cancelled|withdrawn|lapsed)$/u;

/** A lifecycle's state: what is on its way to the ledger, what is over, and what simply is. */
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

/** An amount with its instrument, as people write it. */
export function amount(value: number | string, instrument?: string): string {
  const number = typeof value === 'number' ? value : Number(value);
  const text = new Intl.NumberFormat('en', { maximumFractionDigits: 10 }).format(number);
  return instrument === undefined ? text : `${text} ${instrument.split(':').at(-1) ?? ''}`;
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

/** An ISO 8601 duration in words: "P30D" is "30 days". */
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

/** Milliseconds in words: "350 ms", "12 s", "4 min", "3 h", "2 days". */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 90_000) return `${Math.round(ms / 1_000)} s`;
  if (ms < 90 * 60_000) return `${Math.round(ms / 60_000)} min`;
  if (ms < 48 * 3_600_000) return `${Math.round(ms / 3_600_000)} h`;
  return `${Math.round(ms / 86_400_000)} days`;
}
