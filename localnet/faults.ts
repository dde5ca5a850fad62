import type { ParticipantName } from './ports.ts';

/** One gRPC call, as a fault plan sees it. */
export interface FaultCall {
  readonly participant: ParticipantName;
  /** Full method path, such as `/com.daml.ledger.api.v2.CommandSubmissionService/Submit`. */
  readonly path: string;
  readonly userId: string | undefined;
}

/** What a plan wants done with one outgoing stream element. */
type ElementFate<T> =
  | { readonly kind: 'deliver'; readonly elements: readonly T[] }
  | { readonly kind: 'cut'; readonly error: Error };

/**
 * Where a network can be made to misbehave. Every hook may throw: the thrown error is what the caller sees. The hooks
 * stand at the border only, so no plan can make the ledger's own state wrong.
 */
export interface FaultPlan {
  /** A call has been authorized and has not begun. Waiting here delays it. */
  onEnter(call: FaultCall, signal: AbortSignal): Promise<void> | void;
  /** A unary call has had its effect and its answer has not left. Throwing drops the answer. */
  onLeave(call: FaultCall, signal: AbortSignal): Promise<void> | void;
  /** A stream element is about to leave. */
  onElement<T>(call: FaultCall, element: T): ElementFate<T>;
}

/** The plan in which nothing goes wrong. */
export const NO_FAULTS: FaultPlan = {
  onEnter: () => undefined,
  onLeave: () => undefined,
  onElement: (_call, element) => ({ kind: 'deliver', elements: [element] }),
};
