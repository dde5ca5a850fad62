import { Type } from 'typebox';
import { url } from './setting-kinds.ts';

/** Settings of mails to customers, as `.env.example` has them. */
export const MAIL_SETTINGS = {
  TENURE_SMTP_URL: Type.Optional(
    url(['smtp', 'smtps'], {
      description:
        'Server for mails to customers, such as smtps://user:password@mail.example.com:465; absent: no mail is sent',
    }),
  ),
  TENURE_MAIL_FROM: Type.Optional(
    Type.String({
      pattern: String.raw`^(?:[^<>"\p{Cc}]{1,100} <[^\s<>"@]+@[^\s<>"@]+>|[^\s<>"@]+@[^\s<>"@]+)$`,
      must: 'be the name and the address of the provider, such as ACME Software <licences@acme.example>',
      description:
        'Sender of mails to customers: the provider’s name and address, such as ACME Software <licences@acme.example>',
    }),
  ),
  TENURE_PUBLIC_URL: Type.Optional(
    url(['https', 'http'], {
      description:
        'Where customers reach Tenure, for the links in mails, such as https://app.example.com',
    }),
  ),
};

export interface MailSettings {
  /** With credentials: never logged. */
  readonly smtpUrl: string;
  readonly from: { readonly name: string; readonly address: string };
  /** Without a trailing slash. */
  readonly publicUrl: string;
}

type MailEnvironment = { readonly [Name in keyof typeof MAIL_SETTINGS]?: string };

/** Returns the mistakes of the settings together; values are not repeated, because they may have a password. */
export function mailMistakes(env: MailEnvironment): string[] {
  if (env.TENURE_SMTP_URL === undefined) return [];
  const missing = (['TENURE_MAIL_FROM', 'TENURE_PUBLIC_URL'] as const).filter(
    (name) => env[name] === undefined,
  );
  const unreadable = (['TENURE_SMTP_URL', 'TENURE_PUBLIC_URL'] as const).filter(
    (name) => env[name] !== undefined && !URL.canParse(env[name]),
  );
  return [
    ...missing.map((name) => `${name} is missing: TENURE_SMTP_URL is set`),
    ...unreadable.map((name) => `${name} is no address`),
  ];
}

/** @returns `null`: no mail is sent */
export function mailOf(env: MailEnvironment): MailSettings | null {
  const { TENURE_SMTP_URL: smtpUrl, TENURE_MAIL_FROM: from, TENURE_PUBLIC_URL: publicUrl } = env;
  if (smtpUrl === undefined || from === undefined || publicUrl === undefined) return null;
  const [, name, address] = /^(.*) <(.*)>$/u.exec(from) ?? [];
  return {
    smtpUrl,
    from: { name: name ?? from, address: address ?? from },
    publicUrl: publicUrl.replace(/\/+$/u, ''),
  };
}
