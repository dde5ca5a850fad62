import { LeaseLostError } from '../app/engine/lanes/leased.ts';
import type { Io, Log } from '../app/ports/io.ts';
import type { LedgerGateway } from '../app/ports/ledger.ts';
import type { Store } from '../app/ports/transaction.ts';
import type { Followed } from '../app/engine/follow/recognise-ledger.ts';
import { recognise } from '../app/engine/follow/recognise-ledger.ts';
import type { ParticipantName } from '../domain/ids.ts';
import type { ParticipantCause } from '../domain/participant-health.ts';
import { StreamStopped } from './stream-pump.ts';

/** The store was filled from another ledger, or from this ledger before it was reset. */
export class ForeignLedgerError extends StreamStopped {
  override readonly name = 'ForeignLedgerError';
  constructor(message: string) {
    super('FOREIGN_LEDGER', message, 'person');
  }
}

export interface LedgerCheckDeps {
  readonly store: Store;
  readonly gateway: LedgerGateway;
  readonly leaseEpoch: bigint;
  readonly log: Log;
}

/**
 * Before a stream is opened, checks that its participant has the ledger that was followed, and marks the stream if it
 * does not: from then on, nothing is submitted to that participant. The mark is removed when the ledger's history is
 * proven to be the store's. If the history can no longer be read, the mark stays; then a person has to rebuild or
 * reset.
 */
export class LedgerCheck {
  readonly #deps: LedgerCheckDeps;
  /** Reasons for which ledgers are considered foreign, by stream. */
  readonly #marked: Map<string, string>;

  constructor(deps: LedgerCheckDeps, causes: readonly ParticipantCause[]) {
    this.#deps = deps;
    const marked = causes.flatMap(({ stream, detail }) =>
      stream === null ? [] : [[stream, detail] as const],
    );
    this.#marked = new Map(marked);
  }

  /** @throws ForeignLedgerError, LeaseLostError */
  async check(participant: ParticipantName, followed: Followed, io: Io): Promise<void> {
    const { stream } = followed;
    const found = await recognise(this.#deps.gateway, participant, followed, io);
    const marked = this.#marked.get(stream);
    if (found.kind === 'foreign') {
      if (found.reason !== marked) await this.#mark(participant, stream, found.reason, io);
      throw new ForeignLedgerError(found.reason);
    }
    if (marked === undefined) return;
    if (found.kind === 'unproven') {
      throw new ForeignLedgerError(
        `the end of the foreign ledger could not be recorded: ${marked}`,
      );
    }
    await this.#clear(stream, io);
  }

  async #mark(participant: ParticipantName, stream: string, reason: string, io: Io): Promise<void> {
    const { store, leaseEpoch, log } = this.#deps;
    const mark = { stream, participant, reason };
    if (!(await store.transact(io, (tx) => tx.markForeign(mark, leaseEpoch)))) {
      throw new LeaseLostError();
    }
    this.#marked.set(stream, reason);
    log.error(
      mark,
      'a participant has a different ledger: Tenure sends nothing to this participant',
    );
  }

  async #clear(stream: string, io: Io): Promise<void> {
    const { store, leaseEpoch, log } = this.#deps;
    if (!(await store.transact(io, (tx) => tx.clearForeign([stream], leaseEpoch)))) {
      throw new LeaseLostError();
    }
    this.#marked.delete(stream);
    log.warn({ stream }, 'the participant has the right ledger again: waiting operations continue');
  }
}
