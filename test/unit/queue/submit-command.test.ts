import { describe, expect, test, vi } from 'vitest';
import type { Io } from '../../../src/app/ports/io.ts';
import type { SubmitRequest } from '../../../src/app/ports/ledger.ts';
import type { RecordedAttempt, StartedAttempt } from '../../../src/app/ports/outbox.ts';
import { SENT_WITHIN_MS } from '../../../src/app/engine/doubts/proof.ts';
import type { LedgerAnswer } from '../../../src/domain/answer.ts';
import type { Change } from '../../../src/domain/change.ts';
import type { EffectId } from '../../../src/domain/ids.ts';
import { trusted } from '../../../src/domain/ids.ts';
import type { LedgerCommand } from '../../../src/domain/ledger.ts';
import type { SubmitCommandDeps } from '../../../workers/submit-command.ts';
import { submitCommand } from '../../../workers/submit-command.ts';
import { newSubmissionId } from '../../kit/submission-ids.ts';

const change: Change = {
  id: trusted('change-1'),
  commandId: trusted('renew-4711'),
  operation: 'request-install',
  lifecycleId: null,
  lane: trusted('lane-1'),
  mailboxNo: 1,
  callerParty: trusted('user::1220'),
  callerSubject: 'somebody',
  provider: trusted('provider::1220'),
  appUser: trusted('user::1220'),
  submitter: {
    participant: trusted('app-user'),
    ledgerUser: 'user-1',
    actAs: trusted('user::1220'),
  },
  body: {},
  fixed: {},
  fingerprint: 'f',
  traceparent: null,
  state: 'submitting',
  acceptedAt: '2026-01-01T00:00:00.000000Z',
  finishedAt: null,
  deduplicationOffset: 42n,
  attempts: 0,
  acceptance: null,
  verifyAt: null,
  proofAt: null,
  pendingRefusal: null,
  waitingFor: null,
  result: null,
  error: null,
};
const command: LedgerCommand = {
  kind: 'create',
  template: { packageName: 'p', moduleName: 'M', entityName: 'E' },
  argument: {},
};
const refused: LedgerAnswer = {
  class: 'contention',
  code: 'LOCAL_VERDICT_LOCKED_CONTRACTS',
  explanation: 'somebody else was faster',
  text: 'locked',
  takesNoTry: false,
  definite: true,
  heard: true,
  duplicateOf: null,
};
const io: Io = { signal: new AbortController().signal, deadlineMs: 1_000 };
const job = { effectId: trusted<EffectId>('effect-1'), dispatchNo: 7 };

/** Returns dependencies that record the calls to them, in order. */
function recorded(
  more: {
    started?: StartedAttempt | null;
    unprepared?: LedgerAnswer;
    answer?: LedgerAnswer | null;
    /** The change whose effect probes its participant, with the answer to give if the participant is unreachable. */
    probe?: Change;
    unreached?: LedgerAnswer;
    /** Whether the recorded attempt still belongs to the process that recorded it. */
    isCurrent?: boolean;
  } = {},
) {
  const steps: { step: string; args: readonly unknown[] }[] = [];
  const note = (step: string, ...args: readonly unknown[]) => {
    steps.push({ step, args });
  };
  const deps: SubmitCommandDeps = {
    outbox: {
      startAttempt: async (...args) => {
        note('startAttempt', ...args);
        const [, , , , isReached = false] = args;
        if (more.probe !== undefined && !isReached) return null;
        return more.started === undefined
          ? { change, attempt: 3, lifecycle: null, through: null, circuit: null }
          : more.started;
      },
      putOff: async (...args) => {
        note('putOff', ...args);
        return more.probe ?? null;
      },
      participantReached: async (...args) => {
        note('participantReached', ...args);
      },
      isCurrent: async (...args) => {
        note('isCurrent', ...args);
        return more.isCurrent ?? false;
      },
    },
    gateway: {
      reach: async (...args) => {
        note('reach', ...args);
        return more.unreached ?? null;
      },
      submit: async (...args) => {
        note('submit', ...args);
        return more.answer ?? null;
      },
    },
    prepare: async (...args) => {
      note('prepare', ...args);
      return more.unprepared ?? { command, disclosed: [] };
    },
    newSubmissionId,
    recordAnswer: async (...args) => {
      note('recordAnswer', ...args);
    },
  };
  return { deps, steps, names: () => steps.map(({ step }) => step) };
}

describe('submitting the command of an effect', () => {
  test('says of what it could not prepare that nothing was sent, unless it is to end', async () => {
    const { deps, steps, names } = recorded();
    const prepare = () => Promise.reject(new Error('the database is away'));
    // The error is also thrown to the caller that runs the job.
    await expect(submitCommand(job, { ...deps, prepare }, io)).rejects.toThrow('away');
    expect(names()).toEqual(['startAttempt', 'recordAnswer']);
    expect(steps[1]?.args[2]).toMatchObject({
      class: 'unknown',
      takesNoTry: true,
      definite: true,
      text: 'the database is away',
    });
    const ending = { ...io, signal: AbortSignal.abort() };
    await expect(submitCommand(job, { ...deps, prepare }, ending)).rejects.toThrow('away');
    expect(names()).toEqual(['startAttempt', 'recordAnswer', 'startAttempt']);
  });

  test('commits the attempt, then sends, and leaves the outcome to the streams', async () => {
    const { deps, steps, names } = recorded();
    await submitCommand(job, deps, io);
    expect(names()).toEqual(['startAttempt', 'prepare', 'submit']);
    const [effectId, dispatchNo, submissionId, startIo] = steps[0]?.args ?? [];
    expect([effectId, dispatchNo, startIo]).toEqual(['effect-1', 7, io]);
    expect(steps[1]?.args).toMatchObject([{ change, attempt: 3 }, io]);
    const request: SubmitRequest = {
      submitter: change.submitter,
      commandId: change.commandId,
      submissionId: submissionId as SubmitRequest['submissionId'],
      workflowId: 'tenure-change-1',
      deduplicationOffset: 42n,
      command,
      disclosed: [],
    };
    expect(steps[2]?.args).toEqual([request, io]);
  });

  test('a new submission ID each time, the same command ID and deduplication offset', async () => {
    const { deps, steps } = recorded();
    await submitCommand(job, deps, io);
    await submitCommand(job, deps, io);
    const requests = steps
      .filter(({ step }) => step === 'submit')
      .map(({ args }) => args[0] as SubmitRequest);
    expect(new Set(requests.map(({ submissionId }) => submissionId)).size).toBe(2);
    expect(new Set(requests.map(({ commandId }) => commandId)).size).toBe(1);
    expect(new Set(requests.map((one) => one.deduplicationOffset)).size).toBe(1);
  });

  test('an attempt that is recorded with its change is not claimed, and is read again if its session has ended', async () => {
    const started = { change, attempt: 1, lifecycle: null, through: null, circuit: null };
    const attempt = (over: Partial<RecordedAttempt> = {}): RecordedAttempt => ({
      started,
      submissionId: trusted('recorded'),
      elapsedMs: () => 0,
      isDoubtful: () => false,
      ...over,
    });
    const own = recorded();
    await submitCommand(job, own.deps, io, attempt());
    expect(own.names()).toEqual(['prepare', 'submit']);
    expect(own.steps[1]?.args[0]).toMatchObject({ submissionId: 'recorded' });
    const kept = recorded({ isCurrent: true });
    await submitCommand(job, kept.deps, io, attempt({ isDoubtful: () => true }));
    expect(kept.names()).toEqual(['prepare', 'isCurrent', 'submit']);
    const lost = recorded({ isCurrent: false });
    await submitCommand(job, lost.deps, io, attempt({ isDoubtful: () => true }));
    expect(lost.names()).toEqual(['prepare', 'isCurrent', 'recordAnswer']);
    expect(lost.steps.at(-1)?.args).toMatchObject([
      change,
      'recorded',
      { code: 'TAKEN_OVER', definite: true, takesNoTry: true },
      io,
    ]);
    // The time limit begins before the transaction.
    const late = recorded();
    await submitCommand(job, late.deps, io, attempt({ elapsedMs: () => SENT_WITHIN_MS }));
    expect(late.names()).toEqual(['prepare', 'recordAnswer']);
  });

  test('nothing to submit any more: nothing is sent', async () => {
    const { deps, names } = recorded({ started: null });
    await submitCommand(job, deps, io);
    expect(names()).toEqual(['startAttempt', 'putOff']);
  });

  // Found by the simulation: a worker was stopped after it had recorded an attempt and before `Submit`, and resumed
  // minutes later.
  test('what could not be sent in time is not sent: others have stopped waiting for it', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    try {
      const late = (afterMs: number) => {
        const { deps, names, steps } = recorded();
        const { startAttempt } = deps.outbox;
        const outbox: SubmitCommandDeps['outbox'] = {
          ...deps.outbox,
          startAttempt: (...args) => {
            vi.advanceTimersByTime(afterMs);
            return startAttempt(...args);
          },
        };
        return { deps: { ...deps, outbox }, names, steps };
      };
      const paused = late(SENT_WITHIN_MS);
      await submitCommand(job, paused.deps, io);
      expect(paused.names()).toEqual(['startAttempt', 'prepare', 'recordAnswer']);
      expect(paused.steps.at(-1)?.args[2]).toMatchObject({
        code: 'BEGUN_TOO_LATE',
        takesNoTry: true,
      });
      const slow = late(SENT_WITHIN_MS - 10);
      await submitCommand(job, slow.deps, io);
      expect(slow.names()).toEqual(['startAttempt', 'prepare', 'submit']);
    } finally {
      vi.useRealTimers();
    }
  });

  test('a machine that slept between attempt and Submit sends nothing, though its steady clock stood still', async () => {
    const time = { nowMs: Date.parse('2026-01-01T00:00:00Z') };
    const { deps, names, steps } = recorded();
    const { startAttempt } = deps.outbox;
    const outbox: SubmitCommandDeps['outbox'] = {
      ...deps.outbox,
      startAttempt: (...args) => {
        time.nowMs += SENT_WITHIN_MS;
        return startAttempt(...args);
      },
    };
    const wallClock = { nowMs: () => time.nowMs };
    await submitCommand(job, { ...deps, outbox, wallClock }, io);
    expect(names()).toEqual(['startAttempt', 'prepare', 'recordAnswer']);
    expect(steps.at(-1)?.args[2]).toMatchObject({ code: 'BEGUN_TOO_LATE', takesNoTry: true });
  });

  test('a probe that gets through ends what keeps the others waiting; nothing else asks for that', async () => {
    const of = (circuit: StartedAttempt['circuit'], answer: LedgerAnswer | null) => {
      const started = { change, attempt: 3, lifecycle: null, through: null, circuit };
      return recorded({ started, answer });
    };
    const probe = of('unreachable', null);
    await submitCommand(job, probe.deps, io);
    expect(probe.names()).toEqual(['startAttempt', 'prepare', 'submit', 'participantReached']);
    expect(probe.steps.at(-1)?.args).toEqual([change.submitter.participant, io]);
    // An answer proves that the participant is reachable. Only a sequenced submission proves that there is traffic
    // credit.
    for (const { deps, names } of [
      of('unreachable', refused),
      of('traffic', null),
      of(null, null),
    ]) {
      await submitCommand(job, deps, io);
      expect(names()).not.toContain('participantReached');
    }
  });

  test('a probe asks first: what has no answer is no attempt, and what has one is sent', async () => {
    const unreached = { ...refused, code: 'NO_ERROR_INFO:DEADLINE_EXCEEDED', takesNoTry: true };
    const inVain = recorded({ probe: change, unreached });
    await submitCommand(job, inVain.deps, io);
    expect(inVain.names()).toEqual(['startAttempt', 'putOff', 'reach', 'recordAnswer']);
    expect(inVain.steps[2]?.args).toEqual([change.submitter.participant, io]);
    expect(inVain.steps[3]?.args).toMatchObject([change, expect.any(String), unreached, io]);
    const through = recorded({ probe: change });
    await submitCommand(job, through.deps, io);
    const sent = ['startAttempt', 'prepare', 'submit'];
    expect(through.names()).toEqual(['startAttempt', 'putOff', 'reach', ...sent]);
    expect(through.steps[3]?.args[4]).toBe(true);
  });

  test('a command that cannot be made yet is not sent, and its attempt says why', async () => {
    const unprepared = { ...refused, code: 'REGISTRY_UNAVAILABLE', takesNoTry: true };
    const { deps, steps, names } = recorded({ unprepared });
    await submitCommand(job, deps, io);
    expect(names()).toEqual(['startAttempt', 'prepare', 'recordAnswer']);
    expect(steps.at(-1)?.args).toEqual([change, steps[0]?.args[2], unprepared, io]);
  });

  test('a synchronous answer is recorded for the attempt it is about', async () => {
    const { deps, steps } = recorded({ answer: refused });
    await submitCommand(job, deps, io);
    const submissionId = steps[0]?.args[2];
    expect(steps.at(-1)).toEqual({
      step: 'recordAnswer',
      args: [change, submissionId, refused, io],
    });
  });

  test('what throws is not an answer: it is passed on and nothing is recorded', async () => {
    const { deps, names } = recorded();
    const broken: SubmitCommandDeps = {
      ...deps,
      gateway: { ...deps.gateway, submit: () => Promise.reject(new Error('a bug')) },
    };
    await expect(submitCommand(job, broken, io)).rejects.toThrow('a bug');
    expect(names()).not.toContain('recordAnswer');
  });
});
