import { MINUTE_MS, SECOND_MS } from '../domain/time.ts';
import { assert } from '../domain/unreachable.ts';
import { STORE_LIMITS } from '../store/limits.ts';

/** Bounds of starts and ends of a process. Units are in the names. */
export const MAIN_LIMITS = {
  /** How long a change may wait for its turn to be recorded; what is expected to wait longer is refused at once. */
  admissionMs: 5 * SECOND_MS,
  /** The share of this process in limits of the deployment is renewed so often at most. */
  limitShareMs: SECOND_MS,
  /** Asking an authorization server that a tenant has named: one exchange, and how much it may say. */
  issuerExchangeMs: 5 * SECOND_MS,
  issuerBytesMax: 256 * 1024,
  /** Sessions that are over are deleted this often. */
  sessionPruneMs: MINUTE_MS,
  /** One request to a target: how long, and how much of its answer is read. */
  webhookExchangeMs: 15 * SECOND_MS,
  webhookAnswerBytesMax: 64 * 1024,
  /** How long a process that may not migrate waits for the migration job, and how often it looks. */
  migrationWaitMs: 2 * MINUTE_MS,
  migrationLookMs: SECOND_MS,
  /** An answer to a request for a rebuild is looked for this often. */
  rebuildLookMs: 100,
  /** While a provider drains: how often it is looked whether it has, and how long its tables are waited for. */
  cellLookMs: 200,
  cellLockMs: 3_000,
  /** How long a provider is tried to be thawed while processes hold its tables. */
  cellThawMs: 60 * SECOND_MS,
  cellStatementMs: 30 * SECOND_MS,
  /** Asking whose a ledger user is: a start is not held up for it by a participant that says nothing. */
  cellAskMs: 2 * SECOND_MS,
  /** Another cell that submits as our ledger user is noted this often. */
  otherCellMs: 10 * SECOND_MS,
  closeMs: 5_000,
  /** A process that is told to stop ends by then: more than all bounds of an orderly stop, less than manifests give. */
  stopMs: 55 * SECOND_MS,
  lingerMs: SECOND_MS,
  /** Setting the number of queues, which waits for relays that are putting something on them. */
  secretsMs: 30 * SECOND_MS,
  shardsMs: 15 * SECOND_MS,
  /** Something is written every few seconds, so an outage that is older has passed. */
  outageRecentMs: 10_000,
  /** While commits wait for a standby it is seen about every second that they do, and logged so often. */
  standbyRecentMs: 4_000,
  standbyLogMs: 30_000,
  /** Connections to a replica: searches are few, and take long. */
  replicaPool: 4,
  /** Adding up connections at a start. */
  connectionSumMs: 5_000,
  tenantsOpenMs: 10_000,
  /** One question to a participant at a start. */
  startCallMs: 5_000,
  /** As long as a participant may be told to deduplicate, and a day: a late completion still finds its attempt. */
  keepDaysMin: 8,
  /** Sending the last spans, when everything else has stopped. */
  spansFlushMs: 2_000,
  /** Until then nothing is accepted. A start does not wait longer than this: a large ledger takes its time. */
  projectorPrepareMs: 10_000,
  projectorLookMs: 10,
  /** One call of the doctor. */
  doctorCallMs: 5_000,
  /** One statement of an inspection: the first may have to sort a large table. */
  doctorStatementMs: 10 * 60 * 1_000,
  /** How long a stream may take to reach where the ledger was. */
  doctorFollowedMs: 5_000,
  doctorLookMs: 100,
  /** A stream that says nothing for so long has told what there is. */
  doctorQuietMs: 3_000,
  doctorCloseMs: 2_000,
} as const;

// Relations between bounds of areas that do not know each other.
assert(
  MAIN_LIMITS.webhookExchangeMs < STORE_LIMITS.webhookClaimMs,
  'one delivery is tried by one at a time',
);
