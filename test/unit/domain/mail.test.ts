import { expect, test } from 'vitest';
import { mailTextOf } from '../../../src/domain/mail.ts';

const FACTS = {
  provider: 'Provider <AG>',
  customer: 'ACME & Sons',
  reference: 'ACME-0007',
  timeZone: 'Europe/Zurich',
  pageUrl: 'https://app.example/ui/licenses/00ab?a=1&b=2',
  unsubscribeUrl: 'https://app.example/unsubscribe/token',
};

const told = (name: string, data: object, facts: object = {}) =>
  mailTextOf(
    {
      type: `tenure.license.${name}`,
      subject: 'license-1',
      time: '2030-01-01T00:00:00Z',
      data: { ...data },
    },
    { ...FACTS, ...facts },
  );

const price = { fee: '100.0', instrument: 'Amulet', period: 'P1M' };

test.each([
  [
    'expiring',
    { expiresAt: '2030-07-31T12:00:00.000000Z' },
    'Your licence ACME-0007 is about to expire',
    'is valid until 31 July 2030 at 14:00 CEST.',
  ],
  [
    'expired',
    { expiresAt: '2030-01-31T12:00:00.000000Z' },
    'Your licence ACME-0007 has expired',
    'was valid until 31 January 2030 at 13:00 CET.',
  ],
  [
    'renewal-unpaid',
    { settleBefore: '2030-01-31T23:30:00Z' },
    'The renewal of your licence ACME-0007 was not paid',
    'could be paid until 1 February 2030 at 00:30 CET.',
  ],
  [
    'suspended',
    { suspended: { at: '2030-01-31T12:00:00Z', reason: 'unpaid\r\ninvoice' } },
    'Your licence ACME-0007 is suspended',
    'We have suspended your licence ACME-0007. Reason: unpaid invoice\n',
  ],
  [
    'reinstated',
    { suspended: null },
    'Your licence ACME-0007 is no longer suspended',
    'We have reinstated your licence ACME-0007.',
  ],
  [
    'price-changed',
    { ...price, before: { ...price, fee: '80.0', period: 'P90D' } },
    'The price of your licence ACME-0007 changes',
    'costs 100.0 Amulet (period P1M) instead of 80.0 Amulet (period P90D).',
  ],
  [
    'price-changed',
    { ...price, period: 'P1Y6M', before: null },
    'The price of your licence ACME-0007 changes',
    'costs 100.0 Amulet (period P1Y6M).',
  ],
])('%s', (name, data, subject, part) => {
  const mail = told(name, data);
  expect(mail?.subject).toBe(subject);
  expect(mail?.text).toContain(part);
  expect(mail?.text).toMatch(/^Dear ACME & Sons,\n/u);
  expect(mail?.text).toContain(FACTS.pageUrl);
  expect(mail?.text).toContain(FACTS.unsubscribeUrl);
});

test('a licence without a reference or a time zone, and values with line breaks', () => {
  const mail = told(
    'expiring',
    { expiresAt: '2030-01-31T12:00:00Z' },
    { reference: null, timeZone: null },
  );
  expect(mail?.subject).toBe('Your licence is about to expire');
  expect(mail?.text).toContain('31 January 2030 at 12:00 UTC');
  const facts = { reference: 'A\r\nBcc: x@y.example', customer: 'A\u2028B' };
  const broken = told('expired', { expiresAt: 'soon\nCc: z' }, facts);
  expect(broken?.subject).toBe('Your licence A Bcc: x@y.example has expired');
  expect(broken?.text).toMatch(/^Dear A B,\n\n[^\n]+ until soon Cc: z\.\n/u);
});

test('other events are no mails', () => {
  expect(told('invented', {})).toBeNull();
});
