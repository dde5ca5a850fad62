import { randomUUID } from 'node:crypto';
import type { Journal } from './journal.ts';
import { LedgerState } from './ledger-state.ts';
import type { PackageRegistry } from './package-registry.ts';
import { decodeRecord, encodeRecord } from './record-codec.ts';
import type { LedgerRecord } from './records.ts';
import type { Completion } from './update.ts';

export interface LedgerStoreOptions {
  readonly journal: Journal;
  readonly registry: PackageRegistry;
  readonly partyHint: string;
  readonly isSingle: boolean;
  /**
   * Called if writing the journal fails. Memory then contains records that the journal does not, so the process must
   * end without answering further requests.
   */
  readonly onFatal: (error: unknown) => void;
  /** The maximum size of decoded entries in memory, in bytes of their lines in the journal. */
  readonly nearBytes: number;
}

/**
 * The state and the journal together. `add` changes the state in memory; `flush` writes the added records to the
 * journal and then wakes the streams. Both are synchronous, and no other code runs between them, so readers never see a
 * record that is not written.
 */
export class LedgerStore {
  readonly state: LedgerState;
  /** Called for every completion that its participant has seen. */
  onCompletion: (completion: Completion) => void = () => undefined;
  readonly #journal: Journal;
  readonly #onFatal: (error: unknown) => void;
  #pending = '';
  /** The position of the next line in the journal. */
  #end = 0;

  constructor(options: LedgerStoreOptions) {
    const { journal, registry, partyHint, isSingle, onFatal } = options;
    this.#journal = journal;
    this.#onFatal = onFatal;
    this.state = new LedgerState(options);
    this.#replay(registry);
    if (this.state.networkId === undefined) {
      const networkId = randomUUID();
      const size = isSingle ? ({ isSingle } as const) : {};
      this.commit({ kind: 'genesis', format: 1, networkId, partyHint, ...size });
    }
  }

  #replay(registry: PackageRegistry): void {
    let lineNumber = 0;
    for (const { text, start, length } of this.#journal.lines()) {
      lineNumber += 1;
      try {
        const record = decodeRecord(text, registry, (id) => this.state.contract(id));
        this.#requireSameNetwork(record, lineNumber);
        this.state.apply(record, { start, length });
        this.state.entries.written();
        this.#end = start + length;
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        throw new Error(`LocalNet's journal cannot be read at line ${lineNumber}: ${reason}`, {
          cause: error,
        });
      }
      for (const name of this.state.names) this.state.participants[name].takeNews();
    }
  }

  #requireSameNetwork(record: LedgerRecord, lineNumber: number): void {
    if (lineNumber > 1) return;
    if (record.kind !== 'genesis') throw new Error('it does not begin with a genesis record');
    if (record.format !== 1) throw new Error(`format ${String(record.format)} is unknown`);
    if ((record.isSingle === true) !== (this.state.names.length === 1)) {
      const its = record.isSingle === true ? 'one participant' : 'three participants';
      throw new Error(`it belongs to a network of ${its}, and this one is not`);
    }
    if (record.partyHint !== this.state.partyHint) {
      throw new Error(
        `it belongs to party hint ${record.partyHint}, and this network is ${this.state.partyHint}`,
      );
    }
  }

  add(record: LedgerRecord): void {
    const line = `${encodeRecord(record)}\n`;
    const length = Buffer.byteLength(line);
    this.state.apply(record, { start: this.#end, length });
    this.#end += length;
    this.#pending += line;
  }

  flush(): void {
    if (this.#pending === '') return;
    try {
      this.#journal.append(this.#pending);
    } catch (error) {
      this.#onFatal(error);
      throw error;
    }
    this.#pending = '';
    this.state.entries.written();
    this.tell();
  }

  /**
   * Wakes the streams, and reports the completions that participants have seen. Must only be called if all records are
   * written.
   */
  tell(): void {
    for (const name of this.state.names) {
      const participant = this.state.participants[name];
      participant.published.notify();
      for (const completion of participant.takeNews()) this.onCompletion(completion);
    }
  }

  commit(record: LedgerRecord): void {
    this.add(record);
    this.flush();
  }

  /** Returns all written records, in the journal's format. */
  history(): Uint8Array {
    return this.#journal.bytes(this.#end - Buffer.byteLength(this.#pending));
  }

  close(): Promise<void> {
    return this.#journal.close();
  }
}
