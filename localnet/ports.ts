/** The three participants of the simulated network, in the order of the first digits of their ports: 2, 3 and 4. */
export const PARTICIPANT_NAMES = ['app-user', 'app-provider', 'sv'] as const;
export type ParticipantName = (typeof PARTICIPANT_NAMES)[number];

/** The name of the participant if a network has only one. */
const SINGLE_PARTICIPANT: ParticipantName = 'app-provider';

/** The names of a network's participants. */
export const participantNames = (isSingle: boolean): readonly ParticipantName[] =>
  isSingle ? [SINGLE_PARTICIPANT] : PARTICIPANT_NAMES;

/** Calls `make` for every participant. In a network with one participant, all three names share one result. */
export function perParticipant<T>(
  isSingle: boolean,
  make: (name: ParticipantName) => T,
): Readonly<Record<ParticipantName, T>> {
  const only = isSingle ? make(SINGLE_PARTICIPANT) : undefined;
  return {
    'app-user': only ?? make('app-user'),
    'app-provider': only ?? make('app-provider'),
    sv: only ?? make('sv'),
  };
}

/** TCP ports that one participant occupies. */
export interface ParticipantPorts {
  /** The Ledger API, over gRPC (x901). */
  readonly ledger: number;
  /** The package administration, over HTTP (x902). */
  readonly admin: number;
  /** The validator's HTTP API (x903). */
  readonly validator: number;
  /** The JSON Ledger API (x975). */
  readonly json: number;
  /** The health interface, over HTTP (x900). */
  readonly health: number;
}

/** TCP ports of the whole network. `0` stands for a free port that the operating system chooses. */
export interface PortMap {
  readonly participants: Readonly<Record<ParticipantName, ParticipantPorts>>;
  /** The authorization server (8082). */
  readonly auth: number;
  /** The token registry (5012). */
  readonly registry: number;
  /** The wallet page (2000). */
  readonly wallet: number;
  /** The registry and the scan and, on loopback, also `/control/*` (4000). */
  readonly network: number;
}

function participantPorts(prefix: number): ParticipantPorts {
  return {
    ledger: prefix + 901,
    admin: prefix + 902,
    validator: prefix + 903,
    json: prefix + 975,
    health: prefix + 900,
  };
}

/** LocalNet's default ports. */
export const FIXED_PORTS: PortMap = {
  participants: {
    'app-user': participantPorts(2000),
    'app-provider': participantPorts(3000),
    sv: participantPorts(4000),
  },
  auth: 8082,
  registry: 5012,
  wallet: 2000,
  network: 4000,
};

/** The ports of a network with one participant, which serves all parties. */
export const SINGLE_PORTS: PortMap = {
  ...FIXED_PORTS,
  participants: perParticipant(true, () => ({
    ledger: 5001,
    admin: 5002,
    health: 5003,
    validator: 5903,
    json: 7575,
  })),
};

const ANY_PARTICIPANT_PORTS: ParticipantPorts = {
  ledger: 0,
  admin: 0,
  validator: 0,
  json: 0,
  health: 0,
};

/** Free ports for all listeners. Tests and demos use them. */
export const FREE_PORTS: PortMap = {
  participants: {
    'app-user': ANY_PARTICIPANT_PORTS,
    'app-provider': ANY_PARTICIPANT_PORTS,
    sv: ANY_PARTICIPANT_PORTS,
  },
  auth: 0,
  registry: 0,
  wallet: 0,
  network: 0,
};
