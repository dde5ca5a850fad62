import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RequestedChange } from '../../app/engine/requests/change-request.ts';
import type { Change, ChangeResult, Operation } from '../../domain/change.ts';
import { isOpen } from '../../domain/change.ts';
import type { CommandId } from '../../domain/ids.ts';
import { parseCommandId } from '../../domain/ids.ts';
import type { JsonRecord } from '../../domain/json.ts';
import type { ProblemDetails } from '../../domain/problems.ts';
import { ProblemError, problem } from '../../domain/problems.ts';
import { readCommandId } from './command-id.ts';
import type { HttpDeps } from './deps.ts';
import type { Preferences } from './request-headers.ts';
import { appliedPreferences, readIfMatch, readPreferences } from './request-headers.ts';
import { answerAccepted, answerResult } from './operation.ts';
import { callerOf, goneSignal, lastingIo } from './request-context.ts';
import { traceparentOfRequest } from './trace.ts';

/** The request of a write route, after its body was read. */
export interface Asked {
  readonly operation: Operation;
  /** The id in the path of the request; `null` if the operation creates something. */
  readonly target: string | null;
  /** The id of the resource in whose path the target is addressed. */
  readonly within?: string;
  /** Set if `If-Match` has the entity tag of the resource in the path, and not of the target. */
  readonly tagOf?: 'within';
  readonly body: JsonRecord;
  /** Set if the command ID has already been read. */
  readonly commandId?: CommandId;
  /** Returns the answer to a successful request. Absent: the answer that is recorded for the operation's own route. */
  readonly answer?: (change: Change, result: ChangeResult) => Pick<ChangeResult, 'status' | 'body'>;
}

const recordedAnswer = (_change: Change, result: ChangeResult): ChangeResult => result;

async function outcomeOf(
  deps: HttpDeps,
  reply: FastifyReply,
  { change, replayed }: RequestedChange,
  asked: Preferences,
): Promise<Change> {
  if (!isOpen(change.state)) return change;
  return deps.outcomes.wait(change, asked.waitMs, goneSignal(reply), !replayed);
}

/** Marks a failure as recorded, because every repetition of the call gets the same failure. */
const asReplay = (error: ProblemDetails, { id }: Change): ProblemDetails => ({
  ...error,
  extra: { ...error.extra, replayed: true, operationId: id, retryWith: 'new-command-id' },
});

function answerOutcome(
  reply: FastifyReply,
  { change, replayed }: RequestedChange,
  answer: NonNullable<Asked['answer']>,
): FastifyReply {
  if (change.result !== null) {
    const { status, body } = answer(change, change.result);
    return answerResult(reply, status, body);
  }
  const error =
    change.error ?? problem('INTERNAL', `operation ${change.commandId} ended without an answer`);
  throw new ProblemError(replayed ? asReplay(error, change) : error);
}

/** Returns the command ID of a request. @param inBody the command ID in the body, on routes that accept one there */
export function commandIdOf(request: FastifyRequest, inBody?: string): CommandId {
  const { commandId } = request.query as Readonly<Record<string, unknown>>;
  return readCommandId(commandId, request.headers['idempotency-key'], inBody);
}

/** Like `commandIdOf`, but a change without a command ID gets a new one, which the answer names. */
export function commandIdOrNew(request: FastifyRequest, reply: FastifyReply): CommandId {
  const { commandId } = request.query as Readonly<Record<string, unknown>>;
  const isNamed = commandId !== undefined || request.headers['idempotency-key'] !== undefined;
  const id = isNamed ? commandIdOf(request) : parseCommandId(crypto.randomUUID());
  void reply.header('idempotency-key', `"${id}"`);
  return id;
}

/**
 * Answers a write. Records the change, waits for the outcome as long as the caller prefers, and sends the outcome or,
 * if there is none yet, the operation that the caller can poll. The caller must be known, and the syntax of the body
 * checked, before this is called.
 */
export async function answerChange(
  deps: HttpDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  asked: Asked,
): Promise<FastifyReply> {
  const ifVersions = readIfMatch(request.headers['if-match']);
  const { answer = recordedAnswer, ...what } = asked;
  const commandId = asked.commandId ?? commandIdOf(request);
  request.commandId = commandId;
  const preferences = readPreferences(request.headers['prefer']);
  const caller = callerOf(request);
  const io = lastingIo(request);
  const wanted = {
    ...what,
    commandId,
    traceparent: traceparentOfRequest(request),
    ...(ifVersions === undefined ? {} : { ifVersions }),
  };
  const made = await deps.admission.run(caller, goneSignal(reply), () =>
    deps.door(caller, wanted, io),
  );
  if (made.replayed) void reply.header('idempotent-replayed', 'true');
  const change = await deps.admission.awaiting(caller, () =>
    outcomeOf(deps, reply, made, preferences),
  );
  const applied = appliedPreferences(preferences, isOpen(change.state));
  if (applied !== null) void reply.header('preference-applied', applied);
  if (!isOpen(change.state)) return answerOutcome(reply, { ...made, change }, answer);
  return answerAccepted(deps, request, reply, change, io);
}
