import { NEWEST_MODEL } from '../../../src/app/licensing/model.ts';
import { expect, test } from 'vitest';
import type { SubmitRequest } from '../../../src/app/ports/ledger.ts';
import { PROJECTOR_LEASE } from '../../../src/app/ports/leases.ts';
import { RecordClocks } from '../../../src/app/engine/doubts/record-clocks.ts';
import { Ticks } from '../../../src/app/engine/doubts/ticks.ts';
import type { ParticipantName } from '../../../src/domain/ids.ts';
import { trusted } from '../../../src/domain/ids.ts';
import { watchTime } from '../../../src/projector/time-watch.ts';
import { PROVIDER, io } from '../../kit/store-rows.ts';
import { createMemoryDatabase } from '../../sim/memory/database.ts';
import { realAfter, realHooks } from '../../sim/memory/real-hooks.ts';

const PARTICIPANT = trusted<ParticipantName>('app-provider');

test('the time that a guard waits for is moved through the provider, and not before it has come', async () => {
  const database = createMemoryDatabase({ now: Date.now, after: realAfter });
  const { store, leases } = database.connect('projector', realHooks());
  const leaseEpoch = (await leases.acquire(PROJECTOR_LEASE, 'test', 600_000, io())) ?? 0n;
  const submitter = { participant: PARTICIPANT, ledgerUser: 'user', actAs: PROVIDER };
  const submitted: SubmitRequest[] = [];
  const looked: string[] = [];
  const wantedAt = (look: number) =>
    new Date(Date.now() + (look === 0 ? 60_000 : -1)).toISOString();
  const quiet = () => undefined;
  const bounds = { toleranceMs: 60_000, clockDifferenceMs: 10_000 };
  const ending = new AbortController();
  const watching = watchTime(
    {
      model: NEWEST_MODEL,
      store,
      gateway: {
        submit: async (request) => {
          submitted.push(request);
          return null;
        },
        synchronizers: async () => [],
      },
      hear: async () => null,
      bounds,
      wallClock: { nowMs: Date.now },
      log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
      leaseEpoch,
      clocks: new RecordClocks(bounds),
      ticks: new Ticks(),
      arrivalOf: () => null,
      wanted: async () => {
        const proofAt = wantedAt(looked.length);
        looked.push(`${submitted.length}`);
        return { proofAt, submitter, provider: PROVIDER };
      },
    },
    [PARTICIPANT],
    ending.signal,
  );
  await expect.poll(() => submitted.length).toBe(1);
  ending.abort();
  await watching;
  // Only the second check submits a time advance.
  expect(looked).toEqual(['0', '0']);
  expect(submitted).toMatchObject([
    { submitter, command: { kind: 'create-and-archive' }, workflowId: 'tenure:tick' },
  ]);
});
