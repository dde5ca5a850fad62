import { expect, test } from 'vitest';
import { eventsOf, withToldRetry } from '../../../src/app/engine/lanes/events.ts';
import type { Change, Wait } from '../../../src/domain/change.ts';
import { textAt } from '../../../src/domain/json.ts';
import { EVENT_TYPES, isEventPattern, isOfType } from '../../../src/domain/event.ts';
import type { Lifecycle } from '../../../src/domain/lifecycle.ts';
import { PROVIDER, USER, change, lifecycle, rejected } from '../../kit/store-rows.ts';

const typesOf = (
  changes: readonly [Change | null, Change][],
  lifecycles: readonly [Lifecycle | null, Lifecycle][] = [],
) => {
  const steps = <Row>(rows: readonly [Row | null, Row][]) =>
    rows.map(([before, after]) => ({ before, after }));
  return eventsOf(steps(changes), steps(lifecycles)).map(({ type }) => type.replace('tenure.', ''));
};

test('an operation leaves an event when it is accepted and with each new state, and with nothing else', () => {
  const one = change();
  const inState = (state: Change['state']): Change => ({ ...one, state });
  expect(typesOf([[null, one]])).toEqual(['operation.accepted']);
  expect(typesOf([[null, inState('queued')]])).toEqual(['operation.accepted']);
  expect(typesOf([[null, rejected(one)]])).toEqual(['operation.accepted', 'operation.rejected']);
  expect(typesOf([[inState('queued'), one]])).toEqual(['operation.submitting']);
  expect(typesOf([[one, { ...one, attempts: 1 }]])).toEqual([]);
  for (const state of [
    'retrying',
    'in-doubt',
    'succeeded',
    'rejected',
    'failed',
    'cancelled',
  ] as const) {
    expect(typesOf([[one, inState(state)]])).toEqual([`operation.${state}`]);
  }
});

test('an operation is told to be retried once for each thing that it waits for, however often it is tried', () => {
  const since = '2026-01-01T00:00:00.000Z';
  const retrying = (kind: Wait): Partial<Change> => ({
    state: 'retrying',
    waitingFor: { kind, detail: 'x', since },
  });
  const told: string[] = [];
  /** Applies the steps one after another, as a working set does. */
  const walk = (steps: readonly Partial<Change>[]) =>
    steps.reduce<Change>((before, over) => {
      const after = { ...before, ...over };
      // The store begins an attempt without writing an event.
      if (after.state === 'submitting') return after;
      const step = { before, after };
      const events = eventsOf([step], []);
      told.push(
        ...events.map(({ type, data }) => `${type.slice(17)} ${textAt(data, 'waitingFor')}`),
      );
      return withToldRetry(step);
    }, change());
  const again: Partial<Change> = { state: 'submitting' };
  const walked = walk([retrying('backoff'), again, retrying('backoff'), again]);
  expect(told.splice(0)).toEqual(['retrying backoff']);
  expect(walked.retryingFor).toBe('backoff');
  // A new reason for the retry causes a new event: views show the reason while the change is being retried.
  walk([
    retrying('registry'),
    again,
    retrying('backoff'),
    retrying('registry'),
    again,
    retrying('backoff'),
  ]);
  expect(told).toEqual(['retrying registry', 'retrying backoff']);
});

test('a lifecycle leaves one when it begins, moves on or ends', () => {
  const one = lifecycle({ kind: 'license' });
  const ended = { ...one, state: 'expired', endedAt: '2026-01-01T00:00:00Z' };
  expect(typesOf([], [[null, one]])).toEqual(['lifecycle.began']);
  expect(typesOf([], [[null, ended]])).toEqual(['lifecycle.began', 'lifecycle.ended']);
  expect(typesOf([], [[one, { ...one, version: 2 }]])).toEqual([]);
  expect(typesOf([], [[one, { ...one, state: 'renewing' }]])).toEqual(['lifecycle.changed']);
  expect(typesOf([], [[one, lifecycle({ ...one, contractId: lifecycle().contractId })]])).toEqual([
    'lifecycle.changed',
  ]);
  expect(typesOf([], [[one, ended]])).toEqual(['lifecycle.ended']);
  expect(typesOf([], [[ended, one]])).toEqual(['lifecycle.changed']);
});

test('they come in the order of cause and effect, say what happened, and keep the bodies to themselves', () => {
  const asked = change();
  const done = rejected(change({ callerParty: USER }));
  const install = lifecycle();
  const events = eventsOf(
    [
      { before: { ...done, state: 'submitting' }, after: done },
      { before: null, after: asked },
    ],
    [{ before: null, after: install }],
  );
  expect(events).toEqual([
    {
      type: 'tenure.operation.accepted',
      subject: asked.id,
      lifecycleId: null,
      parties: [PROVIDER],
      data: {
        operationId: asked.id,
        commandId: asked.commandId,
        operation: 'create-license',
        state: 'submitting',
      },
    },
    {
      type: 'tenure.lifecycle.began',
      subject: install.id,
      lifecycleId: install.id,
      parties: [PROVIDER, USER],
      data: {
        lifecycleId: install.id,
        kind: 'install',
        state: 'active',
        version: 1,
        contractId: install.contractId,
        provider: PROVIDER,
        user: USER,
      },
    },
    {
      type: 'tenure.operation.rejected',
      subject: done.id,
      lifecycleId: null,
      parties: [USER],
      data: expect.objectContaining({ code: 'LEDGER_REFUSED', ledgerCode: 'DAML_FAILURE' }),
    },
  ]);
});

test('types are asked for by name or by how they begin', () => {
  for (const type of EVENT_TYPES) expect(isEventPattern(type)).toBe(true);
  for (const pattern of ['*', 'tenure.*', 'tenure.operation.*', 'tenure.lifecycle.*']) {
    expect(isEventPattern(pattern)).toBe(true);
  }
  for (const pattern of [
    '',
    'foo',
    'tenure',
    'tenure.op*',
    'tenure.operation.',
    'tenure.lifecycle.failed',
  ]) {
    expect(isEventPattern(pattern)).toBe(false);
  }
  expect(isOfType('tenure.lifecycle.ended', [])).toBe(true);
  expect(isOfType('tenure.lifecycle.ended', ['tenure.operation.*', 'tenure.lifecycle.ended'])).toBe(
    true,
  );
  expect(isOfType('tenure.lifecycle.ended', ['tenure.operation.*'])).toBe(false);
});
