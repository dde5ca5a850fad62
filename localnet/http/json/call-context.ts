import { Metadata } from 'nice-grpc';
import type { VerifiedToken } from '../../auth/verify.ts';
import { StreamGuard } from '../../grpc/stream-guard.ts';
import type { ParticipantNode } from '../../ledger/participant-node.ts';
import type { JsonCall } from '../json-call.ts';
import { Access } from '../../ledger/rights.ts';
import type { ServiceCall } from './operation.ts';

/** Returns the context of a service call that comes from the JSON API. It has no metadata and no deadline. */
export function serviceCall(call: JsonCall, signal: AbortSignal): ServiceCall {
  return {
    metadata: Metadata(),
    header: Metadata(),
    trailer: Metadata(),
    peer: '',
    sendHeader: () => undefined,
    signal,
    access: call.access ?? new Access('', []),
    traceContext: call.traceContext,
    stop: signal,
    endOfStream: () => signal.reason as Error,
  };
}

/**
 * Yields a stream's elements. Throws ACCESS_TOKEN_EXPIRED or STALE_STREAM_AUTHORIZATION when the token expires or the
 * user's rights change, and the reason of `gone` when it is aborted.
 */
export async function* guardedStream(
  participant: ParticipantNode,
  token: VerifiedToken,
  {
    gone,
    open,
  }: {
    readonly gone: AbortSignal;
    readonly open: (stop: AbortSignal) => AsyncIterable<unknown>;
  },
): AsyncGenerator<unknown, void, undefined> {
  const ended = new AbortController();
  const stop = AbortSignal.any([gone, ended.signal]);
  try {
    const guard = new StreamGuard({ participant, nowMs: Date.now }, token);
    void guard.watch(stop, (error) => ended.abort(error));
    for await (const element of open(stop)) {
      await participant.untilReading();
      guard.check();
      yield element;
    }
  } finally {
    ended.abort();
  }
}
