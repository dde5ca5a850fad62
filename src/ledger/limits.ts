import { MINUTE_MS, SECOND_MS } from '../domain/time.ts';
import { assert } from '../domain/unreachable.ts';

/** Bounds of calls of the ledger. Units are in the names. */
export const LEDGER_LIMITS = {
  /** How long the party that issues the token is remembered. */
  instrumentAdminMaxAgeMs: 10 * MINUTE_MS,
  /** A stream that says nothing for so long is opened again, where its participant announces no pace of checkpoints. */
  streamSilenceMs: 150 * SECOND_MS,
  /**
   * A connection is asked for a sign of life this often, and has so long to answer. Participants permit such pings
   * every 10 s (Canton, `permitKeepAliveTime` of the Ledger API), and end a connection on which three came earlier: the
   * distance is by the sender's clock, so there is room for what the network adds or takes away.
   */
  keepaliveMs: 10_500,
  keepaliveAnswerMs: 4 * SECOND_MS,
  /** Between tries to connect, from the first, growing to the second; the library adds or takes away a fifth. */
  reconnectMsMin: 100,
  reconnectMsMax: 250,
  /**
   * A call for which there is no connection waits so long for the next try to connect: others may have one already, and
   * have said that the participant is there again.
   */
  connectedMs: 400,
  /**
   * For so long at least, and twice at the most, a record time that was seen goes on; clocks are apart by this much.
   */
  ledgerLeadMs: MINUTE_MS,
  ledgerLagMs: 250,
  /** A connection that does not hold for the two calls that recognise a ledger holds for no third one. */
  recogniseTriesMax: 3,
  /** What we send: as much as a participant takes. What it sends may hold more than one such command. */
  requestBytesMax: 10 * 1024 * 1024,
  responseBytesMax: 64 * 1024 * 1024,
  /** Asking for a token for calls that have no deadline themselves: streams. */
  tokenMs: 10_000,
  /** An unknown party costs the participants one question in this time, however often it is asked for. */
  hostingRightsAgeMsMax: 5_000,
  /** Parties of one participant that are asked for. */
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
