import { createHmac, randomBytes } from 'node:crypto';

const SECRET_PREFIX = 'whsec_';

/** Returns a new secret of 256 bits, in the format of the Standard Webhooks specification. */
export const newSecret = (): string => SECRET_PREFIX + randomBytes(32).toString('base64');

/**
 * Returns the headers of Standard Webhooks 1.0.0, with one signature for each valid secret, so that receivers may
 * switch to a new secret later than the sender.
 *
 * @param secrets in the format of `newSecret`
 */
export function signedHeaders(
  messageId: string,
  body: string,
  secrets: readonly string[],
  nowMs: number,
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(nowMs / 1_000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
    const hmac = createHmac('sha256', key).update(`${messageId}.${timestamp}.${body}`);
    return `v1,${hmac.digest('base64')}`;
  });
  return {
    'webhook-id': messageId,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}
