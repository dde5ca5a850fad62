import type { Misfortune } from './participant-node.ts';
import type { SequencingRequest } from './sequencer.ts';
import type { TransactionTree } from './transaction-tree.ts';

/** What is sequenced of a submission: its transaction, unless a misfortune befalls it. */
export function contentOf(
  misfortune: Misfortune | undefined,
  tree: TransactionTree,
): SequencingRequest['content'] {
  if (misfortune === undefined) return { kind: 'transaction', tree };
  return misfortune.kind === 'lost' ? misfortune : { ...misfortune, kind: 'refusal' };
}
