import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../embedded/free-port.ts';
import type { Localnet } from '../../localnet/localnet.ts';
import { http, installRequestBody } from './kit/http.ts';
import { PROVIDER_ADMIN, PROVIDER_BACKEND, USER_ADMIN, USER_PERSON } from './kit/identities.ts';
import { change } from './kit/commands.ts';
import { accept } from './kit/licensing.ts';
import { openNetwork } from './kit/network.ts';
import type { Network } from './kit/network.ts';
import { activeIds, transact } from './kit/steps.ts';
import { selfSignedToken } from './kit/tokens.ts';
import { PATIENCE_MS } from '../kit/patience.ts';

/* A network with one participant, which hosts the provider, the user and the DSO on its own ports. */

describe('a network of one participant', () => {
  let network: Network<Localnet>;
  beforeAll(async () => {
    network = await openNetwork({ isSingle: true });
  });
  afterAll(() => network[Symbol.asyncDispose]());

  test('is found under every name, and hosts everybody', async () => {
    const { urls, parties } = network.localnet;
    const { 'app-user': user, 'app-provider': provider, sv } = urls.participants;
    expect([user, sv]).toEqual([provider, provider]);
    const { json } = await http(network, `${provider.json}/v2/parties`, { as: USER_ADMIN });
    const { partyDetails } = json as { partyDetails: { party: string; isLocal: boolean }[] };
    expect(partyDetails).toEqual(
      expect.arrayContaining(
        Object.values(parties).map((party) => expect.objectContaining({ party, isLocal: true })),
      ),
    );
    const namespaces = Object.values(parties).map((party) => party.split('::')[1]);
    expect(new Set(namespaces).size).toBe(1);
    const health = await http(network, `${provider.health}/health`);
    expect(health.text).toContain('SERVING');
    const packages = await http(network, `${provider.admin}/v2/packages`);
    expect(packages.status).toBe(200);
  });

  test('takes the tokens of both realms, and those of the shared secret', async () => {
    const { json } = network.localnet.urls.participants['app-provider'];
    const shared = `Bearer ${await selfSignedToken()}`;
    for (const as of [USER_PERSON, PROVIDER_BACKEND, shared]) {
      expect((await http(network, `${json}/v2/version`, { as })).status).toBe(200);
    }
    const dso = await http(network, `${network.localnet.urls.registry}/registry/metadata/v1/info`);
    expect(dso.json).toMatchObject({ adminId: network.localnet.parties.dso });
  });

  test('lets the user ask and the provider accept, each by its own rights', async () => {
    const { appUser: user, appProvider: provider } = network.localnet.parties;
    const { json } = network.localnet.urls.participants['app-user'];
    const asked = await http(network, `${json}/v2/commands/submit-and-wait`, {
      as: USER_PERSON,
      body: installRequestBody({ user, provider }),
    });
    expect(asked.status).toBe(200);
    const backend = network.as(PROVIDER_BACKEND);
    const [request] = await activeIds(backend, provider);
    await transact(backend, change(accept(request!), { actAs: [provider] }));
    expect(await activeIds(backend, provider)).not.toContain(request);
    const denied = await http(network, `${json}/v2/commands/submit-and-wait`, {
      as: PROVIDER_BACKEND,
      body: installRequestBody({ user, provider }),
    });
    expect(denied.status).toBe(403);
  });

  test('has a wallet', async () => {
    const { validator } = network.localnet.urls.participants['app-user'];
    const tapped = await http(network, `${validator}/api/validator/v0/wallet/tap`, {
      as: USER_PERSON,
      body: { amount: '10.0' },
    });
    expect(tapped.status).toBe(200);
  });
});

test('its folder is its own: one participant does not become three, nor three one', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'tenure-single-'));
  try {
    const first = await openNetwork({ dataDir, isSingle: true });
    const { parties } = first.localnet;
    await first[Symbol.asyncDispose]();
    await expect(openNetwork({ dataDir })).rejects.toThrow('a network of one participant,');
    await using again = await openNetwork({ dataDir, isSingle: true });
    expect(again.localnet.parties).toEqual(parties);
    const { participantId } = await again.as(PROVIDER_ADMIN).partyAdmin.getParticipantId({});
    expect(participantId).toContain(parties.appUser.split('::')[1]);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
});

/** Returns this number of different ports that are free. */
async function freePorts(count: number): Promise<readonly number[]> {
  const found = new Set<number>();
  while (found.size < count) found.add(await freePort());
  return [...found];
}

test('tenure localnet --single serves it, at ports of one’s choice', async () => {
  const [ledger, admin, health, json] = await freePorts(4);
  const child = spawn(resolve('cli/tenure'), ['localnet', '--single'], {
    env: {
      PATH: process.env['PATH'],
      LOCALNET_PORTS: 'free',
      LOCALNET_SINGLE_LEDGER_PORT: String(ledger),
      LOCALNET_SINGLE_ADMIN_PORT: String(admin),
      LOCALNET_SINGLE_HEALTH_PORT: String(health),
      LOCALNET_SINGLE_JSON_PORT: String(json),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  try {
    const lines = createInterface({ input: child.stdout });
    const [line] = await Promise.race([
      once(lines, 'line', { signal: AbortSignal.timeout(PATIENCE_MS) }),
      ended.then(([code]) => Promise.reject(new Error(`it ended with ${String(code)}`))),
    ]);
    const { ports } = JSON.parse(String(line)) as Pick<Localnet, 'ports'>;
    expect(ports.participants.sv).toMatchObject({ ledger, admin, health, json });
    const answers = await Promise.all(
      [`${health}/health`, `${admin}/v2/packages`, `${json}/readyz`].map(
        async (url) => (await fetch(`http://127.0.0.1:${url}`)).status,
      ),
    );
    expect(answers).toEqual([200, 200, 200]);
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
});
