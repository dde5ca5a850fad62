import { createHmac, hash } from 'node:crypto';
import { createTransport } from 'nodemailer';
import type { Options } from 'nodemailer/lib/smtp-transport/index.js';
import type { Io } from '../app/ports/io.ts';
import type { Mailing, Message, Recipient } from '../app/ports/mailing.ts';
import type { Party } from '../domain/ids.ts';
import { trusted } from '../domain/ids.ts';
import { LIMITS } from '../domain/limits.ts';
import type { MailedEvent } from '../domain/mail.ts';
import { isMailed, mailTextOf, oneLine } from '../domain/mail.ts';
import type { ClaimedDelivery } from '../domain/webhook.ts';

export interface MailTransportOptions {
  readonly server: Options;
  readonly from: { readonly name: string; readonly address: string };
  /** Where customers reach Tenure, without a trailing slash. */
  readonly publicUrl: string;
  readonly provider: Party;
  readonly mailing: Mailing;
  /** The time for all mails of a delivery. */
  readonly timeoutMs: number;
}

/** The result of a delivery whose mails need not be sent again. */
interface Mailed {
  readonly status: 204 | 250;
  readonly retryAfterMs: null;
  readonly error: string | null;
}

const NOTHING: Mailed = { status: 204, retryAfterMs: null, error: null };

interface Addressed extends Message {
  readonly address: string;
  readonly unsubscribeUrl: string;
}

/**
 * The token of a link: 128 bits that only the secret's owner can compute, so that the database need not have it and a
 * repeated mail is the same.
 */
const tokenOf = (secret: string, party: Party, address: string): string =>
  createHmac('sha256', secret)
    .update(JSON.stringify(['unsubscribe', party, address]))
    .digest()
    .subarray(0, 16)
    .toString('base64url');

/** The ID stays the same in every repetition. The time distinguishes events that have one number after a restore. */
function addressed(
  { publicUrl, from }: MailTransportOptions,
  { messageId, secrets: [secret = ''] }: ClaimedDelivery,
  { time }: MailedEvent,
  party: Party,
  email: string,
): Addressed {
  const address = email.toLowerCase();
  const token = tokenOf(secret, party, address);
  const mark = hash('sha256', JSON.stringify([time, party, address])).slice(0, 32);
  return {
    id: `<${messageId}.${mark}@${from.address.replace(/^.*@/u, '')}>`,
    tokenHash: hash('sha256', token),
    addressHash: hash('sha256', address),
    address: email,
    unsubscribeUrl: `${publicUrl}/unsubscribe/${token}`,
  };
}

/** An error of the library, as the SMTP server has answered. */
interface SmtpError {
  readonly responseCode?: number;
  readonly command?: string;
}

/** Whether the server refuses the recipient or the message for good. Other refusals concern the sender. */
const isRefused = (error: unknown): boolean => {
  const { responseCode = 0, command = '' } = error as SmtpError;
  return responseCode >= 500 && ['RCPT TO', 'DATA'].includes(command);
};

/** Addresses are left out, because parties read the delivery log. */
const wordsOf = (error: unknown): string => {
  const { responseCode, command } = error as SmtpError;
  if (responseCode === undefined) return error instanceof Error ? error.message : String(error);
  return `the mail server answered ${responseCode} to ${command ?? 'its greeting'}`;
};

/** Rejects when the time is over or the process stops; the connection ends by its own timeout. */
const within = async <T>(work: Promise<T>, signal: AbortSignal): Promise<T> => {
  const ended = Promise.withResolvers<never>();
  const onAbort = (): void => ended.reject(new Error('the mail server has not answered in time'));
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([work, ended.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
};

/** The customer that an event concerns, if the event is told by mail. */
const partyOf = ({ type, data }: MailedEvent, provider: Party): Party | null =>
  isMailed(type) && data['provider'] === provider && typeof data['user'] === 'string'
    ? trusted<Party>(data['user'])
    : null;

/** Sends the mails about an event to the customer that it concerns. */
export function createMailTransport(options: MailTransportOptions) {
  const { provider, mailing, from, publicUrl, timeoutMs } = options;
  const transport = createTransport({
    ...options.server,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const send = async (
    { id, address, unsubscribeUrl }: Addressed,
    event: MailedEvent,
    customer: Recipient,
  ) => {
    const page = customer.contractId === null ? '' : `/${encodeURIComponent(customer.contractId)}`;
    const written = mailTextOf(event, {
      provider: from.name,
      customer: customer.name,
      reference: customer.reference,
      timeZone: customer.timeZone,
      pageUrl: `${publicUrl}/ui/licenses${page}`,
      unsubscribeUrl,
    });
    if (written === null) return;
    await transport.sendMail({
      ...written,
      from,
      to: { name: oneLine(customer.name), address },
      messageId: id,
      headers: {
        'Auto-Submitted': 'auto-generated',
        'List-Unsubscribe': `<${unsubscribeUrl}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      },
    });
  };
  const sendAll = async (
    delivery: ClaimedDelivery,
    signal: AbortSignal,
    io: Io,
  ): Promise<Mailed> => {
    const event = JSON.parse(delivery.body) as MailedEvent;
    const party = partyOf(event, provider);
    const customer =
      party === null ? null : await mailing.recipient(provider, party, event.subject, io);
    if (party === null || customer === null) return NOTHING;
    const all = customer.emails.map((email) => addressed(options, delivery, event, party, email));
    const wanted = await mailing.begin(provider, party, all, io);
    const messages = all.filter(({ id }) => wanted.has(id));
    if (messages.length === 0) return NOTHING;
    const results = await Promise.allSettled(
      messages.map((message) => within(send(message, event, customer), signal)),
    );
    const failed = results.filter((result) => result.status === 'rejected');
    const again = failed.find(({ reason }) => !isRefused(reason));
    if (again === undefined) {
      const [first] = failed;
      const refused = `${failed.length} of ${messages.length} messages are refused for good`;
      const error = first === undefined ? null : `${refused}: ${wordsOf(first.reason)}`;
      const status = failed.length < messages.length ? 250 : 204;
      return { status, retryAfterMs: null, error };
    }
    const isDone = (at: number) => {
      const result = results[at];
      return result?.status === 'fulfilled' || isRefused(result?.reason);
    };
    const done = messages.filter((_message, at) => isDone(at));
    if (done.length > 0) await mailing.accepted(done, io);
    throw new Error(wordsOf(again.reason), { cause: again.reason });
  };
  return (delivery: ClaimedDelivery, stopping: AbortSignal): Promise<Mailed> => {
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(timeoutMs)]);
    return sendAll(delivery, signal, { signal: stopping, deadlineMs: LIMITS.databaseStatementMs });
  };
}
