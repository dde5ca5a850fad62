import type { LicenseEvent } from './event.ts';
import type { JsonRecord } from './json.ts';

/* Mails to customers: fixed texts. Every value is escaped, and a value in a header has no line break. */

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

/** What a text says besides the event. */
export interface MailFacts {
  readonly provider: string;
  readonly customer: string;
  /** `null` for a licence without a readable reference. */
  readonly reference: string | null;
  /** An IANA name. @default UTC */
  readonly timeZone: string | null;
  /** The page of the licence. */
  readonly pageUrl: string;
  readonly unsubscribeUrl: string;
}

export interface MailText {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Replaces control characters and line separators, so that the text cannot end a header. */
export const oneLine = (text: string): string =>
  text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();

const textIn = (data: JsonRecord, name: string): string => {
  const value = data[name];
  return typeof value === 'string' ? oneLine(value) : '';
};

const recordIn = (data: JsonRecord, name: string): JsonRecord => (data[name] ?? {}) as JsonRecord;

/** A time of the ledger in the customer's time zone: `31 January 2030 at 13:00 CET`. */
function momentOf(iso: string, timeZone: string | null): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return iso;
  const format = new Intl.DateTimeFormat('en-GB', {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
    timeZone: timeZone ?? 'UTC',
  });
  return format.format(at);
}

const UNITS: Readonly<Record<string, string>> = { Y: 'year', M: 'month', W: 'week', D: 'day' };

/** `P1M` is `month`, `P30D` is `30 days`; other durations stay as they are. */
function periodWords(period: string): string {
  const [, count = '', letter = ''] = /^P(\d+)([YMWD])$/u.exec(period) ?? [];
  const unit = UNITS[letter];
  if (unit === undefined) return period;
  return count === '1' ? unit : `${count} ${unit}s`;
}

const priceIn = (data: JsonRecord): string =>
  `${textIn(data, 'fee')} ${textIn(data, 'instrument')} for each ${periodWords(textIn(data, 'period'))}`;

interface Words {
  readonly subject: string;
  readonly lines: readonly string[];
}

type Tell = (
  license: string,
  data: JsonRecord,
  facts: { readonly provider: string; readonly when: (name: string) => string },
) => Words;

function tellSuspended(license: string, data: JsonRecord, provider: string): Words {
  const reason = textIn(recordIn(data, 'suspended'), 'reason');
  return {
    subject: `Your ${license} is suspended`,
    lines: [
      `${provider} has suspended your ${license}.`,
      ...(reason === '' ? [] : [`Reason: ${reason}`]),
    ],
  };
}

function tellPrice(license: string, data: JsonRecord): Words {
  const before = data['before'] === null ? '' : `, instead of ${priceIn(recordIn(data, 'before'))}`;
  return {
    subject: `The price of your ${license} changes`,
    lines: [`From its next renewal on, your ${license} costs ${priceIn(data)}${before}.`],
  };
}

const TELL: Readonly<Record<LicenseEvent, Tell>> = {
  'tenure.license.expiring': (license, _data, { when }) => ({
    subject: `Your ${license} is about to expire`,
    lines: [`Your ${license} is valid until ${when('expiresAt')}.`],
  }),
  'tenure.license.expired': (license, _data, { when }) => ({
    subject: `Your ${license} has expired`,
    lines: [`Your ${license} was valid until ${when('expiresAt')}.`],
  }),
  'tenure.license.renewal-unpaid': (license, _data, { when }) => ({
    subject: `The renewal of your ${license} was not paid`,
    lines: [`The renewal of your ${license} could be paid until ${when('settleBefore')}.`],
  }),
  'tenure.license.suspended': (license, data, { provider }) =>
    tellSuspended(license, data, provider),
  'tenure.license.reinstated': (license, _data, { provider }) => ({
    subject: `Your ${license} is no longer suspended`,
    lines: [`${provider} has reinstated your ${license}.`],
  }),
  'tenure.license.price-changed': (license, data) => tellPrice(license, data),
};

/** Whether the events of the type are told by mail. */
export const isMailed = (type: string): type is LicenseEvent => Object.hasOwn(TELL, type);

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

export const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"]/gu, (sign) => ENTITIES[sign] ?? sign);

const linkHtml = (url: string, words: string): string =>
  `<a href="${escapeHtml(url)}">${escapeHtml(words)}</a>`;

/** The text of a mail about an event; `null` where customers get no mail of its type. */
export function mailTextOf(event: MailedEvent, facts: MailFacts): MailText | null {
  if (!isMailed(event.type)) return null;
  const provider = oneLine(facts.provider);
  const license = facts.reference === null ? 'licence' : `licence ${oneLine(facts.reference)}`;
  const when = (name: string) => momentOf(textIn(event.data, name), facts.timeZone);
  const { subject, lines } = TELL[event.type](license, event.data, { provider, when });
  const greeting = `Dear ${oneLine(facts.customer)}`;
  const { pageUrl, unsubscribeUrl } = facts;
  const text = [
    `${greeting},`,
    ...lines,
    `Your licence: ${pageUrl}`,
    provider,
    `You get this mail because ${provider} has this address for your licences. No more such mails: ${unsubscribeUrl}`,
  ];
  const html = [
    ...[`${greeting},`, ...lines].map(escapeHtml),
    linkHtml(pageUrl, 'Your licence'),
    escapeHtml(provider),
    `<small>You get this mail because ${escapeHtml(provider)} has this address for your licences. ` +
      `${linkHtml(unsubscribeUrl, 'No more such mails')}</small>`,
  ];
  return {
    subject,
    text: `${text.join('\n\n')}\n`,
    html: `<!doctype html>\n${html.map((line) => `<p>${line}</p>`).join('\n')}\n`,
  };
}
