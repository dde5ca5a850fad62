import type { Operation } from './document.ts';
import { ProblemError, bodyOf } from './problem.ts';
import type { CommandStore, KeptCommand } from './store.ts';
import type { Transport } from './transport.ts';
import { queryOf } from './transport.ts';
import type { Wait, WaitOptions } from './waiting.ts';

/*
 * Changes with a command ID. They are stored before the first request, sent until they are answered, and followed until
 * they end.
 */

/** Seconds for which the server waits for the outcome before it answers `202`. */
const WAIT_S = 5;
/**
 * Maximum age of a command that is sent again although the server does not know it. After this time its person or
 * program may want something else.
 */
const REPEATABLE_MS = 24 * 60 * 60_000;

/** The result of a command that succeeded. */
export interface Ended<T> {
  readonly commandId: string;
  readonly status: number;
  readonly data: T;
  /** Whether an earlier call had already made the change. */
  readonly isRepeat: boolean;
}

/** Returns the problem of an operation that did not succeed. */
function failureOf(operation: Operation): ProblemError {
  const problem = operation.error ?? null;
  return new ProblemError(problem?.status ?? 409, problem);
}

const isRepeat = ({ headers }: Response): boolean => headers.get('idempotent-replayed') === 'true';

interface UnderWay {
  readonly command: KeptCommand;
  readonly ended: Promise<Ended<unknown>>;
}

export class Commands {
  readonly #transport: Transport;
  readonly #wait: Wait;
  readonly #store: CommandStore;
  readonly #underWay = new Map<string, UnderWay>();

  constructor(transport: Transport, wait: Wait, store: CommandStore) {
    this.#transport = transport;
    this.#wait = wait;
    this.#store = store;
  }

  /** Sends a command until it is answered, and waits for its end. */
  async send(command: KeptCommand, options: WaitOptions): Promise<Ended<unknown>> {
    const { commandId, path, query, body, headers } = command;
    const asked = queryOf(query);
    asked.set('commandId', commandId);
    const response = await this.#transport.call({
      method: 'POST',
      path,
      query: asked,
      body,
      headers: { prefer: `respond-async, wait=${WAIT_S}`, ...headers },
      signal: options.signal,
      repeats: 'passing',
    });
    const data = await bodyOf(response);
    if (response.status !== 202) {
      return { commandId, status: response.status, data, isRepeat: isRepeat(response) };
    }
    return this.#end(commandId, options, isRepeat(response));
  }

  async #end(commandId: string, options: WaitOptions, repeat: boolean): Promise<Ended<unknown>> {
    const operation = await this.#wait(commandId, options);
    if (operation.state !== 'succeeded') throw failureOf(operation);
    const { status = 200, body = null } = operation.result ?? {};
    return { commandId, status, data: body, isRepeat: repeat };
  }

  /**
   * Like `send`, but stores the command under the name until its end is known. Another call with the same name repeats
   * the stored command, even after a reload.
   *
   * @throws Error if a different command is stored under the name
   */
  sendKept(name: string, given: KeptCommand, options: WaitOptions): Promise<Ended<unknown>> {
    const running = this.#underWay.get(name);
    if (running !== undefined) {
      checkSame(name, running.command, given);
      return running.ended;
    }
    const run = async () => this.send(await this.#keep(name, given), options);
    return this.#begin(name, given, run);
  }

  async #keep(name: string, given: KeptCommand): Promise<KeptCommand> {
    const kept = await this.#store.get(name);
    if (kept === undefined) await this.#store.set(name, given);
    else checkSame(name, kept, given);
    return kept ?? given;
  }

  /** Starts a command. Further calls with its name get the same promise. */
  #begin(
    name: string,
    command: KeptCommand,
    run: () => Promise<Ended<unknown>>,
  ): Promise<Ended<unknown>> {
    const ended = this.#settle(name, run).finally(() => this.#underWay.delete(name));
    this.#underWay.set(name, { command, ended });
    return ended;
  }

  async #settle(name: string, run: () => Promise<Ended<unknown>>): Promise<Ended<unknown>> {
    try {
      const ended = await run();
      await this.#store.delete(name);
      return ended;
    } catch (error) {
      if (error instanceof ProblemError && error.isFinal) await this.#store.delete(name);
      throw error;
    }
  }

  /**
   * Continues a command that was stored before a reload.
   *
   * @throws Error if no command is stored under the name; otherwise like `sendKept`
   */
  async resume(name: string, options: WaitOptions): Promise<Ended<unknown>> {
    const kept = await this.#store.get(name);
    const running = this.#underWay.get(name);
    if (running !== undefined) return running.ended;
    if (kept === undefined) throw new Error(`no command is kept under the name ${name}`);
    const isSent = Date.now() - kept.madeAtMs < REPEATABLE_MS;
    return this.#begin(name, kept, () =>
      isSent ? this.send(kept, options) : this.#end(kept.commandId, options, true),
    );
  }
}

const meaningOf = ({ path, query, body }: KeptCommand): string =>
  JSON.stringify([path, query ?? {}, body ?? null]);

/** Compares a stored command with the given one of the same name. @throws Error if they differ */
function checkSame(name: string, kept: KeptCommand, given: KeptCommand): void {
  if (meaningOf(kept) === meaningOf(given)) return;
  throw new Error(`another command is kept under the name ${name}: resume or forget it first`);
}
