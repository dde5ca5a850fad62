import { setTimeout as sleep } from 'node:timers/promises';
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { installGlobals } from './kit/globals.ts';
import { SimProcess } from './kit/process.ts';
import { Random } from './kit/random.ts';
import { VirtualClock } from './kit/virtual-clock.ts';

const START_MS = Date.UTC(2026, 0, 1);

/** Runs `work` in virtual time. Returns what it notes, each with the milliseconds since the start. */
async function inVirtualTime(
  work: (note: (what: string) => void, clock: VirtualClock) => Promise<unknown>,
  seed = 'a seed',
): Promise<string[]> {
  const clock = new VirtualClock(START_MS);
  using _globals = installGlobals(clock, new Random(seed));
  const notes: string[] = [];
  let isOver = false;
  const note = (what: string) => notes.push(`${clock.nowMs - START_MS} ${what}`);
  void work(note, clock).finally(() => (isOver = true));
  await clock.run(() => isOver, 10_000);
  return notes;
}

describe('virtual time', () => {
  it('passes from timer to timer, and nothing else makes it pass', async () => {
    const notes = await inVirtualTime(async (note) => {
      const timer = setTimeout(() => note('never'), 10);
      setTimeout(() => note(new Date().toISOString()), 90_000);
      setImmediate(() => note('at once'));
      clearTimeout(timer);
      AbortSignal.timeout(50).addEventListener('abort', () => note('too late'));
      await sleep(3_600_000);
      note(String(performance.now()));
    });
    expect(notes).toEqual([
      '0 at once',
      '50 too late',
      '90000 2026-01-01T00:01:30.000Z',
      '3600000 3600000',
    ]);
  });

  it('ends, and the time and chance of the process are its own again', async () => {
    const before = [setTimeout, Date, Object.keys(performance)];
    await inVirtualTime(() => sleep(5));
    expect([setTimeout, Date, Object.keys(performance)]).toEqual(before);
    expect(Math.abs(Date.now() - START_MS)).toBeGreaterThan(1_000);
    await sleep(1);
  });

  it('chance is a function of the seed', async () => {
    const draw = (seed: string) =>
      inVirtualTime(async (note) => note(`${randomUUID()} ${Math.random()}`), seed);
    expect(await draw('one')).toEqual(await draw('one'));
    expect(await draw('one')).not.toEqual(await draw('two'));
  });
});

describe('a simulated process', () => {
  const ticking = async (process: SimProcess, note: (what: string) => void) => {
    for (let n = 1; n <= 5; n += 1) {
      await sleep(10);
      note(`${process.name} ${n}`);
    }
  };

  it('that is killed does nothing more; what it asked for happens all the same', async () => {
    const notes = await inVirtualTime(async (note, clock) => {
      const process = new SimProcess('p', 0);
      process.onKill(() => note('buried'));
      void process.run(async () => {
        await process.call(() => clock.pass(30).then(() => note('out there')));
        note('never');
      });
      void process.run(() => ticking(process, note));
      await clock.pass(25);
      process.kill();
      await clock.pass(100);
    });
    expect(notes).toEqual(['10 p 1', '20 p 2', '25 buried', '30 out there']);
  });

  it('that is paused goes on later with what it has missed, one after the other', async () => {
    const notes = await inVirtualTime(async (note, clock) => {
      const process = new SimProcess('p', 0);
      void process.run(() => ticking(process, note));
      void process.run(() => process.call(() => clock.pass(22)).then(() => note('answered')));
      await clock.pass(15);
      process.pause();
      await clock.pass(85);
      process.goOn((missed) => void clock.set(missed, 0));
      await clock.pass(100);
    });
    expect(notes).toEqual(['10 p 1', '100 p 2', '100 answered', '110 p 3', '120 p 4', '130 p 5']);
  });

  it('has a wall clock of its own', async () => {
    const notes = await inVirtualTime(async (note) => {
      const process = new SimProcess('p', -700);
      note(String(process.run(() => Date.now()) - Date.now()));
    });
    expect(notes).toEqual(['0 -700']);
  });
});
