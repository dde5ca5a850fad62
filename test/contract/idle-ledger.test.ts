import { NEWEST_MODEL } from '../../src/app/licensing/model.ts';
import { expect, test } from 'vitest';
import type { SubmissionId } from '../../src/domain/ids.ts';
import { trusted } from '../../src/domain/ids.ts';
import { NOT_YET_KNOWN } from '../../src/domain/change.ts';
import { problem } from '../../src/domain/problems.ts';
import { createHear } from '../../src/app/engine/doubts/proof.ts';
import { startProjector } from '../../src/projector/projector.ts';
import { PATIENCE_MS } from '../kit/patience.ts';
import { change, effectId, io as rowsIo } from '../kit/store-rows.ts';
import { arrive, dispatchAll, save } from '../kit/store-under-test.ts';
import { createMemoryDatabase } from '../sim/memory/database.ts';
import { realAfter, realHooks } from '../sim/memory/real-hooks.ts';
import { LedgerClient, PROVIDER_SIDE, USER_SIDE, io } from './kit/ledger-client.ts';

/* A ledger without any activity, over gRPC: it sends no completion and no checkpoint, and therefore reports no time. */

const BOUNDS = { toleranceMs: 500, clockDifferenceMs: 500 };
const MINUTE_MS = 60_000;

test('what was lost on an idle ledger is proved by what is made to happen there', async () => {
  await using ledger = await LedgerClient.open({ ledgerTimeToleranceMs: BOUNDS.toleranceMs });
  // Makes it look as if the attempt had begun this long ago.
  let behindMs = MINUTE_MS;
  const database = createMemoryDatabase({ now: () => Date.now() - behindMs, after: realAfter });
  const { store, leases, outbox } = database.connect('projector', realHooks());
  const wallClock = { nowMs: Date.now };
  const quiet = () => undefined;
  const projector = startProjector({
    model: NEWEST_MODEL,
    store,
    leases,
    streams: ledger.streams,
    gateway: ledger.gateway,
    hear: createHear(ledger.gateway, wallClock, BOUNDS),
    bounds: BOUNDS,
    wallClock,
    ledgerClock: ledger.clock,
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    random: Math.random,
    holder: 'test',
    isUnavailable: () => false,
    silenceMs: MINUTE_MS,
  });
  try {
    await expect.poll(() => projector.status().awaited.size).toBe(0);
    const submitter = await ledger.submitterOf(ledger.user);
    const of = change({
      operation: 'request-install',
      lifecycleId: null,
      submitter,
      callerParty: ledger.user,
      provider: ledger.provider,
    });
    await arrive(store, of);
    const [effect] = await dispatchAll(outbox);
    const submissionId = trusted<SubmissionId>('lost');
    await outbox.startAttempt(effectId(of), effect!.dispatchNo, submissionId, rowsIo());
    behindMs = 0;
    // The next attempt was refused. Its refusal is final as soon as the first attempt can no longer take effect.
    const refused = {
      ...of,
      state: 'retrying' as const,
      verifyAt: 0n,
      proofAt: NOT_YET_KNOWN,
      pendingRefusal: problem('LEDGER_REFUSED', 'the ledger refused it'),
    };
    await save(store, { changes: [refused], effectsDone: [of.id] });
    const ends = () =>
      Promise.all([USER_SIDE, PROVIDER_SIDE].map((name) => ledger.gateway.ledgerEnd(name, io())));
    const before = await ends();
    const state = async () => (await store.reads.changesById([of.id], rowsIo()))[0]?.state;
    await expect.poll(state, { timeout: 2 * PATIENCE_MS }).toBe('rejected');
    const [attempt] = await store.reads.attempts(of.id, rowsIo());
    expect(attempt?.answer).toMatchObject({ verdict: 'refused', provenAt: attempt?.overAt });
    // One transaction advances the time, and both participants see it.
    expect(await ends()).toEqual(before.map((end) => end + 1n));
    expect(await store.reads.participantCauses(rowsIo())).toEqual([]);
  } finally {
    await projector.stop();
  }
});
