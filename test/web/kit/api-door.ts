import type { TcpProxy } from '../../../chaos/tcp-proxy.ts';
import { openTcpProxy } from '../../../chaos/tcp-proxy.ts';
import type { RoleProcess } from '../../../embedded/role-process.ts';
import { startRoleProcess } from '../../../embedded/role-process.ts';
import type { World } from '../../e2e/kit/world.ts';
import { PATIENCE_MS } from '../../kit/patience.ts';

/**
 * The API in a separate process, which uses the database and the ledger of a whole Tenure. If the process is replaced,
 * its port stays the same.
 */
export interface ApiDoor extends AsyncDisposable {
  /** The address that people open in the browser. */
  readonly origin: string;
  /** The proxy between the browsers and the process. */
  readonly front: TcpProxy;
  /** Kills the process with `kill -9`. */
  kill(): Promise<void>;
  start(): Promise<void>;
}

/** @param environment settings of the process in addition to the world's own */
export async function openApiDoor(
  { environment: ofWorld, dataDir }: World,
  environment: Readonly<Record<string, string>> = {},
): Promise<ApiDoor> {
  await using stack = new AsyncDisposableStack();
  const front = stack.use(await openTcpProxy(0));
  let running: RoleProcess | null = null;
  const kill = async (): Promise<void> => {
    front.refuse();
    await running?.end('SIGKILL');
  };
  const start = async (): Promise<void> => {
    running = await startRoleProcess({
      roles: 'api',
      environment: {
        PATH: process.env['PATH'],
        TENURE_DATA_DIR: dataDir,
        ...ofWorld,
        ...environment,
      },
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    front.aim(running.port);
    front.pass();
  };
  stack.defer(kill);
  await start();
  const held = stack.move();
  return {
    origin: `http://localhost:${front.port}`,
    front,
    kill,
    start,
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}
