import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Status as GrpcStatus } from 'nice-grpc';
import { TokenRejected } from '../auth/verify.ts';
import { grpcStatusOf } from '../grpc/errors.ts';
import { LedgerError } from '../ledger/ledger-error.ts';
import { httpStatusOf } from './json-errors.ts';
import { pathOf } from '../listener.ts';
import type { Log } from '../log.ts';

/** An answer that is decided where it is thrown: `message` is for the caller. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: 400 | 404 | 409 | 415 | 429 | 500 | 501 | 503;
  constructor(status: Refusal['status'], message: string) {
    super(message);
    this.status = status;
  }
}

/** What a caller is told about a token, whatever is wrong with it: the reason is in the log. */
const TOKEN_TEXTS: Readonly<Record<number, string>> = {
  401: 'The supplied authentication is invalid',
  403: 'The supplied authentication does not allow this',
};

/** As the JSON API has it, but for contention: the public network's apps tell callers to come back later. */
const statusOf = (error: LedgerError): number =>
  grpcStatusOf(error.code) === GrpcStatus.ABORTED ? 429 : httpStatusOf(error);

/** `details` goes to the log only. */
interface Answer {
  readonly status: number;
  readonly text: string;
  readonly level: 'info' | 'error';
  readonly details: Readonly<Record<string, unknown>>;
}

function answerFor(error: unknown): Answer {
  if (error instanceof Refusal) {
    const details = { reason: error.message };
    return { status: error.status, text: error.message, level: 'info', details };
  }
  if (error instanceof TokenRejected) {
    const details = { code: 'UNAUTHENTICATED', reason: `${error.defect}: ${error.message}` };
    return { status: 401, text: TOKEN_TEXTS[401] ?? '', level: 'info', details };
  }
  if (error instanceof LedgerError) {
    const status = statusOf(error);
    const details = { code: error.code, reason: error.text };
    return { status, text: TOKEN_TEXTS[status] ?? error.text, level: 'info', details };
  }
  const { statusCode, message } = error as { statusCode?: number; message: string };
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return { status: statusCode, text: message, level: 'info', details: { reason: message } };
  }
  return { status: 500, text: 'Internal error', level: 'error', details: { reason: 'bug', error } };
}

/**
 * Gives a listener the errors that validators and registries of the public network have: `{error: <text>}`, with the
 * status of what went wrong. Refusals of the ledger keep the ledger's text.
 *
 * @param site what the log calls this listener
 */
export function answerErrorsPlainly(
  app: FastifyInstance,
  site: Readonly<Record<string, unknown>>,
  log: Log,
): void {
  app.setErrorHandler(async (error, request: FastifyRequest, reply: FastifyReply) => {
    const { status, text, level, details } = answerFor(error);
    log({ ...site, path: pathOf(request), level, ...details });
    return reply.code(status).send({ error: text });
  });
}

/**
 * Reads JSON bodies. A request that says JSON and has no body, as clients send with actions that need none, has none:
 * routes that need one say so in their schema.
 */
export function readJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<string>(
    'application/json',
    { parseAs: 'string' },
    (request, body, done) => {
      if (body === '') done(null, undefined);
      else void parse(request, body, done);
    },
  );
}

/** Bodies are refused as they are, not trimmed or converted until they fit. Unknown fields are ignored. */
export const STRICT_SCHEMAS = {
  ajv: { customOptions: { removeAdditional: false, coerceTypes: false } },
} as const;
