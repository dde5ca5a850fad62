import type { Misfortune } from './participant-node.ts';
import type { SequencingRequest } from './sequencer.ts';
import type { TransactionTree } from './transaction-tree.ts';

/**
 * Returns the content that is sequenced for a submission: its transaction, or the failure that a fault makes the
 * network cause.
 */
export function contentOf(
  misfortune: Misfortune | undefined,
  tree: TransactionTree,
): SequencingRequest['content'] {
  if (misfortune === undefined) return { kind: 'transaction', tree };
  return misfortune.kind === 'lost' ? misfortune : { ...misfortune, kind: 'refusal' };
}
