import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/** A proxy to a port, which a test can cut and restore. It is used for a server that some clients must not reach. */
export interface Gate extends AsyncDisposable {
  readonly port: number;
  /** Ends all open connections, and ends every new connection at once. */
  cut(): void;
  mend(): void;
}

export async function openGate(target: number): Promise<Gate> {
  const open = new Set<Socket>();
  let isCut = false;
  const keep = (socket: Socket): void => {
    open.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => open.delete(socket));
  };
  const server = createServer((inner) => {
    keep(inner);
    if (isCut) return void inner.destroy();
    const outer = connect(target, '127.0.0.1');
    keep(outer);
    inner.on('close', () => outer.destroy());
    outer.on('close', () => inner.destroy());
    inner.pipe(outer);
    outer.pipe(inner);
    return undefined;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const destroyAll = (): void => {
    for (const socket of open) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut: () => {
      isCut = true;
      destroyAll();
    },
    mend: () => {
      isCut = false;
    },
    [Symbol.asyncDispose]: async () => {
      destroyAll();
      server.close();
      await once(server, 'close');
    },
  };
}
