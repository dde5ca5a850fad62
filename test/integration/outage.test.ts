import { describe, expect, test } from 'vitest';
import type { StartedAttempt } from '../../src/app/ports/outbox.ts';
import { SENT_WITHIN_MS } from '../../src/app/engine/doubts/proof.ts';
import type { LedgerAnswer } from '../../src/domain/answer.ts';
import { trusted } from '../../src/domain/ids.ts';
import type { LedgerCommand } from '../../src/domain/ledger.ts';
import { STORE_LIMITS } from '../../src/store/limits.ts';
import { QUEUE_LIMITS } from '../../src/queue/limits.ts';
import { LIMITS } from '../../src/domain/limits.ts';
import { createPauses } from '../../src/store/engine/pauses.ts';
import { submitCommand } from '../../workers/submit-command.ts';
import { U, completed, openHistory, request } from '../kit/change-history.ts';
import { io } from '../kit/store-rows.ts';
import { dispatchAll, arrive } from '../kit/store-under-test.ts';
import { answer } from '../unit/app/made.ts';
import { newSubmissionId } from '../kit/submission-ids.ts';

/*
 * A participant is unreachable for an hour. Its store, relay and workers are real, and the test advances the time of
 * the database.
 */

const HOUR_MS = 3_600_000;
const PROBES_MAX = 200;
const away = answer({ class: 'unknown', code: 'NO_ERROR_INFO:UNAVAILABLE', takesNoTry: true });
const silent = answer({
  class: 'unknown',
  code: 'NO_ERROR_INFO:DEADLINE_EXCEEDED',
  definite: false,
});
const unheard = { ...silent, takesNoTry: true };
const refused = answer({ class: 'credentials', code: 'INVALID_TOKEN', heard: true });
const COMMAND: LedgerCommand = {
  kind: 'create',
  template: { packageName: 'p', moduleName: 'M', entityName: 'E' },
  argument: {},
};

/**
 * How a participant treats a command, and a query that has no effect. `null`: it accepts the command, or answers the
 * query.
 */
interface Manner {
  readonly submitted: LedgerAnswer | null;
  readonly asked: LedgerAnswer | null;
}
const GONE: Manner = { submitted: away, asked: away };
const LOCKED: Manner = { submitted: refused, asked: { ...refused, takesNoTry: true } };
const HANGING: Manner = { submitted: silent, asked: unheard };
const WELL: Manner = { submitted: null, asked: null };

/** The work of one round: the attempts that began, and the effects that were used as probes. */
interface Round {
  readonly sent: readonly StartedAttempt[];
  readonly asked: readonly string[];
}
type Outage = Awaited<ReturnType<typeof openOutage>>;

/**
 * Returns a barrier: each caller waits until all callers have arrived or have ended before. In the same way, workers
 * wait at the same time for one participant.
 */
function barrier(count: number) {
  const all = Promise.withResolvers<void>();
  let left = count;
  const arrive = () => {
    left -= 1;
    if (left === 0) all.resolve();
  };
  return {
    arrive,
    wait: async () => {
      arrive();
      await all.promise;
    },
  };
}

/**
 * Records changes in different lanes, through one participant.
 *
 * @param slots how many changes are processed at the same time
 */
async function openOutage(count: number, slots = count) {
  const history = await openHistory();
  const changes = Array.from({ length: count }, request);
  for (const change of changes) await arrive(history.store, change);
  const pool = history.pool;

  const atOnce = async (
    jobs: Awaited<ReturnType<typeof dispatchAll>>,
    { submitted, asked }: Manner,
  ): Promise<Round> => {
    const sent: StartedAttempt[] = [];
    const asking: string[] = [];
    const inFlight = barrier(jobs.length);
    const work = jobs.map(async ({ id, dispatchNo }) => {
      let isWaiting = false;
      const inTime = async (given: LedgerAnswer | null) => {
        isWaiting = true;
        await inFlight.wait();
        return given;
      };
      await submitCommand(
        { effectId: trusted(id), dispatchNo },
        {
          outbox: history.outbox,
          prepare: async (started) => {
            sent.push(started);
            return { command: COMMAND, disclosed: [] };
          },
          gateway: {
            submit: () => inTime(submitted),
            reach: () => {
              asking.push(id);
              return isWaiting ? Promise.resolve(asked) : inTime(asked);
            },
          },
          newSubmissionId,
          recordAnswer: (change, submissionId, given) =>
            history.answered(change, submissionId, given, null),
        },
        io(),
      );
      if (!isWaiting) inFlight.arrive();
    });
    await Promise.all(work);
    return { sent, asked: asking };
  };

  return {
    ...history,
    changes,
    /** Dispatches the due effects, and processes all of them. */
    async tried(manner: Manner): Promise<Round> {
      const jobs = await dispatchAll(history.outbox);
      const rounds: Round[] = [];
      for (let from = 0; from < jobs.length; from += slots) {
        rounds.push(await atOnce(jobs.slice(from, from + slots), manner));
      }
      return {
        sent: rounds.flatMap(({ sent }) => sent),
        asked: rounds.flatMap(({ asked }) => asked),
      };
    },
    /** Makes this duration pass: brings all due times in the database closer by it. */
    async pass(ms: number): Promise<void> {
      const by = `interval '${ms} milliseconds'`;
      await pool.query(`update effect set due_at = due_at - ${by};
        update attempt set at = at - ${by};
        update silence set since = since - ${by};
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
 * Simulates an hour, with as many polls as a relay makes.
 *
 * @param tookMs the time until an attempt is answered
 * @returns the effects that were used as probes, one at a time
 */
async function anHour(outage: Outage, manner: Manner, tookMs = 0): Promise<string[]> {
  const probes: string[] = [];
  for (let nowMs = 0; nowMs < HOUR_MS && probes.length < 2 * PROBES_MAX;) {
    const inMs = Math.max((await outage.outbox.nextDueInMs(io())) ?? 0, QUEUE_LIMITS.relayPollMs);
    await outage.pass(inMs + tookMs);
    nowMs += inMs + tookMs;
    const { sent, asked } = await outage.tried(manner);
    expect(Math.max(sent.length, asked.length)).toBeLessThanOrEqual(1);
    probes.push(...asked);
  }
  return probes;
}

const probeIsDue = (outage: Outage): Promise<void> =>
  outage.pass(STORE_LIMITS.unreachableMsMax + STORE_LIMITS.probeSpreadMs);

describe('an hour without a participant', () => {
  test('leaves one attempt and one event of each operation, and a question now and then', async () => {
    await using outage = await openOutage(12);
    expect((await outage.tried(GONE)).sent).toHaveLength(12);
    expect(await outage.circuits()).toMatchObject([{ participant: U, reason: 'unreachable' }]);
    const probes = await anHour(outage, GONE);
    expect(probes.length).toBeGreaterThan(100);
    expect(probes.length).toBeLessThanOrEqual(PROBES_MAX);
    expect(await outage.count('attempt')).toBe(12);
    expect(await outage.count('attempt where unsent_tries > 0')).toBe(0);
    // Different operations serve as probes.
    expect(new Set(probes).size).toBe(12);
    expect(await outage.count(`event_arrival where type = 'tenure.operation.retrying'`)).toBe(12);
    expect(await outage.count('event_arrival')).toBe(12);
    const [first] = outage.changes;
    expect(await outage.state(first!)).toMatchObject({
      state: 'retrying',
      attempts: 0,
      waitingFor: { kind: 'participant' },
    });
  }, 120_000);

  test('of one operation alone asks as often', async () => {
    await using outage = await openOutage(1);
    await outage.tried(GONE);
    const probes = await anHour(outage, GONE);
    expect(probes.length).toBeGreaterThan(150);
    expect(probes.length).toBeLessThanOrEqual(PROBES_MAX);
    expect(await outage.count('attempt')).toBe(1);
  }, 120_000);
});

describe('an hour with a participant that takes connections and says nothing', () => {
  test('leaves an attempt of each operation that was sent before it was known, and no other', async () => {
    await using outage = await openOutage(50, 8);
    const { sent, asked } = await outage.tried(HANGING);
    // Effects that had been dispatched before are postponed as well. None of them is used as a probe, and nothing is
    // sent.
    expect([sent.length, asked.length]).toEqual([8, 0]);
    expect(await outage.circuits()).toMatchObject([{ reason: 'unreachable', level: 1 }]);
    expect(await outage.count('effect where put_off_by is not null')).toBe(42);
    const probes = await anHour(outage, HANGING, LIMITS.submitDeadlineMs);
    expect(probes.length).toBeGreaterThan(80);
    expect(probes.length).toBeLessThanOrEqual(PROBES_MAX);
    expect(await outage.count('attempt')).toBe(8);
    expect(await outage.count('event_arrival')).toBeLessThanOrEqual(50);
    // Commands that were sent may have taken effect, whatever later probes have shown.
    expect(await outage.count(`attempt where verdict = 'unknown' and not unsent`)).toBe(8);

    await probeIsDue(outage);
    expect(await outage.tried(WELL)).toMatchObject({
      sent: [{ circuit: 'unreachable' }],
      asked: [expect.any(String)],
    });
    const rest = await outage.tried(WELL);
    expect([rest.sent.length, rest.asked.length]).toEqual([49, 0]);
  }, 120_000);

  test('one that answers questions and no commands costs an attempt for each probe', async () => {
    await using outage = await openOutage(20);
    await outage.tried(HANGING);
    const deaf: Manner = { submitted: silent, asked: null };
    const probes = await anHour(outage, deaf, SENT_WITHIN_MS);
    expect(probes.length).toBeGreaterThan(80);
    expect(probes.length).toBeLessThanOrEqual(PROBES_MAX);
    expect(await outage.count('attempt')).toBe(20 + probes.length);
  }, 120_000);
});

describe('its return', () => {
  test('lets everything that was put off go at once, as far as workers take it', async () => {
    await using outage = await openOutage(30);
    await outage.tried(GONE);
    for (let tries = 0; tries < 12; tries += 1) {
      await probeIsDue(outage);
      expect((await outage.tried(GONE)).asked).toHaveLength(1);
    }
    await probeIsDue(outage);
    expect(await outage.tried(WELL)).toMatchObject({ sent: [{ circuit: 'unreachable' }] });
    const rest = await outage.tried(WELL);
    expect(rest.sent).toHaveLength(29);
    expect(rest.sent.every(({ circuit }) => circuit === null)).toBe(true);
    expect(await outage.count('attempt')).toBe(30);
  });
});

test('a participant that lets nobody in is asked by one operation at a time', async () => {
  await using outage = await openOutage(5);
  await outage.tried(LOCKED);
  expect(await outage.circuits()).toMatchObject([
    { reason: 'unreachable', ledgerCode: refused.code },
  ]);
  expect((await anHour(outage, LOCKED)).length).toBeLessThanOrEqual(PROBES_MAX);
  expect(await outage.count('attempt')).toBe(5);
  expect(await outage.count('event_arrival')).toBe(5);
}, 120_000);

describe('one lost answer says nothing of a participant', () => {
  test('a second one does, to the same operation or to another', async () => {
    for (const count of [1, 2]) {
      await using outage = await openOutage(count, 1);
      await outage.tried(HANGING);
      if (count === 1) {
        expect(await outage.circuits()).toEqual([]);
        await outage.pass(LIMITS.redispatchMs);
        await outage.tried(HANGING);
      }
      expect(await outage.count('attempt')).toBe(2);
      expect(await outage.circuits()).toMatchObject([{ reason: 'unreachable' }]);
    }
  });

  test('one to what was begun since is between them', async () => {
    await using outage = await openOutage(3, 1);
    const [first, second] = outage.changes;
    const sent = await Promise.all([first!, second!].map((one) => outage.attempt(one)));
    await outage.answered(first!, sent[0]!, silent, null);
    const busy = answer({
      class: 'contention',
      code: 'LOCAL_VERDICT_LOCKED_CONTRACTS',
      heard: true,
    });
    // This attempt began before the other one, so it may also have been answered before.
    await outage.answered(second!, sent[1]!, busy, null);
    expect(await outage.count('silence')).toBe(1);
    const since = await outage.attempt(second!);
    await outage.apply([completed(U, 20n, since, { answer: busy })]);
    expect(await outage.count('silence')).toBe(0);
    const third = await outage.attempt(outage.changes[2]!);
    await outage.answered(outage.changes[2]!, third, silent, null);
    expect(await outage.circuits()).toEqual([]);
  });
});

test('what has nothing to do with the participant keeps nobody waiting', async () => {
  await using outage = await openOutage(2);
  const late = answer({ class: 'unknown', code: 'BEGUN_TOO_LATE', takesNoTry: true });
  const registry = answer({
    class: 'unknown',
    code: 'REGISTRY_UNAVAILABLE',
    takesNoTry: true,
    waitsFor: 'registry',
  });
  for (const given of [late, registry, late, registry]) {
    await outage.pass(LIMITS.unavailableBackoffMsMax);
    expect((await outage.tried({ submitted: given, asked: null })).sent).toHaveLength(2);
    expect(await outage.circuits()).toEqual([]);
  }
  expect(await outage.count('attempt')).toBe(2);
});
