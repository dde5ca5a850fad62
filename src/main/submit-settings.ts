import { Type } from 'typebox';

/** Settings of the processes that submit operations, as documented in `.env.example`. */
export const SUBMIT_SETTINGS = {
  TENURE_WORKER_CONCURRENCY: Type.Integer({
    default: 64,
    minimum: 1,
    maximum: 256,
    description: 'Submissions in flight per worker process',
  }),
  TENURE_EAGER_DISPATCH: Type.Union([Type.Literal('on'), Type.Literal('off')], {
    default: 'on',
    description:
      'on: a process that is both api and worker submits an operation that it has just recorded, without the queue',
  }),
};

export interface SubmitSettings {
  readonly workerConcurrency: number;
  /** Whether processes with both roles `api` and `worker` submit the first attempts of the changes that they record. */
  readonly eagerDispatch: boolean;
}

export const submittingOf = (env: {
  readonly TENURE_WORKER_CONCURRENCY: number;
  readonly TENURE_EAGER_DISPATCH: string;
}): SubmitSettings => ({
  workerConcurrency: env.TENURE_WORKER_CONCURRENCY,
  eagerDispatch: env.TENURE_EAGER_DISPATCH === 'on',
});
