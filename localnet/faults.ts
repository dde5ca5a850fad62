import type { Misfortune } from './ledger/participant-node.ts';
import type { ParticipantName } from './ports.ts';

/** The properties of a call by which faults can be restricted. */
export interface FaultTarget {
  readonly participant: ParticipantName;
  readonly userId: string | undefined;
  /** Command ID of a submission; absent for all other calls. */
  readonly commandId?: string | undefined;
  readonly submissionId?: string | undefined;
  /** Parties for which a submission acts, or whose completions a stream is to contain. */
  readonly parties?: readonly string[] | undefined;
  /** Contracts on which a submission exercises choices. */
  readonly contractIds?: readonly string[] | undefined;
}

/** One gRPC call, as a fault plan sees it. The same object represents the call from its beginning to its end. */
export interface FaultCall extends FaultTarget {
  /** Full path of the method, such as `/com.daml.ledger.api.v2.CommandSubmissionService/Submit`. */
  readonly path: string;
}

/** The subject of a stream element. */
export type ElementSubject =
  | { readonly kind: 'checkpoint' }
  | {
      readonly kind: 'completion' | 'data';
      /** The offset on the participant, if the element contains one. */
      readonly offset?: bigint | undefined;
      readonly commandId?: string | undefined;
      readonly userId?: string | undefined;
      readonly parties?: readonly string[] | undefined;
    };

/** The plan's decision about one outgoing stream element: deliver it, deliver others instead, or end the stream. */
export type ElementFate<T> =
  | { readonly kind: 'deliver'; readonly elements: readonly T[] }
  | { readonly kind: 'cut'; readonly error: Error };

/** How a call or a stream ends when a fault ends it. */
export type ConnectionEnd =
  /** gRPC status UNAVAILABLE without details, as from a proxy that has lost its upstream. */
  | 'unavailable'
  /** The caller's TCP connection is reset, together with all other calls on it. */
  | 'reset'
  /** For streams only: the stream ends normally, as if it were complete. */
  | 'end';

/** Thrown so that the caller sees a lost connection instead of the ledger's answer. */
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
  /** The start (exclusive) of the deduplication period that was applied. */
  readonly deduplicationOffset: bigint;
}

/**
 * Hooks through which a network can be made to misbehave. Hooks for calls may throw: the caller gets the thrown error.
 * They run only where requests enter and leave the network, so no plan can corrupt the ledger's state. Submissions that
 * `onSubmission` refuses are refused by the ledger itself, permanently.
 */
export interface FaultPlan {
  /** Whether no fault is active. If so, calls need not be checked. */
  readonly isQuiet?: boolean;
  /** Called when a call has been authorized and has not begun. While this waits, the call is delayed. */
  onEnter(call: FaultCall, signal: AbortSignal): Promise<void> | void;
  /**
   * Called when a unary call has had its effect and its answer has not been sent. If this throws, the answer is
   * dropped.
   */
  onLeave(call: FaultCall, signal: AbortSignal): Promise<void> | void;
  /** Returns whether the request of this unary call is executed a second time, as behind a proxy that retries. */
  isRepeated?(call: FaultCall): boolean;
  /**
   * Called when a stream has begun; `end` ends it from outside. The returned function is called when the stream has
   * ended.
   */
  onOpen?(call: FaultCall, end: (error: Error) => void): () => void;
  /** Called before a stream element is sent. While this waits, the stream is delayed; the order of elements is kept. */
  onElement<T>(
    call: FaultCall,
    element: T,
    subject: ElementSubject,
    signal: AbortSignal,
  ): ElementFate<T> | Promise<ElementFate<T>>;
  /** Called when a finite stream has ended. */
  onEnd?(call: FaultCall, signal: AbortSignal): Promise<void> | void;
  /** Returns the failure that replaces this submission's effect, if any. */
  onSubmission?(submission: FaultSubmission): Misfortune | undefined;
}

/** Combines two plans. The second plan is applied only to calls and elements that the first one lets pass. */
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

/** The plan without faults. */
export const NO_FAULTS: FaultPlan = {
  onEnter: () => undefined,
  onLeave: () => undefined,
  onElement: (_call, element) => ({ kind: 'deliver', elements: [element] }),
};
