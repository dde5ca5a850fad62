import { Type } from 'typebox';
import { shortDurationMs } from './short-duration.ts';
import { duration, text } from './setting-kinds.ts';

/** Settings of statistics, reminders, policies and subscriptions, as documented in `.env.example`. */
export const BOOK_SETTINGS = {
  TENURE_TIME_ZONE: text({
    default: 'UTC',
    description: 'Days and months of statistics are those of this time zone, such as Europe/Zurich',
  }),
  TENURE_REMINDER_DAYS: Type.String({
    pattern: '^(?:[1-9][0-9]{0,2}(?:,[1-9][0-9]{0,2}){0,9})$',
    must: 'be at most ten numbers of days such as 30,7,1',
    default: '30,7,1',
    description: 'A reminder of the end of a licence is sent this many days before',
  }),
  POLICY_DELAY: duration({
    default: 'PT1M',
    description:
      'How long a confirmed policy waits before it ends the first licence, PT0S to PT1H; until then a person can undo it',
  }),
  TENURE_SUBSCRIPTION_LOOK: duration({
    default: 'PT30S',
    description:
      'How often Tenure looks for licences that renew themselves, PT0.1S to PT1H. Periods are calendar months in TENURE_TIME_ZONE',
  }),
};

export interface BookSettings {
  readonly timeZone: string;
  readonly reminderDays: readonly number[];
  readonly subscriptionLookMs: number;
}

export const booksOf = (
  env: Readonly<Record<keyof typeof BOOK_SETTINGS, string>>,
): BookSettings => ({
  timeZone: env.TENURE_TIME_ZONE,
  subscriptionLookMs: shortDurationMs(env.TENURE_SUBSCRIPTION_LOOK),
  reminderDays: [...new Set(env.TENURE_REMINDER_DAYS.split(',').map(Number))],
});
