import { Status as GrpcStatus } from 'nice-grpc-common';
import type { Io } from '../app/ports/io.ts';
import type { LedgerGateway } from '../app/ports/ledger.ts';
import type { KnownLedger } from '../app/engine/follow/recognise-ledger.ts';
import { recognise } from '../app/engine/follow/recognise-ledger.ts';
import type { LedgerAnswer } from '../domain/answer.ts';
import { NOTHING_SENT } from '../domain/answer.ts';
import { errorText } from '../domain/error-text.ts';
import type { ParticipantName } from '../domain/ids.ts';
import type { Participant } from './channel.ts';
import { LedgerCallError, TokenError, classify } from './outcome.ts';
import { LEDGER_LIMITS } from './limits.ts';

export interface RecogniserDeps {
  /** Only calls that read. */
  readonly gateway: Pick<LedgerGateway, 'ledgerEnd' | 'updateAt'>;
  readonly known: (participant: ParticipantName, io: Io) => Promise<KnownLedger>;
}

const notSent = (code: string, explanation: string, text = 'not sent'): LedgerAnswer => ({
  class: 'unknown',
  code,
  explanation,
  text,
  takesNoTry: true,
  ...NOTHING_SENT,
});

const foreign = (reason: string): LedgerAnswer => ({
  ...notSent('FOREIGN_LEDGER', `nothing is sent to another ledger: ${reason}`),
  waitsFor: 'foreign',
});

/**
 * Returns the answer for a command whose preliminary call failed: nothing of the command has left this process.
 *
 * @throws the error itself if it is not an answer of the ledger
 */
export function unanswered(error: unknown): LedgerAnswer {
  const answer = classify(error);
  const { class: kind } = answer;
  return { ...answer, class: kind === 'credentials' ? kind : 'unknown', takesNoTry: true };
}

/**
 * Statuses that mean that there was no answer, so the caller must wait. Any other error is an answer, which proves
 * nothing about the ledger.
 */
const UNANSWERED: ReadonlySet<GrpcStatus> = new Set([
  GrpcStatus.UNAVAILABLE,
  GrpcStatus.DEADLINE_EXCEEDED,
  GrpcStatus.CANCELLED,
  GrpcStatus.ABORTED,
  GrpcStatus.RESOURCE_EXHAUSTED,
  GrpcStatus.UNAUTHENTICATED,
]);

const isUnanswered = (error: unknown): boolean =>
  error instanceof TokenError ||
  (error instanceof LedgerCallError
    ? UNANSWERED.has(error.grpcStatus)
    : error instanceof Error && error.name === 'AbortError');

/**
 * Checks, once per connection, that the connected ledger is the one that the store has followed. A participant that is
 * restored, reset or replaced closes its connections, so a connection that stays open needs no further check.
 */
export class Recogniser {
  readonly #deps: RecogniserDeps;
  readonly #recognised = new Map<ParticipantName, number>();
  readonly #looking = new Map<ParticipantName, Promise<number | LedgerAnswer>>();

  constructor(deps: RecogniserDeps) {
    this.#deps = deps;
  }

  /** Returns the connection that may carry commands, or the reason why there is none. */
  async connectionTo(participant: Participant, io: Io): Promise<number | LedgerAnswer> {
    const { name, connection } = participant;
    const recognised = this.#recognised.get(name);
    if (recognised !== undefined && recognised === connection.current()) return recognised;
    // Concurrent callers share one check.
    const looking =
      this.#looking.get(name) ??
      this.#look(participant, io).finally(() => this.#looking.delete(name));
    this.#looking.set(name, looking);
    return looking;
  }

  /**
   * Forces a new check. A proxy may keep our connection open while the server behind it is replaced, but then at least
   * one call has failed.
   */
  forget(name: ParticipantName): void {
    this.#recognised.delete(name);
  }

  async #look({ name, connection }: Participant, io: Io): Promise<number | LedgerAnswer> {
    try {
      for (let tries = 0; tries < LEDGER_LIMITS.recogniseTriesMax; tries += 1) {
        // The check's first call opens the connection that it checks.
        if (connection.current() === null) {
          await connection.awaited(Math.min(LEDGER_LIMITS.connectedMs, io.deadlineMs), io.signal);
          await this.#deps.gateway.ledgerEnd(name, io);
        }
        const asked = connection.current();
        const refusal = await this.#refusalOf(name, io);
        if (refusal !== null) return refusal;
        if (asked === null || asked !== connection.current()) continue;
        this.#recognised.set(name, asked);
        return asked;
      }
    } catch (error) {
      if (isUnanswered(error) || error instanceof LedgerCallError) return unanswered(error);
      return notSent(
        'NOT_RECOGNISED',
        'the query store cannot tell what ledger it follows',
        errorText(error),
      );
    }
    return notSent('NOT_RECOGNISED', 'the connection to the participant does not hold');
  }

  /** @throws the error because of which the store or the participant did not answer */
  async #refusalOf(name: ParticipantName, io: Io): Promise<LedgerAnswer | null> {
    const known = await this.#deps.known(name, io);
    if (known.foreign !== null) return foreign(known.foreign);
    for (const followed of known.followed) {
      const found = await recognise(this.#deps.gateway, name, followed, io);
      if (found.kind === 'foreign') return foreign(found.reason);
      if (found.kind === 'unproven' && isUnanswered(found.cause)) throw found.cause;
    }
    return null;
  }
}
