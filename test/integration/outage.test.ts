import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { SENT_WITHIN_MS } from '../../src/app/proof.ts';
import type { LedgerAnswer } from '../../src/domain/answer.ts';
import type { SubmissionId } from '../../src/domain/ids.ts';
import { trusted } from '../../src/domain/ids.ts';
import { LIMITS } from '../../src/domain/limits.ts';
import { createPauses } from '../../src/store/pauses.ts';
import { U, openHistory, request } from '../kit/change-history.ts';
import { io } from '../kit/store-rows.ts';
import { arrive, dispatchAll } from '../kit/store-under-test.ts';
import { answer } from '../unit/app/made.ts';

/* A participant that is away for an hour: its store, relay and answers, with the time of the database moved by hand. */

const HOUR_MS = 3_600_000;
const away = answer({ class: 'unknown', code: 'NO_ERROR_INFO:UNAVAILABLE', unsent: true });
const silent = answer({ class: 'unknown', code: 'NO_ERROR_INFO:DEADLINE_EXCEEDED' });
const refused = answer({ class: 'credentials', code: 'NO_ERROR_INFO:UNAUTHENTICATED' });

type Outage = Awaited<ReturnType<typeof openOutage>>;

/** Changes of different lanes through one participant, and one through the other. */
async function openOutage(count: number) {
  const history = await openHistory();
  const changes = Array.from({ length: count }, request);
  for (const change of changes) await arrive(history.store, change);
  const begun = async () => {
    const dispatched = await dispatchAll(history.outbox);
    const started = dispatched.map(async ({ id, dispatchNo }) => {
      const submissionId = trusted<SubmissionId>(randomUUID());
      const attempt = await history.outbox.startAttempt(
        trusted(id),
        dispatchNo,
        submissionId,
        io(),
      );
      return attempt === null ? [] : [{ ...attempt, submissionId }];
    });
    return (await Promise.all(started)).flat();
  };
  const pool = history.pool;
  return {
    ...history,
    changes,
    /** Dispatches what is due and begins its attempts. */
    begun,
    /** The same, and answers each like that. @returns how many there were */
    async tried(given: LedgerAnswer): Promise<number> {
      const attempts = await begun();
      for (const { change, submissionId } of attempts) {
        await history.answered(change, submissionId, given, null);
      }
      return attempts.length;
    },
    /** Time passes: what lies ahead comes nearer. */
    async pass(ms: number): Promise<void> {
      const by = `interval '${ms} milliseconds'`;
      await pool.query(`update effect set due_at = due_at - ${by};
        update attempt set at = at - ${by};
        update circuit set until = until - ${by}, since = since - ${by}, probed_at = probed_at - ${by}`);
    },
    async count(sql: string): Promise<number> {
      const { rows } = await pool.query<{ n: number }>(`select count(*)::integer as n from ${sql}`);
      return rows[0]?.n ?? -1;
    },
    circuits: () => createPauses(pool).circuits(io()),
  };
}

/**
 * An hour, looked at as often as a relay does.
 *
 * @param tookMs until a try is answered
 * @returns how many were made one at a time, after all had been tried once
 */
async function anHour(outage: Outage, given: LedgerAnswer, tookMs = 0): Promise<number> {
  let probes = 0;
  for (let nowMs = 0; nowMs < HOUR_MS;) {
    const inMs = Math.max((await outage.outbox.nextDueInMs(io())) ?? 0, LIMITS.relayPollMs);
    await outage.pass(inMs + tookMs);
    nowMs += inMs + tookMs;
    const tried = await outage.tried(given);
    expect(tried).toBeLessThanOrEqual(1);
    probes += tried;
  }
  return probes;
}

describe('an hour without a participant', () => {
  test('leaves one attempt and one event of each operation, and a probe now and then', async () => {
    await using outage = await openOutage(12);
    expect(await outage.tried(away)).toBe(12);
    expect(await outage.circuits()).toMatchObject([{ participant: U, reason: 'unreachable' }]);
    const probes = await anHour(outage, away);
    expect(probes).toBeGreaterThan(100);
    expect(probes).toBeLessThanOrEqual(200);
    expect(await outage.count('attempt')).toBe(12);
    expect(await outage.count(`event_arrival where type = 'tenure.operation.retrying'`)).toBe(12);
    expect(await outage.count('event_arrival')).toBe(12);
    // It is not always the same one that is sent ahead.
    expect(await outage.count('attempt where unsent_tries > 0')).toBe(12);
    const [first] = outage.changes;
    expect(await outage.state(first!)).toMatchObject({
      state: 'retrying',
      attempts: 0,
      waitingFor: { kind: 'participant' },
    });
  }, 120_000);

  test('of one operation alone asks as often', async () => {
    await using outage = await openOutage(1);
    await outage.tried(away);
    const probes = await anHour(outage, away);
    expect(probes).toBeGreaterThan(150);
    expect(probes).toBeLessThanOrEqual(200);
    expect(await outage.attempts(outage.changes[0]!)).toMatchObject([
      { n: 1, unsent: { tries: probes } },
    ]);
  }, 120_000);
});

describe('its return', () => {
  test('lets everything that was put off go at once, as far as workers take it', async () => {
    await using outage = await openOutage(30);
    await outage.tried(away);
    for (let tries = 0; tries < 12; tries += 1) {
      await outage.pass(LIMITS.unreachableMsMax + LIMITS.probeSpreadMs);
      expect(await outage.tried(away)).toBe(1);
    }
    await outage.pass(LIMITS.unreachableMsMax + LIMITS.probeSpreadMs);
    const [probe, ...more] = await outage.begun();
    expect([probe?.circuit, more]).toEqual(['unreachable', []]);
    await outage.outbox.participantReached(U, io());
    const rest = await outage.begun();
    expect(rest).toHaveLength(29);
    expect(rest.every(({ circuit }) => circuit === null)).toBe(true);
    expect(await outage.count('attempt')).toBe(30);
  });
});

test('a participant that lets nobody in is asked by one operation at a time', async () => {
  await using outage = await openOutage(5);
  await outage.tried(refused);
  expect(await outage.circuits()).toMatchObject([
    { reason: 'unreachable', ledgerCode: refused.code },
  ]);
  expect(await anHour(outage, refused)).toBeLessThanOrEqual(200);
  expect(await outage.count('event_arrival')).toBe(5);
}, 120_000);

test('one lost answer says nothing of a participant; the second one to the same operation does', async () => {
  await using outage = await openOutage(5);
  expect(await outage.tried(silent)).toBe(5);
  expect(await outage.circuits()).toEqual([]);
  await outage.pass(LIMITS.redispatchMs);
  expect(await outage.tried(silent)).toBe(5);
  expect(await outage.circuits()).toMatchObject([{ reason: 'unreachable' }]);
  expect(await anHour(outage, silent, SENT_WITHIN_MS)).toBeLessThanOrEqual(200);
}, 120_000);

test('what has nothing to do with the participant keeps nobody waiting', async () => {
  await using outage = await openOutage(2);
  const late = answer({ class: 'unknown', code: 'BEGUN_TOO_LATE', unsent: true });
  const registry = answer({
    class: 'unknown',
    code: 'REGISTRY_UNAVAILABLE',
    unsent: true,
    waitsFor: 'registry',
  });
  for (const given of [late, registry, late, registry]) {
    await outage.pass(LIMITS.unavailableBackoffMsMax);
    expect(await outage.tried(given)).toBe(2);
    expect(await outage.circuits()).toEqual([]);
  }
  expect(await outage.count('attempt')).toBe(2);
});
