import { createHash } from 'node:crypto';
import type { EffectId } from '../domain/ids.ts';
import { trusted } from '../domain/ids.ts';

/** The queue of effects that submit a change's command. Also part of keys and channel payloads: never renamed. */
export const SUBMIT_QUEUE = 'submit-command';
/** Every job of it has this name. */
export const SUBMIT_JOB = 'submit';

/** All that a job says of an effect: which it is, and which of its dispatches. The rest is read when it runs. */
export interface EffectJob {
  readonly effectId: EffectId;
  /** 1 for the first dispatch. */
  readonly dispatchNo: number;
}

/**
 * Options of every job. Retries, delays and pauses are rows in PostgreSQL that the relay obeys, so BullMQ runs a job
 * once and forgets it, however it ends; a kept job would block its id, and keeping by count deadlocks BullMQ 6.7's
 * PostgreSQL backend.
 */
export const JOB_OPTIONS = { attempts: 1, removeOnComplete: true, removeOnFail: true } as const;

/** No ':', which BullMQ keeps for itself, nothing that would need escaping in a key, a log or a URL. */
const SAFE_ID = /^[A-Za-z0-9_-]{1,128}$/;

export const isSafeEffectId = (raw: string): raw is EffectId => SAFE_ID.test(raw);

/**
 * The id of an effect's own job: the same dispatch always has the same one, so adding it twice is adding it once, and
 * every dispatch has its own, so a lost job never blocks the next. The '-' keeps it from being all digits,
 * which BullMQ would take for one of its own.
 *
 * @throws TypeError for an effect id that is not safe in a key, or a number that is no dispatch
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
 * What one job carries: the first of its effects, as jobs of a single one have always named it, and the others beside
 * it. A version that knows only single ones does the first, and the others are dispatched again.
 */
export interface JobData extends EffectJob {
  readonly more?: readonly EffectJob[];
}

/** Only what is to be told, whatever else came with it. */
const told = ({ effectId, dispatchNo }: EffectJob): EffectJob => ({ effectId, dispatchNo });

/** @param effects at least one */
export function jobDataOf([first, ...more]: readonly [EffectJob, ...EffectJob[]]): JobData {
  return more.length === 0 ? told(first) : { ...told(first), more: more.map(told) };
}

/** All effects of a job. */
export const effectsOf = ({
  more = [],
  ...first
}: JobData): readonly [EffectJob, ...EffectJob[]] => [told(first), ...more];

/**
 * The id of a job: that of its effect, or of all that it carries. The same effects in the same order are the same job;
 * a job that shares only some with another must not be taken for it, or the rest would be lost.
 *
 * @throws TypeError as `jobIdOf`
 */
export function idOfJob(data: JobData): string {
  const ids = effectsOf(data).map(jobIdOf);
  const [only = ''] = ids;
  if (ids.length === 1) return only;
  return `of-${createHash('sha256').update(ids.join(' ')).digest('hex').slice(0, 40)}`;
}

/** Groups of at most so many, in their order. */
export function inJobs(effects: readonly EffectJob[], max: number): JobData[] {
  const jobs: JobData[] = [];
  for (let at = 0; at < effects.length; at += max) {
    const [first, ...more] = effects.slice(at, at + max);
    if (first !== undefined) jobs.push(jobDataOf([first, ...more]));
  }
  return jobs;
}

/** A job that is to be added, and where. */
export interface PlacedJob {
  readonly data: JobData;
  /** Before all that waits. */
  readonly isAhead: boolean;
}

/**
 * Jobs in the order in which they are to be added. Those that go ahead share no job with others; what is added in front
 * last is the first, so they are turned round.
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
 * Reads a job's data as it came from the store.
 *
 * @throws TypeError when it is not what the relay puts there
 */
export function parseJob(raw: unknown): JobData {
  const first = parseEffect(raw);
  const more = typeof raw === 'object' && raw !== null && 'more' in raw ? raw.more : [];
  if (!Array.isArray(more)) throw new TypeError('the other effects of a job are no list');
  return jobDataOf([first, ...more.map(parseEffect)]);
}
