import type { LedgerGateway } from '../app/ports/ledger.ts';
import type { Outbox } from '../app/ports/outbox.ts';
import type { Span, Tracer } from '../app/ports/tracing.ts';

/** When a job was put on the queue, and what it is there. Wall time. */
export interface QueuedJob {
  readonly id: string;
  readonly queue: string;
  readonly addedAtMs: number;
}

interface Submitting {
  readonly outbox: Pick<Outbox, 'startAttempt' | 'putOff' | 'participantReached'>;
  readonly gateway: Pick<LedgerGateway, 'submit' | 'reach'>;
}

const messaging = (job: QueuedJob, type: 'send' | 'process') => ({
  'messaging.system.name': 'bullmq',
  'messaging.destination.name': job.queue,
  'messaging.operation.name': type,
  'messaging.operation.type': type,
  'messaging.message.id': job.id,
});

/**
 * Works on a job within the trace of its change: one span for its time on the queue, one for the work, which the
 * submission continues. Whose trace it is shows when the attempt is recorded; both have begun by then.
 */
export async function traceSubmission(
  tracer: Tracer,
  job: QueuedJob,
  { outbox, gateway }: Submitting,
  work: (within: Submitting) => Promise<void>,
): Promise<void> {
  const takenAtMs = Date.now();
  let span: Span | null = null;
  const begin = (parent: string | null): Span => {
    const startMs = Math.min(job.addedAtMs, takenAtMs);
    const attributes = messaging(job, 'send');
    const queued = tracer.start(`send ${job.queue}`, {
      kind: 'producer',
      parent,
      startMs,
      attributes,
    });
    queued.end(takenAtMs);
    return tracer.start(`process ${job.queue}`, {
      kind: 'consumer',
      parent: queued.traceparent,
      startMs: takenAtMs,
      attributes: messaging(job, 'process'),
    });
  };
  try {
    await work({
      outbox: {
        startAttempt: async (...asked) => {
          const started = await outbox.startAttempt(...asked);
          if (started === null) return null;
          span = begin(started.change.traceparent);
          span.note({
            'tenure.operation': started.change.operation,
            'tenure.command_id': started.change.commandId,
            'tenure.attempt': started.attempt,
          });
          return started;
        },
        putOff: (...asked) => outbox.putOff(...asked),
        participantReached: (...asked) => outbox.participantReached(...asked),
      },
      gateway: {
        reach: (...asked) => gateway.reach(...asked),
        submit: (request, io) =>
          gateway.submit(
            span === null ? request : { ...request, traceparent: span.traceparent },
            io,
          ),
      },
    });
  } catch (error) {
    const type = error instanceof Error ? error.name : 'unknown';
    (span as Span | null)?.fail(type);
    throw error;
  } finally {
    (span as Span | null)?.end();
  }
}
