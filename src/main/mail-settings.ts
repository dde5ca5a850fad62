import { Type } from 'typebox';
import { url } from './setting-kinds.ts';

const FROM = 'the name and address of the provider, such as ACME Software <licences@acme.example>';

/** Settings of mails to customers, as documented in `.env.example`. */
export const MAIL_SETTINGS = {
  TENURE_SMTP_URL: Type.Optional(
    url(['smtp', 'smtps'], {
      description:
        'Server for mails to customers, such as smtps://user:password@mail.example.com; absent: no mail is sent',
    }),
  ),
  TENURE_MAIL_FROM: Type.Optional(
    Type.String({
      pattern: String.raw`^(?:[^<>"\p{Cc}]{1,100} <[^\s<>"@]+@[^\s<>"@]+>|[^\s<>"@]+@[^\s<>"@]+)$`,
      must: `be ${FROM}`,
      description: `Sender of mails to customers: ${FROM}`,
    }),
  ),
  TENURE_PUBLIC_URL: Type.Optional(
    url(['https', 'http'], {
      description: 'Where customers reach Tenure, for links in mails: https://app.example.com',
    }),
  ),
};

type MailEnvironment = { readonly [Name in keyof typeof MAIL_SETTINGS]?: string };

/** Returns all mistakes in these settings. The values are not shown, because one of them may contain a password. */
export function mailMistakes(env: MailEnvironment): string[] {
  if (env.TENURE_SMTP_URL === undefined) return [];
  const names = Object.keys(MAIL_SETTINGS) as (keyof MailEnvironment)[];
  return names.flatMap((name) => {
    const value = env[name];
    if (value === undefined) return [`${name} is missing: TENURE_SMTP_URL is set`];
    return name === 'TENURE_MAIL_FROM' || URL.canParse(value) ? [] : [`${name} is no address`];
  });
}

/** @returns `null` if no mail is sent */
export function mailOf(env: MailEnvironment) {
  const { TENURE_SMTP_URL: smtpUrl, TENURE_MAIL_FROM: from, TENURE_PUBLIC_URL: publicUrl } = env;
  if (smtpUrl === undefined || from === undefined || publicUrl === undefined) return null;
  const [, name = from, address = from] = /^(.*) <(.*)>$/u.exec(from) ?? [];
  return { smtpUrl, from: { name, address }, publicUrl: publicUrl.replace(/\/+$/u, '') };
}
