import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createActor } from 'xstate';
import type { AnyMachineSnapshot } from 'xstate';
import type { Snapshot } from '../../machines/machine-kit.ts';
import { begin, describe as describeKind, machineOf, step } from './kit/machines.ts';
import type { MachineEvent } from '../../machines/machine-kit.ts';
import { LIFECYCLE_KINDS } from '../../src/domain/licensing.ts';
import { transitionsOf } from './kit/shape.ts';
import {
  OUTCOMES,
  WALKS,
  atOf,
  graphOf,
  isAsideEvent,
  isFact,
  isFinal,
  pathsOf,
  placesOf,
} from './kit/walks.ts';
import type { Walk } from './kit/walks.ts';

/**
 * Returns the snapshot as it is after it was stored and read, because the stored data must be sufficient to continue.
 */
const stored = (snapshot: Snapshot): Snapshot => JSON.parse(JSON.stringify(snapshot)) as Snapshot;

const words = ({ state, context }: Snapshot, event?: MachineEvent): string =>
  `${state} ${JSON.stringify(context)}${event === undefined ? '' : ` on ${JSON.stringify(event)}`}`;

/** Returns the transitions that the machine takes from this snapshot on this event. */
const taken = ({ kind }: Walk, from: AnyMachineSnapshot, event: MachineEvent) =>
  machineOf(kind).getTransitionData(from, event);

/** Returns all combinations of a snapshot and an event. */
const steps = (walk: Walk): { from: Snapshot; event: MachineEvent }[] =>
  placesOf(walk).flatMap((from) => walk.events.map((event) => ({ from, event })));

test('every kind of lifecycle has a walk', () => {
  expect(WALKS.map(({ kind }) => kind).sort()).toEqual([...LIFECYCLE_KINDS].sort());
});

describe.each(WALKS)('$kind: the walk covers the machine', (walk) => {
  const machine = machineOf(walk.kind);
  const graph = Object.values(graphOf(walk));

  test('it reaches every state', () => {
    const reached = new Set(graph.map(({ state }) => String(state.value)));
    const missed = Object.keys(machine.states).filter((state) => !reached.has(state));
    expect(missed, 'no event of test/model/kit/walks.ts leads to these states').toEqual([]);
  });

  test('it has every event of the machine and no other', () => {
    const walked = new Set(walk.events.map(({ type }) => type));
    expect([...walked].sort()).toEqual([...machine.events].map(String).sort());
  });

  test('it takes every transition, and meets every guard that says no', () => {
    const seen = new Set<unknown>();
    const denied = new Set<unknown>();
    for (const { state } of graph.filter(({ state }) => state.status !== 'done')) {
      for (const event of walk.events) {
        const found = taken(walk, state, event);
        for (const transition of found) seen.add(transition);
        const mentioned = machine.states[String(state.value)]?.transitions.get(event.type) ?? [];
        for (const transition of mentioned.filter(({ guard }) => guard !== undefined)) {
          if (!found.includes(transition as never)) denied.add(transition);
        }
      }
    }
    const all = transitionsOf(machine);
    const untaken = all.filter(({ transition }) => !seen.has(transition));
    const unmet = all.filter(
      ({ transition }) => transition.guard !== undefined && !denied.has(transition),
    );
    expect(untaken.map(({ node, text }) => `${node}: ${text}`)).toEqual([]);
    expect(unmet.map(({ node, text }) => `${node}: ${text} is never denied`)).toEqual([]);
  });

  test('its states are named in the prose above the machine', () => {
    const prose = readFileSync(`machines/${walk.kind}.machine.ts`, 'utf8');
    for (const state of Object.keys(machine.states)) expect(prose).toContain(`\`${state}\``);
  });
});

describe.each(WALKS)('$kind: what holds at every place', (walk) => {
  const { kind, input } = walk;
  const { actions } = describeKind(kind);
  const places = placesOf(walk);
  const inFlight = new Set(
    steps(walk).flatMap(({ from, event }) => {
      const made = step(kind, from, event);
      if (made === null || made.effects.length === 0 || isAsideEvent(kind, event)) return [];
      return [made.snapshot.state];
    }),
  );

  test('an effect enters a state that waits for its outcome, and is one', () => {
    expect(inFlight.size).toBeGreaterThan(0);
    for (const { from, event } of steps(walk)) {
      const made = step(kind, from, event);
      if (made === null || made.effects.length === 0 || isAsideEvent(kind, event)) continue;
      expect(made.effects, words(from, event)).toHaveLength(1);
      expect(made.snapshot.state, words(from, event)).not.toBe(from.state);
      expect(inFlight.has(from.state), `${words(from, event)}: two commands at a time`).toBe(false);
      for (const outcome of OUTCOMES) {
        expect(step(kind, made.snapshot, outcome), words(made.snapshot, outcome)).not.toBeNull();
      }
    }
  });

  test('only a state that waits for an outcome takes one, and no effect follows from it', () => {
    for (const from of places) {
      for (const outcome of OUTCOMES) {
        const made = step(kind, from, outcome);
        expect(made !== null, words(from, outcome)).toBe(inFlight.has(from.state));
        expect(made?.effects ?? []).toEqual([]);
      }
    }
  });

  test('a refusal leads back to where it was asked, with nothing lost', () => {
    for (const { from, event } of steps(walk)) {
      const made = step(kind, from, event);
      if (made === null || made.effects.length === 0 || isAsideEvent(kind, event)) continue;
      const back = step(kind, made.snapshot, OUTCOMES[1]!);
      expect(back?.snapshot, words(from, event)).toEqual(from);
    }
  });

  test('what the ledger says is taken at every place that is not the end, and asks for nothing', () => {
    const facts = walk.events.filter(isFact);
    expect(facts.length).toBeGreaterThan(0);
    for (const from of places.filter(({ state }) => !isFinal(kind, state))) {
      for (const fact of facts) {
        const made = step(kind, from, fact);
        expect(made, words(from, fact)).not.toBeNull();
        expect(made?.effects).toEqual([]);
        // If a step does not end the lifecycle, the operation stays in progress.
        if (made?.isFinal === false) expect(made.snapshot.state).toBe(from.state);
      }
    }
  });

  test('the end takes nothing, not even what the ledger says', () => {
    const ends = places.filter(({ state }) => isFinal(kind, state));
    expect(ends.length).toBeGreaterThan(0);
    for (const from of ends) {
      for (const event of walk.events)
        expect(step(kind, from, event), words(from, event)).toBeNull();
    }
  });

  test('every place has a way to the end that only the ledger need take', () => {
    for (const from of places.filter(({ state }) => !isFinal(kind, state))) {
      const ways = walk.events.filter((event) => isFact(event) && step(kind, from, event)?.isFinal);
      expect(ways.length, words(from)).toBeGreaterThan(0);
    }
  });

  test('every action of the description is taken somewhere, and nothing else submits a command', () => {
    const asked = new Set(
      steps(walk)
        .filter(({ from, event }) => (step(kind, from, event)?.effects.length ?? 0) > 0)
        .map(({ event }) => event.type),
    );
    expect([...asked].sort()).toEqual(actions.map(({ event }) => event).sort());
  });

  test('what happens beside it is taken until its end, submits one command and changes nothing', () => {
    for (const { from, event } of steps(walk).filter(({ event }) => isAsideEvent(kind, event))) {
      const made = step(kind, from, event);
      expect(made === null, words(from, event)).toBe(isFinal(kind, from.state));
      if (made === null) continue;
      expect(made.snapshot).toEqual(from);
      expect(made.effects).toHaveLength(1);
    }
  });

  test('an unknown stored state is an error, not a guess', () => {
    const nowhere = { ...begin(kind, input), state: 'nowhere' };
    expect(() => step(kind, nowhere, OUTCOMES[0]!)).toThrow(/nowhere/u);
  });
});

describe.each(WALKS)('$kind: what is stored is enough to go on from', (walk) => {
  const { kind, input, events } = walk;
  const machine = machineOf(kind);

  test('every shortest path, through stored snapshots, ends where the machine ends', () => {
    const paths = pathsOf(walk);
    for (const path of paths) {
      let now = begin(kind, input);
      // The first step of a path is the initial state, so it is left out.
      for (const { event, state } of path.steps.slice(1)) {
        const made = step(kind, stored(now), event);
        expect(made, words(now, event)).not.toBeNull();
        now = made!.snapshot;
        expect(now).toEqual(atOf(kind, state));
      }
      expect(now).toEqual(atOf(kind, path.state));
    }
    expect(paths.length).toBeGreaterThanOrEqual(Object.keys(machine.states).length);
  });

  test('any events: a running actor of the machine takes the same steps and starts the same effects', () => {
    const anyEvents = fc.array(fc.constantFrom(...events), { maxLength: 12 });
    const names = Object.keys(machine.implementations.actions);
    fc.assert(
      fc.property(anyEvents, (asked) => {
        let effects: string[] = [];
        const actions = Object.fromEntries(
          names.map((name) => [name, () => void effects.push(name)]),
        );
        const actor = createActor(machine.provide({ actions }), { input }).start();
        let now = begin(kind, input);
        for (const event of asked) {
          const live: AnyMachineSnapshot = actor.getSnapshot();
          const made = step(kind, stored(now), event);
          const found = live.status === 'done' ? [] : taken(walk, live, event);
          expect(made !== null, words(now, event)).toBe(found.length > 0);
          if (made === null) continue;
          effects = [];
          actor.send(event);
          now = made.snapshot;
          expect(now).toEqual(atOf(kind, actor.getSnapshot()));
          expect(effects, words(now, event)).toEqual(made.effects);
          expect(stored(now)).toEqual(now);
          expect(made.isFinal).toBe(actor.getSnapshot().status === 'done');
        }
      }),
      { numRuns: 200 },
    );
  });
});

const ask = (type: string, iso: string): MachineEvent => ({
  type,
  changeId: 'c',
  nowMs: Date.parse(iso),
});

test('a licence is not expired before its time, and is at the very instant', () => {
  const at = begin('license', { expiresAt: '2026-01-01T00:00:00.000001Z' });
  expect(step('license', at, ask('license.expire', '2026-01-01T00:00:00.000Z'))).toBeNull();
  const lapsed = step('license', at, ask('license.expire', '2026-01-01T00:00:00.001Z'));
  expect(lapsed?.effects).toEqual(['expire-license']);
});

test('a licence has one open renewal, unless its provider wants more', () => {
  const at = begin('license', { expiresAt: '2026-01-01T00:00:00Z' });
  const renew = (openRenewals: number, allowConcurrent: number) =>
    step('license', at, { type: 'license.renew', changeId: 'c', openRenewals, allowConcurrent });
  expect(renew(0, 0)?.effects).toEqual(['renew-license']);
  expect(renew(1, 0)).toBeNull();
  expect(renew(1, 1)?.effects).toEqual(['renew-license']);
});

test('a renewal is completed before its window closes, and can be withdrawn after', () => {
  const at = begin('renewal', { settleBefore: '2026-01-01T00:20:00.000001Z' });
  const inTime = step('renewal', at, ask('renewal.complete', '2026-01-01T00:20:00.000Z'));
  expect(inTime?.effects).toEqual(['complete-renewal']);
  expect(step('renewal', at, ask('renewal.complete', '2026-01-01T00:20:00.001Z'))).toBeNull();
  const withdrawn = step('renewal', at, { type: 'renewal.withdraw', changeId: 'c' });
  expect(withdrawn?.effects).toEqual(['withdraw-renewal']);
});
