import { expect } from 'vitest';
import { NEWEST_MODEL } from '../../src/app/licensing/model.ts';
import { createHear } from '../../src/app/engine/doubts/proof.ts';
import type { Io } from '../../src/app/ports/io.ts';
import type { Store } from '../../src/app/ports/transaction.ts';
import { knownLedger } from '../../src/app/engine/follow/recognise-ledger.ts';
import type { ParticipantName, Party } from '../../src/domain/ids.ts';
import { trusted } from '../../src/domain/ids.ts';
import { typesOf } from '../../src/app/contract/model.ts';
import { allowPlaintext, openParticipant } from '../../src/ledger/channel.ts';
import type { AccessTokens } from '../../src/app/ports/access-tokens.ts';
import type { Participant } from '../../src/ledger/channel.ts';
import { createLedgerGateway } from '../../src/ledger/gateway.ts';
import type { LedgerRights } from '../../src/ledger/rights.ts';
import { createLedgerStreams } from '../../src/ledger/streams.ts';
import type { ProjectorDeps } from '../../src/projector/projector.ts';
import { startProjector } from '../../src/projector/projector.ts';
import type { Projector } from '../../src/projector/status.ts';
import { whyNotReady } from '../../src/projector/status.ts';
import { isDatabaseUnavailable } from '../../src/store/sql/deadline.ts';
import { createRebuilds } from '../../src/store/engine/rebuild.ts';
import { ScriptedParticipant } from '../contract/kit/scripted-participant.ts';
import type { PostgresStoreUnderTest } from './postgres-store.ts';
import { postgresStore } from './postgres-store.ts';
import { ToldLedger } from './told-ledger.ts';

/* The projector as in production, on a real PostgreSQL, with participants that deliver what a test tells them to. */

export const P = trusted<ParticipantName>('app-provider');
export const U = trusted<ParticipantName>('app-user');
export const PROVIDER = trusted<Party>('app-provider::1220aa');
export const USER = trusted<Party>('app-user::1220bb');

const RIGHTS = { ledgerUser: 'backend', actAs: [PROVIDER], readAs: [PROVIDER] };
const rightsOf = (ledgerUser: string): LedgerRights => {
  const rights = { ...RIGHTS, ledgerUser };
  return { of: () => rights, refresh: () => Promise.resolve(rights) };
};

export interface LogLine {
  readonly level: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

const TOKEN = { kind: 'token', token: 'token' } as const;
export const TOKENS: AccessTokens = {
  current: () => Promise.resolve(TOKEN),
  renew: () => Promise.resolve(TOKEN),
};

/** With these settings, a dead connection is noticed within a second instead of a minute. */
const KEEPALIVE = { everyMs: 500, answerMs: 500 };

export const openPeer = (
  name: ParticipantName,
  address: string,
  tokens: AccessTokens = TOKENS,
): Participant =>
  openParticipant({ name, address, tokens, keepalive: KEEPALIVE, [allowPlaintext]: true });

const BOUNDS = { toleranceMs: 60_000, clockDifferenceMs: 1_000 };

/**
 * Returns all dependencies of a projector except its database.
 * @param store with which a ledger is recognised before anything is sent to it
 */
export function ledgerDeps(
  participants: readonly Participant[],
  store?: Store,
  rights = rightsOf(RIGHTS.ledgerUser),
) {
  const gateway = createLedgerGateway({
    argumentsOf: NEWEST_MODEL.argumentsOf,
    participants,
    rights,
    ...(store === undefined
      ? {}
      : { known: (name: ParticipantName, io: Io) => knownLedger(store, name, P, io) }),
  });
  return {
    gateway,
    hear: createHear(gateway, { nowMs: Date.now }, BOUNDS),
    bounds: BOUNDS,
    streams: createLedgerStreams({
      participants,
      projected: P,
      readAs: [PROVIDER],
      wanted: typesOf(NEWEST_MODEL),
      rights,
    }),
    wallClock: { nowMs: Date.now },
    ledgerClock: {
      nowMs: Date.now,
      pastMs: Date.now,
      provenMs: Date.now,
      certainMs: Date.now,
      ask: () => undefined,
      observe: () => undefined,
      refresh: () => Promise.resolve(),
    },
    random: Math.random,
    isUnavailable: isDatabaseUnavailable,
    silenceMs: 60_000,
  };
}

export class ProjectorWorld implements AsyncDisposable {
  readonly under: PostgresStoreUnderTest;
  readonly log: LogLine[] = [];
  readonly ledger = new ToldLedger();
  readonly userLedger = new ToldLedger();
  peer: ScriptedParticipant;
  userPeer: ScriptedParticipant;
  /** The ledger user in the tokens of projectors that are started after this is set. */
  ledgerUser = RIGHTS.ledgerUser;
  readonly #stack: AsyncDisposableStack;
  readonly #participants: readonly Participant[];
  #started = 0;

  private constructor(
    under: PostgresStoreUnderTest,
    peers: readonly [ScriptedParticipant, ScriptedParticipant],
    addresses: readonly [string, string],
    tokens: AccessTokens,
    stack: AsyncDisposableStack,
  ) {
    this.under = under;
    [this.peer, this.userPeer] = peers;
    this.ledger.script(this.peer);
    this.userLedger.script(this.userPeer);
    this.#stack = stack;
    this.#participants = [P, U].map((name, index) =>
      stack.adopt(openPeer(name, addresses[index] ?? '', tokens), (made) => made.close()),
    );
  }

  /**
   * @param through the address through which the provider's participant is reached, if it is not the participant's own
   */
  static async open(
    more: {
      readonly tokens?: AccessTokens;
      readonly through?: (port: number) => Promise<number>;
    } = {},
  ): Promise<ProjectorWorld> {
    await using stack = new AsyncDisposableStack();
    const under = stack.use(await postgresStore());
    const tokens = more.tokens ?? TOKENS;
    const peers = [await ScriptedParticipant.start(), await ScriptedParticipant.start()] as const;
    const own = Number(peers[0].address.split(':')[1]);
    const addresses = [
      `127.0.0.1:${(await more.through?.(own)) ?? own}`,
      peers[1].address,
    ] as const;
    return new ProjectorWorld(under, peers, addresses, tokens, stack.move());
  }

  get store(): Store {
    return this.under.store;
  }

  /** Starts a projector, and waits until it is ready: see `start`. */
  async ready(): Promise<Projector> {
    const projector = this.start();
    await becomesReady(projector);
    return projector;
  }

  /** Starts a projector. When the world is disposed of, the projector is stopped if it still runs. */
  start(more: Partial<ProjectorDeps> = {}): Projector {
    const line = (level: string) => (fields: object, message: string) => {
      this.log.push({ level, message, fields: { ...fields } });
    };
    this.#started += 1;
    const projector = startProjector({
      model: NEWEST_MODEL,
      ...ledgerDeps(this.#participants, undefined, rightsOf(this.ledgerUser)),
      store: this.under.store,
      leases: this.under.leases,
      log: {
        debug: line('debug'),
        info: line('info'),
        warn: line('warn'),
        error: line('error'),
      },
      holder: `projector-${this.#started}`,
      rebuilds: createRebuilds(this.under.pool),
      ...more,
    });
    this.#stack.defer(() => projector.stop());
    return projector;
  }

  /** Stops the provider's participant, and starts it again at the same address. */
  async restartPeer(downMs: () => Promise<unknown> = () => Promise.resolve()): Promise<void> {
    const port = Number(this.peer.address.split(':')[1]);
    this.peer.crash();
    await downMs();
    this.peer = await ScriptedParticipant.start(port);
    this.ledger.script(this.peer);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
    await this.peer[Symbol.asyncDispose]();
    await this.userPeer[Symbol.asyncDispose]();
  }
}

/** Returns what `/readyz` reports about the projector. */
export const readiness = (projector: Projector): string => whyNotReady(projector.status()) ?? 'ok';

const becomesReady = (projector: Projector) =>
  expect.poll(() => readiness(projector), { interval: 20 }).toBe('ok');

export const reached = (projector: Projector, stream = 'updates'): bigint =>
  projector.status().cursors.get(stream) ?? -1n;
