import type { Mutation } from '../mutation.ts';
import { test } from '../mutation.ts';

/* Mutations of code for licences that renew themselves, and for acts on many licences. */

const subscriptions = (name: string) => test('integration', 'integration/http-subscriptions', name);
const acts = (name: string) => test('integration', 'integration/http-license-acts', name);
const inspected = (name: string) => test('integration', 'integration/inspect-subscriptions', name);

export const SUBSCRIPTIONS: readonly Mutation[] = [
  {
    name: 'numbers-from-the-database',
    file: 'src/app/subscriptions/look.ts',
    find: `const onLedger = step === 'offer' ? offers : [];`,
    put: `const onLedger = step === 'offer' ? [] : offers;`,
    breaks: 'a restored database gives the number of an earlier offer again',
    found: subscriptions('makes one offer, from however many processes'),
  },
  {
    name: 'offers-to-the-suspended',
    file: 'src/app/subscriptions/decide.ts',
    find: `if (isSuspended) return 'the licence is suspended';`,
    put: `if (isSuspended && subscription.cancelledAt !== null) return 'the licence is suspended';`,
    breaks: 'a suspended licence is offered its next period',
    found: subscriptions('withdraws its offer while the licence is suspended'),
  },
  {
    name: 'acts-on-what-renews',
    file: 'src/app/subscriptions/license-acts.ts',
    find: `if (renewsItself(meant)) return 'the licence renews itself';`,
    put: `if (renewsItself(meant) && meant.facts === null) return 'the licence renews itself';`,
    breaks: 'an act on many licences offers a period that a subscription offers too',
    found: acts('licences are suspended, reinstated and ended'),
  },
  {
    name: 'acts-on-the-unchosen',
    file: 'src/http/routes/subscriptions/license-acts.ts',
    find: 'found?.licenses ?? licenseIds?.map((id) => trusted<LifecycleId>(id))',
    put: 'found?.licenses',
    breaks: 'an act on chosen licences reaches every licence of the provider',
    found: acts('an act on chosen licences reaches these alone'),
  },
  {
    name: 'acts-on-another-count',
    file: 'src/http/routes/subscriptions/license-acts.ts',
    find: 'confirmation.count !== count',
    put: 'confirmation.count < 0',
    breaks: 'an act reaches another number of licences than a person has confirmed',
    found: acts('licences of a filter are offered their next period'),
  },
  {
    name: 'late-looks-unseen',
    file: 'src/doctor/invariants/subscriptions.ts',
    find: 'if (dueAt !== null && isoToMs(dueAt) <= wantedMs) return null;',
    put: 'if (dueAt !== null) return null;',
    breaks: 'the doctor does not see that a subscription misses its next offer',
    found: inspected('a row that misses a step'),
  },
  {
    name: 'mail-repeats',
    file: 'src/auth/mail-transport.ts',
    find: 'messages.filter((_message, at) => isDone',
    put: 'messages.filter((_message, at) => at < 0 && isDone',
    breaks: 'an address gets a mail again, because the server has refused another address for now',
    found: test('integration', 'integration/mails', 'a temporary failure is tried again'),
  },
  {
    name: 'mail-refused-again',
    file: 'src/auth/mail-transport.ts',
    find: 'responseCode >= 500 &&',
    put: 'responseCode >= 600 &&',
    breaks: 'an address that is refused for good repeats the mails of the others',
    found: test('integration', 'integration/mails', 'a delivery that is repeated as a whole'),
  },
  {
    name: 'mail-after-unsubscribing',
    file: 'src/store/product/mailing.ts',
    find: '(l.unsubscribed_at is not null or m.id',
    put: '(m.id',
    breaks: 'an address gets mails after it has ended them',
    found: test('integration', 'integration/mails', 'to look at a link changes nothing'),
  },
  {
    name: 'mail-header-injection',
    file: 'src/domain/mail.ts',
    find: String.raw`text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim()`,
    put: 'text.trim()',
    breaks: 'a value with line breaks adds a line to a mail',
    found: test('unit', 'unit/domain/mail', 'a licence without a reference'),
  },
];
