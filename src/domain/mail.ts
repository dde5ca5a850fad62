import type { LicenseEvent } from './event.ts';
import type { JsonRecord } from './json.ts';

/* Mails to customers: fixed texts. Values from outside are brought onto one line, so that none can end a header. */

/** The target of a webhook that sends mails to the customers that its events concern. */
export const MAIL_TARGET = 'mailto:customers';
/** The types of its events, unless its party names others. */
export const MAIL_TYPES = ['tenure.license.*'];

/** A CloudEvent, as a delivery has it. */
export interface MailedEvent {
  readonly type: string;
  readonly subject: string;
  readonly time: string;
  readonly data: JsonRecord;
}

/** The contents of a text that are not in the event. */
export interface MailFacts {
  readonly provider: string;
  readonly customer: string;
  /** `null` for a licence without a readable reference. */
  readonly reference: string | null;
  /** An IANA name; `null` is UTC. */
  readonly timeZone: string | null;
  readonly pageUrl: string;
  readonly unsubscribeUrl: string;
}

/** Replaces control characters and line separators. */
export const oneLine = (text: string): string =>
  text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();

const textIn = (data: JsonRecord, name: string): string =>
  typeof data[name] === 'string' ? oneLine(data[name]) : '';

/** A time of the ledger for the customer: `31 January 2030 at 13:00 CET`. */
function momentOf(iso: string, timeZone: string | null): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return iso;
  const day = { day: 'numeric', month: 'long', year: 'numeric' } as const;
  const time = { hour: '2-digit', minute: '2-digit', timeZoneName: 'short' } as const;
  const zoned = { ...day, ...time, timeZone: timeZone ?? 'UTC' };
  return new Intl.DateTimeFormat('en-GB', zoned).format(at);
}

const priceIn = (data: JsonRecord): string =>
  `${textIn(data, 'fee')} ${textIn(data, 'instrument')} (period ${textIn(data, 'period')})`;

/** The subject, and what has happened. */
type Told = readonly [string, string];

type Tell = (license: string, event: MailedEvent, facts: MailFacts) => Told;

const whenOf = ({ data }: MailedEvent, name: string, { timeZone }: MailFacts): string =>
  momentOf(textIn(data, name), timeZone);

const TELL: Readonly<Record<LicenseEvent, Tell>> = {
  'tenure.license.expiring': (license, event, facts) => [
    `Your ${license} is about to expire`,
    `Your ${license} is valid until ${whenOf(event, 'expiresAt', facts)}.`,
  ],
  'tenure.license.expired': (license, event, facts) => [
    `Your ${license} has expired`,
    `Your ${license} was valid until ${whenOf(event, 'expiresAt', facts)}.`,
  ],
  'tenure.license.renewal-unpaid': (license, event, facts) => [
    `The renewal of your ${license} was not paid`,
    `The renewal of your ${license} could be paid until ${whenOf(event, 'settleBefore', facts)}.`,
  ],
  'tenure.license.suspended': (license, { data }) => [
    `Your ${license} is suspended`,
    `We have suspended your ${license}. Reason: ${textIn(data['suspended'] as JsonRecord, 'reason')}`,
  ],
  'tenure.license.reinstated': (license) => [
    `Your ${license} is no longer suspended`,
    `We have reinstated your ${license}.`,
  ],
  'tenure.license.price-changed': (license, { data }) => [
    `The price of your ${license} changes`,
    `From its next renewal on, your ${license} costs ${priceIn(data)}${
      data['before'] === null ? '' : ` instead of ${priceIn(data['before'] as JsonRecord)}`
    }.`,
  ],
};

/** Whether events of the type are told by mail. */
export const isMailed = (type: string): type is LicenseEvent => Object.hasOwn(TELL, type);

/** The mail about an event; `null` where customers get no mail of its type. */
export function mailTextOf(
  event: MailedEvent,
  facts: MailFacts,
): { readonly subject: string; readonly text: string } | null {
  if (!isMailed(event.type)) return null;
  const provider = oneLine(facts.provider);
  const license = facts.reference === null ? 'licence' : `licence ${oneLine(facts.reference)}`;
  const [subject, told] = TELL[event.type](license, event, facts);
  const parts = [
    `Dear ${oneLine(facts.customer)},`,
    told,
    `Your licence: ${facts.pageUrl}`,
    provider,
    `${provider} has this address for your licences. No more such mails: ${facts.unsubscribeUrl}`,
  ];
  return { subject, text: `${parts.join('\n\n')}\n` };
}
