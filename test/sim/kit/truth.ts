import type { LedgerNetwork } from '../../../localnet/ledger/ledger-network.ts';
import type { Completion, LedgerTransaction } from '../../../localnet/ledger/update.ts';

/** The ledger's own record of its transactions. Nothing in it comes from Tenure, and nothing is pruned. */
export class Truth {
  readonly transactions: LedgerTransaction[] = [];
  readonly completions: Completion[] = [];
  readonly #onRecord: (what: string) => void;

  constructor(network: LedgerNetwork, onRecord: (what: string) => void) {
    this.#onRecord = onRecord;
    this.#listen(network);
  }

  /** After a restart of the network, adds the transactions that were recorded before a listener was attached. */
  goOn(network: LedgerNetwork): void {
    const keyOf = ({ submitter, offset }: Completion) => `${submitter.participant} ${offset}`;
    const known = new Set(this.completions.map(keyOf));
    for (const name of network.participantNames) {
      const { completions } = network.participants[name].state;
      for (const one of completions) if (!known.has(keyOf(one))) this.#refused(one);
    }
    this.#listen(network);
  }

  #refused(completion: Completion): void {
    this.completions.push(completion);
    const { submitter, offset, rejection } = completion;
    this.#onRecord(`${submitter.commandId} at ${offset}: ${rejection?.code}`);
  }

  #listen({ store }: LedgerNetwork): void {
    const add = store.add.bind(store);
    store.add = (record) => {
      add(record);
      if (record.kind === 'transaction') {
        this.transactions.push(record.transaction);
        this.completions.push(record.completion);
        const { submitter, events } = record.transaction;
        const made = events.map(({ kind, contract }) => `${kind} ${contract.template.name.entity}`);
        this.#onRecord(`${submitter.commandId} at ${record.completion.offset}: ${made.join(', ')}`);
      }
      if (record.kind === 'rejection') {
        this.#refused(record.completion);
      }
    };
  }
}
