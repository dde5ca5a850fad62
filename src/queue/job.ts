import { createHash } from 'node:crypto';
import type { EffectId } from '../domain/ids.ts';
import { trusted } from '../domain/ids.ts';

/**
 * The queue of effects that submit a change's command. The name is part of keys and channel payloads, so it must never
 * change.
 */
export const SUBMIT_QUEUE = 'submit-command';
/** The name of all jobs on this queue. */
export const SUBMIT_JOB = 'submit';

/** Identifies an effect and its dispatch. All other data is read when the job runs. */
export interface EffectJob {
  readonly effectId: EffectId;
  /** The number of the dispatch, beginning with 1. */
  readonly dispatchNo: number;
}

/**
 * Options of every job. Retries, delays and pauses are rows in PostgreSQL that the relay follows, so BullMQ runs a job
 * once and deletes it, whatever its outcome. A job that stayed would block its ID, and keeping a number of jobs causes
 * deadlocks in BullMQ 6.7's PostgreSQL backend.
 */
export const JOB_OPTIONS = { attempts: 1, removeOnComplete: true, removeOnFail: true } as const;

/** Matches IDs without ':', which BullMQ reserves, and without characters that need escaping in keys, logs or URLs. */
const SAFE_ID = /^[A-Za-z0-9_-]{1,128}$/;

export const isSafeEffectId = (raw: string): raw is EffectId => SAFE_ID.test(raw);

/**
 * Returns the ID of a job with a single effect. The ID is the same for the same dispatch, so adding it twice adds one
 * job. It differs between dispatches, so a lost job never blocks the next one. The '-' prevents an ID of only digits,
 * which BullMQ would treat as one of its own.
 *
 * @throws TypeError for an effect ID that is not safe in a key, or an invalid dispatch number
 */
export function jobIdOf(job: EffectJob): string {
  if (!isSafeEffectId(job.effectId)) {
    throw new TypeError(`not a safe effect id: ${JSON.stringify(job.effectId).slice(0, 80)}`);
  }
  if (!Number.isSafeInteger(job.dispatchNo) || job.dispatchNo < 1) {
    throw new TypeError(`not a dispatch number: ${job.dispatchNo}`);
  }
  return `${job.effectId}-${job.dispatchNo}`;
}

/**
 * The data of a job: its first effect, in the format of jobs with a single effect, and further effects in `more`. A
 * version that knows only single effects processes the first one; the outbox dispatches the further ones again.
 */
export interface JobData extends EffectJob {
  readonly more?: readonly EffectJob[];
}

/** Returns only the members that identify a dispatch. */
const told = ({ effectId, dispatchNo }: EffectJob): EffectJob => ({ effectId, dispatchNo });

/** @param effects at least one */
export function jobDataOf([first, ...more]: readonly [EffectJob, ...EffectJob[]]): JobData {
  return more.length === 0 ? told(first) : { ...told(first), more: more.map(told) };
}

/** Returns all effects of a job. */
export const effectsOf = ({
  more = [],
  ...first
}: JobData): readonly [EffectJob, ...EffectJob[]] => [told(first), ...more];

/**
 * Returns the ID of a job, computed from all its effects. The same effects in the same order give the same ID. A job
 * that has only some effects in common with another one must have a different ID; otherwise its other effects would be
 * lost.
 *
 * @throws TypeError like `jobIdOf`
 */
export function idOfJob(data: JobData): string {
  const ids = effectsOf(data).map(jobIdOf);
  const [only = ''] = ids;
  if (ids.length === 1) return only;
  return `of-${createHash('sha256').update(ids.join(' ')).digest('hex').slice(0, 40)}`;
}

/** Groups effects, in order, into jobs of at most `max` effects. */
export function inJobs(effects: readonly EffectJob[], max: number): JobData[] {
  const jobs: JobData[] = [];
  for (let at = 0; at < effects.length; at += max) {
    const [first, ...more] = effects.slice(at, at + max);
    if (first !== undefined) jobs.push(jobDataOf([first, ...more]));
  }
  return jobs;
}

/** A job to be added, and whether it goes before other jobs. */
export interface PlacedJob {
  readonly data: JobData;
  /** Whether the job is put before all waiting jobs. */
  readonly isAhead: boolean;
}

/**
 * Returns jobs in the order in which they must be added. Effects that go ahead are never in a job with other effects.
 * The job that is added to the front last is taken first, so these jobs are in reverse order.
 */
export function placedJobs(
  effects: readonly (EffectJob & { readonly isAhead?: boolean })[],
  max: number,
): readonly PlacedJob[] {
  const placed = (isAhead: boolean): PlacedJob[] =>
    inJobs(
      effects.filter((effect) => (effect.isAhead ?? false) === isAhead),
      max,
    ).map((data) => ({ data, isAhead }));
  return [...placed(false), ...placed(true).toReversed()];
}

function parseEffect(raw: unknown): EffectJob {
  if (typeof raw === 'object' && raw !== null && 'effectId' in raw && 'dispatchNo' in raw) {
    const { effectId, dispatchNo } = raw;
    if (typeof effectId === 'string' && typeof dispatchNo === 'number') {
      const job = { effectId: trusted<EffectId>(effectId), dispatchNo };
      jobIdOf(job);
      return job;
    }
  }
  throw new TypeError(
    `not the data of an effect: ${(JSON.stringify(raw) ?? 'undefined').slice(0, 80)}`,
  );
}

/**
 * Parses a job's data from the store.
 *
 * @throws TypeError if the relay did not write the data
 */
export function parseJob(raw: unknown): JobData {
  const first = parseEffect(raw);
  const more = typeof raw === 'object' && raw !== null && 'more' in raw ? raw.more : [];
  if (!Array.isArray(more)) throw new TypeError('the other effects of a job are no list');
  return jobDataOf([first, ...more.map(parseEffect)]);
}
