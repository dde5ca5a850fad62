import { describe, expect, test } from 'vitest';
import { withoutSecrets } from '../../../src/queue/queue-error.ts';
import { complaintsTo } from '../../../src/queue/queue-log.ts';

function recording() {
  const said: object[] = [];
  return { said, log: { info() {}, error() {}, warn: (detail: object) => said.push(detail) } };
}
const withCode = (code: string) => Object.assign(new Error(`failed with ${code}`), { code });

describe('complaints of a connection', () => {
  test('are logged once per kind, however many there are', () => {
    const { said, log } = recording();
    const complain = complaintsTo(log, 'queue');
    for (let n = 0; n < 1_000; n += 1) {
      complain(withCode('ECONNREFUSED'));
      complain(withCode('57P03'));
    }
    expect(said).toEqual([
      { about: 'queue', error: 'failed with ECONNREFUSED', leftOut: 0 },
      { about: 'queue', error: 'failed with 57P03', leftOut: 0 },
    ]);
  });

  test('that are all different are all logged, and are not remembered for ever', () => {
    const { said, log } = recording();
    const complain = complaintsTo(log, 'queue');
    for (let n = 0; n < 200; n += 1) complain(new Error(`job ${n} is missing`));
    expect(said).toHaveLength(200);
  });
});

test.each([
  ['postgresql://u:secret@host:1/db?sslmode=require&password=secret', 'postgresql://host:1/db'],
  ['rediss://:secret@host/0', 'rediss://host/0'],
  ['/run/redis.sock?password=secret', '/run/redis.sock'],
  ['postgresql:///db?password=secret', 'postgresql:///db'],
  ['pass:secret@host', '(an address that cannot be parsed)'],
  ['host=a password=secret', '(an address that cannot be parsed)'],
  ['secret', '(an address that cannot be parsed)'],
])('%j is shown as %j', (address, shown) => {
  expect(withoutSecrets(address)).toBe(shown);
});
