import type { LicenseEvent } from './event.ts';
import type { JsonRecord } from './json.ts';

/* Mails to customers, with fixed texts. Values from outside are put on one line, so that they cannot end a header. */

/** The target of a webhook that sends mails to the customers concerned by its events. */
export const MAIL_TARGET = 'mailto:customers';
/** The target of a webhook that sends mails about alarms to the operators. */
export const OPERATORS_TARGET = 'mailto:operators';
/** The event types of a webhook with such a target, unless its party names other types. */
export const MAIL_TYPES: Readonly<Record<string, readonly string[]>> = {
  [MAIL_TARGET]: ['tenure.license.*'],
  [OPERATORS_TARGET]: ['tenure.alarm.*'],
};

/** A CloudEvent, as contained in a delivery. */
export interface MailedEvent {
  readonly type: string;
  readonly subject: string;
  readonly time: string;
  readonly data: JsonRecord;
}

/** The values in a mail's text that the event does not contain. */
export interface MailFacts {
  readonly provider: string;
  readonly customer: string;
  /** `null` if the licence has no reference for people. */
  readonly reference: string | null;
  /** An IANA time zone; `null` means UTC. */
  readonly timeZone: string | null;
  readonly pageUrl: string;
  readonly unsubscribeUrl: string;
}

/** Replaces control characters and line separators by spaces. */
export const oneLine = (text: string): string =>
  text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();

const textIn = (data: JsonRecord, name: string): string =>
  typeof data[name] === 'string' ? oneLine(data[name]) : '';

/** Formats a ledger time for the customer, such as `31 January 2030 at 13:00 CET`. */
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

/** The subject of a mail, and the sentence about the event. */
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

/** Returns whether there are mails for this type of event. */
export const isMailed = (type: string): type is LicenseEvent => Object.hasOwn(TELL, type);

/** Returns the mail about an event; `null` if customers get no mail about this type. */
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

/** Returns the mail to operators about an alarm; `null` if the event concerns no alarm. */
export function alarmTextOf(
  { type, data }: MailedEvent,
  publicUrl: string,
): { readonly subject: string; readonly text: string } | null {
  if (!type.startsWith('tenure.alarm.')) return null;
  const [operation, kind, severity] = ['operation', 'kind', 'severity'].map((name) =>
    textIn(data, name),
  );
  const isOver = type === 'tenure.alarm.cleared';
  const parts = [
    isOver
      ? `The operation ${operation} no longer waits for: ${kind}.`
      : `The operation ${operation} has waited for: ${kind}, since ${momentOf(textIn(data, 'since'), null)}.`,
    textIn(data, 'detail'),
    `Command ID: ${textIn(data, 'commandId')}`,
    `${publicUrl}/ui/operations/${encodeURIComponent(textIn(data, 'operationId'))}`,
  ];
  return {
    subject: `${isOver ? 'Alarm over' : 'Alarm'}, ${severity}: ${operation} waits for ${kind}`,
    text: `${parts.join('\n\n')}\n`,
  };
}
