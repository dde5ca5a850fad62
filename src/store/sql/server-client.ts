import { Client } from 'pg';
import type { ClientConfig } from 'pg';
import { asError } from '../../domain/error-text.ts';
import { DatabaseUnreachableError } from './database-unreachable.ts';
import { askingOf } from './asking.ts';
import type { DatabaseHost } from './database-url.ts';
import { readDatabaseUrl } from './database-url.ts';
import type { ServerFacts, Servers } from './servers.ts';
import { factsOf, olderInWords, serversOf, unfitToWrite } from './servers.ts';
import { setSession } from './session-settings.ts';
import type { Follower } from './timelines.ts';
import { TIMELINES } from './timelines.ts';

export interface ServerClientConfig extends ClientConfig {
  /** May name several hosts. */
  readonly connectionString: string;
  /** What is done over the connection: the primary's work unless told, or reading, which any server serves. */
  readonly serves?: 'primary' | 'readers';
  /** This server and no other. */
  readonly at?: DatabaseHost;
}

/** The server waited for a synchronous standby, was told to stop waiting, and says that it has committed. */
export class UnreplicatedCommitError extends Error {
  override readonly name = 'UnreplicatedCommitError';
  constructor() {
    super('Connection terminated: the wait for the synchronous standby was cancelled');
  }
}

/** The function of the server that says so. Its words are in the language of the server. */
const WAITS_FOR_STANDBY = 'SyncRepWaitForLSN';

/**
 * The driver's client, for a database on one server or several. It connects to the one that fits, asks it what it is,
 * and ends when another is promoted: a connection that is there is one to the newest primary that is known of.
 */
export class ServerClient extends Client implements Follower {
  readonly #servers: Servers;
  readonly #config: ServerClientConfig;
  #facts: ServerFacts | null = null;
  /** Something was committed over it that the standby may not have. Read with every answer, so it is no accessor. */
  isUnreplicated = false;

  /** @param config as `Pool` passes it on: always there */
  constructor(config?: ServerClientConfig) {
    const address = readDatabaseUrl(config?.connectionString ?? '');
    if (config === undefined || address === null) {
      throw new TypeError('a client needs the URL of a database');
    }
    const { query_timeout: withinMs, ...driven } = config;
    super({ ...driven, connectionString: address.url });
    this.query = askingOf(this, withinMs);
    this.#servers = serversOf(address);
    this.#config = config;
    // One that breaks between two questions has no one to tell: the next question fails.
    this.on('error', () => undefined);
    this.on('end', () => TIMELINES.leave(this));
    this.on('notice', ({ routine }) => {
      if (routine === WAITS_FOR_STANDBY) this.isUnreplicated = true;
    });
  }

  /** The session's, as the server has it: a pooler in between tells of another. */
  get serverPid(): number | null {
    return this.#facts?.pid ?? null;
  }

  /** Something in between speaks for the server. */
  get isPooled(): boolean {
    const { processID } = this as unknown as { readonly processID: number };
    return this.#facts !== null && this.#facts.pid !== processID;
  }

  get server(): DatabaseHost {
    return { host: this.host, port: this.port };
  }

  get standing(): ServerFacts {
    if (this.#facts === null) throw new Error('it is not connected');
    return this.#facts;
  }

  giveUp(): void {
    const words = 'Connection terminated: another server was promoted';
    this.connection.stream.destroy(new Error(words));
  }

  override connect(): Promise<Client>;
  override connect(done: ((err: Error) => void) | ((err: null, client: Client) => void)): void;
  override connect(done?: (error: never, client: Client) => void): Promise<Client> | void {
    const connected = this.#connect();
    if (done === undefined) return connected;
    const tell = done as (error: Error | null, client: Client) => void;
    connected.then(
      () => tell(null, this),
      (error: unknown) => tell(asError(error), this),
    );
    return undefined;
  }

  async #connect(): Promise<Client> {
    const host = await this.#chosen();
    // The pool has given it up meanwhile.
    if (this.connection.stream.destroyed) throw new Error('timeout expired');
    if (!this.#isAlone || this.#config.at !== undefined) {
      this.host = host.host;
      this.port = host.port;
    }
    try {
      await super.connect();
      await setSession(this, {
        statementMs: this.#config.statement_timeout || 0,
        idleInTransactionMs: this.#config.idle_in_transaction_session_timeout,
      });
      const facts = await factsOf(this);
      this.#refuseUnfit(facts);
      this.#facts = facts;
      TIMELINES.see(facts);
      TIMELINES.follow(this);
      return this;
    } catch (error) {
      this.#servers.doubt(host);
      this.end().catch(() => undefined);
      throw error;
    }
  }

  get #isAlone(): boolean {
    return this.#servers.address.hosts.length === 1;
  }

  #chosen(): Promise<DatabaseHost> {
    if (this.#config.at !== undefined) return Promise.resolve(this.#config.at);
    return this.#config.serves === 'readers' ? this.#servers.any() : this.#servers.primary();
  }

  /** Where there is one host alone, what it does not take is told by what is asked of it. */
  #refuseUnfit(facts: ServerFacts): void {
    const older = olderInWords(facts);
    const isToWrite = this.#config.serves !== 'readers' && !this.#isAlone;
    const words = older ?? (isToWrite ? unfitToWrite(facts) : null);
    if (words === null) return;
    const where = `${this.host}:${this.port}`;
    throw new DatabaseUnreachableError(
      older === null ? 'no-primary' : 'older-timeline',
      { where, host: this.host, port: this.port },
      `the server ${words}`,
    );
  }
}
