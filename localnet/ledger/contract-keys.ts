import type { Meter } from './engine/bounds.ts';
import { sameType, sortedParties } from './contract.ts';
import type { Contract } from './contract.ts';
import { interpreterRefusal } from './interpretation-errors.ts';
import { compareValues } from './lf-order.ts';
import { contractIdsIn } from './lf-parts.ts';
import { show } from './lf-show.ts';
import type { LfType, TypeName } from './lf-types.ts';
import type { KeyedTemplate } from './package-definition.ts';

/** A contract that a transaction has used. */
export interface UsedContract {
  readonly contract: Contract;
  readonly isLocal: boolean;
  isConsumed: boolean;
}

interface KeyOptions {
  readonly used: ReadonlyMap<string, UsedContract>;
  /** Returns the contracts of a template that existed before the transaction, the latest last. */
  readonly contractsOf: (template: Pick<KeyedTemplate, 'name'>) => Iterable<Contract>;
  readonly meter: Meter;
  readonly nameOf: (name: TypeName) => string;
  /** Runs code whose exceptions are not caught. */
  readonly uncaught: <T>(run: () => T) => T;
}

export const withContractId = (contractId: string): string =>
  `Contract IDs are not supported in contract keys: ${contractId}`;

/** Throws CONTRACT_ID_IN_CONTRACT_KEY if a key contains a contract ID. */
function requireWithoutContractIds(type: LfType, key: unknown): void {
  for (const contractId of contractIdsIn(type, key)) {
    throw interpreterRefusal('CONTRACT_ID_IN_CONTRACT_KEY', withContractId(contractId));
  }
}

/** Finds contracts by their keys, for one transaction. Several contracts may have one key. */
export class ContractKeys {
  readonly #options: KeyOptions;

  constructor(options: KeyOptions) {
    this.#options = options;
  }

  /**
   * Returns the maintainers of the key of a payload. Throws CREATE_EMPTY_CONTRACT_KEY_MAINTAINERS,
   * CONTRACT_ID_IN_CONTRACT_KEY.
   */
  maintainersOfPayload({ name, key }: KeyedTemplate, payload: unknown): readonly string[] {
    const { meter, uncaught, nameOf } = this.#options;
    const value = uncaught(() => key.of(payload, meter));
    const parties = sortedParties(uncaught(() => key.maintainers(value, meter)));
    requireWithoutContractIds(key.type, value);
    if (parties.length > 0) return parties;
    throw interpreterRefusal(
      'CREATE_EMPTY_CONTRACT_KEY_MAINTAINERS',
      `Update failed due to a contract key with an empty set of maintainers when creating ${nameOf(name)}`,
    );
  }

  /**
   * Returns the active contracts with a key: first those that this transaction created, then the others; in both
   * groups, the latest first.
   */
  contracts({ name, key: definition }: KeyedTemplate, key: unknown): readonly Contract[] {
    const { used, contractsOf, meter } = this.#options;
    const isWanted = ({ template, payload }: Contract): boolean => {
      meter.spend(1);
      if (template.key === undefined || !sameType(template.name, name)) return false;
      return compareValues(definition.type, template.key.of(payload, meter), key) === 0;
    };
    meter.copy(used.size);
    const own = Array.from(used.values()).flatMap(({ contract, isLocal, isConsumed }) =>
      isLocal && !isConsumed ? [contract] : [],
    );
    const others = [...contractsOf({ name })].filter(
      ({ contractId }) => used.get(contractId)?.isConsumed !== true,
    );
    return [...others, ...own].filter(isWanted).toReversed();
  }

  /** Returns a key's maintainers. Throws FETCH_EMPTY_CONTRACT_KEY_MAINTAINERS if there are none. */
  maintainersOf({ name, key: definition }: KeyedTemplate, key: unknown): readonly string[] {
    const { meter, uncaught, nameOf } = this.#options;
    const parties = sortedParties(uncaught(() => definition.maintainers(key, meter)));
    requireWithoutContractIds(definition.type, key);
    if (parties.length > 0) return parties;
    throw interpreterRefusal(
      'FETCH_EMPTY_CONTRACT_KEY_MAINTAINERS',
      `Update failed due to a contract key with an empty set of maintainers when fetching or looking up by key ${nameOf(name)}`,
    );
  }

  /** Returns the ID of the latest contract with a key. Throws CONTRACT_KEY_NOT_FOUND. */
  find(template: KeyedTemplate, key: unknown): string {
    this.maintainersOf(template, key);
    const [found] = this.contracts(template, key);
    if (found !== undefined) return found.contractId;
    throw interpreterRefusal(
      'CONTRACT_KEY_NOT_FOUND',
      `Update failed due to fetch-by-key or exercise-by-key which did not find a contract with key ${show(template.key.type, key)} (${this.#options.nameOf(template.name)})`,
    );
  }
}
