import {
  CallCredentials,
  Channel,
  Metadata,
  connectivityState as State,
  status as GrpcStatus,
} from '@grpc/grpc-js';
import { UNSENT_TRAILER } from './outcome.ts';

/**
 * The time until which a call must be sent, by both clocks of this process: a steady clock stops while the machine
 * sleeps, and a wall clock may be set back. Milliseconds.
 */
export interface SendBy {
  readonly wallMs: number;
  readonly steadyMs: number;
}

export const sendWithin = (ms: number): SendBy => ({
  wallMs: Date.now() + ms,
  steadyMs: performance.now() + ms,
});

/** Returns the time left, by the clock that has advanced further; zero or negative if the deadline has passed. */
export const leftUntil = ({ wallMs, steadyMs }: SendBy): number =>
  Math.min(wallMs - Date.now(), steadyMs - performance.now());

/** Encodes the deadline as the value of one header. */
export const sendByToText = ({ wallMs, steadyMs }: SendBy): string => `${wallMs} ${steadyMs}`;

export function sendByFromText(text: string): SendBy {
  const [wallMs = 0, steadyMs = 0] = text.split(' ').map(Number);
  return { wallMs, steadyMs };
}

/** The connection to a participant. Each new connection may lead to another server. */
export interface Connection {
  /** Returns the number of the connection, which differs for each connection; `null` while there is none. */
  current(): number | null;
  /** Resolves when there is a connection, the time is over, or the signal fires; the next call shows which. */
  awaited(withinMs: number, signal: AbortSignal): Promise<void>;
}

/** Header that names the only connection that may carry a call. Removed before the call is sent. */
export const CONNECTION_HEADER = 'tenure-connection';
/** Header with the time until which a call may be passed to its connection. Removed before the call is sent. */
export const SEND_BY_HEADER = 'tenure-send-by';

/** Conditions under which a call may be sent. */
interface Terms {
  readonly connection: number | null;
  readonly sendBy: SendBy | null;
}

/** Removes the conditions of a call from its headers and returns them. */
function termsIn(metadata: Metadata): Terms {
  const [connection] = metadata.get(CONNECTION_HEADER);
  const [sendBy] = metadata.get(SEND_BY_HEADER);
  metadata.remove(CONNECTION_HEADER);
  metadata.remove(SEND_BY_HEADER);
  return {
    connection: connection === undefined ? null : Number(connection),
    sendBy: sendBy === undefined ? null : sendByFromText(String(sendBy)),
  };
}

/** The statuses with which a call that was not sent can end. */
const UNSENT_AS: ReadonlySet<GrpcStatus> = new Set([
  GrpcStatus.UNAVAILABLE,
  GrpcStatus.DEADLINE_EXCEEDED,
]);

/**
 * A channel that distinguishes its connections, and marks calls that failed before they were assigned to one. Until
 * then, the peer of a call is the channel's own target; afterwards, the peer is the address of a connection, whether or
 * not the call succeeds.
 */
export class ObservedChannel extends Channel implements Connection {
  #changes = 0;

  constructor(...args: ConstructorParameters<typeof Channel>) {
    super(...args);
    this.#watch();
  }

  current(): number | null {
    return this.getConnectivityState(false) === State.READY ? this.#changes : null;
  }

  async awaited(withinMs: number, signal: AbortSignal): Promise<void> {
    const until = Date.now() + withinMs;
    for (;;) {
      const state = this.getConnectivityState(true);
      if (state === State.READY || state === State.SHUTDOWN || signal.aborted) return;
      const isChanged = await this.#changedFrom(state, until, signal);
      if (!isChanged) return;
    }
  }

  #changedFrom(state: State, until: number, signal: AbortSignal): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const onAbort = () => resolve(false);
    signal.addEventListener('abort', onAbort, { once: true });
    this.watchConnectivityState(state, until, (error) => resolve(error === undefined));
    return promise.finally(() => signal.removeEventListener('abort', onAbort));
  }

  /**
   * Counts changes of the connection. Each change is reported in its own turn of the event loop, so no connection can
   * replace another without being noticed.
   */
  #watch(): void {
    const state = this.getConnectivityState(false);
    if (state === State.SHUTDOWN) return;
    this.watchConnectivityState(state, Infinity, () => {
      this.#changes += 1;
      this.#watch();
    });
  }

  override createCall(
    ...args: Parameters<Channel['createCall']>
  ): ReturnType<Channel['createCall']> {
    const call = super.createCall(...args);
    const target = this.getTarget();
    const start = call.start.bind(call);
    const observed: typeof call.start = (metadata, listener) => {
      const terms = termsIn(metadata);
      if (terms.connection !== null || terms.sendBy !== null) {
        call.setCredentials(this.#onlyOn(terms));
      }
      start(metadata, {
        onReceiveMetadata: (header) => listener.onReceiveMetadata(header),
        onReceiveMessage: (message) => listener.onReceiveMessage(message),
        onReceiveStatus: (status) => {
          const trailer = new Metadata();
          trailer.merge(status.metadata);
          trailer.remove(UNSENT_TRAILER);
          const isUnsent = UNSENT_AS.has(status.code) && call.getPeer() === target;
          if (isUnsent) trailer.set(UNSENT_TRAILER, '1');
          listener.onReceiveStatus({ ...status, metadata: trailer });
        },
      });
    };
    // `observed` must be a separate variable: V8 treats a function that is assigned directly to a member as a method,
    // and would keep it in memory longer than the call.
    call.start = observed;
    return call;
  }

  /**
   * Returns credentials that stop a call on any other connection. The library requests a call's credentials when it has
   * chosen the call's connection. It uses that connection in the same turn of the event loop, or requests the
   * credentials again.
   */
  #onlyOn({ connection, sendBy }: Terms): CallCredentials {
    return CallCredentials.createFromMetadataGenerator((_, answer) => {
      const refuse = (code: GrpcStatus, why: string): void =>
        answer(Object.assign(new Error(why), { code }));
      if (connection !== null && this.current() !== connection) {
        refuse(GrpcStatus.UNAVAILABLE, 'the connection is another one since');
      } else if (sendBy !== null && leftUntil(sendBy) <= 0) {
        refuse(GrpcStatus.DEADLINE_EXCEEDED, 'the time is over within which it was to be sent');
      } else {
        answer(null, new Metadata());
      }
    });
  }
}
