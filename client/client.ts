import type {
  Answered,
  Asked,
  At,
  CommandPath,
  Data,
  Item,
  ListPath,
  Method,
  ReadPath,
  Rest,
  WritePath,
} from './document.ts';
import type { Operation } from './document.ts';
import { newCommandId } from './command-id.ts';
import { Commands } from './commands.ts';
import type { Ended } from './commands.ts';
import { followEvents } from './events.ts';
import type { EventsQuery, Told } from './events.ts';
import { pagesOf } from './pages.ts';
import { bodyOf } from './problem.ts';
import { memoryStore } from './store.ts';
import type { CommandStore } from './store.ts';
import { createTransport, fill, queryOf } from './transport.ts';
import type { Call, Transport, TransportOptions } from './transport.ts';
import { createWait } from './waiting.ts';
import type { WaitOptions } from './waiting.ts';

export interface ClientOptions extends TransportOptions {
  /** Where named commands are stored. @default memoryStore() */
  readonly store?: CommandStore;
  /** `false`: operations are only polled, without events. @default true */
  readonly events?: boolean;
}

/** An answer with its headers, which include `ETag`. */
export interface Answer<T> {
  readonly status: number;
  readonly data: T;
  readonly headers: Headers;
}

/** The name of a command, and how its progress is reported. */
export interface CommandOptions extends Pick<WaitOptions, 'onLook'> {
  /**
   * Your program's name for the command, such as `renew licence 3`. A named command is stored until its end is known,
   * and a call with the same name repeats it, even after a reload.
   */
  readonly name?: string;
  /** The command ID, if the program chooses one. Absent: a new ID, which all repetitions of the call use. */
  readonly commandId?: string;
}

/** Tenure's API as one caller uses it. */
export interface TenureClient {
  /** Reads a resource, or one page of a list. @throws ProblemError, NoAnswerError */
  get<P extends ReadPath>(path: P, ...asked: Rest<Asked<At<P, 'get'>>>): Promise<Answer<Data<P>>>;
  /** Yields all entries of a list, and reads pages when they are needed. @throws ProblemError, NoAnswerError */
  list<P extends ListPath>(path: P, ...asked: Rest<Asked<At<P, 'get'>>>): AsyncGenerator<Item<P>>;
  /** Yields the pages of a list. @throws ProblemError, NoAnswerError */
  pages<P extends ListPath>(
    path: P,
    ...asked: Rest<Asked<At<P, 'get'>>>
  ): AsyncGenerator<Answer<Data<P>>>;
  /**
   * Makes a change that has a command ID, and waits for its end. The request is repeated until it is answered, always
   * under the same command ID.
   *
   * @throws ProblemError if the change was refused or failed; NoAnswerError if its end is not known, and a call with
   *   the same command ID may repeat it
   */
  command<P extends CommandPath>(
    path: P,
    ...asked: Rest<Asked<At<P, 'post'>> & CommandOptions>
  ): Promise<Ended<Answered<At<P, 'post'>>>>;
  /**
   * Makes a change that has no command ID. The request is sent once; it is repeated only after a `429`, which means
   * that nothing was done.
   *
   * @throws ProblemError; NoAnswerError if it is not known whether the change was made
   */
  write<M extends Exclude<Method, 'get'>, P extends WritePath<M>>(
    method: M,
    path: P,
    ...asked: Rest<Asked<At<P, M>>>
  ): Promise<Answer<Answered<At<P, M>>>>;
  /** Waits for the end of an operation. @throws ProblemError, NoAnswerError */
  wait(commandId: string, options?: WaitOptions): Promise<Operation>;
  /** Returns the names of stored commands whose end is not known. */
  pending(): Promise<readonly string[]>;
  /** Continues a stored command, for example after a reload. @throws like `command` */
  resume(name: string, options?: WaitOptions): Promise<Ended<unknown>>;
  /** Removes a command from the store. The client then no longer follows the command. */
  forget(name: string): Promise<void>;
  /**
   * Yields events, and reconnects when a connection ends, until the signal is aborted. @throws ProblemError; the
   * signal's reason
   */
  events(query?: EventsQuery): AsyncGenerator<Told, void>;
  /** Sends a call unchanged, for addresses that are not in the API document. @throws ProblemError, NoAnswerError */
  send(call: Call): Promise<Response>;
}

/** The parameters of a call, without the types that depend on its address: the interface above has those. */
interface Given extends CommandOptions {
  readonly path?: object;
  readonly query?: object;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

const callOf = (method: string, path: string, given: Given = {}): Call => ({
  method: method.toUpperCase(),
  path: fill(path, given.path),
  query: queryOf(given.query),
  body: given.body,
  headers: given.headers,
  signal: given.signal,
  repeats: method === 'get' ? 'passing' : 'limited',
});

async function answerOf(response: Response): Promise<Answer<unknown>> {
  const { status, headers } = response;
  return { status, data: await bodyOf(response), headers };
}

/** Number of entries in a page, unless the call sets it. */
const PAGE_ROWS = 200;

function firstPage(path: string, given: Given = {}): Call {
  const query = { limit: PAGE_ROWS, ...given.query };
  return callOf('get', path, { ...given, query });
}

async function* answersOf(transport: Transport, first: Call): AsyncGenerator<Answer<unknown>> {
  for await (const response of pagesOf(transport, first)) yield answerOf(response);
}

async function* itemsOf(transport: Transport, first: Call): AsyncGenerator {
  for await (const { data } of answersOf(transport, first)) yield* data as readonly unknown[];
}

async function* toldOf(transport: Transport, query: EventsQuery): AsyncGenerator<Told, void> {
  for await (const told of followEvents(transport, query)) {
    if (typeof told === 'object') yield told;
  }
}

function commandMaker(commands: Commands) {
  return async (path: string, given: Given = {}): Promise<Ended<unknown>> => {
    const { name, commandId = newCommandId(), query, body, headers, signal, onLook } = given;
    const made = {
      commandId,
      path: fill(path, given.path),
      query: query as Readonly<Record<string, unknown>> | undefined,
      body: body ?? {},
      headers,
      madeAtMs: Date.now(),
    };
    const options = { signal, onLook };
    return name === undefined
      ? commands.send(made, options)
      : commands.sendKept(name, made, options);
  };
}

/**
 * Creates a client of the API at an address.
 *
 * @example
 * const tenure = createClient({ url: 'https://tenure.example.com', token: () => 'eyJhbGciOi…' });
 * for await (const license of tenure.list('/licenses')) console.log(license.licenseNum);
 */
export function createClient(options: ClientOptions): TenureClient {
  const { store = memoryStore(), events = true } = options;
  const transport = createTransport(options);
  const wait = createWait(transport, events);
  const commands = new Commands(transport, wait, store);
  const client = {
    get: async (path: string, given?: Given) =>
      answerOf(await transport.call(callOf('get', path, given))),
    list: (path: string, given?: Given) => itemsOf(transport, firstPage(path, given)),
    pages: (path: string, given?: Given) => answersOf(transport, firstPage(path, given)),
    command: commandMaker(commands),
    write: async (method: string, path: string, given?: Given) =>
      answerOf(await transport.call(callOf(method, path, given))),
    wait,
    pending: async () => store.names(),
    resume: async (name: string, options: WaitOptions = {}) => commands.resume(name, options),
    forget: async (name: string) => void (await store.delete(name)),
    events: (query: EventsQuery = {}) => toldOf(transport, query),
    send: async (call: Call) => transport.call(call),
  };
  return client as unknown as TenureClient;
}
