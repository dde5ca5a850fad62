import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Status as GrpcStatus } from 'nice-grpc';
import { TokenRejected } from '../auth/verify.ts';
import { grpcStatusOf } from '../grpc/errors.ts';
import { LedgerError } from '../ledger/ledger-error.ts';
import { httpStatusOf } from './json-errors.ts';
import { pathOf } from '../listener.ts';
import type { Log } from '../log.ts';

/** Thrown to answer with this status. The caller sees `message`. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: 400 | 404 | 409 | 415 | 429 | 500 | 501 | 503;
  constructor(status: Refusal['status'], message: string) {
    super(message);
    this.status = status;
  }
}

/** The answers to errors of a token. The exact reason is only logged. */
const TOKEN_TEXTS: Readonly<Record<number, string>> = {
  401: 'The supplied authentication is invalid',
  403: 'The supplied authentication does not allow this',
};

/**
 * Returns the JSON API's status for an error. Contention is an exception: like apps on the public network, LocalNet
 * then asks callers to retry later.
 */
const statusOf = (error: LedgerError): number =>
  grpcStatusOf(error.code) === GrpcStatus.ABORTED ? 429 : httpStatusOf(error);

/** An answer. `details` is only logged. */
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
 * Gives a listener the error format of the public network's validators and registries: `{error: <text>}`, with a
 * matching status. For a refusal by the ledger, the text is the ledger's.
 *
 * @param site the listener's name in the log
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
 * Reads JSON bodies. A JSON request with an empty body is treated like a request without a body, because clients send
 * such requests if an action needs no input. Routes that need a body require it in their schema.
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

/** Invalid bodies are refused instead of being trimmed or converted. Unknown fields are ignored. */
export const STRICT_SCHEMAS = {
  ajv: { customOptions: { removeAdditional: false, coerceTypes: false } },
} as const;
