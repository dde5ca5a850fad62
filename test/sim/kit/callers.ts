import { RegistryError } from '../../../src/app/ports/registry.ts';
import type { ChangeRequest } from '../../../src/app/engine/requests/change-request.ts';
import type { Caller } from '../../../src/domain/caller.ts';
import type { Change } from '../../../src/domain/change.ts';
import { isOpen } from '../../../src/domain/change.ts';
import { trusted } from '../../../src/domain/ids.ts';
import type { ChangeId, CommandId, Party } from '../../../src/domain/ids.ts';
import type { ProblemDetails } from '../../../src/domain/problems.ts';
import { PROBLEMS, ProblemError } from '../../../src/domain/problems.ts';
import { LedgerCallError, TokenError } from '../../../src/ledger/outcome.ts';
import { DatabaseUnreachableError } from '../../../src/store/sql/database-unreachable.ts';
import { DatabaseDeadlineError } from '../../../src/store/sql/deadline.ts';
import type { Cluster } from './cluster.ts';
import type { World } from './world.ts';

/** A request to Tenure, with what its caller knows about it. */
export interface Asked {
  readonly caller: Caller;
  readonly request: ChangeRequest;
  /** The ID of the operation. After Tenure has returned it to the caller, the operation must never be lost. */
  changeId: ChangeId | null;
  /** The operation as it was when the caller first saw that it had ended. It must not change after that. */
  outcome: Change | null;
  /**
   * When the caller saw that the operation had ended. Answers to requests that were sent before may still show the
   * earlier state.
   */
  outcomeAtMs: number;
  /** Why the request was not accepted, if Tenure gave a reason. */
  problem: string | null;
  /** Whether a restore of the database has lost the accepted request. */
  isLost: boolean;
}

/** The result of a call, as far as the caller knows it. */
type Heard = 'accepted' | 'refused' | 'unknown';

export const callerFor = (party: Party, provider: Party): Caller => ({
  party,
  roles: new Set([party === provider ? 'provider' : 'user']),
  via: 'bearer',
  tenantId: 'a-tenant',
  subject: `somebody of ${party.split('::')[0]}`,
  name: 'somebody',
});

/** The time after which a caller gives up. It is longer than any call of Tenure may take. */
const GIVE_UP_MS = 40_000;

/** The callers: what they request, which answers they get, and what they remember. */
export class Callers {
  readonly asked: Asked[] = [];
  /** Observations that no caller should ever make. */
  readonly complaints: string[] = [];
  readonly #world: World;
  readonly #cluster: Cluster;
  #commands = 0;

  constructor(world: World, cluster: Cluster) {
    this.#world = world;
    this.#cluster = cluster;
    world.onRestore(() => this.#onRestore());
  }

  /**
   * After a restore, callers may repeat operations that the restored database lacks, and operations that are open in it
   * may end differently.
   */
  #onRestore(): void {
    const { contents } = this.#world.database;
    const states = new Map(contents.changes().map(({ change }) => [change.id, change.state]));
    for (const asked of this.asked) {
      const state = asked.changeId === null ? undefined : states.get(asked.changeId);
      if (state === undefined || isOpen(state)) asked.outcome = null;
      if (asked.changeId === null || state !== undefined) continue;
      asked.changeId = null;
      asked.isLost = true;
    }
  }

  newCommandId(): CommandId {
    this.#commands += 1;
    return trusted<CommandId>(`command-${this.#commands}`);
  }

  /** Creates a request that has not been sent yet. */
  newAsked(
    caller: Caller,
    request: Omit<ChangeRequest, 'commandId'>,
    commandId = this.newCommandId(),
  ): Asked {
    const asked: Asked = {
      caller,
      request: { ...request, commandId },
      changeId: null,
      outcome: null,
      outcomeAtMs: 0,
      problem: null,
      isLost: false,
    };
    this.asked.push(asked);
    return asked;
  }

  /** Repeats the request until the caller knows whether it was accepted, at most `tries` times. */
  async insist(asked: Asked, tries: number): Promise<Heard> {
    for (let left = tries; left > 0; left -= 1) {
      const heard = await this.ask(asked);
      if (heard !== 'unknown') return heard;
      await this.#world.clock.pass(this.#world.random.between(200, 4_000));
    }
    return 'unknown';
  }

  /** Sends the request once. */
  async ask(asked: Asked): Promise<Heard> {
    const { caller, request } = asked;
    const { restores } = this.#world;
    const sinceMs = this.#world.clock.nowMs;
    const answer = await this.#cluster.callApi((api) => api.request(caller, request), GIVE_UP_MS);
    // An answer that was given before a restore proves nothing about the state after it.
    if (answer.kind === 'gone' || this.#world.restores !== restores) return 'unknown';
    if (answer.kind === 'error') return this.#heardError(asked, answer.error);
    const { change } = answer.value;
    this.#world.trace.add('caller', `${request.commandId} is ${change.id}`);
    if (asked.changeId !== null && asked.changeId !== change.id) {
      this.complaints.push(`${request.commandId} was ${asked.changeId} and is now ${change.id}`);
    }
    asked.changeId = change.id;
    this.#see(asked, change, sinceMs);
    return 'accepted';
  }

  /** Polls until the operation has ended, for at most `forMs`. */
  async await(asked: Asked, forMs: number): Promise<Change | null> {
    const untilMs = this.#world.clock.nowMs + forMs;
    while (asked.outcome === null && asked.changeId !== null) {
      if (this.#world.clock.nowMs >= untilMs) return null;
      await this.#world.clock.pass(this.#world.random.between(100, 1_000));
      await this.look(asked);
    }
    return asked.outcome;
  }

  async look(asked: Asked): Promise<void> {
    const { changeId } = asked;
    if (changeId === null) return;
    const { restores } = this.#world;
    const sinceMs = this.#world.clock.nowMs;
    const answer = await this.#cluster.callApi((api) => api.changes([changeId]), GIVE_UP_MS);
    if (answer.kind !== 'value' || this.#world.restores !== restores) return;
    const [change] = answer.value;
    if (change === undefined) {
      this.complaints.push(`${asked.request.commandId} was accepted as ${changeId} and is lost`);
      return;
    }
    this.#see(asked, change, sinceMs);
  }

  /**
   * Records an outcome. Adds a complaint if the outcome contradicts what the caller had seen before it made the call.
   */
  #see(asked: Asked, change: Change, sinceMs: number): void {
    const before = asked.outcome;
    if (isOpen(change.state)) {
      if (before !== null && sinceMs > asked.outcomeAtMs)
        this.complaints.push(`${change.commandId} had ended and is open again`);
      return;
    }
    if (before === null) {
      asked.outcome = change;
      asked.outcomeAtMs = this.#world.clock.nowMs;
      return;
    }
    const [was, is] = [before, change].map(({ state, result, error }) =>
      JSON.stringify({ state, result, error }),
    );
    if (was !== is) this.complaints.push(`${change.commandId} was ${was} and is now ${is}`);
  }

  /** Complains unless the update that an answer names is the effect of the command. */
  #judgeEffect(commandId: CommandId, { extra }: ProblemDetails): void {
    const { truth, watcher } = this.#world;
    const made = truth.transactions.find(({ updateId }) => updateId === extra?.['updateId']);
    const isMade = made?.submitter.commandId === commandId && watcher.commandBehind(made) !== null;
    if (!isMade) this.complaints.push(`${commandId} took no effect as ${JSON.stringify(extra)}`);
  }

  #heardError(asked: Asked, error: unknown): Heard {
    const { commandId, operation } = asked.request;
    if (error instanceof ProblemError) {
      const { code } = error.details;
      this.#world.trace.add('caller', `${commandId} ${operation}: ${code}`);
      if (PROBLEMS[code].retryable) return 'unknown';
      if (asked.changeId !== null) {
        this.complaints.push(`${commandId} was accepted and is now refused: ${code}`);
      }
      if (code === 'COMMAND_TOOK_EFFECT') this.#judgeEffect(commandId, error.details);
      asked.problem = code;
      return 'refused';
    }
    this.#world.trace.add('caller', `${commandId} ${operation}: ${String(error)}`);
    if (!isOutage(error)) {
      const stack = error instanceof Error ? error.stack : String(error);
      this.complaints.push(`${commandId} ${operation} failed: ${stack}`);
    }
    return 'unknown';
  }
}

/** Returns whether the API answers the error with 503, because another service is unavailable. */
const isOutage = (error: unknown): boolean =>
  error instanceof DatabaseUnreachableError ||
  error instanceof DatabaseDeadlineError ||
  error instanceof LedgerCallError ||
  error instanceof TokenError ||
  error instanceof RegistryError ||
  (error instanceof Error && error.name === 'AbortError');
