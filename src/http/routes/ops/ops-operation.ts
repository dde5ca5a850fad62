import { Type } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import { failureOf } from '../../../app/desk/failures.ts';
import { auditView, viewDoubt } from '../../../app/desk/doubt-view.ts';
import { viewOperation } from '../../../app/desk/operation-view.ts';
import { opsAttemptView, viewTimeline } from '../../../app/desk/timeline.ts';
import { seesChange } from '../../../app/ports/ops-scope.ts';
import type { Io } from '../../../app/ports/io.ts';
import type { Change } from '../../../domain/change.ts';
import type { ChangeId } from '../../../domain/ids.ts';
import { isUuid, trusted } from '../../../domain/ids.ts';
import type { JsonRecord } from '../../../domain/json.ts';
import { HTTP_LIMITS } from '../../limits.ts';
import { fail } from '../../../domain/problems.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import { operationBody } from '../../kit/operation.ts';
import { opsScope } from './ops-access.ts';
import { readId } from '../../kit/address.ts';
import { closedObject } from '../../kit/schema.ts';

/** The schema of the reason that a person gives for an action, for later readers. */
export const reasonOf = (example: string) =>
  Type.String({ minLength: 1, maxLength: HTTP_LIMITS.reasonCharsMax, examples: [example] });

/** The schema of a body that contains only the reason for an action. */
export const ReasonBody = (example: string) => closedObject({ reason: reasonOf(example) });

export const reasonIn = (request: FastifyRequest): string =>
  (request.body as { readonly reason: string }).reason;

/** Returns the complete view of an operation, whichever caller requested the operation. */
export async function opsBody(
  deps: HttpDeps,
  request: FastifyRequest,
  change: Change,
  io: Io,
): Promise<JsonRecord> {
  const { reads } = deps.store;
  const attempts = await reads.attempts(change.id, io);
  const isDoubted = change.state === 'in-doubt';
  const [view, doubt, audit, turnAt, { bytes, unknown }] = await Promise.all([
    viewOperation(reads, change, io, attempts),
    isDoubted ? viewDoubt({ reads, model: deps.model }, change, attempts, io) : null,
    reads.audit(change.id, io),
    deps.desk.changes.turnOf(change.id, io),
    deps.desk.costs.of(change.id, io),
  ]);
  const failure = failureOf(change)?.fingerprint;
  return {
    ...operationBody(request, view),
    attempts: attempts.map(opsAttemptView),
    cost: { bytes: Number(bytes), unknown },
    provider: change.provider,
    user: change.appUser,
    callerParty: change.callerParty,
    callerSubject: change.callerSubject,
    ...(failure === undefined ? {} : { failure }),
    timeline: viewTimeline({ change, attempts, audit, turnAt }).map((entry) => ({ ...entry })),
    ...(doubt === null ? {} : { doubt: { ...doubt } as unknown as JsonRecord }),
    audit: audit.map(auditView),
  };
}

/** Returns the operation in the path. Unknown operations, and those that the operator may not see, are not found. */
export async function changeIn(deps: HttpDeps, request: FastifyRequest, io: Io): Promise<Change> {
  const id = readId(request);
  const [change] = isUuid(id)
    ? await deps.store.reads.changesById([trusted<ChangeId>(id)], io)
    : [];
  if (change === undefined || !seesChange(opsScope(deps, request), change)) {
    return fail('OPERATION_NOT_FOUND', `no operation ${id}`);
  }
  request.commandId = change.commandId;
  return change;
}
