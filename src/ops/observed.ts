import type { BulkActs } from '../app/desk/bulk-acts.ts';
import type { Leases } from '../app/ports/leases.ts';
import type { LedgerGateway, LedgerStreams } from '../app/ports/ledger.ts';
import type { StoreObserver } from '../app/ports/transaction.ts';
import type { SpanAttributes, Tracer } from '../app/ports/tracing.ts';
import type { Deliveries } from '../app/ports/webhooks.ts';
import { isOpen } from '../domain/change.ts';
import type { Change } from '../domain/change.ts';
import type { Metrics } from './metrics.ts';

/* Wrappers around the core's ports that count calls and record spans in the traces of callers. */

const outcomeOf = (change: Change): SpanAttributes => ({
  'tenure.operation': change.operation,
  'tenure.command_id': change.commandId,
  'tenure.state': change.state,
  ...(change.error === null ? {} : { 'tenure.problem': change.error.code }),
  ...(change.acceptance === null
    ? {}
    : {
        'tenure.update_id': change.acceptance.updateId,
        'tenure.offset': Number(change.acceptance.offset),
      }),
});

export interface Observers {
  readonly metrics: Metrics;
  readonly tracer: Tracer;
}

/**
 * Counts outcomes after their commit. Each outcome appears in the trace of its change as a span of the transaction that
 * wrote it, even if several outcomes share the transaction.
 *
 * @param spanName names the observed transactions
 * @param waiting the callers in this process that wait for outcomes; notified too
 */
export const observeOutcomes = (
  spanName: string,
  { metrics, tracer }: Observers,
  waiting?: { onCommitted(changes: readonly Change[]): void },
): StoreObserver => ({
  committed(saved, startMs) {
    for (const { changes } of saved) waiting?.onCommitted(changes);
    for (const { changes, attempts } of saved) {
      for (const { answer } of attempts) metrics.judged(answer.verdict);
      for (const change of changes) {
        if (isOpen(change.state)) continue;
        metrics.finished(change);
        if (!tracer.isRecording) continue;
        const parent = change.traceparent;
        const attributes = outcomeOf(change);
        tracer.start(spanName, { kind: 'internal', parent, startMs, attributes }).end();
      }
    }
  },
});

const SUBMIT = 'com.daml.ledger.api.v2.CommandSubmissionService/Submit';

/** Counts submissions and records each as a span, which the participant continues. */
export const observeGateway = (
  gateway: LedgerGateway,
  { metrics, tracer }: Observers,
): LedgerGateway => ({
  ...gateway,
  submit: async (request, io) => {
    const { submitter, traceparent, commandId, submissionId } = request;
    const span = tracer.start(SUBMIT, {
      kind: 'client',
      parent: traceparent ?? null,
      attributes: {
        'rpc.system.name': 'grpc',
        'rpc.method': SUBMIT,
        'tenure.participant': submitter.participant,
        'tenure.command_id': commandId,
        'tenure.submission_id': submissionId,
      },
    });
    const beganMs = performance.now();
    try {
      const answer = await gateway.submit({ ...request, traceparent: span.traceparent }, io);
      const seconds = (performance.now() - beganMs) / 1_000;
      metrics.submitted(submitter.participant, answer?.class ?? 'taken', seconds);
      span.note({ 'tenure.answer': answer?.class ?? 'taken' });
      if (answer !== null) span.fail(answer.code);
      return answer;
    } catch (error) {
      span.fail(error instanceof Error ? error.name : 'unknown');
      throw error;
    } finally {
      span.end();
    }
  },
});

/** Counts completions when they arrive. */
export const observeStreams = (streams: LedgerStreams, metrics: Metrics): LedgerStreams => ({
  ...streams,
  completions: async function* counted(participant, afterOffset, signal) {
    for await (const element of streams.completions(participant, afterOffset, signal)) {
      if (element.kind === 'completion') {
        metrics.completed(participant, element.answer?.class ?? 'accepted', element);
      }
      yield element;
    }
  },
});

/** Counts the tries of deliveries after their results are recorded. */
export const observeDeliveries = (deliveries: Deliveries, metrics: Metrics): Deliveries => ({
  ...deliveries,
  async report(delivery, attempted, after, io) {
    const reason = await deliveries.report(delivery, attempted, after, io);
    metrics.delivered(after.kind);
    return reason;
  },
});

/** Counts the items of bulk acts after they were processed. */
export const observeBulkActs = (acts: BulkActs, metrics: Metrics): BulkActs => ({
  ...acts,
  async perform(item, leaseEpoch, work, io) {
    const end = await acts.perform(item, leaseEpoch, work, io);
    if (end !== null) metrics.workedOff(item.action, end.state);
    return end;
  },
});

/** Reports to the metrics, for each requested lease, whether this process holds the lease. */
export const observeLeases = (leases: Leases, metrics: Metrics): Leases => ({
  async acquire(name, holder, ttlMs, io) {
    const epoch = await leases.acquire(name, holder, ttlMs, io);
    metrics.leaseHeld(name, epoch !== null);
    return epoch;
  },
  async renew(name, holder, epoch, ttlMs, io) {
    const isHeld = await leases.renew(name, holder, epoch, ttlMs, io);
    metrics.leaseHeld(name, isHeld);
    return isHeld;
  },
  async release(name, holder, epoch, io) {
    metrics.leaseHeld(name, false);
    await leases.release(name, holder, epoch, io);
  },
});
