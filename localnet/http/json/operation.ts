import type { CallContext } from 'nice-grpc';
import type { Call } from '../../grpc/call.ts';
import type { ParticipantServices } from '../../grpc/participant-services.ts';
import type { Commands } from '../../../proto/gen/com/daml/ledger/api/v2/commands.ts';
import type { Shape } from './shape.ts';
import type { ValueCodec } from './value-codec.ts';

/*
 * An operation of the JSON API is declared as a table row: its path, how it reads its input from the request, the
 * method of a gRPC service that it calls, and the format of its answer. The service does everything else: rights,
 * checks and errors.
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
  /** The values of the parameters in the path, by the names in braces. */
  readonly path: Readonly<Record<string, string>>;
  readonly query: Query;
}

/** The context that the JSON API passes to a service with a call. */
export interface ServiceCall extends CallContext, Call {
  /** The details of the submission that error messages contain. They are set once the submission has been read. */
  submits?: Pick<Commands, 'commandId' | 'actAs'>;
}

/** The services of one participant that operations can call. */
export type Services = ParticipantServices;

interface Described {
  readonly path: string;
  /** The called method of the Ledger API, as `<service>/<method>`. */
  readonly calls: string;
  readonly query?: readonly QueryParameter[];
  readonly isDeprecated?: boolean;
}

/** An operation with a single answer. */
export interface UnaryOperation extends Described {
  readonly kind: 'unary';
  readonly method: HttpMethod;
  readonly body?: Shape<unknown>;
  /** Whether the request's body is a file, which is not parsed. */
  readonly isFile?: boolean;
  /** If absent, the body of the answer is empty, or a file. */
  readonly answer?: Shape<unknown>;
  run(
    services: Services,
    given: Given<unknown>,
    call: ServiceCall,
    values: ValueCodec,
  ): Promise<unknown>;
}

/** An operation that answers a `POST` with a list, and a WebSocket with a stream of messages. */
export interface StreamOperation extends Described {
  readonly kind: 'stream';
  readonly body: Shape<unknown>;
  readonly answer: Shape<unknown>;
  /** Returns whether the stream never ends by itself. Its list ends after the idle time. */
  isOpenEnded(body: unknown): boolean;
  run(services: Services, body: unknown, call: ServiceCall): AsyncIterable<unknown>;
}

export type Operation = UnaryOperation | StreamOperation;

interface UnaryRow<B, A> extends Omit<UnaryOperation, 'kind' | 'body' | 'answer' | 'run'> {
  readonly body?: Shape<B>;
  readonly answer?: Shape<A>;
  run(services: Services, given: Given<B>, call: ServiceCall, values: ValueCodec): Promise<unknown>;
}

/**
 * Declares a unary operation. This is a function only so that TypeScript infers the type of the body from its shape.
 */
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

/** Declares a streaming operation. */
export const stream = <B, A>(row: StreamRow<B, A>): StreamOperation => ({
  ...(row as unknown as Omit<StreamOperation, 'kind'>),
  kind: 'stream',
});

/** The parameters of a paged list. */
export const PAGE_QUERY: readonly QueryParameter[] = [
  { name: 'pageSize', kind: 'int' },
  { name: 'pageToken', kind: 'text' },
];

/** Returns the requested page. A size of `0` stands for the service's default. */
export const pageOf = (
  query: Query,
): { readonly pageSize: number; readonly pageToken: string } => ({
  pageSize: query.integer('pageSize') ?? 0,
  pageToken: query.text('pageToken'),
});
