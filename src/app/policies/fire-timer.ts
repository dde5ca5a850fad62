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
import type { Door } from '../engine/request-change.ts';
import type { Change } from '../../domain/change.ts';

export interface FireDeps {
  /** Records together what fires together. */
  readonly door: Door;
  readonly tracer: Tracer;
}

/** What a due timer asks for. */
export interface Fire {
  readonly timer: Timer;
  readonly step: AutomaticStep;
  readonly origin: PolicyOrigin;
  /** Of the clock's lease, under which it is asked for. */
  readonly epoch: bigint;
  /** Completions: what pays for it. */
  readonly allocation?: ContractId;
}

/**
 * - `change`: it is recorded, now or by an earlier firing that was interrupted.
 * - `refused`: its lifecycle does not take the step now; nothing has been recorded.
 * - `unable`: nobody's would be recorded at this moment.
 * - `outdated`: the policy is not what it was when it decided this; nothing has been recorded.
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

/** Codes that are about the one lifecycle. */
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

/** Whether a change of a policy ended because its lifecycle had moved on. */
export const isMovedOn = (code: ProblemCode | undefined): boolean =>
  code !== undefined && ITS_OWN.has(code);

/** The provider itself, where none of its people asks. */
const providerItself = (party: Party): Caller => ({
  party,
  roles: new Set(['provider']),
  via: 'bearer',
  tenantId: '',
  subject: POLICY_SUBJECT,
  name: POLICY_SUBJECT,
});

/**
 * Asks for the change of a timer, as a provider would. Asked again for the same timer, after whatever has happened in
 * between, it is the same change.
 */
export async function fireTimer(deps: FireDeps, fire: Fire, io: Io): Promise<Fired> {
  const { timer, step, origin, allocation, epoch } = fire;
  // Nobody's request is behind it: a trace of its own, from the firing to the last row.
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
    clockEpoch: epoch,
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
