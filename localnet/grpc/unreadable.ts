import type { CompatServiceDefinition } from 'nice-grpc';
import { invalidArgument } from '../ledger/submission-checks.ts';

/** A request whose bytes are not a message of its type, or whose message is nested too deeply. */
class UnreadableRequest {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

type Decode = (bytes: Uint8Array) => unknown;

/**
 * Returns a decoder that never throws. For invalid bytes it returns an `UnreadableRequest`, because gRPC would answer
 * an error that a decoder throws with INTERNAL.
 */
const decodingAll =
  (decode: Decode): Decode =>
  (bytes) => {
    try {
      return decode(bytes);
    } catch (error) {
      return new UnreadableRequest(error instanceof Error ? error.message : String(error));
    }
  };

interface Method {
  readonly requestType: { readonly decode: Decode };
}

/**
 * Returns the service definition with decoders that never throw, so that calls with invalid requests also reach the
 * service.
 */
export function withUnreadable<Service extends CompatServiceDefinition>(service: Service): Service {
  if (!('methods' in service)) return service;
  const methods = Object.entries(service.methods as Readonly<Record<string, Method>>).map(
    ([name, method]) => {
      const { requestType } = method;
      const decode = decodingAll((bytes) => requestType.decode(bytes));
      return [name, { ...method, requestType: { ...requestType, decode } }] as const;
    },
  );
  return { ...service, methods: Object.fromEntries(methods) };
}

/** @throws LedgerError for an unreadable request */
export function requireReadable(request: unknown): void {
  if (!(request instanceof UnreadableRequest)) return;
  throw invalidArgument(`the message cannot be read: ${request.reason}`);
}
