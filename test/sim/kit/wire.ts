import { ClientError, Metadata, ServerError, Status } from 'nice-grpc-common';
import type {
  CallContext,
  CallOptions,
  ClientMiddleware,
  MethodDescriptor,
  ServerMiddleware,
} from 'nice-grpc-common';
import type { DeadlineOptions } from 'nice-grpc-client-middleware-deadline';
import { LEDGER_LIMITS } from '../../../src/ledger/limits.ts';
import { UNSENT_TRAILER } from '../../../src/ledger/outcome.ts';
import type { SimProcess } from './process.ts';
import type { CallFate, StreamFate } from './weather.ts';
import type { VirtualClock } from './virtual-clock.ts';

/*
 * gRPC without sockets. It has the client's middleware, and the server's middleware and services. Between them, bytes
 * are delayed, lost or duplicated. Every message is encoded and decoded as on a connection.
 */

interface Codec {
  encode(message: never): { finish(): Uint8Array };
  decode(bytes: Uint8Array): unknown;
  fromPartial(partial: never): unknown;
}

interface Method {
  readonly name: string;
  readonly requestType: Codec;
  readonly responseType: Codec;
  readonly requestStream: boolean;
  readonly responseStream: boolean;
  readonly options: object;
}

export interface ServiceDefinition {
  readonly fullName: string;
  readonly methods: Readonly<Record<string, Method>>;
}

/** The methods of a service, as its server implements them. */
export type Implementation = Readonly<
  Record<string, (request: never, context: never) => Promise<unknown> | AsyncIterable<unknown>>
>;

/** The client's side of a connection, and the faults on it. */
export interface Line {
  readonly process: SimProcess;
  readonly clock: VirtualClock;
  readonly client: ClientMiddleware<DeadlineOptions>;
  /** @param refusal the errors with which the server answers before or after the work, if any */
  server(refusal: { readonly before?: string; readonly after?: string }): ServerMiddleware;
  /** Called before the request is sent. `request` is the message as the server will read it. */
  fateOf(path: string, request: unknown): CallFate;
  /**
   * Called before the request is sent. @returns a function that is called with `true` if the caller got a conclusive
   * answer
   */
  watch(path: string, request: unknown): (isAnswered: boolean) => void;
  streamFate(path: string): StreamFate;
  /**
   * Returns a signal that aborts when the connection breaks, so that every call on it fails. Called when a call begins.
   */
  broken(): AbortSignal;
}

type Options = CallOptions & Partial<DeadlineOptions>;

const NEVER = new AbortController().signal;
const DETAILS = 'grpc-status-details-bin';

const wired = (codec: Codec, partial: unknown): unknown =>
  codec.decode(codec.encode(codec.fromPartial(partial as never) as never).finish());

const abortError = (): Error =>
  Object.assign(new Error('The operation was aborted'), { name: 'AbortError' });

const contextOf = (signal: AbortSignal, metadata: Metadata): CallContext => ({
  metadata,
  peer: 'in-process',
  header: Metadata(),
  sendHeader: () => undefined,
  trailer: Metadata(),
  signal,
});

/** An error that is sent as an answer, in the form in which it is transferred. */
class WireFailure extends Error {
  readonly status: Status;
  readonly trailer: Metadata;
  /** Whether this error leaves the result of the request unknown. */
  isLoss = false;
  constructor(status: Status, details: string, trailer: Metadata = Metadata()) {
    super(details);
    this.status = status;
    this.trailer = trailer;
  }
}

const connectionLost = () =>
  Object.assign(new WireFailure(Status.UNAVAILABLE, 'Connection dropped'), { isLoss: true });
const unsent = () =>
  new WireFailure(
    Status.UNAVAILABLE,
    'No connection established',
    Metadata({ [UNSENT_TRAILER]: '1' }),
  );

/** Returns the error as the gRPC library would pass it to its caller. */
function received(error: unknown, path: string, options: Options): unknown {
  if (!(error instanceof WireFailure)) return error;
  options.onTrailer?.(error.trailer);
  return new ClientError(path, error.status, error.message);
}

function leaving(error: unknown, context: CallContext): unknown {
  if (!(error instanceof ServerError)) return error;
  const details = context.trailer.get(DETAILS);
  const trailer = Metadata();
  if (details !== undefined) trailer.set(DETAILS, details);
  return new WireFailure(error.code, error.details, trailer);
}

/** Rejects when the connection breaks or the caller gives up. The work may continue. */
function orBroken<T>(
  work: Promise<T>,
  line: Line,
  broken: AbortSignal,
  signal: AbortSignal,
): Promise<T> {
  work.catch(() => undefined);
  if (signal.aborted) return Promise.reject(abortError());
  return new Promise<T>((resolve, reject) => {
    const leave = () => {
      signal.removeEventListener('abort', give);
      broken.removeEventListener('abort', lose);
    };
    const give = () => {
      leave();
      reject(abortError());
    };
    const lose = () =>
      line.process.tell(() => {
        leave();
        reject(connectionLost());
      });
    signal.addEventListener('abort', give);
    broken.addEventListener('abort', lose);
    const settle = (then: () => void) => () => {
      leave();
      then();
    };
    work.then(
      (value) => settle(() => resolve(value))(),
      (error: unknown) => settle(() => reject(error))(),
    );
  });
}

const NO_FATE: CallFate = { requestMs: 0, answerMs: 0 };

const forever = <T>(): Promise<T> => new Promise<T>(() => undefined);

/** One call, with its connection and its method. */
interface WireCall {
  readonly line: Line;
  readonly method: Method;
  readonly path: string;
  readonly handler: Implementation[string];
  readonly request: unknown;
  readonly options: Options;
}

async function unary(call: WireCall): Promise<unknown> {
  const { line, path, request, options } = call;
  const fate = line.fateOf(path, request);
  const { clock } = line;
  const answered = async (): Promise<unknown> => {
    if (fate.lost === 'unsent') {
      await clock.pass(fate.requestMs);
      throw unsent();
    }
    await clock.pass(fate.requestMs);
    await fate.until;
    void fate.copy?.then(() => served(call, NO_FATE));
    if (fate.lost === 'request') return lost(fate);
    const outcome = await served(call, fate);
    await clock.pass(fate.answerMs);
    if (fate.lost === 'answer') return lost(fate);
    if ('failure' in outcome) throw outcome.failure;
    return outcome.response;
  };
  const told = line.watch(path, request);
  try {
    const work = line.process.call(answered);
    const answer = await orBroken(work, line, line.broken(), options.signal ?? NEVER);
    told(true);
    return answer;
  } catch (error) {
    // If the error leaves the result unknown, the call does not count as answered.
    told(error instanceof WireFailure && !error.isLoss && fate.refusalAfter === undefined);
    throw error;
  }
}

const lost = (fate: CallFate): Promise<never> =>
  fate.resets === true ? Promise.reject(connectionLost()) : forever();

/** Runs the service. If the caller gives up, the answer is not awaited, but the work is not undone. */
async function served(
  { line, method, path, handler, request, options }: WireCall,
  fate: CallFate,
): Promise<{ readonly response: unknown } | { readonly failure: unknown }> {
  const context = contextOf(NEVER, Metadata(options.metadata));
  const middleware = line.server({ before: fate.refusal, after: fate.refusalAfter } as object);
  const call = {
    method: descriptorOf(path, method),
    requestStream: false as const,
    request: wired(method.requestType, request),
    responseStream: false as const,
    // oxlint-disable-next-line require-yield -- a unary call gives its answer as the generator's value
    async *next(given: unknown, within: CallContext): AsyncGenerator<never, unknown, undefined> {
      const work = fate.instead?.() ?? handler(given as never, within as never);
      return wired(method.responseType, await work);
    },
  };
  try {
    const result = await middleware(call, context).next();
    return { response: result.value };
  } catch (error) {
    return { failure: leaving(error, context) };
  }
}

const descriptorOf = (path: string, method: Method): MethodDescriptor => ({
  path,
  requestStream: method.requestStream,
  responseStream: method.responseStream,
  options: {},
});

/** Messages of a stream that have arrived but have not been read. The sender waits while the reader is behind. */
class Pipe {
  readonly #elements: unknown[] = [];
  #end: { readonly failure: unknown } | null = null;
  #arrived: () => void = () => undefined;
  #taken: () => void = () => undefined;
  isClosed = false;

  async put(element: unknown): Promise<void> {
    this.#elements.push(element);
    this.#arrived();
    while (this.#elements.length >= 64 && !this.isClosed) {
      await new Promise<void>((resolve) => (this.#taken = resolve));
    }
  }

  end(failure: unknown): void {
    this.#end ??= { failure };
    this.#arrived();
  }

  close(): void {
    this.isClosed = true;
    this.#taken();
  }

  /** Resolves with the next element, or with `null` at the end of the stream. Rejects if the stream failed. */
  async take(): Promise<{ readonly element: unknown } | null> {
    while (this.#elements.length === 0 && this.#end === null) {
      await new Promise<void>((resolve) => (this.#arrived = resolve));
    }
    if (this.#elements.length > 0) {
      const element = this.#elements.shift();
      this.#taken();
      return { element };
    }
    const failure = this.#end?.failure;
    if (failure !== undefined) throw failure;
    return null;
  }
}

/** How long a connection may be silent until keepalive gives it up: see `openParticipant`. */
const KEEPALIVE_MS = LEDGER_LIMITS.keepaliveMs + LEDGER_LIMITS.keepaliveAnswerMs;

async function send(
  line: Line,
  elements: AsyncIterator<unknown>,
  fate: StreamFate,
  pipe: Pipe,
  method: Method,
): Promise<void> {
  const { clock } = line;
  for (;;) {
    const next = await elements.next();
    if (pipe.isClosed || next.done === true) break;
    const verdict = fate.onElement();
    if (verdict === 'silent') {
      await clock.pass(KEEPALIVE_MS);
      pipe.end(connectionLost());
      return;
    }
    await clock.pass(fate.elementMs());
    if (verdict === 'cut') {
      pipe.end(connectionLost());
      return;
    }
    const { responseType } = method;
    await pipe.put(wired(responseType, next.value));
    if (verdict === 'duplicate') await pipe.put(wired(responseType, next.value));
  }
  pipe.end(undefined);
}

/** Passes elements from the service to the pipe, until the reader has gone. */
async function pour(
  { line, method, path, handler, request, options }: WireCall,
  pipe: Pipe,
  gone: AbortSignal,
): Promise<void> {
  const fate = line.streamFate(path);
  await line.clock.pass(fate.openMs);
  if (fate.refusal === 'unsent') return pipe.end(unsent());
  const context = contextOf(gone, Metadata(options.metadata));
  const middleware = line.server(fate.refusal === undefined ? {} : { before: fate.refusal });
  const call = {
    method: descriptorOf(path, method),
    requestStream: false as const,
    request: wired(method.requestType, request),
    responseStream: true as const,
    async *next(given: unknown, within: CallContext): AsyncGenerator<unknown, void, undefined> {
      yield* handler(given as never, within as never) as AsyncIterable<unknown>;
    },
  };
  const elements = middleware(call, context);
  try {
    await send(line, elements, fate, pipe, method);
  } catch (error) {
    pipe.end(leaving(error, context));
  } finally {
    elements.return(undefined).catch(() => undefined);
  }
  return undefined;
}

async function* streaming(call: WireCall): AsyncGenerator<unknown, void, undefined> {
  const { line, options } = call;
  const signal = options.signal ?? NEVER;
  if (signal.aborted) throw abortError();
  const broken = line.broken();
  const pipe = new Pipe();
  const gone = new AbortController();
  void line.process.call(() => pour(call, pipe, gone.signal));
  line.process.onKill(() => {
    gone.abort();
    pipe.close();
  });
  try {
    for (;;) {
      const next = await orBroken(
        line.process.call(() => pipe.take()),
        line,
        broken,
        signal,
      );
      if (next === null) return;
      yield next.element;
    }
  } finally {
    gone.abort();
    pipe.close();
  }
}

/** Returns a client whose calls go over the line to the service. */
export function clientOf(
  line: Line,
  definition: ServiceDefinition,
  implementation: () => Implementation,
): object {
  const methods = Object.entries(definition.methods).map(([key, method]) => {
    const path = `/${definition.fullName}/${method.name}`;
    // The service is looked up when the call arrives, because the server may have been restarted before.
    const handler: Implementation[string] = (request, context) => {
      const serve = implementation()[key];
      if (serve === undefined) throw new TypeError(`nobody serves ${path}`);
      return serve(request, context);
    };
    const descriptor = descriptorOf(path, method);
    return [
      key,
      method.responseStream
        ? stream(line, method, descriptor, handler)
        : call(line, method, descriptor, handler),
    ];
  });
  return Object.fromEntries(methods);
}

const call =
  (line: Line, method: Method, descriptor: MethodDescriptor, handler: Implementation[string]) =>
  async (partial: unknown, options: Options = {}): Promise<unknown> => {
    const { path } = descriptor;
    const { value } = await line
      .client(
        {
          method: descriptor,
          requestStream: false,
          request: method.requestType.fromPartial(partial as never),
          responseStream: false,
          // oxlint-disable-next-line require-yield -- a unary call gives its answer as the generator's value
          async *next(request, within): AsyncGenerator<never, unknown, undefined> {
            try {
              return await unary({ line, method, path, handler, request, options: within });
            } catch (error) {
              throw received(error, path, within);
            }
          },
        },
        options,
      )
      .next();
    return value;
  };

const stream =
  (line: Line, method: Method, descriptor: MethodDescriptor, handler: Implementation[string]) =>
  (partial: unknown, options: Options = {}): AsyncIterable<unknown> => {
    const { path } = descriptor;
    return line.client(
      {
        method: descriptor,
        requestStream: false,
        request: method.requestType.fromPartial(partial as never),
        responseStream: true,
        async *next(request, within): AsyncGenerator<unknown, void, undefined> {
          try {
            yield* streaming({ line, method, path, handler, request, options: within });
          } catch (error) {
            throw received(error, path, within);
          }
        },
      },
      options,
    );
  };
