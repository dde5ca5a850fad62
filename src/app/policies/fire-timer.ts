import type { AutomaticStep, PolicyOrigin } from '../../domain/automatic.ts';
import { POLICY_SUBJECT, commandIdOf } from '../../domain/automatic.ts';
import type { Caller } from '../../domain/caller.ts';
import type { Operation } from '../../domain/change.ts';
import type { ContractId, Party } from '../../domain/ids.ts';
import type { JsonRecord } from '../../domain/json.ts';
import type { ProblemCode } from '../../domain/problems.ts';
import { ProblemError } from '../../domain/problems.ts';
import type { Io } from '../ports/io.ts';
import type { Tracer } from '../ports/tracing.ts';
import type { Timer } from '../ports/policies.ts';
import type { Door } from '../engine/requests/request-change.ts';
import type { Change } from '../../domain/change.ts';

export interface FireDeps {
  /** Records the request. Requests of timers that fire at the same time share a transaction. */
  readonly door: Door;
  readonly tracer: Tracer;
}

/** The request for the change of a due timer. */
export interface Fire {
  readonly timer: Timer;
  readonly step: AutomaticStep;
  readonly origin: PolicyOrigin;
  /** Epoch of the scheduler's lease under which the request is made. */
  readonly epoch: bigint;
  /** Only for completions: the allocation that pays. */
  readonly allocation?: ContractId;
}

/**
 * - `change`: the change is recorded, now or by an earlier firing that was interrupted.
 * - `refused`: the lifecycle does not accept the step now; nothing was recorded.
 * - `unable`: no change could be recorded at the moment; nothing was recorded.
 * - `outdated`: the policy has changed since it decided this; nothing was recorded.
 */
export type Fired =
  | { readonly kind: 'change'; readonly change: Change }
  | { readonly kind: 'outdated' }
  | { readonly kind: 'refused' | 'unable'; readonly code: ProblemCode; readonly message: string };

const OPERATION: Readonly<Record<AutomaticStep, Operation>> = {
  expire: 'expire-license',
  withdraw: 'withdraw-renewal',
  complete: 'complete-renewal',
};

/** Codes of refusals that concern only the timer's lifecycle. */
const ITS_OWN: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  'STEP_NOT_ALLOWED',
  'POLICY_OUTDATED',
  'LIFECYCLE_ENDED',
  'NOT_FOUND',
  'CONTRACT_GONE',
  'LICENSE_AMBIGUOUS',
  'LICENSE_MISMATCH',
  'ALLOCATION_NOT_FOUND',
  'ALLOCATION_MISMATCH',
]);

/** Returns whether a policy's change ended because its lifecycle had been ended or changed by another one. */
export const isMovedOn = (code: ProblemCode | undefined): boolean =>
  code !== undefined && ITS_OWN.has(code);

/** Returns the provider as a caller, without a person. */
export const providerItself = (party: Party): Caller => ({
  party,
  roles: new Set(['provider']),
  via: 'bearer',
  tenantId: '',
  subject: POLICY_SUBJECT,
  name: POLICY_SUBJECT,
});

/**
 * Requests the change of a timer, as the provider could. Repeated requests for the same timer are the same change,
 * whatever has happened in between.
 */
export async function fireTimer(deps: FireDeps, fire: Fire, io: Io): Promise<Fired> {
  const { timer, step, origin, allocation, epoch } = fire;
  // There is no caller's trace, so a new trace covers everything from the firing to the last row.
  const span = deps.tracer.start(`fire ${step}`, {
    kind: 'internal',
    parent: null,
    attributes: { 'tenure.operation': OPERATION[step], 'tenure.policy': origin.name },
  });
  const body: JsonRecord = allocation === undefined ? {} : { allocationContractId: allocation };
  const named = allocation === undefined ? {} : { allocation };
  const request = {
    operation: OPERATION[step],
    target: timer.lifecycleId,
    commandId: commandIdOf({ ...timer, ...named, step }),
    body,
    policy: origin,
    onlyIfPolicyStands: true as const,
    schedulerEpoch: epoch,
    traceparent: span.traceparent,
  };
  try {
    const { change } = await deps.door(providerItself(timer.provider), request, io);
    return { kind: 'change', change };
  } catch (error) {
    span.fail(error instanceof ProblemError ? error.details.code : 'unknown');
    if (!(error instanceof ProblemError)) throw error;
    const { code, message } = error.details;
    if (code === 'PRECONDITION_FAILED') return { kind: 'outdated' };
    return { kind: ITS_OWN.has(code) ? 'refused' : 'unable', code, message };
  } finally {
    span.end();
  }
}
