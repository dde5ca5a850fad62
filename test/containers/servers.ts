import { GenericContainer, Wait } from 'testcontainers';
import type { StartedTestContainer } from 'testcontainers';
import { imagesOf } from './images.ts';

/*
 * Starts PostgreSQL and Valkey in containers for the whole run, and gives their addresses to the tests. If the address
 * of a server is given, that server is used instead. This file runs before `postgres-setup.ts`, which creates databases
 * on the server.
 */

const PASSWORD = 'tenure';
const START_MS = 180_000;

const startPostgres = (image: string): Promise<StartedTestContainer> =>
  new GenericContainer(image)
    .withEnvironment({ POSTGRES_PASSWORD: PASSWORD })
    // The data is deleted after the run, so it need not survive a crash.
    .withCommand(['postgres', '-c', 'max_connections=300', '-c', 'fsync=off'])
    .withExposedPorts(5432)
    // This line is written twice, because the image first starts a server for its own preparations.
    .withWaitStrategy(Wait.forLogMessage(/database system is ready to accept connections/u, 2))
    .withStartupTimeout(START_MS)
    .start();

const startValkey = (image: string): Promise<StartedTestContainer> =>
  new GenericContainer(image)
    .withCommand(['valkey-server', '--appendonly', 'yes', '--maxmemory-policy', 'noeviction'])
    .withExposedPorts(6379)
    .withWaitStrategy(Wait.forLogMessage(/Ready to accept connections/u))
    .withStartupTimeout(START_MS)
    .start();

const at = (container: StartedTestContainer, port: number): string =>
  `${container.getHost()}:${container.getMappedPort(port)}`;

export async function setup(): Promise<() => Promise<void>> {
  const images = imagesOf(['postgres', 'valkey']);
  await using stack = new AsyncDisposableStack();
  const keep = (container: StartedTestContainer): StartedTestContainer => {
    stack.defer(async () => {
      await container.stop();
    });
    return container;
  };
  if ((process.env['TEST_DATABASE_URL'] ?? '') === '') {
    const address = at(keep(await startPostgres(images.postgres)), 5432);
    process.env['TEST_DATABASE_URL'] = `postgresql://postgres:${PASSWORD}@${address}/postgres`;
  }
  if ((process.env['TEST_REDIS_URL'] ?? '') === '') {
    const address = at(keep(await startValkey(images.valkey)), 6379);
    process.env['TEST_REDIS_URL'] = `redis://${address}`;
  }
  const held = stack.move();
  return () => held.disposeAsync();
}
