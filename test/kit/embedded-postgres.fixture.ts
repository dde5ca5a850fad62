import {
  startEmbeddedPostgres,
  type EmbeddedPostgresOptions,
} from '../../embedded/postgres/embedded-postgres.ts';
import { HOST, type Host } from '../../embedded/postgres/identity.ts';

/*
 * A process that runs the embedded server, for tests that kill it or run it as another user. Its argument is JSON; it
 * prints one line of JSON when the server is ready, and one for every later event. It stops the server when its
 * standard input ends.
 */

type Wanted = Partial<Omit<EmbeddedPostgresOptions, 'host'>> &
  Pick<EmbeddedPostgresOptions, 'dataDir'> & { readonly host?: Partial<Host> };

const say = (what: object) => process.stdout.write(`${JSON.stringify(what)}\n`);

const wanted = JSON.parse(process.argv[2] ?? '') as Wanted;
try {
  const server = await startEmbeddedPostgres({
    durability: 'none',
    ...wanted,
    host: { ...HOST, ...wanted.host },
    signal: AbortSignal.timeout(60_000),
    onEvent: (event) => say({ event }),
  });
  const { url, socketUrl, port, pid, identity } = server;
  say({ ready: { url, socketUrl, port, pid, identity } });
  process.stdin.resume();
  process.stdin.once('end', () => void server.stop().then(() => process.exit(0)));
} catch (error) {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  const code = error instanceof Error && 'code' in error ? error.code : null;
  say({ refused: { name, code, message } });
  process.exit(1);
}
