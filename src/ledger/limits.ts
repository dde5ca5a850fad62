import { MINUTE_MS, SECOND_MS } from '../domain/time.ts';
import { assert } from '../domain/unreachable.ts';

/** Limits of calls to the ledger. Names end in the unit. */
export const LEDGER_LIMITS = {
  /** How long the party that issues the token is cached. */
  instrumentAdminMaxAgeMs: 10 * MINUTE_MS,
  /** A stream is reopened after this silence, if its participant announces no interval of checkpoints. */
  streamSilenceMs: 150 * SECOND_MS,
  /**
   * A connection is pinged this often, and must answer within this time. Participants permit such pings every 10 s
   * (Canton, `permitKeepAliveTime` of the Ledger API), and close a connection after three early pings. The sender's
   * clock measures the interval, so there is room for changes of the network delay.
   */
  keepaliveMs: 10_500,
  keepaliveAnswerMs: 4 * SECOND_MS,
  /** Delay between tries to connect, growing from the first value to the second; the library varies it by a fifth. */
  reconnectMsMin: 100,
  reconnectMsMax: 250,
  /**
   * A call without a connection waits this long for the next try to connect: another connection may have shown already
   * that the participant is reachable again.
   */
  connectedMs: 400,
  /**
   * A seen record time is extrapolated for this long at least, and twice as long at most; the margin is for clock
   * differences.
   */
  ledgerLeadMs: MINUTE_MS,
  ledgerLagMs: 250,
  /** A connection that breaks during the two calls that recognise a ledger is not tried more often than this. */
  recogniseTriesMax: 3,
  /** A request is limited by what a participant accepts. A response may hold more than one such command. */
  requestBytesMax: 10 * 1024 * 1024,
  responseBytesMax: 64 * 1024 * 1024,
  /** Requesting a token for calls that have no deadline themselves: streams. */
  tokenMs: 10_000,
  /** An unknown party causes one request to the participants in this time, however often callers name it. */
  hostingRightsAgeMsMax: 5_000,
  /** Parties of one participant that are queried. */
  connectionPartiesMax: 20,
  /** Rights are compared this often while a completion stream is open. */
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
