import { MINUTE_MS, SECOND_MS } from '../domain/time.ts';
import { assert } from '../domain/unreachable.ts';

/** Limits of calls to the ledger. Names end in the unit. */
export const LEDGER_LIMITS = {
  /** How long the ID of the token's issuer is cached. */
  instrumentAdminMaxAgeMs: 10 * MINUTE_MS,
  /** A stream that is silent for this long is opened again, if its participant announces no interval of checkpoints. */
  streamSilenceMs: 150 * SECOND_MS,
  /**
   * Interval of pings on a connection, and timeout of their answers. Participants permit such pings every 10 s (Canton,
   * `permitKeepAliveTime` of the Ledger API), and close a connection after three early ones. The sender's clock
   * measures the interval, so it leaves room for changes of the network delay.
   */
  keepaliveMs: 10_500,
  keepaliveAnswerMs: 4 * SECOND_MS,
  /** Delay between tries to connect: grows from the first value to the second; the library varies it by a fifth. */
  reconnectMsMin: 100,
  reconnectMsMax: 250,
  /**
   * How long a call without a connection waits for the next try to connect: another connection may already have shown
   * that the participant is reachable again.
   */
  connectedMs: 400,
  /**
   * A record time is extrapolated for at least this long, and for at most twice as long. The margin covers clock
   * differences.
   */
  ledgerLeadMs: MINUTE_MS,
  ledgerLagMs: 250,
  /** Maximum number of tries if a connection breaks during the two calls that recognise a ledger. */
  recogniseTriesMax: 3,
  /**
   * Maximum size of a request: what a participant accepts. A response may be larger, because it may hold several
   * commands.
   */
  requestBytesMax: 10 * 1024 * 1024,
  responseBytesMax: 64 * 1024 * 1024,
  /** Timeout for fetching a token for a call that has no deadline, such as a stream. */
  tokenMs: 10_000,
  /** For an unknown party, the rights are read at most once in this time, however often callers name it. */
  hostingRightsAgeMsMax: 5_000,
  /** Maximum number of parties for which a participant's synchronizers are queried. */
  connectionPartiesMax: 20,
  /** Maximum age of the rights that decide about a completion stream, and timeout for reading them. */
  streamRightsAgeMsMax: 30_000,
  streamRightsMs: 10_000,
} as const;

assert(
  LEDGER_LIMITS.connectedMs > 1.2 * LEDGER_LIMITS.reconnectMsMax,
  'who waits for a connection waits for one try at least',
);
assert(
  LEDGER_LIMITS.keepaliveMs > 10 * SECOND_MS &&
    LEDGER_LIMITS.keepaliveMs + LEDGER_LIMITS.keepaliveAnswerMs < 15 * SECOND_MS,
  'a dead connection is found in 15 s, by pings that participants permit',
);
