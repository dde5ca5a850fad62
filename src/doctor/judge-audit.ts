import type { ChainEnds, ChainLink, ChainPlace } from '../app/ports/audit-chain.ts';
import type { Finding } from './findings.ts';
import { well, wrong } from './findings.ts';
import { DOCTOR_LIMITS } from './limits.ts';

const REMEDY =
  'Another program has written to the database. Keep a copy of the database, and compare the audit log with a backup: see "Audit log" in docs/OPERATIONS.md.';

/** Checks the chain of the audit log from its beginning to its end. */
export class ChainCheck {
  readonly #ends: ChainEnds;
  readonly #broken: string[] = [];
  #at: ChainPlace;

  constructor(ends: ChainEnds) {
    this.#ends = ends;
    this.#at = ends.deleted;
  }

  /** Checks further links of the chain. @param links the links that follow those already checked, in order */
  follow(links: readonly ChainLink[]): void {
    for (const link of links) {
      const { seq, auditId, isRight } = link;
      if (seq !== this.#at.seq + 1n) this.#missing(this.#at.seq + 1n, seq - 1n);
      else if (isRight === null) {
        this.#broken.push(`audit row ${auditId} at position ${seq} was deleted`);
      } else if (!isRight) {
        this.#broken.push(`audit row ${auditId} at position ${seq} was changed`);
      }
      this.#at = link;
    }
  }

  #missing(from: bigint, upTo: bigint): void {
    this.#broken.push(
      from === upTo ? `position ${from} is missing` : `positions ${from} to ${upTo} are missing`,
    );
  }

  /** Returns the findings of the check. @param unchained IDs of rows that should be in the chain and are not */
  findings(unchained: readonly bigint[]): Finding[] {
    const { last, deleted } = this.#ends;
    const broken = [...this.#broken];
    if (this.#at.seq !== last.seq) {
      broken.push(
        `the last row has position ${this.#at.seq}, but the recorded last position is ${last.seq}`,
      );
    } else if (this.#at.hash !== last.hash) {
      broken.push(`the hash at the last position ${last.seq} was changed`);
    }
    broken.push(
      ...unchained.map((id) => `audit row ${id} was inserted without an entry in the chain`),
    );
    if (broken.length === 0) {
      const words = `the audit hash chain is intact from position ${deleted.seq + 1n} to ${last.seq}; the last hash is ${last.hash}`;
      return [well('audit', last.seq === deleted.seq ? 'the audit hash chain is empty' : words)];
    }
    return broken
      .slice(0, DOCTOR_LIMITS.auditBreaksShown)
      .map((words) => wrong('audit', `the audit hash chain is broken: ${words}`, REMEDY));
  }
}
