import { createHmac, hash } from 'node:crypto';
import { createTransport } from 'nodemailer';
import type { Options } from 'nodemailer/lib/smtp-transport/index.js';
import type { Io } from '../app/ports/io.ts';
import type { Mailing, Message } from '../app/ports/mailing.ts';
import type { Party } from '../domain/ids.ts';
import { trusted } from '../domain/ids.ts';
import { LIMITS } from '../domain/limits.ts';
import type { AlarmSeverity } from '../domain/alarm.ts';
import type { MailedEvent } from '../domain/mail.ts';
import { OPERATORS_TARGET, alarmTextOf, isMailed, mailTextOf, oneLine } from '../domain/mail.ts';
import type { ClaimedDelivery } from '../domain/webhook.ts';

export interface MailTransportOptions {
  readonly server: Options;
  readonly from: { readonly name: string; readonly address: string };
  /** The address at which customers reach Tenure, without a trailing slash. */
  readonly publicUrl: string;
  readonly provider: Party;
  readonly mailing: Mailing;
  readonly operators: {
    readonly emails: readonly string[];
    readonly leastSeverity: AlarmSeverity;
  };
  /** The timeout for all mails of a delivery together. */
  readonly timeoutMs: number;
}

/** The result of a delivery that needs no further try. */
const ended = (status: 204 | 250, error: string | null = null) =>
  ({ status, retryAfterMs: null, error }) as const;

interface Addressed extends Message {
  readonly address: string;
  readonly unsubscribeUrl: string;
}

/**
 * Returns a function that adds the address, the unsubscribe link and the message ID to a mail. The link's token has 128
 * bits derived from the secret of the subscription, so that the database does not contain the token and a repeated mail
 * has the same one. The message ID is also the same in a repeated mail; it includes the time, because after a restore
 * two events can have one number.
 */
function addressed(
  { publicUrl, from }: MailTransportOptions,
  { messageId, secrets: [secret = ''] }: ClaimedDelivery,
  { time }: MailedEvent,
  party: Party,
): (address: string) => Addressed {
  return (address) => {
    const same = address.toLowerCase();
    const mac = createHmac('sha256', secret).update(JSON.stringify(['unsubscribe', party, same]));
    const token = mac.digest().subarray(0, 16).toString('base64url');
    const mark = hash('sha256', JSON.stringify([time, party, same])).slice(0, 32);
    return {
      id: `<${messageId}.${mark}@${from.address.replace(/^.*@/u, '')}>`,
      tokenHash: hash('sha256', token),
      addressHash: hash('sha256', same),
      address,
      unsubscribeUrl: `${publicUrl}/unsubscribe/${token}`,
    };
  };
}

interface SmtpError extends Error {
  readonly responseCode?: number;
  readonly command?: string;
}

/** Whether the server permanently refuses the recipient or the message. Other refusals concern the sender. */
const isRefused = ({ responseCode = 0, command = '' }: SmtpError): boolean =>
  responseCode >= 500 && ['RCPT TO', 'DATA'].includes(command);

/** Describes an error for the delivery log, without the server's message, which may contain the customer's address. */
const wordsOf = ({ responseCode, command = 'its greeting', message }: SmtpError): string =>
  responseCode === undefined ? message : `the mail server answered ${responseCode} to ${command}`;

/** Returns the customer whom an event concerns; `null` if customers get no mail about the event. */
const partyOf = ({ type, data }: MailedEvent, provider: Party): Party | null =>
  isMailed(type) && data['provider'] === provider && typeof data['user'] === 'string'
    ? trusted<Party>(data['user'])
    : null;

/** The mails of one delivery: the same event to one or more addresses. */
interface Letter {
  readonly party: Party;
  readonly emails: readonly string[];
  /** The name of the recipients; `null` if they have no name. */
  readonly name: string | null;
  /** Whether the mails have a link with which a reader can unsubscribe. */
  readonly canEnd: boolean;
  write(unsubscribeUrl: string): ReturnType<typeof mailTextOf>;
}

/** Returns the mails to the customer whom the event concerns; `null` if there are none. */
async function toCustomer(
  { provider, mailing, from, publicUrl }: MailTransportOptions,
  event: MailedEvent,
  io: Io,
): Promise<Letter | null> {
  const party = partyOf(event, provider);
  if (party === null) return null;
  const customer = await mailing.recipient(provider, party, event.subject, io);
  if (customer === null) return null;
  const page = customer.contractId === null ? '' : `/${encodeURIComponent(customer.contractId)}`;
  const pageUrl = `${publicUrl}/ui/licenses${page}`;
  const facts = { ...customer, customer: customer.name, provider: from.name, pageUrl };
  const { name, emails } = customer;
  const write = (unsubscribeUrl: string) => mailTextOf(event, { ...facts, unsubscribeUrl });
  return { party, emails, name, canEnd: true, write };
}

/** Returns the mails to the operators; `null` if operators get no mail about the event. */
function toOperators(
  { provider, publicUrl, operators: { emails, leastSeverity } }: MailTransportOptions,
  event: MailedEvent,
): Letter | null {
  const mail = alarmTextOf(event, publicUrl);
  const isSevere = leastSeverity === 'warning' || event.data['severity'] === 'critical';
  if (mail === null || !isSevere) return null;
  return { party: provider, emails, name: null, canEnd: false, write: () => mail };
}

const ENDABLE = (unsubscribeUrl: string) => ({
  'List-Unsubscribe': `<${unsubscribeUrl}>`,
  'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
});

/** Returns a transport that sends mails to customers about their licences, and to operators about alarms. */
export function createMailTransport(options: MailTransportOptions) {
  const { provider, mailing, from, timeoutMs } = options;
  const bounds = {
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
  };
  const transport = createTransport({ ...options.server, ...bounds, disableFileAccess: true });
  const send = async (
    { name, canEnd, ...letter }: Letter,
    { id, address, unsubscribeUrl }: Addressed,
  ): Promise<void> => {
    await transport.sendMail({
      ...letter.write(unsubscribeUrl),
      from,
      to: name === null ? address : { name: oneLine(name), address },
      messageId: id,
      headers: {
        'Auto-Submitted': 'auto-generated',
        ...(canEnd ? ENDABLE(unsubscribeUrl) : {}),
      },
    });
  };
  return async (delivery: ClaimedDelivery, stopping: AbortSignal) => {
    const io = { signal: stopping, deadlineMs: LIMITS.databaseStatementMs };
    const event = JSON.parse(delivery.body) as MailedEvent;
    const isForOperators = delivery.url === OPERATORS_TARGET;
    const letter = isForOperators
      ? toOperators(options, event)
      : await toCustomer(options, event, io);
    if (letter === null) return ended(204);
    const { party, emails } = letter;
    const all = emails.map(addressed(options, delivery, event, party));
    const wanted = await mailing.begin({ provider, party }, all, io);
    const messages = all.filter(({ id }) => wanted.has(id));
    if (messages.length === 0) return ended(204);
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(timeoutMs)]);
    const late = new Promise<never>((_resolve, reject) => {
      const onAbort = (): void => reject(new Error('the mail server was too slow'));
      signal.addEventListener('abort', onAbort, { once: true });
    });
    const errors = await Promise.all(
      messages.map((message) =>
        Promise.race([send(letter, message), late]).then(
          () => null,
          (error: unknown) => error as SmtpError,
        ),
      ),
    );
    const failed = errors.filter((error) => error !== null);
    const again = failed.find((error) => !isRefused(error));
    if (again !== undefined) {
      const isDone = (error: SmtpError | null = null) => error === null || isRefused(error);
      await mailing.accepted(
        messages.filter((_message, at) => isDone(errors[at])),
        io,
      );
      throw new Error(wordsOf(again), { cause: again });
    }
    const [first] = failed;
    const status = failed.length < messages.length ? 250 : 204;
    if (first === undefined) return ended(status);
    const refused = `${failed.length} of ${messages.length} messages are refused for good`;
    return ended(status, `${refused}: ${wordsOf(first)}`);
  };
}
