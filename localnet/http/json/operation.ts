import type { CallContext } from 'nice-grpc';
import type { Call } from '../../grpc/call.ts';
import type { ParticipantServices } from '../../grpc/participant-services.ts';
import type { Commands } from '../../../proto/gen/com/daml/ledger/api/v2/commands.ts';
import type { Shape } from './shape.ts';
import type { ValueCodec } from './value-codec.ts';

/*
 * An operation of the JSON API is a row: its path, its input from the request, the method of a gRPC service that it
 * calls, and the form of its answer. The service does everything else, such as rights, checks and errors.
 */

export type HttpMethod = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** A query parameter. It is optional unless `isRequired`. */
export interface QueryParameter {
  readonly name: string;
  readonly kind: 'text' | 'int' | 'long' | 'flag' | 'instant';
  /** Whether the parameter may be repeated. */
  readonly isMany?: boolean;
  readonly isRequired?: boolean;
}

/** A request's query. Missing parameters are empty, or `undefined`. */
export interface Query {
  text(name: string): string;
  all(name: string): string[];
  integer(name: string): number | undefined;
  flag(name: string): boolean | undefined;
}

export interface Given<B> {
  readonly body: B;
  /** The values of the path's parameters, by the names in the braces. */
  readonly path: Readonly<Record<string, string>>;
  readonly query: Query;
}

/** The context that a call of the JSON API passes to a service. */
export interface ServiceCall extends CallContext, Call {
  /** The submission's details for error messages, once the submission has been read. */
  submits?: Pick<Commands, 'commandId' | 'actAs'>;
}

/** The services of one participant that operations call. */
export type Services = ParticipantServices;

interface Described {
  readonly path: string;
  /** `<service>/<method>` of the Ledger API. */
  readonly calls: string;
  readonly query?: readonly QueryParameter[];
  readonly isDeprecated?: boolean;
}

/** An operation that answers once. */
export interface UnaryOperation extends Described {
  readonly kind: 'unary';
  readonly method: HttpMethod;
  readonly body?: Shape<unknown>;
  /** Whether the body is a file, which is not parsed. */
  readonly isFile?: boolean;
  /** Absent: the body of the answer is empty, or a file. */
  readonly answer?: Shape<unknown>;
  run(
    services: Services,
    given: Given<unknown>,
    call: ServiceCall,
    values: ValueCodec,
  ): Promise<unknown>;
}

/** An operation that answers `POST` with a list, and a WebSocket with a stream of messages. */
export interface StreamOperation extends Described {
  readonly kind: 'stream';
  readonly body: Shape<unknown>;
  readonly answer: Shape<unknown>;
  /** Whether the stream would never end. Its list ends when no element comes for a while. */
  isOpenEnded(body: unknown): boolean;
  run(services: Services, body: unknown, call: ServiceCall): AsyncIterable<unknown>;
}

export type Operation = UnaryOperation | StreamOperation;

interface UnaryRow<B, A> extends Omit<UnaryOperation, 'kind' | 'body' | 'answer' | 'run'> {
  readonly body?: Shape<B>;
  readonly answer?: Shape<A>;
  run(services: Services, given: Given<B>, call: ServiceCall, values: ValueCodec): Promise<unknown>;
}

/** Declares a row. This is a function only so that the type of its body is inferred from its shape. */
export const unary = <B, A>(row: UnaryRow<B, A>): UnaryOperation => ({
  ...(row as unknown as Omit<UnaryOperation, 'kind'>),
  kind: 'unary',
});

interface StreamRow<B, A> extends Omit<
  StreamOperation,
  'kind' | 'body' | 'answer' | 'run' | 'isOpenEnded'
> {
  readonly body: Shape<B>;
  readonly answer: Shape<A>;
  isOpenEnded(body: B): boolean;
  run(services: Services, body: B, call: ServiceCall): AsyncIterable<unknown>;
}

/** Declares a row that streams. */
export const stream = <B, A>(row: StreamRow<B, A>): StreamOperation => ({
  ...(row as unknown as Omit<StreamOperation, 'kind'>),
  kind: 'stream',
});

/** The parameters of a paged list. */
export const PAGE_QUERY: readonly QueryParameter[] = [
  { name: 'pageSize', kind: 'int' },
  { name: 'pageToken', kind: 'text' },
];

/** A size of `0` means the service's default. */
export const pageOf = (
  query: Query,
): { readonly pageSize: number; readonly pageToken: string } => ({
  pageSize: query.integer('pageSize') ?? 0,
  pageToken: query.text('pageToken'),
});
