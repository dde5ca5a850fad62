import type { ParticipantName } from '../ports.ts';
import type { Contract } from './contract.ts';
import type { ParticipantApi } from './participant.ts';
import type { RefusedAt, Traffic } from './traffic.ts';

/** Contracts of the DSO party that all payments refer to. Payers get them from the registry. */
export interface AmuletContracts {
  readonly amuletRules: Contract;
  readonly openMiningRound: Contract;
  readonly externalPartyAmuletRules: Contract;
}

/**
 * The simulated ledger within this process: participants on one virtual synchronizer, with one clock and one journal.
 */
export interface Ledger {
  /** An ID that no other ledger has, even if everything else is the same. */
  readonly networkId: string;
  readonly synchronizerId: string;
  /**
   * Names of the existing participants. On a network with a single participant, `participants` has that participant
   * under all names.
   */
  readonly participantNames: readonly ParticipantName[];
  readonly participants: Readonly<Record<ParticipantName, ParticipantApi>>;
  readonly parties: {
    readonly appProvider: string;
    readonly appUser: string;
    readonly dso: string;
  };
  /** Returns the current contracts; `undefined` if the DSO party has archived one of them since the last start. */
  amuletContracts(): AmuletContracts | undefined;
  /**
   * Returns the locked amulet of an active allocation or transfer. Some of the parties concerned cannot see this
   * contract themselves.
   */
  lockedAmuletOf(contractId: string): Contract | undefined;
  /** Ledger time in microseconds. */
  nowMicros(): bigint;
  readonly isTimeStatic: boolean;
  /**
   * Sets static time, in microseconds. Throws INVALID_ARGUMENT if the time is earlier than now, or if time is not
   * static.
   */
  setTime(micros: bigint): void;
  /** Returns a participant's traffic balance on the synchronizer, and its spending. */
  trafficOf(name: ParticipantName): Traffic;
  /** Sets a traffic balance; `null` means no limit. The balance survives a restart. */
  setTraffic(name: ParticipantName, balance: bigint | null, refusedAt?: RefusedAt): void;
  /** Makes the synchronizer send its time to one participant, or to all participants. */
  tick(name?: ParticipantName): void;
  /**
   * Hosts a party on a further participant. Throws INVALID_ARGUMENT if the party is unknown, or hosted there already.
   */
  hostParty(party: string, name: ParticipantName): void;
  /** Returns the participants that host a party, in the network's order. */
  hostsOf(party: string): readonly ParticipantName[];
  /** Stores a small text, such as a signing key, so that it survives a restart. Returns after the text is written. */
  keep(name: string, text: string): void;
  kept(name: string): string | undefined;
  close(): Promise<void>;
}
