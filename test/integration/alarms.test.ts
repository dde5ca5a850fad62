import { describe, expect, test, vi } from 'vitest';
import type { Log } from '../../src/app/ports/io.ts';
import type { Change } from '../../src/domain/change.ts';
import { startScheduler } from '../../src/ops/scheduler.ts';
import { watchOverdue } from '../../src/ops/overdue.ts';
import { postgresStore } from '../kit/postgres-store.ts';
import { queryOnce } from '../kit/postgres-query.ts';
import * as rows from '../kit/store-rows.ts';
import { arrive, save } from '../kit/store-under-test.ts';
import { PATIENCE_MS } from '../kit/patience.ts';

/* For a wait that is overdue, one process raises an alarm once, and withdraws it when the wait ends. */

async function openAlarms() {
  const stack = new AsyncDisposableStack();
  const under = stack.use(await postgresStore());
  const told: string[] = [];
  const tell = (fields: object, message: string) =>
    void told.push(`${message} ${JSON.stringify(fields)}`);
  const log: Log = { debug: tell, info: tell, warn: tell, error: tell };
  const { alarms } = under;
  return {
    ...under,
    told,
    /** Starts the alarms of the clock in one process; the first check runs at once. */
    start: (holder: string) => {
      const detector = startScheduler({
        leases: under.leases,
        log,
        random: () => 0,
        holder,
        duties: [
          watchOverdue({
            reads: under.store.reads,
            alarms,
            wallClock: { nowMs: () => Date.now() },
            log,
          }),
        ],
      });
      stack.defer(() => detector.stop());
      return detector;
    },
    ids: async () => (await alarms.list(10, rows.io())).map(({ changeId }) => changeId),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

const waiting = (state: Change['state'], kind: NonNullable<Change['waitingFor']>['kind']) =>
  rows.change({ state, waitingFor: { kind, detail: 'x', since: '2026-01-01T00:00:00.000Z' } });

describe('the detector', () => {
  test('says of what its participant cannot pay for what is to be done', async () => {
    await using world = await openAlarms();
    const untried = waiting('submitting', 'queue');
    await arrive(world.store, untried);
    const { participant } = untried.submitter;
    const ledgerCode = 'SEQUENCER_NOT_ENOUGH_TRAFFIC_CREDIT';
    await save(world.store, { circuits: [{ participant, reason: 'traffic', ledgerCode }] });
    const detector = world.start('first');
    const detail = `${participant} has no traffic credit left; the operation continues when the operator of the participant has bought more traffic`;
    await vi.waitFor(
      async () =>
        expect(await world.alarms.list(10, rows.io())).toMatchObject([{ kind: 'traffic', detail }]),
      PATIENCE_MS,
    );
    await detector.stop();
  });

  test('raises each once, with its command ID, and takes it back when it is over', async () => {
    await using world = await openAlarms();
    const [stuck, doubted] = [waiting('submitting', 'ledger'), waiting('in-doubt', 'person')];
    for (const one of [stuck, doubted]) await arrive(world.store, one);
    const first = world.start('first');
    await vi.waitFor(async () => expect(await world.ids()).toHaveLength(2), PATIENCE_MS);
    await first.stop();
    const raised = () => world.told.filter((line) => line.includes('waits too long'));
    expect(raised()).toHaveLength(2);
    expect(raised().join()).toContain(stuck.commandId);

    // Another process takes over at once. It does not repeat alarms that were already raised.
    await queryOnce(
      world.url,
      `update change set state = 'rejected', error = '{}', finished_at = now(), waiting_for = null
       where id = '${stuck.id}'`,
    );
    const second = world.start('second');
    await vi.waitFor(async () => expect(await world.ids()).toEqual([doubted.id]), PATIENCE_MS);
    await second.stop();
    expect(raised()).toHaveLength(2);
    expect(world.told.join()).toContain('an operation that had waited too long continues');
  });
});
