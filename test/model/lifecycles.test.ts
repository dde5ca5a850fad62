import { describe, expect, test } from 'vitest';
import { createTestModel } from 'xstate/graph';
import { begin, describe as describeKind, machineOf, step } from '../../machines/registry.ts';
import type { MachineEvent, Snapshot } from '../../machines/registry.ts';
import type { LifecycleKind } from '../../src/domain/lifecycle.ts';
import type { JsonRecord } from '../../src/domain/json.ts';

interface Case {
  readonly kind: LifecycleKind;
  readonly input: JsonRecord;
  readonly events: readonly MachineEvent[];
}

const outcomes: MachineEvent[] = [
  { type: 'command.succeeded', changeId: 'c' },
  { type: 'command.refused', changeId: 'c' },
];

/** Every event that moves something: what happens beside a lifecycle is no edge of its graph. */
const CASES: readonly Case[] = [
  {
    kind: 'install-request',
    input: {},
    events: [
      { type: 'installRequest.accept', changeId: 'c', nowMs: 0 },
      { type: 'installRequest.reject', changeId: 'c', nowMs: 0 },
      { type: 'installRequest.cancel', changeId: 'c', nowMs: 0 },
      { type: 'ledger.requestAccepted' },
      { type: 'ledger.requestRejected' },
      { type: 'ledger.requestCancelled' },
      ...outcomes,
    ],
  },
  {
    kind: 'install',
    input: { numLicensesCreated: '0' },
    events: [
      { type: 'install.createLicense', changeId: 'c', nowMs: 0 },
      { type: 'install.cancel', changeId: 'c', nowMs: 0 },
      { type: 'ledger.installReplaced', numLicensesCreated: '1' },
      { type: 'ledger.installCancelled' },
      ...outcomes,
    ],
  },
  {
    kind: 'license',
    input: { expiresAt: '2026-01-01T00:00:00Z' },
    events: [
      { type: 'license.expire', changeId: 'c', nowMs: Date.parse('2026-01-01T00:00:00Z') },
      { type: 'license.expire', changeId: 'c', nowMs: Date.parse('2025-12-31T23:59:59Z') },
      { type: 'license.renew', changeId: 'c', openRenewals: 0, allowConcurrent: 0 },
      { type: 'license.renew', changeId: 'c', openRenewals: 1, allowConcurrent: 0 },
      { type: 'license.renew', changeId: 'c', openRenewals: 1, allowConcurrent: 1 },
      { type: 'ledger.licenseRenewed', expiresAt: '2026-02-01T00:00:00Z' },
      { type: 'ledger.licenseExpired' },
      ...outcomes,
    ],
  },
  {
    kind: 'renewal',
    input: { settleBefore: '2026-01-01T00:20:00Z' },
    events: [
      { type: 'renewal.complete', changeId: 'c', nowMs: Date.parse('2026-01-01T00:19:59Z') },
      { type: 'renewal.complete', changeId: 'c', nowMs: Date.parse('2026-01-01T00:20:00Z') },
      { type: 'renewal.withdraw', changeId: 'c' },
      { type: 'ledger.renewalCompleted' },
      { type: 'ledger.renewalWithdrawn' },
      { type: 'ledger.renewalRejected' },
      ...outcomes,
    ],
  },
];

/** Through the database and back: what a row keeps must be enough to go on from. */
const stored = (snapshot: Snapshot): Snapshot => JSON.parse(JSON.stringify(snapshot)) as Snapshot;

describe.each(CASES)('$kind', ({ kind, input, events }) => {
  const machine = machineOf(kind);
  const { actions } = describeKind(kind);
  const beside = new Set(actions.filter(({ isAside }) => isAside).map(({ event }) => event));
  // A node of the graph is where a lifecycle is, not how it came there: paths grow too many otherwise.
  const model = createTestModel(machine, { events, serializeTransition: () => '' } as never);
  const paths = model.getSimplePaths({
    input,
    filterEvents: (
      snapshot: { can: (event: unknown) => boolean; status: string },
      event: unknown,
    ) => snapshot.status !== 'done' && snapshot.can(event),
  } as never);

  const at = (state: object): Snapshot => {
    const { value, context } = state as { value: unknown; context: JsonRecord };
    return { state: String(value), context };
  };
  const seen: Snapshot[] = paths.flatMap((path) => [
    ...path.steps.map(({ state }) => at(state)),
    at(path.state),
  ]);

  test('its graph reaches every state', () => {
    const reached = new Set(seen.map(({ state }) => state));
    expect([...reached].sort()).toEqual(Object.keys(machine.states).sort());
  });

  test('every path, stepped through stored snapshots, ends where the machine says', () => {
    for (const path of paths) {
      let now = begin(kind, input);
      for (const { event, state } of path.steps.slice(1)) {
        const made = step(kind, stored(now), event);
        expect(made).not.toBeNull();
        now = stored(made?.snapshot ?? now);
        expect(now.state).toBe(at(state).state);
      }
    }
    expect(paths.length).toBeGreaterThan(1);
  });

  test('every effect enters a state that waits for its outcome', () => {
    for (const from of seen) {
      for (const event of events) {
        const made = step(kind, from, event);
        if (made === null || made.effects.length === 0) continue;
        expect(made.effects).toHaveLength(1);
        expect(made.snapshot.state).not.toBe(from.state);
        for (const outcome of outcomes) {
          expect(
            step(kind, made.snapshot, outcome),
            `${made.snapshot.state} takes ${outcome.type}`,
          ).not.toBeNull();
        }
      }
    }
  });

  test('a final state takes nothing, not even a ledger fact', () => {
    const finals = Object.entries(machine.states).filter(([, state]) => state.type === 'final');
    expect(finals.length).toBeGreaterThan(0);
    for (const [state] of finals) {
      for (const event of events) expect(step(kind, { state, context: input }, event)).toBeNull();
    }
  });

  test('every action of the description is an event that some state takes', () => {
    for (const action of actions.filter(({ event }) => !beside.has(event))) {
      const taken = seen.some((from) =>
        events.some((event) => event.type === action.event && step(kind, from, event) !== null),
      );
      expect(taken, action.name).toBe(true);
    }
  });

  test('what happens beside it is taken until its end, submits one command and changes nothing', () => {
    for (const event of beside) {
      for (const from of seen) {
        const made = step(kind, from, { type: event, changeId: 'c' });
        const isFinal = machine.states[from.state]?.type === 'final';
        expect(made === null).toBe(isFinal);
        if (made === null) continue;
        expect(made.snapshot).toEqual(from);
        expect(made.effects).toHaveLength(1);
      }
    }
  });

  test('an unknown stored state is an error, not a guess', () => {
    expect(() =>
      step(kind, { state: 'nowhere', context: input }, outcomes[0] as MachineEvent),
    ).toThrow();
  });
});

test('a licence is not expired before its time, and is at the very instant', () => {
  const at = begin('license', { expiresAt: '2026-01-01T00:00:00.000001Z' });
  const ask = (iso: string): MachineEvent => ({
    type: 'license.expire',
    changeId: 'c',
    nowMs: Date.parse(iso),
  });
  expect(step('license', at, ask('2026-01-01T00:00:00.000Z'))).toBeNull();
  expect(step('license', at, ask('2026-01-01T00:00:00.001Z'))?.effects).toEqual(['submitExpire']);
});

test('a licence has one open renewal, unless its provider wants more', () => {
  const at = begin('license', { expiresAt: '2026-01-01T00:00:00Z' });
  const ask = (openRenewals: number, allowConcurrent: number): MachineEvent => ({
    type: 'license.renew',
    changeId: 'c',
    openRenewals,
    allowConcurrent,
  });
  expect(step('license', at, ask(0, 0))?.effects).toEqual(['submitRenew']);
  expect(step('license', at, ask(1, 0))).toBeNull();
  expect(step('license', at, ask(1, 1))?.effects).toEqual(['submitRenew']);
});

test('a renewal is completed before its window closes, and can be withdrawn after', () => {
  const at = begin('renewal', { settleBefore: '2026-01-01T00:20:00.000001Z' });
  const ask = (iso: string): MachineEvent => ({
    type: 'renewal.complete',
    changeId: 'c',
    nowMs: Date.parse(iso),
  });
  expect(step('renewal', at, ask('2026-01-01T00:20:00.000Z'))?.effects).toEqual(['submitComplete']);
  expect(step('renewal', at, ask('2026-01-01T00:20:00.001Z'))).toBeNull();
  expect(step('renewal', at, { type: 'renewal.withdraw', changeId: 'c' })?.effects).toEqual([
    'submitWithdraw',
  ]);
});

test('machine files name every one of their states in prose', async () => {
  const { readFileSync } = await import('node:fs');
  for (const { kind } of CASES) {
    const prose = readFileSync(`machines/${kind}.machine.ts`, 'utf8');
    for (const state of Object.keys(machineOf(kind).states))
      expect(prose).toContain(`\`${state}\``);
  }
});
