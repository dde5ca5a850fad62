import type { FastifyReply, FastifyRequest } from 'fastify';
import { LIMITS } from '../../../domain/limits.ts';
import { HTTP_LIMITS } from '../../limits.ts';
import { mayStay } from '../../kit/caller.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import { loggedError } from '../../kit/request-log.ts';

/**
 * Ends long-lived requests whose callers may no longer be answered. A caller may lose the right to its stream when its
 * token expires, its session ends or its tenant is removed, so all callers are checked together at intervals. Checks do
 * not overlap, and each takes one statement for the sessions.
 */
export class Stays {
  readonly #deps: HttpDeps;
  readonly #all = new Map<FastifyRequest, AbortController>();
  #timer: NodeJS.Timeout | null = null;
  #isLooking = false;

  constructor(deps: HttpDeps) {
    this.#deps = deps;
  }

  /** Returns a signal that is aborted when the caller may no longer be answered. */
  watch(request: FastifyRequest, reply: FastifyReply): AbortSignal {
    const ended = new AbortController();
    this.#all.set(request, ended);
    this.#timer ??= setInterval(() => void this.#look(), HTTP_LIMITS.eventStayMs).unref();
    reply.raw.once('close', () => this.#leave(request));
    return ended.signal;
  }

  #leave(request: FastifyRequest): void {
    this.#all.delete(request);
    if (this.#all.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    const requests = [...this.#all.keys()];
    try {
      const signal = AbortSignal.timeout(LIMITS.databaseStatementMs);
      const io = { signal, deadlineMs: LIMITS.databaseStatementMs };
      const stay = await mayStay(this.#deps, requests, io);
      for (const request of requests) if (!stay.has(request)) this.#all.get(request)?.abort();
    } catch (error) {
      // Streams stay open: without the database sessions cannot be checked, but no event can be read either.
      this.#deps.log.warn({ error: loggedError(error) }, 'followers could not be looked at');
    } finally {
      this.#isLooking = false;
    }
  }
}
