import type { Contract } from './contract.ts';
import type { Bounds } from './engine/bounds.ts';
import type { TemplateDefinition } from './package-definition.ts';
import type { PackageRegistry } from './package-registry.ts';

export interface InterpreterOptions {
  readonly registry: PackageRegistry;
  /** Contracts of the ledger that this submission may use: active, and visible to its readers or disclosed. */
  readonly lookUp: (contractId: string) => Contract | undefined;
  /** Contracts that the submission's readers see, of a template that is found by payload. */
  readonly lookUpByPayload: (template: TemplateDefinition, payload: unknown) => Iterable<Contract>;
  /** Contracts of a template that the submission's readers see, the latest last. @default none */
  readonly contractsOf?: (template: Pick<TemplateDefinition, 'name'>) => Iterable<Contract>;
  /** Overrides of the submission's resource limits. */
  readonly bounds?: Partial<Bounds>;
  /** Microseconds. */
  readonly ledgerTime: bigint;
  /** 32 unpredictable bytes; the contract IDs come from it. */
  readonly seed: Uint8Array;
  /**
   * The seed of one node, for an interpretation that must produce the same transaction again. @default `seed` for all
   */
  readonly seedOf?: (nodeId: number) => Uint8Array;
}
