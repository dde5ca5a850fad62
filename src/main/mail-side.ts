import type { Pool } from 'pg';
import { createMailTransport } from '../auth/mail-transport.ts';
import type { WebhookTargets } from '../auth/webhook-targets.ts';
import type { Party } from '../domain/ids.ts';
import { MAIL_TARGET, MAIL_TYPES, OPERATORS_TARGET } from '../domain/mail.ts';
import type { SendMails } from '../ops/deliverer.ts';
import { createMailing } from '../store/product/mailing.ts';
import type { Config } from './config.ts';
import { MAIN_LIMITS } from './limits.ts';
import { isHere } from './production-gate.ts';

export interface MailParts {
  readonly config: Pick<Config, 'mail' | 'isProduction'>;
  readonly pool: Pool;
  readonly ledger: { readonly providerParty: Party };
}

/**
 * Returns the mail library's options for a server. In production neither passwords nor mails cross a network
 * unencrypted: STARTTLS is required.
 */
export function smtpServerOf(smtpUrl: string, isProduction: boolean) {
  const { protocol, hostname, port, username, password } = new URL(smtpUrl);
  const secure = protocol === 'smtps:';
  const isLocal = isHere(hostname);
  const auth = { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  return {
    host: hostname.replaceAll(/^\[|\]$/gu, ''),
    ...(port === '' ? {} : { port: Number(port) }),
    secure,
    requireTLS: !secure && !isLocal && isProduction,
    // A local server's certificate is often self-signed, so STARTTLS is not used there.
    ignoreTLS: !secure && isLocal,
    ...(username === '' ? {} : { auth }),
  };
}

/** @returns `null` if mail is not configured */
export function openMail({ config, pool, ledger }: MailParts): SendMails | null {
  const { mail, isProduction } = config;
  if (mail === null) return null;
  return createMailTransport({
    server: smtpServerOf(mail.smtpUrl, isProduction),
    from: mail.from,
    publicUrl: mail.publicUrl,
    operators: mail.operators,
    provider: ledger.providerParty,
    mailing: createMailing(pool),
    timeoutMs: MAIN_LIMITS.webhookExchangeMs,
  });
}

/** Returns targets that also accept the special target for mails, but only for the provider. */
export const withMail = (
  targets: WebhookTargets,
  { mail }: Pick<Config, 'mail'>,
  provider: Party,
): WebhookTargets => ({
  ...targets,
  async defectOf(url, asker) {
    if (url.protocol !== 'mailto:') return targets.defectOf(url, asker);
    if (!Object.hasOwn(MAIL_TYPES, url.href)) {
      return `mail is sent to ${MAIL_TARGET} and ${OPERATORS_TARGET} only`;
    }
    if (asker !== provider) return 'only the provider sends mail to its customers';
    if (mail === null) return 'mail is not configured: TENURE_SMTP_URL is not set';
    const lacksOperators = url.href === OPERATORS_TARGET && mail.operators.emails.length === 0;
    return lacksOperators ? 'no operator has an address: TENURE_ALARM_MAIL is not set' : null;
  },
});
