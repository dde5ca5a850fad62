import { expect, test } from 'vitest';
import type { ParticipantName, SubmissionId, UpdateId } from '../../../src/domain/ids.ts';
import { trusted } from '../../../src/domain/ids.ts';
import { Arrivals } from '../../../src/projector/arrivals.ts';
import type { StreamElement } from '../../../src/projector/inbox.ts';
import { answer } from '../app/made.ts';

const NOW_MS = Date.parse('2026-01-01T12:00:00.000Z');
const participant = trusted<ParticipantName>('app-provider');
const MINUTE_MS = 60_000;
const timesOf = (agoMs: number) => new Map([['one', new Date(NOW_MS - agoMs).toISOString()]]);

const completion = (agoMs: number, updateId: string | null): StreamElement => ({
  stream: 'completions',
  element: {
    kind: 'completion',
    participant,
    offset: 1n,
    commandId: 'command',
    submissionId: trusted<SubmissionId>('submission'),
    ledgerUser: 'user',
    actAs: [],
    updateId: updateId === null ? null : trusted<UpdateId>(updateId),
    answer: updateId === null ? answer() : null,
    times: timesOf(agoMs),
  },
});
const accepted = (agoMs: number) => completion(agoMs, 'update');
const refused = (agoMs: number) => completion(agoMs, null);
const checkpoint = (agoMs: number): StreamElement => ({
  stream: 'completions',
  element: { kind: 'position', participant, offset: 2n, times: timesOf(agoMs) },
});

/** Returns the arrival that the projector records for the participant after these elements. Each array is one batch. */
function arrivalOf(...batches: readonly (readonly StreamElement[])[]) {
  const arrivals = new Arrivals();
  for (const batch of batches) arrivals.note(batch, NOW_MS);
  return arrivals.of(participant);
}

test('what was accepted tells how old news is, the newest of what came together', () => {
  expect(arrivalOf()).toBeNull();
  expect(arrivalOf([accepted(40_000)])).toEqual({ atMs: NOW_MS, ageMs: 40_000 });
  expect(arrivalOf([accepted(40_000), accepted(30_000)])?.ageMs).toBe(30_000);
  expect(arrivalOf([accepted(30_000)], [accepted(-1)])?.ageMs).toBe(0);
});

test('what was refused tells nothing: it may have the time of what happened last, and so may checkpoints', () => {
  const hour = 60 * MINUTE_MS;
  expect(arrivalOf([refused(hour)])).toBeNull();
  expect(arrivalOf([checkpoint(hour)])).toBeNull();
  expect(arrivalOf([accepted(hour)], [refused(hour), checkpoint(hour)])?.ageMs).toBe(hour);
  expect(arrivalOf([checkpoint(hour)], [refused(hour)], [checkpoint(hour)])).toBeNull();
});

test('a checkpoint that moves the time on tells how old news is beyond its own pace', () => {
  const moved = (agoMs: number) => arrivalOf([checkpoint(60 * MINUTE_MS)], [checkpoint(agoMs)]);
  expect(moved(30 * MINUTE_MS)?.ageMs).toBe(30 * MINUTE_MS - 75_000);
  expect(moved(60_000)).toEqual({ atMs: NOW_MS, ageMs: 0 });
});
