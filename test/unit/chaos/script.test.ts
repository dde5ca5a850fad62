import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Act, ScriptOptions } from '../../../chaos/script.ts';
import {
  FAULT_KINDS,
  FIRST_CROWD,
  LATER_CROWD,
  kindsOf,
  lineOfAct,
  scriptOf,
} from '../../../chaos/script.ts';
import { placesOf } from '../../../chaos/sizes.ts';
import { program } from '../../../cli/program.ts';

const script = (options: Partial<ScriptOptions>): readonly Act[] =>
  scriptOf({
    seed: 1,
    size: 'small',
    durationMs: 60_000,
    queue: 'redis',
    kinds: kindsOf(options.size ?? 'small', options.queue ?? 'redis'),
    crowd: FIRST_CROWD,
    ...options,
  });

test('a seed always does the same at the same times', () => {
  expect(script({ seed: 7 })).toEqual(script({ seed: 7 }));
  expect(script({ seed: 8 })).not.toEqual(script({ seed: 7 }));
});

test('a longer run begins as a shorter one', () => {
  const short = script({ seed: 3 });
  expect(script({ seed: 3, durationMs: 600_000 }).slice(0, short.length)).toEqual(short);
});

test('a minute has every kind, whatever the seed', () => {
  fc.assert(
    fc.property(fc.nat(), (seed) => {
      const kinds = new Set(script({ seed }).map(({ kind }) => kind));
      expect([...kinds].toSorted()).toEqual([...FAULT_KINDS].toSorted());
    }),
    { numRuns: 200 },
  );
});

test.each(['postgres', 'redis'] as const)(
  'two minutes of the size ha have every kind, at places that there are: %s',
  (queue) => {
    const places = new Set<string>(placesOf('ha'));
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const acts = script({ seed, size: 'ha', queue, durationMs: 120_000 });
        const kinds = new Set(acts.map(({ kind }) => kind));
        expect([...kinds].toSorted()).toEqual([...kindsOf('ha', queue)].toSorted());
        expect(acts.every((act) => !('place' in act) || places.has(act.place))).toBe(true);
        const cut = new Set(acts.flatMap((act) => ('service' in act ? act.service : [])));
        expect(cut).not.toContain('redis');
      }),
      { numRuns: 200 },
    );
  },
);

test('the run that is made by default has two minutes without a participant, whatever the seed', () => {
  const { minutes } = program.commands.find((one) => one.name() === 'chaos')!.opts();
  fc.assert(
    fc.property(fc.nat(), (seed) => {
      const durationMs = Number(minutes) * 60_000;
      const acts = script({ seed, durationMs });
      const [away] = acts.filter((act) => act.kind === 'ledger-away' && act.ms === 120_000);
      const endsMs = (away?.atMs ?? Infinity) + 120_000;
      expect(endsMs).toBeLessThan(durationMs);
      // No other act ends the outage early, and the other acts continue.
      const during = acts.filter(({ atMs }) => atMs > away!.atMs && atMs < endsMs);
      const kinds = new Set(during.map(({ kind }) => kind));
      expect(kinds).not.toContain('ledger-kill');
      expect(kinds).not.toContain('ledger-older');
      // Processes are killed, stopped and started again while a participant is unreachable.
      for (const kind of ['kill', 'stop'] as const) expect(kinds).toContain(kind);
      expect(during.length).toBeGreaterThan(40);
    }),
    { numRuns: 200 },
  );
});

test('only the kinds that were asked for come, in order of time', () => {
  fc.assert(
    fc.property(
      fc.nat(),
      fc.subarray([...kindsOf('small', 'redis')], { minLength: 1 }),
      (seed, kinds) => {
        const acts = script({ seed, kinds });
        expect(acts.every(({ kind }) => kinds.includes(kind))).toBe(true);
        const times = acts.map(({ atMs }) => atMs);
        expect(times).toEqual(times.toSorted((a, b) => a - b));
      },
    ),
    { numRuns: 100 },
  );
});

test('no process is killed while it is still being started', () => {
  fc.assert(
    fc.property(fc.nat(), (seed) => {
      const ends = script({ seed, durationMs: 300_000 }).flatMap((act) =>
        act.kind === 'kill' || act.kind === 'stop' ? [act] : [],
      );
      const soon = ends.filter((end) =>
        ends.some(
          ({ place, atMs }) => place === end.place && atMs > end.atMs && atMs - end.atMs < 5_000,
        ),
      );
      expect(soon).toEqual([]);
    }),
    { numRuns: 50 },
  );
});

test('the queue of a backend is cut where it is', () => {
  const services = (queue: ScriptOptions['queue']) =>
    script({ queue, durationMs: 600_000 }).flatMap((act) => ('service' in act ? act.service : []));
  expect(services('redis')).toContain('redis');
  expect(services('postgres')).not.toContain('redis');
});

test('the first crowd has the size that was asked for, and changes nothing else', () => {
  const withCrowd = (crowd: number) => script({ crowd, durationMs: 300_000 });
  const countsOf = (crowd: number) =>
    withCrowd(crowd).flatMap((act) => (act.kind === 'crowd' ? [act.count] : []));
  const [first, ...later] = countsOf(FIRST_CROWD);
  expect(first).toBe(20_000);
  expect(later).toContain(LATER_CROWD);
  expect(countsOf(LATER_CROWD)).toEqual([LATER_CROWD, ...later]);
  const timesOf = (crowd: number) => withCrowd(crowd).map(({ kind, atMs }) => [kind, atMs]);
  expect(timesOf(LATER_CROWD)).toEqual(timesOf(FIRST_CROWD));
});

test('an act reads as one line', () => {
  expect(lineOfAct({ kind: 'pause', atMs: 12_340, place: 'worker-2', ms: 900 })).toBe(
    '   12.3 s  pause           worker-2 900 ms',
  );
});
