import pRetry, { AbortError } from 'p-retry';
import { isUnreachable } from '../domain/participant-health.ts';
import type { AskedOf, LastAnswers } from '../app/ports/last-answers.ts';
import type { Io, Log } from '../app/ports/io.ts';
import type { LedgerAnswer } from '../domain/answer.ts';
import type { ParticipantName } from '../domain/ids.ts';
import { MAIN_LIMITS } from './limits.ts';
import { LIMITS } from '../domain/limits.ts';
import type { Json } from '../domain/json.ts';
import type { Learn, Learned, Question } from '../ledger/discover.ts';
import { classify } from '../ledger/outcome.ts';
import type { LedgerRights } from '../ledger/rights.ts';

/** Times in milliseconds. */
export interface Patience {
  /**
   * How long a start waits for a participant that has never answered at its address: it may be starting at the same
   * time.
   */
  readonly unknownMs: number;
  /** How long a start waits for a participant that has answered at this address before. */
  readonly knownMs: number;
  readonly pauseMs: number;
  /** Interval at which a participant that was unreachable at the start is asked again. */
  readonly laterMs: number;
}

const PATIENCE: Patience = { unknownMs: 30_000, knownMs: 3_000, pauseMs: 500, laterMs: 5_000 };
/** Retry options: without limit, at equal intervals. */
const EVENLY = { retries: Infinity, factor: 1 };

export interface AskingOptions {
  readonly askedOf: (participant: ParticipantName) => Pick<AskedOf, 'address' | 'askedAs'>;
  /** The stored answers. A promise, because the database may not be open yet. */
  readonly last: Promise<LastAnswers>;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly patience?: Patience;
}

/**
 * Whether the participant is unreachable or busy. A participant that refuses is reachable, so its stored answers must
 * not replace the refusal.
 */
const isNoAnswer = (said: LedgerAnswer): boolean =>
  said.class === 'busy' ||
  (said.class !== 'credentials' && isUnreachable({ ...said, takesNoTry: true }));

/**
 * Asks participants for the values that every start needs. If a participant is unreachable, its last stored answer is
 * used, so that a process that starts then behaves like one that is already running.
 */
export class StartQuestions {
  readonly #options: AskingOptions;
  readonly #patience: Patience;
  readonly #away = new Set<ParticipantName>();

  constructor(options: AskingOptions) {
    this.#options = options;
    this.#patience = options.patience ?? PATIENCE;
  }

  /**
   * @throws Error whose message is one line for the person who started the process, if there is no answer and none is
   * stored
   */
  readonly learn: Learn = async (question) => {
    const isAway = this.#away.has(question.participant);
    return (isAway ? await this.#recalled(question) : null) ?? (await this.#insist(question));
  };

  /** Reads the rights on participants that were unreachable at the start, as soon as these participants answer. */
  async catchUp(rights: LedgerRights, signal: AbortSignal): Promise<void> {
    await Promise.all([...this.#away].map((name) => this.#readLater(name, rights, signal)));
  }

  async #insist<Answer>(question: Question<Answer>): Promise<Learned<Answer>> {
    const { log, signal } = this.#options;
    const { unknownMs, knownMs, pauseMs } = this.#patience;
    const since = performance.now();
    const ask = async (): Promise<Learned<Answer>> => {
      try {
        const answer = await question.ask({ signal, deadlineMs: MAIN_LIMITS.startCallMs });
        await this.#note(question, answer);
        return { answer, isFresh: true };
      } catch (error) {
        signal.throwIfAborted();
        const said = classify(error);
        const waitedMs = performance.now() - since;
        const asked = this.#askedOf(question);
        if (waitedMs >= knownMs && isNoAnswer(said)) {
          const known = await this.#recalled(question);
          if (known !== null) return known;
        }
        if (waitedMs >= unknownMs) {
          const who = `participant ${asked.participant} at ${asked.address}`;
          const why = `${said.explanation} (${said.code}: ${said.text})`;
          throw new AbortError(new Error(`${who} does not answer: ${why}`, { cause: error }));
        }
        log.warn({ ...asked, code: said.code, text: said.text }, 'waiting for the ledger');
        throw error;
      }
    };
    return pRetry(ask, { ...EVENLY, minTimeout: pauseMs, signal });
  }

  async #recalled<Answer>(question: Question<Answer>): Promise<Learned<Answer> | null> {
    const { last, log } = this.#options;
    const asked = this.#askedOf(question);
    const known = await (await last).recall(asked, this.#io());
    if (known === null) return null;
    this.#away.add(question.participant);
    log.warn({ ...asked, answeredAt: known.at }, 'a participant is away: believed as it was');
    // The cast is safe, because the question's name identifies the type of its answers.
    return { answer: known.answer as Answer, isFresh: false };
  }

  /** Stores an answer. If that fails, the start continues. */
  async #note(question: Question<unknown>, answer: unknown): Promise<void> {
    const { last, log, signal } = this.#options;
    try {
      await (await last).note(this.#askedOf(question), answer as Json, this.#io());
    } catch (error) {
      signal.throwIfAborted();
      log.warn({ error: String(error) }, 'what a participant said could not be written down');
    }
  }

  async #readLater(name: ParticipantName, rights: LedgerRights, signal: AbortSignal) {
    const { log } = this.#options;
    const ask = async () => {
      const { ledgerUser } = await rights.refresh(name, 0, {
        signal,
        deadlineMs: MAIN_LIMITS.startCallMs,
      });
      log.info({ participant: name, ledgerUser }, 'a participant answers that was away');
    };
    await pRetry(ask, {
      ...EVENLY,
      minTimeout: this.#patience.laterMs,
      signal,
      onFailedAttempt: ({ error }) =>
        log.debug({ participant: name, error: String(error) }, 'a participant is still away'),
    }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }

  #askedOf({ participant, name }: Question<unknown>): AskedOf {
    return { participant, ...this.#options.askedOf(participant), question: name };
  }

  #io(): Io {
    return { signal: this.#options.signal, deadlineMs: LIMITS.databaseStatementMs };
  }
}
