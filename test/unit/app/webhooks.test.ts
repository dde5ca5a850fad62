import { expect, test } from 'vitest';
import { newSecret, signedHeaders } from '../../../src/domain/webhook-signature.ts';
import { afterAttempt } from '../../../src/domain/webhook.ts';

test('the headers are those of the specification’s own example', () => {
  // Standard Webhooks 1.0.0, "Verifying signatures": https://www.standardwebhooks.com
  const headers = signedHeaders(
    'msg_p5jXN8AQM9LWM0D4loKWxJek',
    '{"test": 2432232314}',
    ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
    1_614_265_330_999,
  );
  expect(headers).toEqual({
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
  const secrets = [newSecret(), newSecret()];
  expect(new Set(secrets).size).toBe(2);
  expect(signedHeaders('a', 'b', secrets, 0)['webhook-signature']).toMatch(
    /^v1,\S{44} v1,\S{44}$/u,
  );
});

test('what is not taken is tried again, later each time, for about three days', () => {
  expect(afterAttempt(1, 204, null, 0)).toEqual({ kind: 'delivered' });
  let [attempts, totalMs, lastMs] = [0, 0, 0];
  for (;;) {
    attempts += 1;
    const after = afterAttempt(attempts, 500, null, 0.5);
    if (after.kind !== 'again') {
      expect(after.kind).toBe('given-up');
      break;
    }
    expect(after.delayMs).toBeGreaterThan(lastMs);
    lastMs = after.delayMs;
    totalMs += after.delayMs;
  }
  expect(attempts).toBe(11);
  expect(totalMs / 86_400_000).toBeCloseTo(3.1, 1);
  const delayOf = (...asked: Parameters<typeof afterAttempt>) => {
    const after = afterAttempt(...asked);
    return after.kind === 'delivered' ? 0 : after.delayMs;
  };
  expect([delayOf(1, null, null, 0), delayOf(1, 302, null, 1)]).toEqual([4_000, 6_000]);
  // The receiver may ask for a longer delay. There is an upper limit.
  expect(delayOf(1, 429, 60_000, 0)).toBe(60_000);
  expect(delayOf(3, 503, 1_000, 0.5)).toBe(300_000);
  expect(delayOf(1, 503, 10 ** 12, 0)).toBe(86_400_000);
  expect(afterAttempt(1, 410, null, 0)).toMatchObject({ kind: 'again', isGone: true });
});
