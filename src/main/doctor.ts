import type { Pool } from 'pg';
import type { Io } from '../app/ports/io.ts';
import { sleep } from '../app/ports/wakeup.ts';
import { createOutgoingHttp } from '../auth/outgoing-fetch.ts';
import { errorLine } from '../domain/error-text.ts';
import type { Party } from '../domain/ids.ts';
import { templateFqn } from '../domain/ledger.ts';
import { typesOf } from '../app/contract/model.ts';
import { NEWEST_MODEL } from '../app/licensing/model.ts';
import type { Participant } from '../ledger/channel.ts';
import { callOptions } from '../ledger/channel.ts';
import { readConnections } from '../ledger/connections.ts';
import { knownOf } from '../ledger/discover.ts';
import { updateFormat } from '../ledger/formats.ts';
import type { Wanted } from '../ledger/formats.ts';
import { microsToIso, timestampToMicros } from '../ledger/instants.ts';
import { classify } from '../ledger/outcome.ts';
import { readRights } from '../ledger/rights.ts';
import { readUpdate } from '../ledger/stream-elements.ts';
import type { Finding } from '../doctor/findings.ts';
import { unseen, well, wrong } from '../doctor/findings.ts';
import type { InspectOptions, Looked } from '../doctor/inspect.ts';
import { inspect } from '../doctor/inspect.ts';
import { judgeClocks } from '../doctor/judge-clocks.ts';
import type { LedgerTime } from '../doctor/judge-clocks.ts';
import type { ServerState } from '../doctor/judge.ts';
import { judgeStandstills } from '../doctor/judge-standstills.ts';
import {
  judgeHosting,
  judgeInspection,
  judgeLeases,
  judgeLedgers,
  judgeOperations,
  judgeOutbox,
  judgeParticipant,
  judgeQueue,
  judgeServer,
  judgeStreams,
  judgeTypes,
} from '../doctor/judge.ts';
import { withSnapshot } from '../store/evidence/snapshot.ts';
import { adviceOf } from '../store/sql/database-unreachable.ts';
import { closePool } from '../store/sql/pool.ts';
import { readServer, readVitals } from '../store/desk/vitals.ts';
import type { Config } from './config.ts';
import { ConfigError, loadConfig, readEnvironment } from './config.ts';
import { PROVIDER, openConfigured } from './ledger-side.ts';
import { recallTimelines } from './database.ts';
import { findAudit } from './doctor-audit.ts';
import {
  findConnections,
  findHosts,
  findProcessClocks,
  findReplica,
  openExaminedPool,
} from './doctor-database.ts';
import { findCells } from './doctor-cells.ts';
import type { LedgerLook, ParticipantLook } from './doctor-ledger.ts';
import { participantsOf, sourceOf } from './doctor-ledger.ts';
import { findTenants } from './doctor-tenants.ts';
import { findUnchecked } from './doctor-unchecked.ts';
import { probeQueue } from './queue-side.ts';
import { createQueueShards } from '../store/engine/queue-shards.ts';
import { isTenure, readRunState, settingsOf } from './run-state.ts';
import { MAIN_LIMITS } from './limits.ts';

/*
 * Examines a Tenure, running or not, and everything that it depends on. It writes nothing, and reports an unreachable
 * part as a finding.
 */

export type { Finding } from '../doctor/findings.ts';
export { AREAS, exitCodeOf } from '../doctor/findings.ts';

export interface DoctorOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Whether the store is also compared with the participants' records. */
  readonly replay: boolean;
  readonly since?: bigint;
  /** After a restore: a copy of the audit log from outside the database, and when the backup was made. */
  readonly restored?: Parameters<typeof findAudit>[1]['restored'];
  readonly deep: boolean;
  readonly onFinding: (finding: Finding) => void;
  readonly onProgress: (what: Looked, count: number) => void;
  readonly signal: AbortSignal;
}

/** Areas that quick queries of the tables answer. */
const VITAL_AREAS = ['streams', 'leases', 'outbox', 'operations'] as const;

/** Returns in one sentence why a participant did not answer. */
function whyOf(error: unknown): string {
  try {
    const { explanation, code, text } = classify(error);
    return `${explanation} (${code}: ${text})`;
  } catch {
    return errorLine(error);
  }
}

class Examination {
  readonly #options: DoctorOptions;
  readonly #stack: AsyncDisposableStack;

  constructor(options: DoctorOptions, stack: AsyncDisposableStack) {
    this.#options = options;
    this.#stack = stack;
  }

  #tell(findings: readonly Finding[]): void {
    for (const finding of findings) this.#options.onFinding(finding);
  }

  #io(deadlineMs = MAIN_LIMITS.doctorCallMs): Io {
    return { signal: this.#options.signal, deadlineMs };
  }

  async run(): Promise<void> {
    const found = await this.#configuration();
    if (found === null) return;
    const { config, provider } = found;
    const pool = await this.#database(config);
    const server = pool === null ? null : await this.#server(pool);
    if (pool !== null) this.#tell(await findReplica(config, pool, this.#io()));
    const ledger = await this.#ledger(config, provider);
    await this.#queue(config, pool);
    await this.#contents(pool, server, ledger, provider);
    this.#tell(judgeClocks(server, await ledger.time, ledger.isTimeStatic));
    if (pool === null || server?.schema.kind !== 'current') return;
    this.#tell(await findProcessClocks(config, pool, this.#io()));
    this.#tell(await findConnections(config, pool, this.#io()));
  }

  /** Checks the contents of the tables, if the schema is that of this version. */
  async #contents(
    pool: Pool | null,
    server: ServerState | null,
    ledger: LedgerLook,
    provider: Party | null,
  ): Promise<void> {
    if (pool === null || server?.schema.kind !== 'current') {
      const why =
        pool === null ? 'the database is unreachable' : 'the tables belong to another version';
      const areas = [...VITAL_AREAS, 'audit', 'invariants'] as const;
      this.#tell(areas.map((area) => unseen(area, why)));
      return;
    }
    await this.#vitals(pool, ledger);
    this.#tell(await findAudit(pool, this.#options));
    await this.#invariants(pool, ledger, provider ?? ledger.provider);
  }

  /**
   * Reads the configuration. If a Tenure is running in this folder, the settings of the parts that it has started are
   * defaults.
   */
  async #configuration(): Promise<{ config: Config; provider: Party | null } | null> {
    try {
      const environment = readEnvironment(this.#options.environment);
      const { TENURE_DATA_DIR: dataDir, LEDGER_HOST: ledger } = environment;
      const isAllElsewhere =
        ledger !== undefined &&
        (environment.DATABASE_URL !== undefined || environment.POSTGRES_HOST !== undefined);
      const state = isAllElsewhere ? null : await readRunState(dataDir);
      if (!isAllElsewhere && (state === null || !(await isTenure(state.pid)))) {
        this.#tell([
          wrong(
            'configuration',
            `no Tenure runs with the data folder ${dataDir}, and DATABASE_URL and LEDGER_HOST are not both set`,
            'Start Tenure with `make start`, run this command in the folder of Tenure, or set DATABASE_URL and LEDGER_HOST.',
          ),
        ]);
        return null;
      }
      const config = loadConfig(settingsOf(this.#options.environment, state));
      this.#tell([
        well(
          'configuration',
          state === null
            ? 'the configuration is complete'
            : `the configuration is complete; Tenure has run since ${state.startedAt} with pid ${state.pid}`,
        ),
      ]);
      return { config, provider: config.providerParty };
    } catch (error) {
      const mistakes = error instanceof ConfigError ? error.mistakes : [errorLine(error)];
      this.#tell(
        mistakes.map((mistake) =>
          wrong('configuration', mistake, 'Correct the setting: see .env.example.'),
        ),
      );
      return null;
    }
  }

  async #database(config: Config): Promise<Pool | null> {
    try {
      await recallTimelines(config.dataDir, () => undefined);
      this.#tell(await findHosts(config.databaseUrl));
      const pool = await openExaminedPool(config.databaseUrl, this.#options.signal);
      this.#stack.defer(() => closePool(pool, MAIN_LIMITS.doctorCloseMs).catch(() => undefined));
      return pool;
    } catch (error) {
      this.#options.signal.throwIfAborted();
      const todo = `${adviceOf(error)} Until then, callers receive 503. Accepted operations are kept.`;
      this.#tell([wrong('database', errorLine(error), todo)]);
      return null;
    }
  }

  async #server(pool: Pool): Promise<ServerState | null> {
    try {
      const server = await readServer(pool, this.#io());
      this.#tell(judgeServer(server));
      return server;
    } catch (error) {
      this.#options.signal.throwIfAborted();
      this.#tell([wrong('database', errorLine(error), 'Read the log of the database.')]);
      return null;
    }
  }

  async #ledger(config: Config, configured: Party | null): Promise<LedgerLook> {
    const http = createOutgoingHttp();
    this.#stack.defer(() => http.close());
    const looks = await Promise.all(
      config.participants.map(async (of): Promise<ParticipantLook> => {
        const participant = openConfigured(config, of, http.fetch);
        this.#stack.defer(() => participant.close());
        return this.#participant(participant, `${of.host}:${of.port}`);
      }),
    );
    for (const { state } of looks) this.#tell(judgeParticipant(state));
    const projected = looks.find(({ state }) => state.name === PROVIDER);
    const actAs = projected?.state.answer?.actAs ?? [];
    const provider = configured ?? (actAs.length === 1 ? (actAs[0] ?? null) : null);
    this.#tell(judgeHosting(provider, projected?.state));
    const base = { participants: looks.map(({ state }) => state), provider };
    if (projected?.state.answer == null || provider === null || !actAs.includes(provider)) {
      return { ...base, looks, wanted: null, time: Promise.resolve(null), isTimeStatic: false };
    }
    const wanted = await this.#templates(projected.participant, provider);
    const { ledgerEnd } = projected.state.answer;
    // The next checkpoint of the stream may take a while, so the result is awaited only at the end.
    const time =
      wanted === null
        ? Promise.resolve(null)
        : this.#ledgerTime(projected, ledgerEnd, provider, wanted);
    time.catch(() => undefined);
    return { ...base, looks, wanted, time, isTimeStatic: projected.isTimeStatic };
  }

  async #participant(participant: Participant, where: string): Promise<ParticipantLook> {
    const { name } = participant;
    try {
      const io = this.#io();
      const [{ version, features }, rights, { offset }] = await Promise.all([
        participant.version.getLedgerApiVersion({}, callOptions(io)),
        readRights(participant, io),
        participant.state.getLedgerEnd({}, callOptions(io)),
      ]);
      const { ledgerUser, actAs } = rights;
      const synchronizers = await readConnections(participant, actAs, this.#io()).catch(() => null);
      this.#options.signal.throwIfAborted();
      const answer = { version, ledgerUser, actAs, ledgerEnd: offset, synchronizers };
      return {
        participant,
        rights,
        isTimeStatic: features?.experimental?.staticTime?.supported ?? false,
        state: { name, where, answer, why: '' },
      };
    } catch (error) {
      this.#options.signal.throwIfAborted();
      const state = { name, where, answer: null, why: whyOf(error) };
      return { participant, rights: null, isTimeStatic: false, state };
    }
  }

  async #templates(participant: Participant, provider: Party): Promise<Wanted | null> {
    const all = typesOf(NEWEST_MODEL);
    const fqns = ({ templates, interfaces }: Wanted) =>
      [...templates, ...interfaces].map(templateFqn);
    try {
      const known = await knownOf(participant, provider, all, this.#io());
      this.#tell(judgeTypes(fqns(known), fqns(all)));
      return known.templates.length === 0 ? null : known;
    } catch (error) {
      this.#options.signal.throwIfAborted();
      this.#tell([unseen('ledger', `templates not checked: ${whyOf(error)}`)]);
      return null;
    }
  }

  /**
   * Returns the ledger's time: if it is set by hand, the time that was set, otherwise the time of the next checkpoint.
   * Returns `null` if none arrives soon.
   */
  async #ledgerTime(
    { participant, isTimeStatic }: ParticipantLook,
    ledgerEnd: bigint,
    provider: Party,
    wanted: Wanted,
  ): Promise<LedgerTime | null> {
    const enough = AbortSignal.any([
      this.#options.signal,
      AbortSignal.timeout(MAIN_LIMITS.doctorCallMs),
    ]);
    try {
      if (isTimeStatic) {
        const { currentTime } = await participant.time.getTime({}, { signal: enough });
        if (currentTime === undefined) return null;
        return { at: microsToIso(timestampToMicros(currentTime)), ourAtMs: Date.now() };
      }
      const request = { beginExclusive: ledgerEnd, updateFormat: updateFormat([provider], wanted) };
      for await (const message of participant.update.getUpdates(request, { signal: enough })) {
        const time = readUpdate(message, wanted.interfaces).recordTime ?? null;
        if (time !== null) return { at: time, ourAtMs: Date.now() };
      }
      return null;
    } catch {
      this.#options.signal.throwIfAborted();
      return null;
    }
  }

  async #queue(config: Config, pool: Pool | null): Promise<void> {
    if (config.queue.kind === 'postgres' && pool === null) {
      this.#tell([unseen('queue', 'the database of the queue is unreachable')]);
      return;
    }
    // An older schema has only one queue.
    const counted = pool === null ? null : createQueueShards(pool).read(this.#io());
    const { most } = (await counted?.catch(() => null)) ?? { most: 1 };
    this.#tell(judgeQueue(await probeQueue(config, most)));
  }

  async #vitals(pool: Pool, { participants, looks }: LedgerLook): Promise<void> {
    try {
      let vitals = await readVitals(pool, this.#io());
      const began = performance.now();
      const isBehind = () =>
        judgeStreams(participants, PROVIDER, vitals.streams).some(({ level }) => level === 'wrong');
      while (isBehind() && performance.now() - began < MAIN_LIMITS.doctorFollowedMs) {
        await sleep(MAIN_LIMITS.doctorLookMs, this.#options.signal);
        this.#options.signal.throwIfAborted();
        vitals = await readVitals(pool, this.#io());
      }
      this.#tell([
        ...judgeLedgers(vitals.foreign),
        ...judgeStreams(participants, PROVIDER, vitals.streams),
        ...judgeStandstills(vitals.standstills, Date.now()),
        ...judgeLeases(vitals.leases),
        ...judgeOutbox(vitals.outbox),
        ...judgeOperations(vitals),
        ...(await findTenants(pool, looks, this.#io())),
        ...(await findCells(pool, participantsOf(looks), this.#io())),
      ]);
    } catch (error) {
      this.#options.signal.throwIfAborted();
      const todo = 'Read the log of the database, and run `tenure doctor` again.';
      this.#tell([
        wrong('database', `streams and operations are unreadable: ${errorLine(error)}`, todo),
        ...VITAL_AREAS.map((area) => unseen(area, 'the database is unreadable')),
      ]);
    }
  }

  async #invariants(pool: Pool, ledger: LedgerLook, provider: Party | null): Promise<void> {
    const { replay, deep, since, signal, onProgress } = this.#options;
    const source = replay && provider !== null ? sourceOf(ledger, provider) : null;
    if (source === null) {
      const why = replay ? 'the ledger cannot be queried' : 'the option --no-replay is set';
      this.#tell([unseen('invariants', `the store was not compared with the ledger: ${why}`)]);
    }
    const options: InspectOptions = {
      deep,
      signal,
      onProgress,
      ...(since === undefined ? {} : { since }),
    };
    const ownership = {
      projected: PROVIDER,
      readAs: provider === null ? [] : [provider],
      model: NEWEST_MODEL,
    };
    try {
      const inspection = await withSnapshot(pool, signal, (snapshot) =>
        inspect(snapshot, source, ownership, options),
      );
      this.#tell(judgeInspection(inspection));
    } catch (error) {
      signal.throwIfAborted();
      this.#tell(findUnchecked(error, whyOf(error)));
    }
  }
}

/**
 * Examines all parts in the order of their dependencies, and reports each finding as soon as it is made.
 *
 * @throws the signal's reason if the signal fires; never an error of the examined parts
 */
export async function examine(options: DoctorOptions): Promise<void> {
  await using stack = new AsyncDisposableStack();
  await new Examination(options, stack).run();
}
