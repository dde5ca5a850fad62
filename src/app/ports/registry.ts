import type { ContractId, Party } from '../../domain/ids.ts';
import type { JsonRecord } from '../../domain/json.ts';
import type { DisclosedContract } from '../../domain/ledger.ts';
import type { Io } from './io.ts';

/** The token registry gave no usable answer. */
export class RegistryError extends Error {
  override readonly name = 'RegistryError';
  /** `unavailable`: may answer later. `not-found`: does not know the allocation, or does not know it yet. */
  readonly kind: 'unavailable' | 'not-found' | 'refused';
  constructor(kind: RegistryError['kind'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

/** The data that settling an allocation needs in addition to the allocation, specific to the ledger's token. */
export interface SettlementContext {
  /** Entries of the choice context by name, each `{tag: 'AV_…', value}` in the query store's encoding. */
  readonly values: JsonRecord;
  readonly disclosed: readonly DisclosedContract[];
}

/** The registry of the token in which fees are paid. Every call may throw {@link RegistryError}. */
export interface TokenRegistry {
  /** Returns the party that issues the fees' token. */
  instrumentAdmin(io: Io): Promise<Party>;
  /** Returns the data that executing an allocation's transfer currently needs. */
  settlementContext(allocation: ContractId, io: Io): Promise<SettlementContext>;
}
