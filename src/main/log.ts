import { destination, pino, stdTimeFunctions } from 'pino';
import type { Logger } from 'pino';
import { withoutTokens } from '../http/kit/trace.ts';

/** Never in a log, wherever they stand. */
const SECRETS = [
  'authorization',
  'cookie',
  'set-cookie',
  'password',
  'clientSecret',
  'client_secret',
  'access_token',
  'id_token',
  'idToken',
  'codeVerifier',
  'token',
  'secret',
  'sharedSecret',
  'payload',
  'argument',
  'databaseUrl',
  'replicaUrl',
];

/**
 * JSON lines with `@timestamp` and, within a request, `trace-id`: the names that the reference's log
 * collector joins on. Written synchronously: the last lines before a crash are the ones that matter.
 */
export function createLog(level: string, file?: string): Logger {
  return pino(
    {
      level,
      base: null,
      messageKey: 'message',
      timestamp: () => stdTimeFunctions.isoTime().replace('"time"', '"@timestamp"'),
      formatters: { level: (label) => ({ level: label }) },
      redact: {
        paths: SECRETS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]),
        censor: '[redacted]',
      },
      // Also where one has got into a text: a name, an address, what another program said.
      hooks: { streamWrite: withoutTokens },
    },
    destination({ dest: file ?? 1, sync: true, mkdir: true }),
  );
}
