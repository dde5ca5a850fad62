import type { Misfortune } from './participant-node.ts';
import type { SequencingRequest } from './sequencer.ts';
import type { TransactionTree } from './transaction-tree.ts';

/** Returns what is sequenced for a submission: its transaction, or the failure that the network causes for it. */
export function contentOf(
  misfortune: Misfortune | undefined,
  tree: TransactionTree,
): SequencingRequest['content'] {
  if (misfortune === undefined) return { kind: 'transaction', tree };
  return misfortune.kind === 'lost' ? misfortune : { ...misfortune, kind: 'refusal' };
}
