import type { Localnet as Network } from '../localnet/localnet.ts';
import { perParticipant } from '../localnet/ports.ts';
import type { ParticipantName, PortMap } from '../localnet/ports.ts';
import type {
  Duration,
  Faults,
  Localnet,
  LocalnetOptions,
  NamedParties,
  SharedAddresses,
  Snapshot,
  TokenOptions,
} from './api.ts';
import { millisecondsOf, requireParticipant } from './check-options.ts';
import { faultsOf } from './faults.ts';
import { findUsers, furnish } from './people.ts';
import { kindOf, readSnapshot, takeSnapshot } from './snapshot.ts';

const LIFE_S = 3_600;
const ADMIN = 'participant_admin';

/** Returns the handle of a network that has just started, after creating everything that its options request. */
export async function openLocalnet<P extends string>(
  network: Network,
  options: LocalnetOptions<P>,
): Promise<Localnet<P>> {
  const handle = new Handle<P>(network, options);
  await handle.furnish();
  return handle;
}

class Handle<P extends string> implements Localnet<P> {
  readonly participants: Localnet['participants'];
  readonly urls: SharedAddresses;
  readonly ports: PortMap;
  readonly synchronizerId: string;
  readonly faults: Faults;
  readonly #network: Network;
  readonly #options: LocalnetOptions<P>;
  #parties: NamedParties<P> | undefined;
  /** The last replacement of the ledger. Replacements run one after another. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(network: Network, options: LocalnetOptions<P>) {
    const { urls, ports, synchronizerId } = network;
    this.#network = network;
    this.#options = options;
    this.ports = ports;
    this.synchronizerId = synchronizerId;
    this.faults = faultsOf(network.faults);
    this.participants = perParticipant(false, (name) => {
      const { ledger, ...others } = urls.participants[name];
      return { grpc: ledger, ...others };
    });
    const { auth, registry, wallet, network: page } = urls;
    this.urls = { auth, registry, wallet, network: page };
  }

  get parties(): NamedParties<P> {
    if (this.#parties === undefined) throw new TypeError('the network is not furnished yet');
    return this.#parties;
  }

  async furnish(): Promise<void> {
    this.#parties = await furnish(this.#network.ledger, this.#options);
    this.#addFaults();
  }

  async token(
    user: string,
    { participant, lifeSeconds = LIFE_S }: TokenOptions = {},
  ): Promise<string> {
    if (participant !== undefined) requireParticipant(participant, `user ${user}`);
    const found = findUsers(this.#network.ledger, user, participant);
    const [first, ...more] = found;
    if (first === undefined) throw new TypeError(`there is no user ${user}`);
    if (more.length > 0) {
      const names = found.map((one) => one.participant).join(', ');
      throw new TypeError(`there is a user ${user} on ${names}: name the participant`);
    }
    return this.#network.signToken(first.participant, first.userId, lifeSeconds);
  }

  adminToken(participant: ParticipantName = 'app-provider'): Promise<string> {
    return this.token(ADMIN, { participant });
  }

  now(): Date {
    return new Date(Number(this.#network.ledger.nowMicros() / 1_000n));
  }

  advanceTime(by: number | Duration): Date {
    this.#network.ledger.advanceTime(BigInt(Math.round(millisecondsOf(by) * 1_000)));
    return this.now();
  }

  setTime(to: Date): Date {
    if (Number.isNaN(to.getTime())) throw new RangeError('this is no moment');
    const micros = BigInt(to.getTime()) * 1_000n;
    const { ledger } = this.#network;
    const ahead = micros - ledger.nowMicros();
    if (ahead < 0n) throw new RangeError(`it is ${this.now().toISOString()} already`);
    ledger.advanceTime(ahead);
    return this.now();
  }

  async snapshot(): Promise<Snapshot> {
    await this.#last;
    return takeSnapshot(this.#network);
  }

  restore(snapshot: Snapshot): Promise<void> {
    return this.#inTurn(async () => {
      const { history, network } = readSnapshot(snapshot);
      const { partyHint, isSingle } = kindOf(this.#network);
      if (network.partyHint !== partyHint || network.isSingle !== isSingle) {
        throw new TypeError('this snapshot is of a network with other participants');
      }
      await this.#network.replaceLedger(history);
      this.#addFaults();
    });
  }

  reset(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#network.replaceLedger();
      await this.furnish();
    });
  }

  async close(): Promise<void> {
    await this.#network.stop();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #addFaults(): void {
    for (const fault of this.#options.faults ?? []) this.faults.add(fault);
  }

  #inTurn(act: () => Promise<void>): Promise<void> {
    const done = this.#last.then(act);
    this.#last = done.catch(() => undefined);
    return done;
  }
}
