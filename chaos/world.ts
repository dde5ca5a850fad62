import { copyFile, mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LocalNetwork, LocalnetReady } from '../embedded/localnet.ts';
import {
  OTHER_PROVIDER_CLIENT,
  localnetAddresses,
  localnetEnvironment,
  startLocalNetwork,
} from '../embedded/localnet.ts';
import type { LocalnetAddresses } from '../src/main/run-state.ts';
import type { RoleProcess } from '../embedded/role-process.ts';
import { startRoleProcess } from '../embedded/role-process.ts';
import { isFollowedBeyond, readLedgerEnds } from './ledger-ends.ts';
import type { Size } from './sizes.ts';
import type { Stores } from './stores.ts';
import { addressesOf, addressesThrough, startStores, storeTargets, writableUrl } from './stores.ts';
import type { Target, TcpProxy } from './tcp-proxy.ts';
import { openTcpProxy } from './tcp-proxy.ts';

/** The services that processes of Tenure use. Each process has its own proxy for each service. */
export const SERVICES = [
  'postgres',
  // The second server of the database.
  'postgres-2',
  'redis',
  'provider-ledger',
  'user-ledger',
  'auth',
  'registry',
] as const;
export type Service = (typeof SERVICES)[number];
export type QueueKind = 'postgres' | 'redis';

/**
 * A place in which a process of Tenure runs. If the process is killed, another one runs in the place, with the same
 * proxies.
 */
export interface Member {
  readonly name: string;
  readonly roles: string;
  readonly ways: Readonly<Record<Service, TcpProxy>>;
  /** The proxy in front of the HTTP server of the current process. */
  readonly front: TcpProxy;
  /** The process that runs in the place; `null` before the first start. */
  readonly process: RoleProcess | null;
  /** Starts a process in the place. The previous process must have ended. */
  start(): Promise<RoleProcess>;
}

export interface WorldOptions {
  /** An empty folder for all files of the run. */
  readonly folder: string;
  readonly queue: QueueKind;
  /** The size of the run. @default 'small' */
  readonly size?: Size;
  /** The value of PATH, by which Redis is found. */
  readonly searchPath: string;
  /** An existing database. If absent, a server is started. */
  readonly databaseUrl?: string;
  /** Variables that are added to the environment of every process of Tenure. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The program of the processes: see `RoleProcessOptions`. */
  readonly entry?: string;
  /** When this signal is aborted, starts in progress are given up. */
  readonly signal: AbortSignal;
}

/** A network of real processes on free ports. The processes contain no code that prepares them for being killed. */
export interface World extends AsyncDisposable {
  readonly folder: string;
  readonly queue: QueueKind;
  readonly members: readonly Member[];
  /** LocalNet as it is running now. */
  readonly localnet: LocalnetReady;
  readonly addresses: LocalnetAddresses;
  /** The address, without a proxy, of the database server that takes writes now. */
  readonly databaseUrl: string;
  readonly stores: Stores;
  /** Returns the environment for a process that reaches all services directly. */
  environment(): Promise<Readonly<Record<string, string>>>;
  /** Makes every process that is started after this call use another ledger user on the provider's participant. */
  rotateUser(): void;
  /** Creates a place. No process runs in it yet. */
  add(name: string, roles: string): Promise<Member>;
  /** Kills LocalNet. After a pause, starts it again with its journal. @param before called just before the kill */
  restartLocalnet(pauseMs: number, before: () => Promise<void>): Promise<void>;
  /**
   * Restarts LocalNet with an older copy of its journal for `forMs`, and then with the newest journal. In the copy the
   * ledger of every participant ends before the offset up to which Tenure has followed it. Otherwise Tenure could not
   * distinguish the copy from the ledger that it follows, and would process updates that are added to the copy and lost
   * later.
   *
   * @param before called just before each kill
   * @throws Error if Tenure does not follow every participant beyond the copy in time
   */
  replaceLocalnet(forMs: number, before: () => Promise<void>): Promise<void>;
  pauseLocalnet(forMs: number): Promise<void>;
}

/** The time within which Tenure must follow every participant beyond a copy of the journal. */
const OLDER_MS_MAX = 8_000;
const OLDER_POLL_MS = 250;

interface Restart {
  readonly before: () => Promise<void>;
  /** Called while LocalNet is not running. */
  readonly meanwhile?: () => Promise<void>;
  readonly pauseMs?: number;
}

const logIn = (folder: string, name: string): string => join(folder, 'logs', `${name}.log`);

function targetsOf(ready: LocalnetReady): Pick<Record<Service, Target>, LocalnetService> {
  const { participants, auth, registry } = ready.ports;
  return {
    'provider-ledger': participants['app-provider']['ledger'] ?? 0,
    'user-ledger': participants['app-user']['ledger'] ?? 0,
    auth,
    registry,
  };
}

type LocalnetService = 'provider-ledger' | 'user-ledger' | 'auth' | 'registry';

/** Returns LocalNet's ports as a process sees them: those of the proxies. */
function seenThrough(
  ready: LocalnetReady,
  ways: Readonly<Record<Service, TcpProxy>>,
): LocalnetReady {
  const { participants } = ready.ports;
  return {
    ...ready,
    ports: {
      ...ready.ports,
      auth: ways.auth.port,
      registry: ways.registry.port,
      participants: {
        ...participants,
        'app-provider': { ...participants['app-provider'], ledger: ways['provider-ledger'].port },
        'app-user': { ...participants['app-user'], ledger: ways['user-ledger'].port },
      },
    },
  };
}

class RunningWorld implements World {
  readonly folder: string;
  readonly queue: QueueKind;
  readonly stores: Stores;
  readonly #options: WorldOptions;
  readonly #stack: AsyncDisposableStack;
  readonly #members: Place[] = [];
  #network: LocalNetwork;
  #client: Readonly<Record<string, string>> = {};
  /** The restart in progress. Disposing waits for it; otherwise a LocalNet that starts later would not be stopped. */
  #restarting: Promise<void> = Promise.resolve();

  constructor(
    options: WorldOptions,
    stack: AsyncDisposableStack,
    parts: { readonly network: LocalNetwork; readonly stores: Stores },
  ) {
    this.#options = options;
    this.#stack = stack;
    this.folder = options.folder;
    this.queue = options.queue;
    this.stores = parts.stores;
    this.#network = parts.network;
    stack.defer(async () => {
      await this.#restarting.catch(() => undefined);
      await this.#network.stop();
    });
  }

  get members(): readonly Member[] {
    return this.#members;
  }

  get databaseUrl(): string {
    return writableUrl(this.stores);
  }

  get localnet(): LocalnetReady {
    return this.#network.ready;
  }

  get addresses(): LocalnetAddresses {
    return localnetAddresses(this.localnet);
  }

  async environment(): Promise<Readonly<Record<string, string>>> {
    return {
      ...this.#base(),
      ...(await localnetEnvironment(this.localnet)),
      ...this.#client,
      ...addressesOf(this.stores),
    };
  }

  rotateUser(): void {
    this.#client = OTHER_PROVIDER_CLIENT;
  }

  async add(name: string, roles: string): Promise<Member> {
    const ways = await this.#waysOf();
    const front = this.#stack.use(await openTcpProxy(0));
    front.refuse();
    const place = new Place(name, roles, ways, front, async () => {
      const environment = {
        ...this.#base(),
        ...(await localnetEnvironment(seenThrough(this.localnet, ways))),
        ...this.#client,
        ...addressesThrough(this.stores, ways),
      };
      const { entry, signal, folder } = this.#options;
      return startRoleProcess({
        roles,
        environment,
        logFile: logIn(folder, name),
        signal,
        ...(entry === undefined ? {} : { entry }),
      });
    });
    this.#stack.defer(() => place.end());
    this.#members.push(place);
    return place;
  }

  restartLocalnet(pauseMs: number, before: () => Promise<void>): Promise<void> {
    return this.#afterRestarts(() => this.#restartLocalnet({ before, pauseMs }));
  }

  /** Performs restarts one after another. On a busy machine, the next act may come before LocalNet runs again. */
  #afterRestarts(restart: () => Promise<void>): Promise<void> {
    this.#restarting = this.#restarting.catch(() => undefined).then(restart);
    return this.#restarting;
  }

  replaceLocalnet(forMs: number, before: () => Promise<void>): Promise<void> {
    return this.#afterRestarts(() => this.#replaceLocalnet(forMs, before));
  }

  async #replaceLocalnet(forMs: number, before: () => Promise<void>): Promise<void> {
    const { folder, signal } = this.#options;
    const journal = join(folder, 'localnet', 'journal.jsonl');
    const [older, newest] = [`${journal}.older`, `${journal}.newest`];
    await copyFile(journal, older);
    await this.#becomesOlder(await readLedgerEnds(this.addresses.networkUrl));
    await this.#restartLocalnet({
      before,
      meanwhile: async () => {
        await rename(journal, newest);
        await rename(older, journal);
      },
    });
    try {
      await sleep(forMs, undefined, { signal });
    } finally {
      await this.#restartLocalnet({ before, meanwhile: () => rename(newest, journal) });
    }
  }

  /**
   * Waits until Tenure has followed every participant beyond these ledger ends. @throws Error if that takes too long
   */
  async #becomesOlder(ends: ReadonlyMap<string, bigint>): Promise<void> {
    const { signal } = this.#options;
    const until = performance.now() + OLDER_MS_MAX;
    while (!(await isFollowedBeyond(ends, this.databaseUrl).catch(() => false))) {
      if (performance.now() > until) throw new Error('some participant has had nothing to do');
      await sleep(OLDER_POLL_MS, undefined, { signal });
    }
  }

  async #restartLocalnet({ before, meanwhile, pauseMs = 0 }: Restart): Promise<void> {
    await before();
    process.kill(this.#network.pid, 'SIGKILL');
    await this.#network.ended;
    await meanwhile?.();
    await sleep(pauseMs, undefined, { signal: this.#options.signal });
    this.#network = await startNetwork(this.#options);
    const targets = Object.entries(targetsOf(this.localnet)) as [LocalnetService, Target][];
    for (const { ways } of this.#members) {
      for (const [service, target] of targets) ways[service].aim(target);
    }
  }

  async pauseLocalnet(forMs: number): Promise<void> {
    process.kill(this.#network.pid, 'SIGSTOP');
    try {
      await sleep(forMs, undefined, { signal: this.#options.signal });
    } finally {
      process.kill(this.#network.pid, 'SIGCONT');
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack.disposeAsync();
  }

  #base(): Record<string, string> {
    return {
      PATH: this.#options.searchPath,
      TENURE_DATA_DIR: this.folder,
      // The provider pauses the policy for a few seconds only, so it must not wait for a minute each time it resumes.
      POLICY_DELAY: 'PT0.5S',
      TENANT_ISSUERS_ALLOWED: 'loopback',
      WEBHOOK_TARGETS_ALLOWED: 'loopback',
      ...this.#options.environment,
    };
  }

  async #waysOf(): Promise<Record<Service, TcpProxy>> {
    const targets: Record<Service, Target> = {
      ...storeTargets(this.stores),
      ...targetsOf(this.localnet),
    };
    const opened = await Promise.all(
      SERVICES.map(async (service) => [service, await openTcpProxy(targets[service])] as const),
    );
    for (const [, proxy] of opened) this.#stack.use(proxy);
    return Object.fromEntries(opened) as Record<Service, TcpProxy>;
  }
}

class Place implements Member {
  readonly name: string;
  readonly roles: string;
  readonly ways: Readonly<Record<Service, TcpProxy>>;
  readonly front: TcpProxy;
  readonly #launch: () => Promise<RoleProcess>;
  #process: RoleProcess | null = null;

  constructor(
    name: string,
    roles: string,
    ways: Readonly<Record<Service, TcpProxy>>,
    front: TcpProxy,
    launch: () => Promise<RoleProcess>,
  ) {
    this.name = name;
    this.roles = roles;
    this.ways = ways;
    this.front = front;
    this.#launch = launch;
  }

  get process(): RoleProcess | null {
    return this.#process;
  }

  async start(): Promise<RoleProcess> {
    if (this.#process?.hasEnded === false) throw new Error(`${this.name} runs already`);
    const started = await this.#launch();
    this.#process = started;
    this.front.aim(started.port);
    this.front.pass();
    void this.#closeAfter(started);
    return started;
  }

  /** Closes the proxy when its process ends, because another program may then use the port of that process. */
  async #closeAfter(started: RoleProcess): Promise<void> {
    await started.ended;
    if (this.#process === started) this.front.refuse();
  }

  async end(): Promise<void> {
    // SIGKILL is used, because a process that is stopped by SIGSTOP reacts to no other signal.
    await this.#process?.end('SIGKILL');
  }
}

const startNetwork = ({ folder, searchPath, signal }: WorldOptions): Promise<LocalNetwork> =>
  startLocalNetwork({
    dataDir: join(folder, 'localnet'),
    logFile: logIn(folder, 'localnet'),
    ports: 'free',
    environment: { PATH: searchPath },
    signal,
  });

/**
 * Starts LocalNet and the servers that the processes of Tenure share. The caller then adds places for the processes.
 */
export async function startWorld(options: WorldOptions): Promise<World> {
  await mkdir(join(options.folder, 'logs'), { recursive: true });
  await using stack = new AsyncDisposableStack();
  const [network, stores] = await Promise.allSettled([
    startNetwork(options),
    startStores(options, stack),
  ]);
  if (network.status === 'rejected') throw network.reason;
  if (stores.status === 'rejected') {
    await network.value.stop();
    throw stores.reason;
  }
  return new RunningWorld(options, stack.move(), { network: network.value, stores: stores.value });
}
