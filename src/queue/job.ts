import { createHash } from 'node:crypto';
import type { EffectId } from '../domain/ids.ts';
import { trusted } from '../domain/ids.ts';

/**
 * The queue of effects that submit a change's command. The name is part of keys and channel payloads, so it is never
 * changed.
 */
export const SUBMIT_QUEUE = 'submit-command';
/** The name of all its jobs. */
export const SUBMIT_JOB = 'submit';

/** Identifies an effect and its dispatch. Everything else is read when the job runs. */
export interface EffectJob {
  readonly effectId: EffectId;
  /** 1 for the first dispatch. */
  readonly dispatchNo: number;
}

/**
 * Options of every job. Retries, delays and pauses are rows in PostgreSQL that the relay obeys, so BullMQ runs a job
 * once and deletes it, however it ends. A kept job would block its id, and keeping jobs by count deadlocks BullMQ 6.7's
 * PostgreSQL backend.
 */
export const JOB_OPTIONS = { attempts: 1, removeOnComplete: true, removeOnFail: true } as const;

/** Without ':', which BullMQ reserves, and characters that need escaping in a key, a log or a URL. */
const SAFE_ID = /^[A-Za-z0-9_-]{1,128}$/;

export const isSafeEffectId = (raw: string): raw is EffectId => SAFE_ID.test(raw);

/**
 * Returns the id of an effect's own job. A dispatch always has the same id, so adding it twice adds it once. Each
 * dispatch has a different id, so a lost job never blocks the next. The '-' prevents an id of digits only, which BullMQ
 * would take for one of its own.
 *
 * @throws TypeError for an effect id that is not safe in a key, or an invalid dispatch number
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
 * The data of a job: its first effect, in the format of single-effect jobs, and further effects in `more`. A version
 * that knows only single effects processes the first, and the others are dispatched again.
 */
export interface JobData extends EffectJob {
  readonly more?: readonly EffectJob[];
}

/** Drops all other members of the effect. */
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
 * Returns the id of a job, from its effect or from all its effects. The same effects in the same order give the same
 * id. A job that shares only some effects with another needs a different id, or the rest would be lost.
 *
 * @throws TypeError as `jobIdOf`
 */
export function idOfJob(data: JobData): string {
  const ids = effectsOf(data).map(jobIdOf);
  const [only = ''] = ids;
  if (ids.length === 1) return only;
  return `of-${createHash('sha256').update(ids.join(' ')).digest('hex').slice(0, 40)}`;
}

/** Groups effects in order into jobs of at most `max`. */
export function inJobs(effects: readonly EffectJob[], max: number): JobData[] {
  const jobs: JobData[] = [];
  for (let at = 0; at < effects.length; at += max) {
    const [first, ...more] = effects.slice(at, at + max);
    if (first !== undefined) jobs.push(jobDataOf([first, ...more]));
  }
  return jobs;
}

/** A job to be added, and its place. */
export interface PlacedJob {
  readonly data: JobData;
  /** Before all waiting jobs. */
  readonly isAhead: boolean;
}

/**
 * Returns jobs in the order in which they are to be added. Effects that go ahead share no job with others. The job that
 * is added to the front last comes first, so these jobs are reversed.
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
 * @throws TypeError if the relay did not write it
 */
export function parseJob(raw: unknown): JobData {
  const first = parseEffect(raw);
  const more = typeof raw === 'object' && raw !== null && 'more' in raw ? raw.more : [];
  if (!Array.isArray(more)) throw new TypeError('the other effects of a job are no list');
  return jobDataOf([first, ...more.map(parseEffect)]);
}
