/*
 * The smallest possible service between REST and a ledger, for `bench/floor.bench.ts`. It has no machines, leases,
 * rights, history, events, lists or recovery. FLOOR_LAYER selects what it does for each request:
 *
 * - `call`: sends the command, and answers with its result.
 * - `stream`: sends the command, and answers when its update arrives.
 * - `stored`: also records the request and the attempt durably before sending the command, and projects the update.
 * - `queued`: also puts a job on the queue between recording and sending.
 *
 * As in Tenure, requests that arrive during a transaction share the next transaction of the same kind.
 */
import Fastify from 'fastify';
import { Metadata, createChannel, createClient } from 'nice-grpc';
import { Pool } from 'pg';
import { CommandServiceDefinition } from '../proto/gen/com/daml/ledger/api/v2/command_service.ts';
import { CommandSubmissionServiceDefinition } from '../proto/gen/com/daml/ledger/api/v2/command_submission_service.ts';
import { StateServiceDefinition } from '../proto/gen/com/daml/ledger/api/v2/state_service.ts';
import type { Transaction } from '../proto/gen/com/daml/ledger/api/v2/transaction.ts';
import type { UpdateFormat } from '../proto/gen/com/daml/ledger/api/v2/transaction_filter.ts';
import { TransactionShape } from '../proto/gen/com/daml/ledger/api/v2/transaction_filter.ts';
import { UpdateServiceDefinition } from '../proto/gen/com/daml/ledger/api/v2/update_service.ts';
import type { Rest } from '../src/app/engine/lanes/gathering.ts';
import { createGathering } from '../src/app/engine/lanes/gathering.ts';
import type { EffectId } from '../src/domain/ids.ts';
import { trusted } from '../src/domain/ids.ts';
import { openQueue } from '../src/queue/backend.ts';
import { postgresBackend } from '../src/queue/postgres-backend.ts';
import { redisBackend } from '../src/queue/redis-backend.ts';
import { startWorker } from '../src/queue/worker.ts';
import { createLicenseCommands, installIn } from './bare-ledger.ts';

export type FloorLayer = 'call' | 'stream' | 'stored' | 'queued';

/** The settings from the parent process. */
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
/** The time within which the updates arrive of commands that were sent together. */
const BURST_MS = 5;
const TOGETHER_MAX = 500;

interface Change {
  readonly id: string;
  readonly install: string;
}

const channel = createChannel(address);
const options = { metadata: Metadata({ authorization: `Bearer ${token}` }) };
const command = createClient(CommandServiceDefinition, channel);
const submission = createClient(CommandSubmissionServiceDefinition, channel);
/** The current contract of each install. Here, a lane has no other state. */
const current = new Map<string, string>();
/** For each command that is in progress, a function that answers its caller with the update. */
const answers = new Map<string, (transaction: Transaction) => void>();
const pool = new Pool({
  connectionString: databaseUrl,
  max: 3,
  options: '-c plan_cache_mode=force_generic_plan -c enable_seqscan=off',
});

const commandsOf = ({ id, install }: Change) =>
  createLicenseCommands(party, current.get(install) ?? install, id);

/** Returns a function that collects its inputs. Inputs that arrive together are handled in one call. */
const grouped = <In>(work: (all: readonly In[]) => Promise<void>, rest?: Rest) =>
  createGathering<In, void>({
    max: TOGETHER_MAX,
    waitsForBreath: true,
    run: async (all) => {
      await work(all);
      return all.map(() => ({ status: 'fulfilled', value: undefined }));
    },
    ...(rest === undefined ? {} : { rest }),
  });

/** As in Tenure, a request waits for further requests while others are in progress. */
const record = grouped<Change>(
  async (all) => {
    await pool.query({
      name: 'record',
      text: `insert into floor_change (id, install, party, state)
        select id, install, $3, 1 from unnest($1::uuid[], $2::text[]) as given (id, install)`,
      values: [all.map(({ id }) => id), all.map(({ install }) => install), party],
    });
  },
  { ms: Number(restMs), isWanted: () => answers.size > 0 },
);

const claim = grouped<Change>(async (all) => {
  const { rowCount } = await pool.query({
    name: 'claim',
    text: 'update floor_change set state = 2 where id = any($1::uuid[]) and state = 1',
    values: [all.map(({ id }) => id)],
  });
  if (rowCount !== all.length) throw new Error('an attempt was there before');
});

const toJson = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? String(part) : part));

const project = grouped<Transaction>(
  async (all) => {
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
        created.map(({ createArguments }) => toJson(createArguments)),
        all.at(-1)?.offset,
      ],
    });
    for (const transaction of all) answers.get(transaction.commandId)?.(transaction);
  },
  { ms: BURST_MS, isWanted: () => answers.size > 1 },
);

/** The format in which updates are requested: only creations and archivals, without labels. */
const UPDATES: UpdateFormat = {
  includeTransactions: {
    eventFormat: {
      filtersByParty: {
        [party]: {
          cumulative: [
            {
              identifierFilter: {
                $case: 'wildcardFilter',
                value: { includeCreatedEventBlob: false },
              },
            },
          ],
        },
      },
      filtersForAnyParty: undefined,
      verbose: false,
    },
    transactionShape: TransactionShape.ACS_DELTA,
  },
  includeReassignments: undefined,
  includeTopologyEvents: undefined,
};

async function followUpdates(beginExclusive: bigint): Promise<never> {
  const update = createClient(UpdateServiceDefinition, channel);
  const request = { beginExclusive, updateFormat: UPDATES };
  for await (const { update: one } of update.getUpdates(request, options)) {
    if (one?.$case !== 'transaction') continue;
    if (isStored) void project(one.value);
    else answers.get(one.value.commandId)?.(one.value);
  }
  throw new Error('the stream has ended');
}

async function send(change: Change): Promise<void> {
  if (isStored) await claim(change);
  await submission.submit({ commands: commandsOf(change) }, options);
}

/** Starts the queue. @returns a function that puts a change on the queue as a job; the worker then sends the change */
async function openJobs(): Promise<(change: Change) => Promise<void>> {
  const log = { info() {}, warn() {}, error() {} };
  const backend =
    redisUrl === undefined
      ? await postgresBackend({ databaseUrl }, log)
      : await redisBackend({ url: redisUrl }, log);
  const changes = new Map<string, Change>();
  const queue = await openQueue(backend, log);
  await startWorker({
    backend,
    log,
    processor: async ({ effectId }) => {
      const change = changes.get(effectId);
      changes.delete(effectId);
      if (change !== undefined) await send(change);
    },
  });
  const io = { signal: new AbortController().signal, deadlineMs: 10_000 };
  return grouped<Change>(async (all) => {
    for (const change of all) changes.set(change.id, change);
    const effects = all.map(({ id }) => ({ effectId: trusted<EffectId>(id), dispatchNo: 1 }));
    await queue.add(effects, io);
  });
}

const start = layer === 'queued' ? await openJobs() : send;

/** @returns the contract ID of the install that replaces the archived one */
async function perform(change: Change): Promise<string> {
  if (layer === 'call') {
    const request = { commands: commandsOf(change), transactionFormat: undefined };
    return installIn((await command.submitAndWaitForTransaction(request, options)).transaction);
  }
  const { promise, resolve } = Promise.withResolvers<Transaction>();
  answers.set(change.id, resolve);
  try {
    await start(change);
    return installIn(await promise);
  } finally {
    answers.delete(change.id);
  }
}

/** The last operation on each install. Operations on one install run one after another. */
const lanes = new Map<string, Promise<unknown>>();

async function serve(change: Change): Promise<string> {
  const { install } = change;
  if (isStored) await record(change);
  const before = lanes.get(install) ?? Promise.resolve();
  const done = before.then(async () => {
    const contractId = await perform(change);
    current.set(install, contractId);
    return contractId;
  });
  const ended = done.catch(() => undefined);
  lanes.set(install, ended);
  return done;
}

if (layer !== 'call') {
  const { offset } = await createClient(StateServiceDefinition, channel).getLedgerEnd({}, options);
  // If this rejects, this process ends, which the parent process notices.
  void followUpdates(offset);
}
const app = Fastify({ routerOptions: { maxParamLength: 1_000 } });
app.post<{ Params: { target: string }; Querystring: { commandId: string } }>(
  '/app-installs/:target',
  async ({ params, query }, reply) => {
    const install = params.target.split(':')[0] ?? '';
    const contractId = await serve({ id: query.commandId, install });
    return reply.code(201).send({ contractId });
  },
);
await app.listen({ host: '127.0.0.1', port: 0 });
const listening = app.server.address();
process.send?.({ port: typeof listening === 'object' ? listening?.port : 0 });
process.on('disconnect', () => process.exit(0));
