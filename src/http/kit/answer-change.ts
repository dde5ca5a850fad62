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
  /** An id from the path; `null` for a create. */
  readonly target: string | null;
  /** The ID of the resource whose address leads to the target. */
  readonly within?: string;
  /** If the path names that resource, callers have its entity tag. */
  readonly tagOf?: 'within';
  readonly body: JsonRecord;
  /** Set if it has been read already. */
  readonly commandId?: CommandId;
  /** Returns the answer of a success, if it differs from the answer recorded for the operation's own route. */
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

/** A recorded failure says that it is one, since the same call can never be answered otherwise. */
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

/** @param inBody a member of the body, for the routes that take it there */
export function commandIdOf(request: FastifyRequest, inBody?: string): CommandId {
  const { commandId } = request.query as Readonly<Record<string, unknown>>;
  return readCommandId(commandId, request.headers['idempotency-key'], inBody);
}

/** Like `commandIdOf`. A caller that gives no name is told the one that its change gets, with the answer. */
export function commandIdOrNew(request: FastifyRequest, reply: FastifyReply): CommandId {
  const { commandId } = request.query as Readonly<Record<string, unknown>>;
  const isNamed = commandId !== undefined || request.headers['idempotency-key'] !== undefined;
  const id = isNamed ? commandIdOf(request) : parseCommandId(crypto.randomUUID());
  void reply.header('idempotency-key', `"${id}"`);
  return id;
}

/**
 * Answers a write: records the change, waits for its outcome as long as the caller likes, and answers with it or
 * with the operation to follow. The caller is known, and the body's syntax has been checked, before this is called.
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
