import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { WallClock } from '../app/ports/clocks.ts';
import type { Leases } from '../app/ports/leases.ts';
import type { Outbox } from '../app/ports/outbox.ts';
import type { Store } from '../app/ports/transaction.ts';
import { UPDATES_STREAM } from '../app/ports/streams.ts';
import { sleep } from '../app/ports/wakeup.ts';
import type { Hear } from '../app/engine/doubts/proof.ts';
import type { ReadinessCheck } from '../http/kit/deps.ts';
import { observeStreams } from '../ops/observed.ts';
import type { ProjectorDeps } from '../projector/projector.ts';
import { startProjector } from '../projector/projector.ts';
import type { Projector } from '../projector/status.ts';
import { whyNotReady } from '../projector/status.ts';
import { isDatabaseUnavailable } from '../store/sql/deadline.ts';
import { createTimeWanted } from '../store/engine/clock-reports.ts';
import { createRebuilds } from '../store/engine/rebuild.ts';
import type { Config } from './config.ts';
import type { LedgerSide } from './ledger-side.ts';
import type { Observation } from './observation.ts';
import { MAIN_LIMITS } from './limits.ts';

/** The parts of the process that the role `projector` uses. */
interface FollowingParts extends Observation {
  readonly log: Logger;
  readonly observedStore: (spanName: string) => Store;
  readonly leases: Leases;
  readonly config: Pick<Config, 'proof'>;
  readonly outbox: Outbox;
  readonly ledger: LedgerSide;
  readonly hear: Hear;
  readonly wallClock: WallClock;
  /** The name of this process in the lease. */
  readonly holder: string;
  readonly pool: Pool;
  readonly checks: ReadinessCheck[];
}

/** Waits until the projector follows every reachable participant, stands by, or has failed with a reason. */
async function awaitFirstState(projector: Projector, signal: AbortSignal): Promise<void> {
  const deadline = performance.now() + MAIN_LIMITS.projectorPrepareMs;
  while (performance.now() < deadline) {
    const { state, reason, awaited, broken } = projector.status();
    if (state === 'failed') throw new Error(reason ?? 'the projector failed');
    const isJoined = [...awaited].every((stream) => broken.has(stream));
    const isTold = state === 'following' || broken.has(UPDATES_STREAM);
    if (state === 'standby' || (isJoined && isTold)) return;
    await sleep(MAIN_LIMITS.projectorLookMs, signal);
    signal.throwIfAborted();
  }
}

/**
 * Returns a function that reads the record time for which guards wait. The provider's party acts in the time advance,
 * because the guards concern its licences.
 */
const wantedBy = ({ pool, ledger }: FollowingParts): NonNullable<ProjectorDeps['wanted']> => {
  const timeWanted = createTimeWanted(pool);
  return async (participant, io) => {
    const proofAt = await timeWanted.wanted(participant, io);
    if (proofAt === null) return null;
    const { provider } = ledger.hosting;
    const submitter = await ledger.hosting.submitterFor(provider, io);
    return submitter?.participant === participant ? { proofAt, submitter, provider } : null;
  };
};

/** Starts to follow the ledger. Only one process at a time does so; the others stand by. */
export async function startFollowing(
  parts: FollowingParts,
  stack: AsyncDisposableStack,
  signal: AbortSignal,
): Promise<void> {
  const { log, leases, ledger, wallClock } = parts;
  const projector = startProjector({
    model: ledger.model,
    outbox: parts.outbox,
    store: parts.observedStore('project update'),
    leases,
    streams: observeStreams(ledger.streams, parts.metrics),
    gateway: ledger.gateway,
    hear: parts.hear,
    bounds: parts.config.proof,
    wallClock,
    ledgerClock: ledger.ledgerClock,
    wanted: wantedBy(parts),
    log,
    random: Math.random,
    holder: parts.holder,
    isUnavailable: isDatabaseUnavailable,
    silenceMs: ledger.discovered.silenceMs,
    isTimeStatic: ledger.discovered.isTimeStatic,
    rebuilds: createRebuilds(parts.pool),
  });
  stack.defer(() => projector.stop());
  parts.readings.ledger({
    gateway: ledger.gateway,
    projected: ledger.streams.projected,
    following: () => {
      const { state, broken, cursors, stall } = projector.status();
      const isFollowing = state === 'following';
      return { isFollowing, broken: new Set(broken.keys()), cursors, stalledMs: stall.ms };
    },
  });
  parts.checks.push({
    name: 'projector',
    check: () => {
      const why = whyNotReady(projector.status());
      return why === null ? Promise.resolve() : Promise.reject(new Error(why));
    },
  });
  await awaitFirstState(projector, signal);
}
