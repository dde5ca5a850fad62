import type { CompatServiceDefinition } from 'nice-grpc';
import { invalidArgument } from '../ledger/submission-checks.ts';

/** A request whose bytes are no message of its type, or a message that nests too deep. */
class UnreadableRequest {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

type Decode = (bytes: Uint8Array) => unknown;

/**
 * Decodes valid requests. Invalid ones become an `UnreadableRequest`, because gRPC answers a decoder's error with
 * INTERNAL.
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

/** Returns the service so that calls arrive even when their requests cannot be decoded. */
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
