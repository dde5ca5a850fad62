import { destination, pino, stdTimeFunctions } from 'pino';
import type { Logger } from 'pino';
import { withoutTokens } from '../http/kit/trace.ts';

/** Members that are never logged, at any depth of an object. */
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
 * Writes JSON lines with `@timestamp` and, within a request, `trace-id`: the log collector of the reference application
 * joins lines by these names. Lines are written synchronously, because the last lines before a crash matter most.
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
      // Also removes tokens from within texts, such as names, addresses or the output of other programs.
      hooks: { streamWrite: withoutTokens },
    },
    destination({ dest: file ?? 1, sync: true, mkdir: true }),
  );
}
