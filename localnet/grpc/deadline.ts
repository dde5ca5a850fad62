import { ServerInterceptingCall } from '@grpc/grpc-js';
import type { ServerInterceptor } from '@grpc/grpc-js';
import type { CallContext } from 'nice-grpc';

/**
 * The header that carries the caller's deadline. gRPC removes its own timeout header before a service sees the call.
 */
const HEADER = 'x-localnet-deadline-ms';

/** Passes the caller's deadline, if there is one, on to services. */
export const deadlineInterceptor: ServerInterceptor = (_method, call) =>
  new ServerInterceptingCall(call, {
    start: (next) => {
      next({
        onReceiveMetadata: (metadata, onward) => {
          metadata.remove(HEADER);
          const deadline = call.getDeadline();
          const deadlineMs = deadline instanceof Date ? deadline.getTime() : deadline;
          if (Number.isFinite(deadlineMs)) metadata.set(HEADER, deadlineMs.toString());
          onward(metadata);
        },
      });
    },
  });

/** Returns the milliseconds until the caller's deadline; `undefined` if the caller set none. */
export function remainingMs({ metadata }: CallContext): number | undefined {
  const deadlineMs = metadata.get(HEADER);
  return deadlineMs === undefined ? undefined : Math.max(0, Number(deadlineMs) - Date.now());
}
