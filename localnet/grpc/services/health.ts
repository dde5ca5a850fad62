import { ServerError, Status } from 'nice-grpc';
import { HealthCheckResponse_ServingStatus as ServingStatus } from '../../../proto/gen/grpc/health/v1/health.ts';
import type { HealthServiceImplementation } from '../../../proto/gen/grpc/health/v1/health.ts';

/**
 * Health checks need no token. A stopped participant does not answer them. The empty name stands for the server, any
 * other name for one of its services.
 */
export const healthService = (
  serviceNames: ReadonlySet<string>,
  closing: AbortSignal,
  untilReading: () => Promise<void>,
): HealthServiceImplementation => ({
  async check({ service }) {
    await untilReading();
    if (service !== '' && !serviceNames.has(service)) {
      throw new ServerError(Status.NOT_FOUND, `unknown service ${service.slice(0, 200)}`);
    }
    return { status: closing.aborted ? ServingStatus.NOT_SERVING : ServingStatus.SERVING };
  },

  async *watch({ service }, { signal }) {
    const isKnown = service === '' || serviceNames.has(service);
    yield { status: isKnown ? ServingStatus.SERVING : ServingStatus.SERVICE_UNKNOWN };
    await new Promise<void>((resolve) => {
      const either = AbortSignal.any([signal, closing]);
      if (either.aborted) resolve();
      else either.addEventListener('abort', () => resolve(), { once: true });
    });
    signal.throwIfAborted();
    if (isKnown) yield { status: ServingStatus.NOT_SERVING };
  },
});
