import type { SubmissionObserver } from '../app/ports/outbox.ts';
import type { Span, Tracer } from '../app/ports/tracing.ts';

/** A job's ID and queue, and the wall time at which it was put on the queue. */
export interface QueuedJob {
  readonly id: string;
  readonly queue: string;
  readonly addedAtMs: number;
}

const messaging = (job: QueuedJob, type: 'send' | 'process') => ({
  'messaging.system.name': 'bullmq',
  'messaging.destination.name': job.queue,
  'messaging.operation.name': type,
  'messaging.operation.type': type,
  'messaging.message.id': job.id,
});

/** Records the time on the queue as a finished span, and starts the span of the work. */
function startWork(tracer: Tracer, job: QueuedJob, takenAtMs: number, parent: string | null): Span {
  const queued = tracer.start(`send ${job.queue}`, {
    kind: 'producer',
    parent,
    startMs: Math.min(job.addedAtMs, takenAtMs),
    attributes: messaging(job, 'send'),
  });
  queued.end(takenAtMs);
  return tracer.start(`process ${job.queue}`, {
    kind: 'consumer',
    parent: queued.traceparent,
    startMs: takenAtMs,
    attributes: messaging(job, 'process'),
  });
}

/**
 * Processes a job within the trace of its change: one span for the time on the queue and one for the work, which the
 * submission continues. The trace becomes known only when the attempt is recorded, after the beginning of both spans.
 */
export async function traceSubmission(
  tracer: Tracer,
  job: QueuedJob,
  work: (observer: SubmissionObserver) => Promise<void>,
): Promise<void> {
  const takenAtMs = Date.now();
  // Stays empty if nothing has to be submitted, or not now.
  const spans: Span[] = [];
  try {
    await work({
      begun({ change, attempt }) {
        const span = startWork(tracer, job, takenAtMs, change.traceparent);
        spans.push(span);
        span.note({
          'tenure.operation': change.operation,
          'tenure.command_id': change.commandId,
          'tenure.attempt': attempt,
        });
        return span.traceparent;
      },
    });
  } catch (error) {
    for (const span of spans) span.fail(error instanceof Error ? error.name : 'unknown');
    throw error;
  } finally {
    for (const span of spans) span.end();
  }
}
