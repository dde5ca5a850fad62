import { createHmac, randomBytes } from 'node:crypto';

const SECRET_PREFIX = 'whsec_';

/** 256 bits, as the Standard Webhooks specification writes them. */
export const newSecret = (): string => SECRET_PREFIX + randomBytes(32).toString('base64');

/**
 * The headers of Standard Webhooks 1.0.0. One signature for each secret that is valid, so that receivers need not
 * change theirs at the same moment.
 *
 * @param secrets as `newSecret` makes them
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
