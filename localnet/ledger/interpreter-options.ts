import type { Contract } from './contract.ts';
import type { Bounds } from './engine/bounds.ts';
import type { TemplateDefinition } from './package-definition.ts';
import type { PackageRegistry } from './package-registry.ts';

export interface InterpreterOptions {
  readonly registry: PackageRegistry;
  /**
   * Returns a contract that this submission may use: the contract is active, and its readers see it or it was
   * disclosed.
   */
  readonly lookUp: (contractId: string) => Contract | undefined;
  /**
   * Returns the contracts with this payload that the submission's readers see. Only templates with `isFoundByPayload`
   * are searched.
   */
  readonly lookUpByPayload: (template: TemplateDefinition, payload: unknown) => Iterable<Contract>;
  /** Returns the contracts of a template that the submission's readers see, the latest last. @default none */
  readonly contractsOf?: (template: Pick<TemplateDefinition, 'name'>) => Iterable<Contract>;
  /** Overrides of the submission's resource limits. */
  readonly bounds?: Partial<Bounds>;
  /**
   * Whether creates and archivals are undone if an exception after them is caught. A participant refuses such a
   * transaction, but Daml Script does not. @default false
   */
  readonly undoesEffects?: boolean;
  /** Ledger time in microseconds. */
  readonly ledgerTime: bigint;
  /** 32 unpredictable bytes, from which the contract IDs are computed. */
  readonly seed: Uint8Array;
  /**
   * Returns the seed of one node, for an interpretation that must reproduce a transaction. @default `seed` for all
   * nodes
   */
  readonly seedOf?: (nodeId: number) => Uint8Array;
}
