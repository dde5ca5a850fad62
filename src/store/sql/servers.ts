import { Client } from 'pg';
import { asError } from '../../domain/error-text.ts';
import { STORE_LIMITS } from '../limits.ts';
import { DatabaseUnreachableError, asUnreachable } from './database-unreachable.ts';
import type { DatabaseAddress, DatabaseHost } from './database-url.ts';
import { hostsInWords } from './database-url.ts';
import type { Standing } from './timelines.ts';
import { TIMELINES } from './timelines.ts';

/* Finds the primary among the servers of one database. */

/** A server's report about itself. */
export interface ServerFacts extends Standing {
  /**
   * The process ID of the session that was asked. Behind a pooler it differs from the one that the connection reports.
   */
  readonly pid: number;
  /** Whether the server follows another one. */
  readonly isStandby: boolean;
  readonly isReadOnly: boolean;
}

/**
 * Reads the timeline of a primary from the name of its log file, because the last checkpoint may still name the
 * timeline before the server's promotion.
 */
const FACTS = `
  select pg_backend_pid() as pid, pg_is_in_recovery() as "isStandby",
         current_setting('transaction_read_only') = 'on' as "isReadOnly", s.system_identifier::text as system,
         case when pg_is_in_recovery()
              then (select greatest(c.timeline_id, r.received_tli) from pg_control_checkpoint() c
                    left join pg_stat_wal_receiver r on true)
              else ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::int end as timeline
  from pg_control_system() s`;

/** The query for a server that does not let this role read system and timeline. */
const FEW_FACTS = `
  select pg_backend_pid() as pid, pg_is_in_recovery() as "isStandby",
         current_setting('transaction_read_only') = 'on' as "isReadOnly", null as system, 1 as timeline`;

const NOT_ALLOWED = '42501';
const NO_SUCH_FUNCTION = '42883';

/** The grant that allows a role to read promotions from a server. */
export const GRANT_TELLING =
  'grant execute on functions pg_control_system() and pg_control_checkpoint()';

/** Asks a server for its state over a connection that was just opened. */
export async function factsOf(client: Client): Promise<ServerFacts> {
  const ask = async (text: string): Promise<ServerFacts> => {
    // The driver supports a timeout for each query; its type declarations do not.
    const question = { text, query_timeout: STORE_LIMITS.serverAskMs };
    const { rows } = await client.query<ServerFacts>(question);
    const [row] = rows;
    if (row === undefined) throw new Error('the server did not report its role');
    return row;
  };
  try {
    return await ask(FACTS);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code !== NOT_ALLOWED && code !== NO_SUCH_FUNCTION) throw error;
    return ask(FEW_FACTS);
  }
}

/** The answer of one server. */
export interface HostAnswer {
  readonly host: DatabaseHost;
  readonly facts: ServerFacts | null;
  /** Why the server has not answered. */
  readonly error: Error | null;
}

async function askHost(url: string, host: DatabaseHost): Promise<HostAnswer> {
  const client = new Client({
    connectionString: url,
    application_name: 'tenure-servers',
    connectionTimeoutMillis: STORE_LIMITS.serverAskMs,
  });
  client.host = host.host;
  client.port = host.port;
  client.on('error', () => undefined);
  try {
    await client.connect();
    return { host, facts: await factsOf(client), error: null };
  } catch (error) {
    return { host, facts: null, error: asError(error) };
  } finally {
    client.end().catch(() => undefined);
  }
}

/** Asks all servers of a database at the same time, and records the timelines that they report. */
export async function askServers({ hosts, url }: DatabaseAddress): Promise<readonly HostAnswer[]> {
  const answers = await Promise.all(hosts.map((host) => askHost(url, host)));
  for (const { facts } of answers) if (facts !== null) TIMELINES.see(facts);
  return answers;
}

const placeOf = ({ host, port }: DatabaseHost): string => `${host}:${port}`;

/** Returns why a server is not writable, in words that follow its name; `null` if it is writable. */
export function unfitToWrite(facts: ServerFacts): string | null {
  if (facts.isStandby) return 'is a standby';
  if (facts.isReadOnly) return 'is read-only';
  return olderInWords(facts);
}

/** Returns words for the fact that a server has missed the promotion of another one; `null` if that is not known. */
export function olderInWords(facts: ServerFacts): string | null {
  const { system, timeline } = facts;
  if (system === null || !TIMELINES.isOlder(facts)) return null;
  return `is on timeline ${timeline}, but Tenure has seen timeline ${TIMELINES.newestOf(system)}: another server was promoted`;
}

type FitServer = Pick<HostAnswer, 'host'> & { readonly facts: ServerFacts };

const listed = (servers: readonly FitServer[]): string =>
  servers.map(({ host }) => placeOf(host)).join(' and ');

/** Returns why the primary cannot be chosen among several writable servers; `null` if it can. */
function undecided(fit: readonly FitServer[]): string | null {
  if (fit.length < 2) return null;
  const mute = fit.filter(({ facts }) => facts.system === null);
  if (mute.length > 0) {
    const which = `${listed(mute)} ${mute.length === 1 ? 'does' : 'do'} not report promotions`;
    return `${listed(fit)} accept writes, and ${which}: stop the server that missed the promotion, or ${GRANT_TELLING}`;
  }
  const isOne = new Set(fit.map(({ facts }) => facts.system)).size === 1;
  return isOne ? null : `${listed(fit)} are servers of different clusters`;
}

/**
 * Returns the server to write to, which is the only writable server on the newest timeline.
 *
 * @throws DatabaseUnreachableError `no-primary`, or the reason of the only answer
 */
export function primaryOf(answers: readonly HostAnswer[], address: DatabaseAddress): DatabaseHost {
  const fit = answers.flatMap(({ host, facts }) =>
    facts === null || unfitToWrite(facts) !== null ? [] : [{ host, facts }],
  );
  const [found] = fit;
  const why = undecided(fit);
  if (found !== undefined && why === null) return found.host;
  const words =
    why ??
    `none of its servers accepts writes: ${answers.map((one) => sayOf(one, address.url)).join('; ')}`;
  const target = { where: hostsInWords(address), ...(address.hosts[0] ?? NO_HOST) };
  throw new DatabaseUnreachableError('no-primary', target, words);
}

const NO_HOST: DatabaseHost = { host: '', port: 0 };

function sayOf({ host, facts, error }: HostAnswer, url: string): string {
  const why =
    facts === null ? (asUnreachable(error, url)?.words ?? error?.message) : unfitToWrite(facts);
  return facts === null ? `${placeOf(host)}: ${why ?? ''}` : `${placeOf(host)} ${why ?? ''}`;
}

/** The servers of one database, with the primary that this process knows. */
export class Servers {
  readonly address: DatabaseAddress;
  #primary: DatabaseHost | null = null;
  #asking: Promise<DatabaseHost> | null = null;

  constructor(address: DatabaseAddress) {
    this.address = address;
  }

  /** Returns the server to write to. Asks the servers only if there are several and the primary is not known. */
  async primary(): Promise<DatabaseHost> {
    const [only, ...others] = this.address.hosts;
    if (only !== undefined && others.length === 0) return only;
    if (this.#primary !== null) return this.#primary;
    this.#asking ??= this.look().finally(() => {
      this.#asking = null;
    });
    return this.#asking;
  }

  /** Returns the first server in the URL that answers, for reads. */
  async any(): Promise<DatabaseHost> {
    const [only, ...others] = this.address.hosts;
    if (only !== undefined && others.length === 0) return only;
    const answers = await askServers(this.address);
    const found = answers.find(({ facts }) => facts !== null && olderInWords(facts) === null);
    return found?.host ?? this.address.hosts[0] ?? NO_HOST;
  }

  /** Asks all servers, and stores which one is the primary. @throws DatabaseUnreachableError */
  async look(): Promise<DatabaseHost> {
    this.#primary = null;
    this.#primary = primaryOf(await askServers(this.address), this.address);
    return this.#primary;
  }

  /**
   * Forgets the primary after a connection to it has failed or it had the wrong role, so that the next use asks all
   * servers again.
   */
  doubt(host: DatabaseHost): void {
    if (this.#primary === host) this.#primary = null;
  }
}

const KNOWN = new Map<string, Servers>();

/** Returns the object that all connections of this process to these hosts share. */
export function serversOf(address: DatabaseAddress): Servers {
  const key = `${address.user}@${hostsInWords(address)}/${address.database}`;
  const found = KNOWN.get(key) ?? new Servers(address);
  KNOWN.set(key, found);
  return found;
}
