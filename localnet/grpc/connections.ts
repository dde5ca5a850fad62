import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

/** The open TCP connections of one port of this process. */
export interface Connections extends Disposable {
  /** Resets the connection of a peer, which is given as `address:port`, if the connection is open. */
  reset(peer: string): void;
  resetAll(): void;
}

/**
 * Node reports every accepted connection on this diagnostics channel. It is used because the gRPC library does not
 * expose its connections.
 */
const CHANNEL = 'net.server.socket';

const peerOf = ({ remoteAddress = '', remotePort = 0 }: Socket): string =>
  `${remoteAddress}:${remotePort}`;

/** Tracks new connections to a port until the tracker is disposed. */
export function followConnections(port: number): Connections {
  const sockets = new Map<string, Socket>();
  const onSocket = (message: unknown) => {
    const { socket } = message as { readonly socket: Socket };
    if (socket.localPort !== port) return;
    const peer = peerOf(socket);
    sockets.set(peer, socket);
    socket.once('close', () => sockets.delete(peer));
  };
  subscribe(CHANNEL, onSocket);
  return {
    reset: (peer) => void sockets.get(peer)?.resetAndDestroy(),
    resetAll: () => {
      for (const socket of sockets.values()) socket.resetAndDestroy();
    },
    [Symbol.dispose]: () => {
      unsubscribe(CHANNEL, onSocket);
      sockets.clear();
    },
  };
}
