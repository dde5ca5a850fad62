import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { EmbeddedPostgresError, hasSystemCode } from './embedded-error.ts';

/**
 * Returns the port to listen on: the requested one, else the port of the previous start if it is free, else any free
 * port. Another program may take the port before the server binds it; the launcher then calls this function again.
 * @throws EmbeddedPostgresError `PORT_TAKEN` if the requested port is in use
 */
export async function choosePort(dataDir: string, wanted: number): Promise<number> {
  if (wanted !== 0) {
    const free = await bindable(wanted);
    if (free !== null) return wanted;
    throw new EmbeddedPostgresError(
      'PORT_TAKEN',
      `another program uses port ${wanted} on 127.0.0.1: end that program, set POSTGRES_PORT, or use \`cli/tenure start --free-ports\``,
    );
  }
  const last = await rememberedPort(dataDir);
  const chosen = (last === null ? null : await bindable(last)) ?? (await bindable(0));
  if (chosen === null) {
    throw new EmbeddedPostgresError('PORT_TAKEN', 'no port on 127.0.0.1 is free');
  }
  return chosen;
}

/** Remembers the port for the next start, so that addresses that people have noted remain valid. */
export async function rememberPort(dataDir: string, port: number): Promise<void> {
  await writeFile(join(dataDir, 'port'), `${port}\n`);
}

async function rememberedPort(dataDir: string): Promise<number | null> {
  const text = await readFile(join(dataDir, 'port'), 'utf8').catch(() => '');
  const port = Number.parseInt(text, 10);
  return port > 0 && port < 65_536 ? port : null;
}

/** Returns the port on which a test listener could listen, or null if it could not. */
async function bindable(port: number): Promise<number | null> {
  const probe = createServer();
  try {
    probe.listen({ port, host: '127.0.0.1', exclusive: true });
    await once(probe, 'listening');
    const address = probe.address();
    return typeof address === 'object' && address !== null ? address.port : null;
  } catch (error) {
    if (hasSystemCode(error, 'EADDRINUSE', 'EACCES')) return null;
    throw error;
  } finally {
    probe.close();
  }
}
