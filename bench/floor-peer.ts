/*
 * The least that a service between REST and a ledger can be, for `bench/floor.bench.ts`: no lanes, machines, leases,
 * rights, events or lists, and nothing that recovers. What FLOOR_LAYER says is done for each request:
 *
 * - `call`: the command is sent, and the caller answered by its result.
 * - `stream`: it is sent, and the caller answered by the update that it caused.
 * - `stored`: before that it is recorded, and its attempt, each durably; and the update is projected.
 * - `queued`: between both it is a job of the queue.
 *
 * What comes while a transaction of one kind runs shares the next one of it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import Fastify from 'fastify';
import { Metadata, createChannel, createClient } from 'nice-grpc';
import { Pool } from 'pg';
import { CommandServiceDefinition } from '../proto/gen/com/daml/ledger/api/v2/command_service.ts';
import { CommandSubmissionServiceDefinition } from '../proto/gen/com/daml/ledger/api/v2/command_submission_service.ts';
import type { Transaction } from '../proto/gen/com/daml/ledger/api/v2/transaction.ts';
import { StateServiceDefinition } from '../proto/gen/com/daml/ledger/api/v2/state_service.ts';
import { UpdateServiceDefinition } from '../proto/gen/com/daml/ledger/api/v2/update_service.ts';
import type { EffectId, Party } from '../src/domain/ids.ts';
import { trusted } from '../src/domain/ids.ts';
import { wildcard } from '../src/ledger/formats.ts';
import { openQueue } from '../src/queue/backend.ts';
import { postgresBackend } from '../src/queue/postgres-backend.ts';
import { redisBackend } from '../src/queue/redis-backend.ts';
import { startWorker } from '../src/queue/worker.ts';
import { createLicenseCommands, installIn } from './bare-ledger.ts';

export type FloorLayer = 'call' | 'stream' | 'stored' | 'queued';

/** What the parent tells by the environment. */
const {
  FLOOR_LAYER: layer = 'call',
  FLOOR_LEDGER: address = '',
  FLOOR_TOKEN: token = '',
  FLOOR_PARTY: party = '',
  FLOOR_DATABASE: databaseUrl = '',
  FLOOR_REDIS: redisUrl,
  FLOOR_REST_MS: restMs = '0',
} = process.env;
const isStored = layer === 'stored' || layer === 'queued';

interface Change {
  readonly id: string;
  readonly install: string;
}

/** Does what has come together, one after the other. */
function grouped<T>(work: (all: readonly T[]) => Promise<void>, rest = 0) {
  let waiting: { readonly each: T; readonly done: PromiseWithResolvers<void> }[] = [];
  let isRunning = false;
  const run = async () => {
    isRunning = true;
    while (waiting.length > 0) {
      if (rest > 0) await sleep(rest);
      const taken = waiting;
      waiting = [];
      try {
        await work(taken.map(({ each }) => each));
        for (const { done } of taken) done.resolve();
      } catch (error) {
        for (const { done } of taken) done.reject(error);
      }
    }
    isRunning = false;
  };
  return (each: T): Promise<void> => {
    const done = Promise.withResolvers<void>();
    waiting.push({ each, done });
    if (!isRunning) void run();
    return done.promise;
  };
}

const channel = createChannel(address);
const options = { metadata: Metadata({ authorization: `Bearer ${token}` }) };
const command = createClient(CommandServiceDefinition, channel);
const submission = createClient(CommandSubmissionServiceDefinition, channel);
/** Contracts by the install that they follow: a lane's state, as a peer of this size keeps it. */
const current = new Map<string, string>();
const answers = new Map<string, (transaction: Transaction) => void>();
const pool = new Pool({ connectionString: databaseUrl, max: 3 });

const commandsOf = ({ id, install }: Change) =>
  createLicenseCommands(party, current.get(install) ?? install, id);

function follow(id: string): Promise<Transaction> {
  const { promise, resolve } = Promise.withResolvers<Transaction>();
  answers.set(id, resolve);
  return promise;
}

const record = grouped<Change>(async (all) => {
  await pool.query({
    name: 'record',
    text: `insert into floor_change (id, install, party, state)
      select id, install, $3, 1 from unnest($1::uuid[], $2::text[]) as given (id, install)`,
    values: [all.map(({ id }) => id), all.map(({ install }) => install), party],
  });
}, Number(restMs));

const claim = grouped<Change>(async (all) => {
  await pool.query({
    name: 'claim',
    text: 'update floor_change set state = 2 where id = any($1::uuid[]) and state = 1 returning install',
    values: [all.map(({ id }) => id)],
  });
});

const project = grouped<Transaction>(async (all) => {
  const created = all.flatMap(({ commandId, events }) =>
    events.flatMap(({ event }) =>
      event?.$case === 'created' ? [{ commandId, ...event.value }] : [],
    ),
  );
  await pool.query({
    name: 'project',
    text: `with ended as (update floor_change set state = 3, update_id = given.update_id
        from unnest($1::uuid[], $2::text[]) as given (id, update_id) where floor_change.id = given.id),
      made as (insert into floor_contract (contract_id, change, template, payload)
        select * from unnest($3::text[], $4::uuid[], $5::text[], $6::json[]))
      update floor_cursor set read_to = $7`,
    values: [
      all.map(({ commandId }) => commandId),
      all.map(({ updateId }) => updateId),
      created.map(({ contractId }) => contractId),
      created.map(({ commandId }) => commandId),
      created.map(({ templateId }) => templateId?.entityName),
      created.map(({ createArguments }) => JSON.stringify(createArguments, (_, value: unknown) =>
        typeof value === 'bigint' ? String(value) : value,
      )),
      all.at(-1)?.offset,
    ],
  });
  for (const transaction of all) answers.get(transaction.commandId)?.(transaction);
});

async function followUpdates(): Promise<void> {
  const { offset } = await createClient(StateServiceDefinition, channel).getLedgerEnd({}, options);
  const update = createClient(UpdateServiceDefinition, channel);
  const request = { beginExclusive: offset, updateFormat: wildcard([trusted<Party>(party)]) };
  for await (const { update: one } of update.getUpdates(request, options)) {
    if (one?.$case !== 'transaction') continue;
    if (isStored) void project(one.value);
    else answers.get(one.value.commandId)?.(one.value);
  }
}

const log = { info() {}, warn() {}, error() {} };
const jobs = new Map<string, Change>();

const send = async (change: Change): Promise<void> => {
  if (isStored) await claim(change);
  await submission.submit({ commands: commandsOf(change) }, options);
};

async function openJobs(): Promise<(change: Change) => Promise<void>> {
  const backend =
    redisUrl === undefined
      ? await postgresBackend({ databaseUrl }, log)
      : await redisBackend({ url: redisUrl }, log);
  const queue = await openQueue(backend, log);
  await startWorker({
    backend,
    log,
    processor: async ({ effectId }) => {
      const change = jobs.get(effectId);
      jobs.delete(effectId);
      if (change !== undefined) await send(change);
    },
  });
  const io = { signal: new AbortController().signal, deadlineMs: 10_000 };
  return grouped<Change>(async (all) => {
    for (const change of all) jobs.set(change.id, change);
    const effects = all.map(({ id }) => ({ effectId: trusted<EffectId>(id), dispatchNo: 1 }));
    await queue.add(effects, io);
  });
}

const start = layer === 'queued' ? await openJobs() : send;

async function serve(change: Change): Promise<string> {
  if (layer === 'call') {
    const request = { commands: commandsOf(change), transactionFormat: undefined };
    return installIn((await command.submitAndWaitForTransaction(request, options)).transaction);
  }
  const followed = follow(change.id);
  if (isStored) await record(change);
  await start(change);
  const transaction = await followed;
  answers.delete(change.id);
  return installIn(transaction);
}

if (layer !== 'call') void followUpdates();
const app = Fastify({ routerOptions: { maxParamLength: 1_000 } });
app.post<{ Params: { target: string }; Querystring: { commandId: string } }>(
  '/app-installs/:target',
  async ({ params, query }, reply) => {
    const install = params.target.split(':')[0] ?? '';
    const contractId = await serve({ id: query.commandId, install });
    current.set(install, contractId);
    return reply.code(201).send({ contractId });
  },
);
await app.listen({ host: '127.0.0.1', port: 0 });
const listening = app.server.address();
process.send?.({ port: typeof listening === 'object' ? listening?.port : 0 });
process.on('disconnect', () => process.exit(0));
