import { describe, expect, test } from 'vitest';
import { cancelChange } from '../../src/app/desk/cancel-change.ts';
import { UPDATES_STREAM, completionsStream } from '../../src/app/ports/streams.ts';
import { NEWEST_MODEL } from '../../src/app/licensing/model.ts';
import { NOT_YET_KNOWN } from '../../src/domain/change.ts';
import type { Change } from '../../src/domain/change.ts';
import { trusted, workflowIdOf } from '../../src/domain/ids.ts';
import type { UpdateId } from '../../src/domain/ids.ts';
import { U, completed, openHistory, told, updated } from '../kit/change-history.ts';
import { newSubmissionId } from '../kit/submission-ids.ts';
import * as rows from '../kit/store-rows.ts';
import { answer } from '../unit/app/made.ts';

/* While a submission may take effect that a restore has lost, no refusal of another one is definite. */

type History = Awaited<ReturnType<typeof openHistory>>;

const refused = answer({ class: 'refused', code: 'DAML_FAILURE', definite: true });
const duplicate = answer({
  class: 'done',
  code: 'DUPLICATE_COMMAND',
  duplicateOf: { accepted: true, offset: 20n },
});
const LOST_UPDATE = trusted<UpdateId>('update-of-the-lost');
const EARLY = '2026-01-01T00:00:00.000Z';

const clock = {
  nowMs: () => Date.now(),
  pastMs: () => Date.now(),
  provenMs: () => Date.now(),
  certainMs: () => Date.now(),
  ask: () => undefined,
  refresh: () => Promise.resolve(),
  observe: () => undefined,
};

const operator = {
  party: rows.PROVIDER,
  subject: 'olga',
  name: 'Olga',
  roles: new Set(['provider', 'operator'] as const),
  via: 'bearer' as const,
  tenantId: 'AppProvider',
};

/** A request of a user that is open when the database server starts, on a ledger that tells nothing new. */
async function restored(history: History): Promise<Change> {
  const change = await history.arrived();
  await history.restarted();
  await history.replay(UPDATES_STREAM, 0n);
  await history.replay(completionsStream(U), 0n, 'backend');
  return change;
}

/** What a lost operation with the command ID of the change did, as the projected participant shows it. */
const effectOf = ({ commandId }: Change, offset: bigint, of = rows.change().id) =>
  updated(
    rows.transaction(
      offset,
      [rows.created(rows.lifecycle({ kind: 'install-request' }), { signatories: [rows.USER] })],
      { updateId: LOST_UPDATE, workflowId: workflowIdOf(of), commandId },
    ),
  );

const rejectedByLost = {
  state: 'rejected',
  error: { code: 'COMMAND_TOOK_EFFECT', extra: { updateId: LOST_UPDATE } },
};

describe('a submission that a restore may have lost', () => {
  test('keeps a refusal from being definite until the ledger has passed its bound', async () => {
    await using history = await openHistory();
    const change = await restored(history);
    const submission = await history.attempt(change);
    await history.apply([completed(U, 20n, submission, { answer: refused })]);
    expect(await history.state(change)).toMatchObject({
      state: 'retrying',
      proofAt: NOT_YET_KNOWN,
      pendingRefusal: { code: 'LEDGER_REFUSED' },
    });
    const nowMs = Date.now();
    const bound = new Date(nowMs + 60_000).toISOString();
    await history.lostUntil(U, bound);
    await history.heardAt(U, nowMs);
    expect(await history.proofAt(change)).toBe(bound);
    await history.apply(told(30n, new Date(nowMs).toISOString()));
    expect(await history.state(change)).toMatchObject({ finishedAt: null });
    await history.apply(told(40n, bound));
    expect(await history.state(change)).toMatchObject({
      state: 'rejected',
      error: { code: 'LEDGER_REFUSED' },
    });
    expect(await history.attempts(change)).toMatchObject([
      { n: 1, answer: { verdict: 'refused' } },
    ]);
  });

  test('takes effect after the refusal of another one, and its operation succeeds', async () => {
    await using history = await openHistory();
    const change = await restored(history);
    await history.apply([
      completed(U, 20n, await history.attempt(change), { answer: refused }),
      effectOf(change, 21n, change.id),
    ]);
    expect(await history.state(change)).toMatchObject({ state: 'succeeded' });
  });

  test('lets nobody cancel what it may do', async () => {
    await using history = await openHistory();
    const change = await restored(history);
    const deps = { model: NEWEST_MODEL, store: history.store };
    const cancelled = cancelChange(
      { ...deps, wallClock: clock, ledgerClock: clock, hear: () => Promise.resolve(null) },
      change.id,
      { by: operator, reason: 'because' },
      rows.io(),
    );
    await expect(cancelled).rejects.toMatchObject({
      details: { message: expect.stringContaining('the database may have lost') as string },
    });
  });
});

describe('the repeat of an operation that a restore has lost', () => {
  test('ends with the effect when the ledger tells it of the lost one', async () => {
    await using history = await openHistory();
    const change = await restored(history);
    const submission = await history.attempt(change);
    const { commandId, submitter } = change;
    const stray = { commandId, actAs: [submitter.actAs], updateId: LOST_UPDATE };
    await history.apply([completed(U, 20n, newSubmissionId(), stray)]);
    expect(await history.state(change)).toMatchObject({ finishedAt: null });
    await history.apply([effectOf({ ...change, commandId: trusted('') }, 21n)]);
    expect(await history.state(change)).toMatchObject(rejectedByLost);
    const [attempt] = await history.attempts(change);
    expect(attempt).toMatchObject({ submissionId: submission, answer: { verdict: 'refused' } });
    const { tombstones } = await history.store.transact(rows.io(), (tx) =>
      tx.followed([commandId]),
    );
    expect(tombstones).toMatchObject([{ updateId: LOST_UPDATE }]);
  });

  test('ends with the effect when it is a duplicate of the lost one', async () => {
    await using history = await openHistory();
    const change = await restored(history);
    const workflowId = workflowIdOf(rows.change().id);
    const accepted = { updateId: LOST_UPDATE, commandId: change.commandId, workflowId };
    const submission = await history.attempt(change);
    await history.answered(change, submission, duplicate, 30n, Date.now(), accepted);
    expect(await history.state(change)).toMatchObject(rejectedByLost);
  });

  test('ends with the effect that was told while it was being accepted', async () => {
    await using history = await openHistory();
    const change = await restored(history);
    await history.store.transact(rows.io(), (tx) =>
      tx.bury([
        { commandId: change.commandId, actAs: [change.submitter.actAs], updateId: LOST_UPDATE },
      ]),
    );
    const submission = await history.attempt(change);
    await history.apply([completed(U, 20n, submission, { answer: refused })]);
    await history.lostUntil(U, EARLY);
    await history.heardAt(U, Date.now());
    await history.apply(told(40n));
    expect(await history.state(change)).toMatchObject(rejectedByLost);
  });
});
