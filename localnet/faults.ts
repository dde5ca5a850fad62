import type { Misfortune } from './ledger/participant-node.ts';
import type { ParticipantName } from './ports.ts';

/** The properties of a call that a fault can be aimed at. */
export interface FaultTarget {
  readonly participant: ParticipantName;
  readonly userId: string | undefined;
  /** Command ID of a submission; absent on all other calls. */
  readonly commandId?: string | undefined;
  readonly submissionId?: string | undefined;
  /** Parties that a submission acts as, or that a stream of completions is asked for. */
  readonly parties?: readonly string[] | undefined;
  /** Contracts that a submission exercises choices on. */
  readonly contractIds?: readonly string[] | undefined;
}

/** One gRPC call, as a fault plan sees it. One object for the whole of a call. */
export interface FaultCall extends FaultTarget {
  /** Full method path, such as `/com.daml.ledger.api.v2.CommandSubmissionService/Submit`. */
  readonly path: string;
}

/** The subject of a stream element. */
export type ElementSubject =
  | { readonly kind: 'checkpoint' }
  | {
      readonly kind: 'completion' | 'data';
      /** Where it stands on its participant, as far as it stands anywhere. */
      readonly offset?: bigint | undefined;
      readonly commandId?: string | undefined;
      readonly userId?: string | undefined;
      readonly parties?: readonly string[] | undefined;
    };

/** A plan's decision about one outgoing stream element. */
export type ElementFate<T> =
  | { readonly kind: 'deliver'; readonly elements: readonly T[] }
  | { readonly kind: 'cut'; readonly error: Error };

/** How a call or a stream ends when it is not the ledger that ends it. */
export type ConnectionEnd =
  /** gRPC status UNAVAILABLE without details: what a proxy answers when it has lost its peer. */
  | 'unavailable'
  /** The caller's TCP connection is reset, with everything else that is on it. */
  | 'reset'
  /** Streams only: it ends as if everything had been said. */
  | 'end';

/** The caller gets a lost connection in place of the ledger's answer. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
  readonly how: ConnectionEnd;
  constructor(how: ConnectionEnd) {
    super(`the connection was lost: ${how}`);
    this.how = how;
  }
}

/** A submission that has passed deduplication and is about to be sequenced. */
export interface FaultSubmission extends FaultTarget {
  readonly commandId: string;
  readonly submissionId: string;
  readonly parties: readonly string[];
  readonly contractIds: readonly string[];
  /** Exclusive start of the deduplication that was done. */
  readonly deduplicationOffset: bigint;
}

/**
 * Where a network can be made to misbehave. The hooks of calls may throw: the thrown error is what the caller sees.
 * They stand at the border only, so no plan can make the ledger's own state wrong; what `onSubmission` refuses is
 * refused by the ledger itself, and stays refused.
 */
export interface FaultPlan {
  /** Nothing can go wrong at this moment: calls need not be looked at. */
  readonly isQuiet?: boolean;
  /** A call has been authorized and has not begun. Waiting here delays it. */
  onEnter(call: FaultCall, signal: AbortSignal): Promise<void> | void;
  /** A unary call has had its effect and its answer has not left. Throwing drops the answer. */
  onLeave(call: FaultCall, signal: AbortSignal): Promise<void> | void;
  /** Whether the request of this unary call arrives a second time, as behind a proxy that tries again by itself. */
  isRepeated?(call: FaultCall): boolean;
  /** A stream has begun; `end` ends it from outside. The returned function is called when the stream is over. */
  onOpen?(call: FaultCall, end: (error: Error) => void): () => void;
  /** A stream element is about to leave. Waiting here holds up the stream, in order. */
  onElement<T>(
    call: FaultCall,
    element: T,
    subject: ElementSubject,
    signal: AbortSignal,
  ): ElementFate<T> | Promise<ElementFate<T>>;
  /** A stream that has an end has come to it. */
  onEnd?(call: FaultCall, signal: AbortSignal): Promise<void> | void;
  /** Returns the failure that replaces this submission's effect, if any. */
  onSubmission?(submission: FaultSubmission): Misfortune | undefined;
}

/** Several plans at once: each sees what those before it let pass. */
export function togetherWith(first: FaultPlan, second: FaultPlan): FaultPlan {
  return {
    get isQuiet() {
      return first.isQuiet === true && second.isQuiet === true;
    },
    onEnter: async (call, signal) => {
      await first.onEnter(call, signal);
      await second.onEnter(call, signal);
    },
    onLeave: async (call, signal) => {
      await first.onLeave(call, signal);
      await second.onLeave(call, signal);
    },
    isRepeated: (call) => first.isRepeated?.(call) === true || second.isRepeated?.(call) === true,
    onOpen: (call, end) => {
      const forget = [first.onOpen?.(call, end), second.onOpen?.(call, end)];
      return () => forget.forEach((one) => one?.());
    },
    onElement: async (call, element, subject, signal) => {
      const fate = await first.onElement(call, element, subject, signal);
      if (fate.kind === 'cut') return fate;
      const elements = [];
      for (const delivered of fate.elements) {
        const next = await second.onElement(call, delivered, subject, signal);
        if (next.kind === 'cut') return next;
        elements.push(...next.elements);
      }
      return { kind: 'deliver', elements };
    },
    onEnd: async (call, signal) => {
      await first.onEnd?.(call, signal);
      await second.onEnd?.(call, signal);
    },
    onSubmission: (submission) =>
      first.onSubmission?.(submission) ?? second.onSubmission?.(submission),
  };
}

/** The plan in which nothing goes wrong. */
export const NO_FAULTS: FaultPlan = {
  onEnter: () => undefined,
  onLeave: () => undefined,
  onElement: (_call, element) => ({ kind: 'deliver', elements: [element] }),
};
