import { randomUUID } from 'node:crypto';
import type { Channel } from 'nice-grpc';
import { startLocalnet } from '../../../localnet/localnet.ts';
import type { Localnet, LocalnetOptions } from '../../../localnet/localnet.ts';
import type { ParticipantName } from '../../../localnet/ports.ts';
import { actingAs } from './commands.ts';
import { createLedgerClients, openChannel } from './clients.ts';
import type { LedgerClients } from './clients.ts';
import { PROVIDER_ADMIN, USER_ADMIN } from './identities.ts';
import type { Identity } from './identities.ts';
import type { Sides } from './licensing.ts';
import { TokenSource } from './tokens.ts';

/** The addresses and parties of a network, no matter in which process it runs. */
export type NetworkAddress = Pick<Localnet, 'urls' | 'parties' | 'synchronizerId'>;

/** A network as clients see it. Provides clients for each caller, and new parties for each test. */
export class Network<A extends NetworkAddress = NetworkAddress> implements AsyncDisposable {
  readonly localnet: A;
  readonly tokens: TokenSource;
  readonly #channels = new Map<ParticipantName, Channel>();
  readonly #clients = new Map<string, LedgerClients>();
  readonly #stop: () => Promise<void>;

  constructor(localnet: A, stop: () => Promise<void>) {
    this.localnet = localnet;
    this.tokens = new TokenSource(localnet.urls.tokenEndpoints);
    this.#stop = stop;
  }

  /** Returns clients for the identity's own participant. */
  as(identity: Identity): LedgerClients {
    const known = this.#clients.get(identity.userId);
    if (known !== undefined) return known;
    const clients = this.bearing(identity.participant, () => this.tokens.of(identity));
    this.#clients.set(identity.userId, clients);
    return clients;
  }

  /** Returns clients that send the given token without checking it; if none is given, they send no token. */
  bearing(participant: ParticipantName, bearer?: () => string | Promise<string>): LedgerClients {
    return createLedgerClients(this.#channel(participant), bearer);
  }

  /**
   * Allocates a new party as which the identities may act.
   *
   * @param identities the first one's participant hosts the party, and all of them must be users of this participant
   */
  async party(hint: string, ...identities: readonly [Identity, ...Identity[]]): Promise<string> {
    const admin = this.as(identities[0].participant === 'app-user' ? USER_ADMIN : PROVIDER_ADMIN);
    const { partyDetails } = await admin.partyAdmin.allocateParty({
      partyIdHint: `${hint}-${randomUUID().slice(0, 8)}`,
    });
    const party = partyDetails!.party;
    for (const { userId } of identities) {
      await admin.userAdmin.grantUserRights({
        userId,
        rights: [{ kind: { $case: 'canActAs', value: { party } } }],
      });
    }
    return party;
  }

  /** Allocates a user and a provider for one test. By default, both are on the user's participant. */
  async sides({ provider = USER_ADMIN } = {}): Promise<Sides> {
    return {
      user: await this.party('user', USER_ADMIN),
      provider: await this.party('provider', provider),
    };
  }

  #channel(participant: ParticipantName): Channel {
    const known = this.#channels.get(participant);
    if (known !== undefined) return known;
    const channel = openChannel(this.localnet.urls.participants[participant].ledger);
    this.#channels.set(participant, channel);
    return channel;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const channel of this.#channels.values()) channel.close();
    await this.#stop();
  }
}

/** Starts a network in this process, on free ports. */
export async function openNetwork(options: LocalnetOptions = {}): Promise<Network<Localnet>> {
  const localnet = await startLocalnet({ ports: 'free', checkpointIntervalMs: 50, ...options });
  return new Network(localnet, () => localnet.stop());
}

/**
 * Opens a network for one test file. Returns it with the clients of the user's administrator, two parties, and
 * functions that make submissions which act as them.
 */
export async function openSides(options: LocalnetOptions = {}) {
  const network = await openNetwork(options);
  const sides = await network.sides();
  return {
    network,
    ledger: network.as(USER_ADMIN),
    sides,
    asUser: actingAs(sides.user),
    asProvider: actingAs(sides.provider),
    [Symbol.asyncDispose]: () => network[Symbol.asyncDispose](),
  };
}
