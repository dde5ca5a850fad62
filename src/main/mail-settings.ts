import { Type } from 'typebox';
import type { AlarmSeverity } from '../domain/alarm.ts';
import { ALARM_SEVERITIES } from '../domain/alarm.ts';
import { url } from './setting-kinds.ts';

const ADDRESS = String.raw`[^\s<>",@]+@[^\s<>",@]+`;
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

/** Settings of mails to operators, which need the settings above. */
export const ALARM_MAIL_SETTINGS = {
  TENURE_ALARM_MAIL: Type.Optional(
    Type.String({
      pattern: `^${ADDRESS}(?:,${ADDRESS}){0,19}$`,
      must: 'be at most 20 mail addresses, comma separated',
      description:
        'Operators who get mails about alarms, comma separated: oncall@example.com. Needs a webhook to mailto:operators',
    }),
  ),
  TENURE_ALARM_MAIL_SEVERITY: Type.Union(
    ALARM_SEVERITIES.map((severity) => Type.Literal(severity)),
    {
      default: 'critical',
      description: 'The least severe alarms of which operators get mails: critical or warning',
    },
  ),
};

type MailEnvironment = { readonly [Name in keyof typeof MAIL_SETTINGS]?: string };

interface AlarmMailEnvironment {
  readonly TENURE_ALARM_MAIL?: string;
  readonly TENURE_ALARM_MAIL_SEVERITY?: AlarmSeverity;
}

/** Returns all mistakes in these settings. The values are not shown, because one of them may contain a password. */
export function mailMistakes(env: MailEnvironment & AlarmMailEnvironment): string[] {
  if (env.TENURE_SMTP_URL === undefined) {
    return env.TENURE_ALARM_MAIL === undefined
      ? []
      : ['TENURE_SMTP_URL is missing: TENURE_ALARM_MAIL is set'];
  }
  const names = Object.keys(MAIL_SETTINGS) as (keyof MailEnvironment)[];
  return names.flatMap((name) => {
    const value = env[name];
    if (value === undefined) return [`${name} is missing: TENURE_SMTP_URL is set`];
    return name === 'TENURE_MAIL_FROM' || URL.canParse(value) ? [] : [`${name} is no address`];
  });
}

/** @returns `null` if no mail is sent */
export function mailOf(env: MailEnvironment & AlarmMailEnvironment) {
  const { TENURE_SMTP_URL: smtpUrl, TENURE_MAIL_FROM: from, TENURE_PUBLIC_URL: publicUrl } = env;
  if (smtpUrl === undefined || from === undefined || publicUrl === undefined) return null;
  const [, name = from, address = from] = /^(.*) <(.*)>$/u.exec(from) ?? [];
  const operators = {
    emails: env.TENURE_ALARM_MAIL?.split(',') ?? [],
    leastSeverity: env.TENURE_ALARM_MAIL_SEVERITY ?? 'critical',
  };
  return {
    smtpUrl,
    from: { name, address },
    publicUrl: publicUrl.replace(/\/+$/u, ''),
    operators,
  };
}
