import type { RollbackNode, TreeNode } from './transaction-tree.ts';

/*
 * Nodes that were undone, in the normal form of a transaction: no rollback node is empty, and none begins or ends with
 * another rollback node.
 */

/**
 * Groups undone nodes into rollback nodes, and numbers all nodes from `first` on. Also returns the next free number.
 */
export function rolledBack(
  undone: readonly TreeNode[],
  first: number,
): { readonly nodes: readonly TreeNode[]; readonly next: number } {
  let next = first;
  const numbered = (node: TreeNode): TreeNode => {
    const nodeId = next;
    next += 1;
    if (node.kind !== 'rollback' && node.kind !== 'exercise') return { ...node, nodeId };
    const children = node.children.map(numbered);
    if (node.kind === 'rollback') return { ...node, nodeId, children };
    return { ...node, nodeId, children, lastDescendantNodeId: next - 1 };
  };
  return { nodes: normalized(undone).map(numbered), next };
}

function normalized(undone: readonly TreeNode[]): readonly TreeNode[] {
  const begin = undone.findIndex(({ kind }) => kind !== 'rollback');
  if (begin < 0) return undone;
  const rest = undone.slice(begin);
  const last = rest.at(-1);
  const children = last?.kind === 'rollback' ? [...rest.slice(0, -1), ...last.children] : rest;
  return [...undone.slice(0, begin), rollbackOf(children)];
}

/** The node ID is assigned later, together with those of the children. */
const rollbackOf = (children: readonly TreeNode[]): RollbackNode => ({
  kind: 'rollback',
  nodeId: 0,
  children,
});
