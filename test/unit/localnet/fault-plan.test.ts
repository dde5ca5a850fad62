import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ConnectionLost } from '../../../localnet/faults.ts';
import type { ElementSubject, FaultCall } from '../../../localnet/faults.ts';
import { canAnswer, rejectionOf, stagesOf } from '../../../localnet/faults/codes.ts';
import { fitsPattern } from '../../../localnet/faults/matching.ts';
import { createFaultPlan } from '../../../localnet/faults/plan.ts';
import { readFault } from '../../../localnet/faults/rules.ts';
import { readScript } from '../../../localnet/faults/script.ts';

/* The fault plan without a network, with a clock that the test advances, as in a simulation. */

/** A clock that the test advances. */
class Hand {
  #now = 0;
  #waiting: { readonly dueMs: number; readonly wake: () => void }[] = [];

  readonly pause = (delayMs: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener('abort', () => resolve(), { once: true });
      this.#waiting.push({ dueMs: this.#now + delayMs, wake: resolve });
    });

  async move(ms: number): Promise<void> {
    this.#now += ms;
    const due = this.#waiting.filter(({ dueMs }) => dueMs <= this.#now);
    this.#waiting = this.#waiting.filter(({ dueMs }) => dueMs > this.#now);
    for (const { wake } of due) wake();
    await Promise.resolve();
    await Promise.resolve();
  }
}

const call = (path = '/com.daml.ledger.api.v2.StateService/GetLedgerEnd'): FaultCall => ({
  participant: 'app-user',
  path,
  userId: 'somebody',
});
const SUBMIT = '/com.daml.ledger.api.v2.CommandSubmissionService/Submit';
const open = () => new AbortController().signal;
const planOver = (hand: Hand, random: () => number = () => 0) =>
  createFaultPlan({ random, pause: hand.pause });
const completion = (offset: bigint): ElementSubject => ({ kind: 'completion', offset });

describe('a pattern', () => {
  test('means what the regular expression means, with one way to write any characters', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '*', '.', ':') });
    fc.assert(
      fc.property(
        text,
        text.map((found) => found.replaceAll('*', 'a')),
        (pattern, subject) => {
          const escaped = pattern.replaceAll('.', '\\.').replaceAll('*', '.*');
          expect(fitsPattern(pattern, subject)).toBe(new RegExp(`^${escaped}$`).test(subject));
        },
      ),
    );
  });

  test('that is made to take long does not', () => {
    expect(fitsPattern(`${'*a'.repeat(150)}b`, 'a'.repeat(10_000))).toBe(false);
  });
});

/** Every code with which creates and exercises can be answered, by the stage at which a participant returns it. */
const AT_THE_DOOR =
  `CONTRACT_NOT_FOUND CONTRACT_NOT_ACTIVE UNKNOWN_CONTRACT_SYNCHRONIZERS DUPLICATE_CONTRACT_KEY
  SUBMISSION_ALREADY_IN_FLIGHT FAILED_TO_DETERMINE_LEDGER_TIME INTERPRETATION_TIME_EXCEEDED PARTICIPANT_BACKPRESSURE
  PARTICIPANT_OVERLOADED SERVER_OVERLOADED HEAP_MEMORY_OVER_LIMIT THREADPOOL_OVERLOADED MAXIMUM_NUMBER_OF_STREAMS
  SERVICE_NOT_RUNNING ABORTED_DUE_TO_SHUTDOWN NODE_IS_PASSIVE_REPLICA NOT_CONNECTED_TO_ANY_SYNCHRONIZER
  NOT_CONNECTED_TO_SYNCHRONIZER NO_SYNCHRONIZER_ON_WHICH_ALL_SUBMITTERS_CAN_SUBMIT UNKNOWN_SUBMITTERS UNKNOWN_INFORMEES
  SUBMITTERS_NOT_ACTIVE NO_SYNCHRONIZER_FOR_SUBMISSION INVALID_PRESCRIBED_SYNCHRONIZER_ID PACKAGE_NOT_FOUND
  NO_TEMPLATES_FOR_PACKAGE_NAME_AND_QUALIFIED_NAME UNRESOLVED_PACKAGE_NAME PACKAGE_SELECTION_FAILED
  PACKAGE_NOT_VETTED_BY_RECIPIENTS COMMAND_PREPROCESSING_FAILED DAML_AUTHORIZATION_ERROR TEMPLATE_PRECONDITION_VIOLATED
  DAML_FAILURE UNHANDLED_EXCEPTION INTERPRETATION_USER_ERROR DAML_INTERPRETATION_ERROR WRONGLY_TYPED_CONTRACT
  MISSING_FIELD INVALID_FIELD INVALID_ARGUMENT REQUEST_TIME_OUT REQUEST_DEADLINE_EXCEEDED UNAUTHENTICATED
  PERMISSION_DENIED INVALID_TOKEN`.split(/\s+/);
const BY_COMPLETION =
  `LOCAL_VERDICT_LOCKED_CONTRACTS LOCAL_VERDICT_INACTIVE_CONTRACTS UNKNOWN_CONTRACT_SYNCHRONIZER
  INCONSISTENT INCONSISTENT_CONTRACT_KEY DUPLICATE_CONTRACT_KEY DUPLICATE_COMMAND INVALID_DEDUPLICATION_PERIOD
  MEDIATOR_SAYS_TX_TIMED_OUT LOCAL_VERDICT_TIMEOUT NOT_SEQUENCED_TIMEOUT LOCAL_VERDICT_LEDGER_TIME_OUT_OF_BOUND
  FAILED_TO_DETERMINE_LEDGER_TIME PARTICIPANT_BACKPRESSURE PARTICIPANT_OVERLOADED SEQUENCER_BACKPRESSURE
  SEQUENCER_REQUEST_FAILED SUBMISSION_DURING_SHUTDOWN CHOSEN_MEDIATOR_IS_INACTIVE
  PACKAGE_NOT_VETTED_BY_RECIPIENTS`.split(/\s+/);

describe('a code', () => {
  const submission = {
    ...call('/com.daml.ledger.api.v2.CommandService/SubmitAndWait'),
    commandId: 'c',
    submissionId: 's',
    parties: ['p'],
    contractIds: ['00'],
  };

  test.each(AT_THE_DOOR)('%s can be given at the door, and only there or also later', (code) => {
    expect(readFault({ kind: 'error', code })).toEqual({ kind: 'error', code });
    expect(canAnswer(code as never, submission)).toBe(true);
    expect(rejectionOf(code as never, submission).text).not.toBe('');
    if (!BY_COMPLETION.includes(code)) {
      expect(() => readFault({ kind: 'reject', code })).toThrow('reject strikes as completion');
    }
  });

  test.each(BY_COMPLETION)('%s can be what a submission ends with', (code) => {
    expect(readFault({ kind: 'reject', code })).toEqual({ kind: 'reject', code });
    expect(stagesOf(code)).toContain('completion');
    const { metadata, resources } = rejectionOf(code as never, submission);
    expect(Object.values(metadata).every((value) => typeof value === 'string')).toBe(true);
    expect(resources.every(({ type, name }) => type !== '' && name !== '')).toBe(true);
    if (!AT_THE_DOOR.includes(code)) {
      expect(() => readFault({ kind: 'error', code })).toThrow('error strikes as');
    }
  });
});

describe('a plan', () => {
  test('has no time of its own: a fault is over when somebody says so much has passed', async () => {
    const hand = new Hand();
    const plan = planOver(hand);
    const { id } = plan.add(readFault({ kind: 'drop-before', seconds: 10 }));
    await hand.move(9_999);
    await expect(plan.onEnter(call(), open())).rejects.toThrow(ConnectionLost);
    await hand.move(1);
    await plan.onEnter(call(), open());
    expect(plan.get(id)).toMatchObject({ state: 'over', matched: 1, struck: 1 });
  });

  test('has no chance of its own either', async () => {
    const drawn = [0.4, 0.6, 0.5, 0.49];
    const plan = planOver(new Hand(), () => drawn.shift() ?? 1);
    plan.add(readFault({ kind: 'error', code: 'SERVER_OVERLOADED', chance: 0.5 }));
    const fates = [];
    for (let i = 0; i < 4; i += 1) {
      fates.push(
        await plan.onEnter(call(), open()).then(
          () => 'passed',
          () => 'struck',
        ),
      );
    }
    expect(fates).toEqual(['struck', 'passed', 'passed', 'struck']);
  });

  test('does the same with the same seed, whatever else draws', async () => {
    const fatesOf = async (noise: boolean): Promise<string[]> => {
      const plan = planOver(new Hand(), Math.random);
      plan.addScript(readScript({ seed: 9, seconds: 60, rates: { error: 0.5, reject: 0.5 } }));
      if (noise) plan.add(readFault({ kind: 'drop-after', chance: 0.5 }));
      const fates: string[] = [];
      for (let i = 0; i < 50; i += 1) {
        if (noise) await plan.onLeave(call(), open()).catch(() => undefined);
        const submit = { ...call(SUBMIT), commandId: `c${i}`, contractIds: [] };
        fates.push(
          await plan.onEnter(submit, open()).then(
            () => '',
            (error: Error) => error.message,
          ),
        );
      }
      return fates;
    };
    const [first, second] = [await fatesOf(false), await fatesOf(true)];
    expect(second).toEqual(first);
    expect(new Set(first).size).toBeGreaterThan(3);
  });

  test('keeps so many waiting and no more', async () => {
    const plan = planOver(new Hand());
    plan.add(readFault({ kind: 'hold' }));
    const held = Array.from({ length: 1_000 }, () => plan.onEnter(call(), open()));
    await expect(plan.onEnter(call(), open())).rejects.toThrow(ConnectionLost);
    plan.clear();
    await Promise.all(held);
    await plan.onEnter(call(), open());
  });

  test('lets go of what waits when it is closed', async () => {
    const plan = planOver(new Hand());
    plan.add(readFault({ kind: 'drop-before', how: 'silence' }));
    const lost = plan.onEnter(call(), open());
    plan.close();
    await expect(lost).rejects.toThrow(ConnectionLost);
  });

  test('remembers so many completions that it withholds, and the same ones on every stream', async () => {
    const plan = planOver(new Hand(), () => 0);
    const { id } = plan.add(readFault({ kind: 'withhold', chance: 1 }));
    const deliver = async (from: bigint, to: bigint): Promise<number> => {
      const stream = call('/com.daml.ledger.api.v2.CommandCompletionService/CompletionStream');
      const forget = plan.onOpen(stream, () => undefined);
      let delivered = 0;
      for (let offset = from; offset <= to; offset += 1n) {
        const fate = await plan.onElement(stream, offset, completion(offset), open());
        if (fate.kind === 'deliver') delivered += fate.elements.length;
      }
      forget();
      return delivered;
    };
    expect(await deliver(1n, 10_005n)).toBe(5);
    expect(await deliver(1n, 100n)).toBe(0);
    expect(plan.get(id)).toMatchObject({ struck: 10_000 });
  });

  test('that has nobody to act for it says so', () => {
    const plan = planOver(new Hand());
    expect(() => plan.add(readFault({ kind: 'restart' }))).toThrow('nobody here');
    expect(plan.list()).toEqual([]);
  });
});
