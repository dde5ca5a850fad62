import { stakeholdersOf } from './contract.ts';
import type { Contract } from './contract.ts';
import type { LfType, TypeName } from './lf-types.ts';

interface CreateNode {
  readonly kind: 'create';
  readonly nodeId: number;
  readonly contract: Contract;
}

interface FetchNode {
  readonly kind: 'fetch';
  readonly nodeId: number;
  readonly contract: Contract;
  /** Set when the contract is fetched as an interface. */
  readonly interfaceName: TypeName | undefined;
  /** Stakeholders that have authorized the fetch. */
  readonly actors: readonly string[];
}

export interface ExerciseNode {
  readonly kind: 'exercise';
  readonly nodeId: number;
  readonly contract: Contract;
  /** Set when the choice belongs to an interface. */
  readonly interfaceName: TypeName | undefined;
  readonly choice: string;
  readonly argumentType: LfType;
  readonly argument: unknown;
  readonly resultType: LfType;
  result: unknown;
  /** The controllers that exercise the choice, sorted. */
  readonly actors: readonly string[];
  readonly choiceObservers: readonly string[];
  readonly consuming: boolean;
  readonly children: TreeNode[];
  /** The largest node ID in this node's subtree, including the node itself. */
  lastDescendantNodeId: number;
}

export type TransactionNode = CreateNode | FetchNode | ExerciseNode;

/** Nodes that were undone because an exception was caught. They have no effect. */
export interface RollbackNode {
  readonly kind: 'rollback';
  readonly nodeId: number;
  readonly children: readonly TreeNode[];
}

export type TreeNode = TransactionNode | RollbackNode;

/** A submission's interpreted transaction, before confirmation. Node IDs count from 0, in the order of execution. */
export interface TransactionTree {
  readonly roots: readonly TreeNode[];
  /** Contracts that existed before the transaction and must be active, in order of first use. */
  readonly inputs: ReadonlyMap<string, Contract>;
  /** The inputs that the transaction archives. */
  readonly consumed: ReadonlySet<string>;
  readonly timeBounds: TimeBounds;
}

/**
 * The range of ledger times at which a transaction has the same result, in microseconds, both inclusive. An absent
 * bound is open.
 */
export interface TimeBounds {
  readonly min?: bigint;
  readonly max?: bigint;
}

/** Returns the intersection of two ranges. */
export function narrowed(bounds: TimeBounds, { min, max }: TimeBounds): TimeBounds {
  const { min: least, max: most } = bounds;
  const isLater = min !== undefined && (least === undefined || min > least);
  const isEarlier = max !== undefined && (most === undefined || max < most);
  return { ...bounds, ...(isLater ? { min } : {}), ...(isEarlier ? { max } : {}) };
}

/**
 * Returns the informees of a node, by the ledger model's privacy rules: the parties that the node itself concerns.
 * Observers of a contract see its creation and its archival, but not a non-consuming choice on it.
 */
export function informeesOf(node: TransactionNode): readonly string[] {
  switch (node.kind) {
    case 'create':
      return stakeholdersOf(node.contract);
    case 'fetch':
      return [...node.contract.signatories, ...node.actors];
    case 'exercise':
      return [
        ...(node.consuming ? stakeholdersOf(node.contract) : node.contract.signatories),
        ...node.actors,
        ...node.choiceObservers,
      ];
    default:
      return node satisfies never;
  }
}

/**
 * Returns the witnesses of every node by node ID, sorted. A node's witnesses are its informees and the witnesses of the
 * exercise that contains it, because a witness of an exercise also sees its consequences.
 */
export function witnessesOf(roots: readonly TreeNode[]): ReadonlyMap<number, readonly string[]> {
  const witnesses = new Map<number, readonly string[]>();
  const visit = (node: TreeNode, inherited: readonly string[]) => {
    if (node.kind === 'rollback') {
      for (const child of node.children) visit(child, inherited);
      return;
    }
    const all = [...new Set([...inherited, ...informeesOf(node)])].sort();
    witnesses.set(node.nodeId, all);
    if (node.kind === 'exercise') for (const child of node.children) visit(child, all);
  };
  for (const root of roots) visit(root, []);
  return witnesses;
}

/** Yields every node that was not undone, parents before children, in order of execution. */
export function* nodesOf(roots: readonly TreeNode[]): Generator<TransactionNode> {
  for (const node of walk(roots, (within) => within.kind === 'exercise')) {
    if (node.kind !== 'rollback') yield node;
  }
}

/** Yields every node, including those that were undone. */
export const allNodesOf = (roots: readonly TreeNode[]): Generator<TreeNode> =>
  walk(roots, () => true);

type Parent = ExerciseNode | RollbackNode;

/** Visits nodes with a stack of its own instead of recursion, because nodes may be nested deeply. */
function* walk(
  roots: readonly TreeNode[],
  goesInto: (node: Parent) => boolean,
): Generator<TreeNode> {
  const todo = roots.toReversed();
  for (let node = todo.pop(); node !== undefined; node = todo.pop()) {
    yield node;
    if (node.kind === 'create' || node.kind === 'fetch' || !goesInto(node)) continue;
    for (const child of node.children.toReversed()) todo.push(child);
  }
}

/** Returns the creation time of the newest contract that a transaction uses. */
export const latestOf = ({ inputs }: TransactionTree): bigint =>
  [...inputs.values()].reduce((most, { createdAt }) => (createdAt > most ? createdAt : most), 0n);
