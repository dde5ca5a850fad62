import { Client } from 'pg';
import type { ClientConfig } from 'pg';
import { asError } from '../../domain/error-text.ts';
import { DatabaseUnreachableError } from './database-unreachable.ts';
import { askingOf } from './asking.ts';
import type { DatabaseHost } from './database-url.ts';
import { readDatabaseUrl } from './database-url.ts';
import type { ServerFacts, Servers } from './servers.ts';
import { factsOf, olderInWords, serversOf, unfitToWrite } from './servers.ts';
import { enterSchema } from './trusted-schema.ts';
import { setSession } from './session-settings.ts';
import type { Follower } from './timelines.ts';
import { TIMELINES } from './timelines.ts';

export interface ServerClientConfig extends ClientConfig {
  /** The URL, which may name several hosts. */
  readonly connectionString: string;
  /** Which server the connection needs: the primary (the default), or any server that can serve reads. */
  readonly serves?: 'primary' | 'readers';
  /**
   * Whether the session's search path is limited to one schema that its role trusts. For commands, because the owner of
   * the tables runs them too, and must not run code that the run-time role has put into another schema.
   */
  readonly pinsSchema?: boolean;
  /** Connects to this server only. */
  readonly at?: DatabaseHost;
}

/**
 * Thrown if the server's wait for a synchronous standby was cancelled: the server then reports a commit that the
 * standby may lack.
 */
export class UnreplicatedCommitError extends Error {
  override readonly name = 'UnreplicatedCommitError';
  constructor() {
    super('Connection terminated: the wait for the synchronous standby was cancelled');
  }
}

/** The name of the server function that reports the cancelled wait. The message itself is in the server's language. */
const WAITS_FOR_STANDBY = 'SyncRepWaitForLSN';

/**
 * The driver's client for a database on one server or on several. It connects to the suitable server, asks the server
 * for its role, and ends when another server is promoted. So an open connection always leads to the newest known
 * primary.
 */
export class ServerClient extends Client implements Follower {
  readonly #servers: Servers;
  readonly #config: ServerClientConfig;
  #facts: ServerFacts | null = null;
  /**
   * Whether this connection has committed a transaction that the standby may lack. Read with every answer, so it is a
   * field and not an accessor.
   */
  isUnreplicated = false;

  /** @param config always present, because `Pool` passes its options on */
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
    // If the connection breaks between two queries, no listener is needed: the next query fails.
    this.on('error', () => undefined);
    this.on('end', () => TIMELINES.leave(this));
    this.on('notice', ({ routine }) => {
      if (routine === WAITS_FOR_STANDBY) this.isUnreplicated = true;
    });
  }

  /** The process ID of the server's session, as that server reports it; a pooler would report another one. */
  get serverPid(): number | null {
    return this.#facts?.pid ?? null;
  }

  /** Whether the connection goes through a pooler. */
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
    // The pool has given up on this connection while it was being opened.
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
      // A pooler lends the session, with its settings, to other clients, so the settings are not changed there.
      if (this.#config.pinsSchema === true && !this.isPooled) await enterSchema(this, 'session');
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

  /**
   * Refuses a server that is unsuitable for this connection. If the URL names only one host, a server that takes no
   * writes is accepted: the statements that need to write report it.
   */
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
