import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Answer, Caller } from '../../../chaos/caller.ts';
import { createCaller } from '../../../chaos/caller.ts';
import type { Member, QueueKind, World } from '../../../chaos/world.ts';
import { startWorld } from '../../../chaos/world.ts';
import { testDatabase } from '../../kit/postgres.ts';
import { queryOnce } from '../../kit/postgres-query.ts';

/**
 * Real processes with a database of their own, and functions that send requests to them, and repeat requests if
 * necessary.
 */
export interface ChaosWorld extends AsyncDisposable {
  readonly world: World;
  readonly api: Member;
  readonly worker: Member;
  readonly projector: Member;
  readonly caller: Caller;
  /** Creates a new install. @returns its contract ID */
  install(): Promise<string>;
  createLicense(install: string, commandId: string): Promise<Answer>;
  /**
   * Makes the ledger refuse the next submission of a command at once, in the call itself. The submission has no effect.
   */
  refuseSubmit(commandId: string): Promise<void>;
  /** The number of projected ledger updates with this command ID. */
  effectsOf(commandId: string): Promise<number>;
  attemptsOf(commandId: string): Promise<number>;
}

export const LICENSE = { params: { meta: { data: {} } } };
const START_MS = 180_000;

export interface ChaosWorldOptions {
  /** The program that the processes run. @default the program of the product */
  readonly entry?: string;
  /** Whether one process has all roles; otherwise each role has a process of its own. */
  readonly isOneProcess?: boolean;
}

export async function startChaosWorld(
  queue: QueueKind,
  { entry, isOneProcess = false }: ChaosWorldOptions = {},
): Promise<ChaosWorld> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'tenure-chaos-test-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const database = stack.use(await testDatabase());
  const over = new AbortController();
  const world = stack.use(
    await startWorld({
      folder,
      queue,
      searchPath: process.env['PATH'] ?? '',
      databaseUrl: database.url,
      signal: over.signal,
      ...(entry === undefined ? {} : { entry }),
    }),
  );
  stack.defer(() => over.abort());
  const tooLate = setTimeout(() => over.abort(new Error('not ready in time')), START_MS);
  const api = await world.add('api', isOneProcess ? 'api,worker,projector' : 'api');
  const worker = isOneProcess ? api : await world.add('worker', 'worker');
  const projector = isOneProcess ? api : await world.add('projector', 'projector');
  await Promise.all([...new Set([api, worker, projector])].map((member) => member.start()));
  clearTimeout(tooLate);
  const caller = createCaller({
    apiUrl: () => `http://127.0.0.1:${api.front.port}`,
    addresses: () => world.addresses,
    signal: over.signal,
    giveUpMs: 60_000,
    requestMs: 6_000,
    waitMs: 3_000,
  });
  const numberOf = async (sql: string): Promise<number> => {
    const [row] = await queryOnce<{ n: string }>(database.url, sql);
    return Number(row?.n);
  };
  const held = stack.move();
  return {
    world,
    api,
    worker,
    projector,
    caller,
    install: async () => {
      const asked = await caller.operate('user', '/app-install-requests', {}, randomUUID());
      const path = `/app-install-requests/${asked.body.contractId}:accept`;
      const made = await caller.operate(
        'provider',
        path,
        { installMeta: {}, meta: {} },
        randomUUID(),
      );
      return made.body.contractId as string;
    },
    createLicense: (install, commandId) =>
      caller.operate('provider', `/app-installs/${install}:create-license`, LICENSE, commandId),
    refuseSubmit: async (commandId) => {
      const answer = await fetch(`${world.addresses.networkUrl}/control/faults`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          kind: 'error',
          code: 'PARTICIPANT_BACKPRESSURE',
          times: 1,
          where: { method: 'Submit', commandId },
        }),
      });
      if (!answer.ok) throw new Error(await answer.text());
    },
    effectsOf: (commandId) =>
      numberOf(`select count(*) as n from ledger_update where command_id = '${commandId}'`),
    attemptsOf: (commandId) =>
      numberOf(`select last_attempt_no as n from change where command_id = '${commandId}'`),
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}
