import type { HttpDeps } from '../http/kit/deps.ts';
import { buildManagement } from '../http/management.ts';
import type { Config } from './config.ts';

/** Serves operators and their tools on a separate port. Resolves with the port. */
export async function startManagement(
  deps: Pick<HttpDeps, 'metrics'> & {
    readonly config: Config;
    readonly checks: HttpDeps['readiness'];
  },
  stack: AsyncDisposableStack,
): Promise<number> {
  const { config, checks, metrics } = deps;
  const server = await buildManagement({ readiness: checks, metrics });
  stack.defer(() => server.close());
  await server.listen(config.management);
  const address = server.server.address();
  return typeof address === 'object' && address !== null ? address.port : config.management.port;
}
