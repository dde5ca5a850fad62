import type { LedgerNetwork } from '../../../localnet/ledger/ledger-network.ts';
import type { Completion, LedgerTransaction } from '../../../localnet/ledger/update.ts';

/** What has happened on the ledger, as the ledger itself wrote it down: nothing of Tenure's is in it, nothing is pruned. */
export class Truth {
  readonly transactions: LedgerTransaction[] = [];
  readonly completions: Completion[] = [];

  constructor({ store }: LedgerNetwork, onRecord: (what: string) => void) {
    const add = store.add.bind(store);
    store.add = (record) => {
      add(record);
      if (record.kind === 'transaction') {
        this.transactions.push(record.transaction);
        this.completions.push(record.completion);
        const { submitter, events } = record.transaction;
        const made = events.map(({ kind, contract }) => `${kind} ${contract.template.name.entity}`);
        onRecord(`${submitter.commandId} at ${record.completion.offset}: ${made.join(', ')}`);
      }
      if (record.kind === 'rejection') {
        this.completions.push(record.completion);
        const { submitter, offset, rejection } = record.completion;
        onRecord(`${submitter.commandId} at ${offset}: ${rejection?.code}`);
      }
    };
  }
}
