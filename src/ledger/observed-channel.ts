import {
  CallCredentials,
  Channel,
  Metadata,
  connectivityState as State,
  status as GrpcStatus,
} from '@grpc/grpc-js';
import { UNSENT_TRAILER } from './outcome.ts';

/** The way to a participant, as far as it matters who is at its other end. */
export interface Connection {
  /** Another number for each connection that is made; `null` while there is none. */
  current(): number | null;
}

/** Names the only connection over which a call may go. It is taken off before anything is sent. */
export const CONNECTION_HEADER = 'tenure-connection';

/**
 * A channel that tells its connections apart, and marks calls that failed before they were given one. Until then the
 * peer of a call is the channel's own target; afterwards it is the address of a connection, whatever became of it.
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

  /** Every change is told, in its turn of the event loop: no connection takes the place of another unseen. */
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
    call.start = (metadata, listener) => {
      const [only] = metadata.get(CONNECTION_HEADER);
      if (only !== undefined) {
        metadata.remove(CONNECTION_HEADER);
        call.setCredentials(this.#onlyOver(Number(only)));
      }
      start(metadata, {
        onReceiveMetadata: (header) => listener.onReceiveMetadata(header),
        onReceiveMessage: (message) => listener.onReceiveMessage(message),
        onReceiveStatus: (status) => {
          const trailer = new Metadata();
          trailer.merge(status.metadata);
          trailer.remove(UNSENT_TRAILER);
          const isUnsent = status.code === GrpcStatus.UNAVAILABLE && call.getPeer() === target;
          if (isUnsent) trailer.set(UNSENT_TRAILER, '1');
          listener.onReceiveStatus({ ...status, metadata: trailer });
        },
      });
    };
    return call;
  }

  /**
   * The library asks for a call's credentials when it has chosen its connection, and uses that in the same turn of the
   * event loop, or asks again: so this is where a call can still be kept from going over another one.
   */
  #onlyOver(connection: number): CallCredentials {
    return CallCredentials.createFromMetadataGenerator((_, answer) => {
      if (this.current() === connection) return answer(null, new Metadata());
      const error = new Error('the connection is another one since');
      return answer(Object.assign(error, { code: GrpcStatus.UNAVAILABLE }));
    });
  }
}
