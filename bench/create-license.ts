import { randomUUID } from 'node:crypto';
import type { BenchWorld } from './world.ts';

/* The measured operation, as a caller requests it over REST. */

const LICENSE = JSON.stringify({ params: { meta: { data: {} } } });

async function post(
  world: BenchWorld,
  who: 'provider' | 'user',
  path: string,
  body: string,
  commandId: string = randomUUID(),
): Promise<Readonly<Record<string, string>>> {
  const token = await world.token(who);
  const answer = await fetch(`${world.state.apiUrl}${path}?commandId=${commandId}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body,
  });
  if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as Readonly<Record<string, string>>;
}

/** Requests an install as the user. Each request has its own lane. @throws Error if the answer is not 201 */
export async function askForInstall(world: BenchWorld, commandId?: string): Promise<void> {
  await post(world, 'user', '/app-install-requests', '{}', commandId);
}

/** Creates this number of installations at the same time. @returns their contract IDs */
export async function makeInstalls(world: BenchWorld, count: number): Promise<string[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const request = await post(world, 'user', '/app-install-requests', '{}');
      const path = `/app-install-requests/${request['contractId']}:accept`;
      const meta = JSON.stringify({ installMeta: {}, meta: {} });
      return (await post(world, 'provider', path, meta))['contractId'] ?? '';
    }),
  );
}

/**
 * Creates a licence and waits until it is projected.
 *
 * @throws Error if the answer is not 201
 */
export async function createLicense(
  world: BenchWorld,
  install: string,
  commandId?: string,
): Promise<void> {
  const path = `/app-installs/${install}:create-license`;
  await post(world, 'provider', path, LICENSE, commandId);
}
