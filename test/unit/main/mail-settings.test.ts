import { expect, test } from 'vitest';
import { ConfigError, readEnvironment } from '../../../src/main/config.ts';
import { mailMistakes, mailOf } from '../../../src/main/mail-settings.ts';
import { smtpServerOf } from '../../../src/main/mail-side.ts';

const SET = {
  TENURE_SMTP_URL: 'smtps://me:p%40ss@mail.example',
  TENURE_MAIL_FROM: 'ACME Software <licences@acme.example>',
  TENURE_PUBLIC_URL: 'https://app.example/',
};

test('mail is off until the server is named, and needs a sender and an address then', () => {
  expect([mailOf({}), mailMistakes({})]).toEqual([null, []]);
  expect(mailMistakes({ TENURE_SMTP_URL: 'smtp://me:secret@[bad' })).toEqual([
    'TENURE_SMTP_URL is no address',
    'TENURE_MAIL_FROM is missing: TENURE_SMTP_URL is set',
    'TENURE_PUBLIC_URL is missing: TENURE_SMTP_URL is set',
  ]);
  expect(mailMistakes(SET)).toEqual([]);
  expect(mailOf(SET)).toEqual({
    smtpUrl: SET.TENURE_SMTP_URL,
    from: { name: 'ACME Software', address: 'licences@acme.example' },
    publicUrl: 'https://app.example',
    operators: { emails: [], leastSeverity: 'critical' },
  });
  const alarmed = { ...SET, TENURE_ALARM_MAIL: 'a@b.example,c@d.example' };
  expect(mailOf(alarmed)?.operators.emails).toEqual(['a@b.example', 'c@d.example']);
  expect(mailMistakes({ TENURE_ALARM_MAIL: 'a@b.example' })).toEqual([
    'TENURE_SMTP_URL is missing: TENURE_ALARM_MAIL is set',
  ]);
  const bare = { ...SET, TENURE_MAIL_FROM: 'licences@acme.example' };
  expect(mailOf(bare)?.from.name).toBe('licences@acme.example');
});

test.each(['one', 'a@b.example, c@d.example', 'a@b.example\r\nBcc: x@y.example'])(
  'operators cannot have the address %j',
  (address) => {
    expect(() => readEnvironment({ TENURE_ALARM_MAIL: address })).toThrow(ConfigError);
  },
);

test.each(['ACME', 'A\r\nBcc: x <a@b.example>', 'A <a@b.example>, c@d.example', '"A" <a@b>'])(
  'a sender cannot be %j',
  (from) => {
    expect(() => readEnvironment({ TENURE_MAIL_FROM: from })).toThrow(ConfigError);
  },
);

test('production requires STARTTLS of other machines', () => {
  const remote = { secure: false, requireTLS: true, ignoreTLS: false };
  expect(smtpServerOf('smtp://mail.example:2525', true)).toMatchObject({ ...remote, port: 2525 });
  expect(smtpServerOf('smtp://mail.example', false)).toMatchObject({ requireTLS: false });
  expect(smtpServerOf('smtp://[::1]:25', true)).toEqual({
    host: '::1',
    port: 25,
    secure: false,
    requireTLS: false,
    ignoreTLS: true,
  });
  expect(smtpServerOf(SET.TENURE_SMTP_URL, true)).toMatchObject({
    secure: true,
    auth: { user: 'me', pass: 'p@ss' },
  });
});
