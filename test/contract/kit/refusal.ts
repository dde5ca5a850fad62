import { ClientError, Status as GrpcStatus } from 'nice-grpc';
import type { CallOptions, ClientMiddlewareCall, Metadata } from 'nice-grpc';
import {
  ErrorInfo,
  RequestInfo,
  ResourceInfo,
  RetryInfo,
} from '../../../proto/gen/google/rpc/error_details.ts';
import { Status } from '../../../proto/gen/google/rpc/status.ts';
import { AssertionError } from 'node:assert';

/** A refusal by the participant, decoded from the trailer `grpc-status-details-bin` or from a completion's status. */
export class LedgerRefusal extends Error {
  override readonly name = 'LedgerRefusal';
  /** The name of the gRPC status, such as `NOT_FOUND`. */
  readonly status: string;
  /** The `reason` of ErrorInfo; `undefined` if the answer is redacted or does not come from the participant. */
  readonly reason: string | undefined;
  readonly metadata: Readonly<Record<string, string>>;
  readonly resources: readonly { readonly type: string; readonly name: string }[];
  /** The delay in RetryInfo, in milliseconds. */
  readonly retryDelayMs: number | undefined;
  readonly requestId: string | undefined;
  /** The type names of all details, in order, including details that are not decoded here. */
  readonly detailTypes: readonly string[];

  constructor(code: number, message: string, details: Status['details']) {
    super(message);
    this.status = GrpcStatus[code] ?? `code ${code}`;
    this.detailTypes = details.map(({ typeUrl }) => typeUrl.slice(typeUrl.lastIndexOf('/') + 1));
    const bytesOf = (type: string) =>
      details.filter((_, index) => this.detailTypes[index] === type).map(({ value }) => value);

    const [info] = bytesOf('google.rpc.ErrorInfo').map((bytes) => ErrorInfo.decode(bytes));
    this.reason = info?.reason;
    this.metadata = info?.metadata ?? {};
    this.resources = bytesOf('google.rpc.ResourceInfo')
      .map((bytes) => ResourceInfo.decode(bytes))
      .map(({ resourceType, resourceName }) => ({ type: resourceType, name: resourceName }));
    const [retry] = bytesOf('google.rpc.RetryInfo').map((bytes) => RetryInfo.decode(bytes));
    this.retryDelayMs =
      retry &&
      Number(retry.retryDelay?.seconds ?? 0n) * 1_000 + (retry.retryDelay?.nanos ?? 0) / 1e6;
    const [request] = bytesOf('google.rpc.RequestInfo').map((bytes) => RequestInfo.decode(bytes));
    this.requestId = request?.requestId;
  }

  /** Returns the names of the resources of one type, such as `CONTRACT_ID`. */
  resourceNames(type: string): string[] {
    return this.resources.filter((resource) => resource.type === type).map(({ name }) => name);
  }
}

/** Returns the refusal that a completion reports. */
export function refusalOfStatus(status: Status): LedgerRefusal {
  return new LedgerRefusal(status.code, status.message, status.details);
}

/**
 * Client middleware that converts every error from the server to a {@link LedgerRefusal}. An abort is not converted.
 */
export async function* decodeRefusals<Request, Response>(
  call: ClientMiddlewareCall<Request, Response>,
  options: CallOptions,
): AsyncGenerator<Response, Response | void, undefined> {
  let trailer: Metadata | undefined;
  try {
    return yield* call.next(call.request, {
      ...options,
      onTrailer(received) {
        trailer = received;
        options.onTrailer?.(received);
      },
    });
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    const bytes = trailer?.get('grpc-status-details-bin');
    const details = bytes === undefined ? [] : Status.decode(bytes).details;
    throw new LedgerRefusal(error.code, error.details, details);
  }
}

/** Returns the error of a call that must be refused. Fails the test if the call succeeds. */
export async function refusalOf(call: Promise<unknown>): Promise<LedgerRefusal> {
  const answer = await call.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if ('error' in answer) {
    if (answer.error instanceof LedgerRefusal) return answer.error;
    throw answer.error;
  }
  throw new AssertionError({
    message: 'expected a refusal, the call succeeded',
    actual: answer.value,
  });
}

/** Returns the `error_id` and the text of a refusal that comes from contract code. */
export async function failureOf(call: Promise<unknown>): Promise<readonly [string, string]> {
  const { reason, message, metadata } = await refusalOf(call);
  if (reason !== 'DAML_FAILURE') throw new AssertionError({ message });
  return [
    metadata['error_id'] ?? '',
    message.slice(message.indexOf('): ', message.indexOf('category 9')) + 3),
  ];
}
