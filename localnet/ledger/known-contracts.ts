import { withRoomFor } from './columns.ts';
import { isVisibleTo, sameType } from './contract.ts';
import type { Contract } from './contract.ts';
import type { ActiveContracts, Contracts } from './contracts.ts';
import type { TypeName } from './lf-types.ts';
import type { TemplateDefinition } from './package-definition.ts';
import type { CreatedEvent, ExercisedEvent } from './update.ts';
import { mapped } from './mapped.ts';

/** One participant's knowledge of a contract that has one of the participant's parties as a stakeholder. */
export interface KnownContract {
  readonly contract: Contract;
  readonly created: {
    readonly offset: bigint;
    readonly event: CreatedEvent;
    readonly workflowId: string;
  };
  readonly archived: { readonly offset: bigint; readonly event: ExercisedEvent } | undefined;
}

/** The update through which a participant got a contract without seeing its creation. */
interface Imported {
  readonly entry: number;
  readonly nodeId: number;
}

/**
 * The contracts of one participant, by their numbers in the network, with the offsets of their creation and archival.
 * Contracts whose creation the participant only witnessed are excluded, because they are never active on it.
 */
export class KnownContracts {
  readonly #contracts: Contracts;
  /** The offset of each contract's creation; 0 means that this participant does not know the contract. */
  #createdAt = new Float64Array(256);
  /** The offset of each contract's archival; 0 means that the contract is active. */
  #archivedAt = new Float64Array(256);
  readonly #imported = new Map<number, Imported>();
  readonly active: ActiveContracts<KnownContract> = {
    has: (contractId) => this.#activeNumber(contractId) !== undefined,
    get: (contractId) => {
      const number = this.#activeNumber(contractId);
      return number === undefined ? undefined : this.#known(number);
    },
    keys: () =>
      mapped(this.#activeNumbers(), (number) => this.#contracts.contract(number).contractId),
    values: () => mapped(this.#activeNumbers(), (number) => this.#known(number)),
  };

  constructor(contracts: Contracts) {
    this.#contracts = contracts;
  }

  add({ contract: { contractId }, nodeId }: CreatedEvent, entry: number, offset: bigint): void {
    const number = this.#contracts.find(contractId);
    if (number === undefined) throw new TypeError(`no contract ${contractId} in the network`);
    this.#createdAt = withRoomFor(this.#createdAt, number + 1);
    this.#archivedAt = withRoomFor(this.#archivedAt, number + 1);
    this.#createdAt[number] = Number(offset);
    if (this.#contracts.createdIn(number) !== entry) this.#imported.set(number, { entry, nodeId });
  }

  /** Archives a contract. Returns whether the contract was known. */
  archive(contractId: string, offset: bigint): boolean {
    const number = this.#activeNumber(contractId);
    if (number === undefined) return false;
    this.#archivedAt[number] = Number(offset);
    return true;
  }

  get(contractId: string): KnownContract | undefined {
    const number = this.#contracts.find(contractId);
    return number === undefined || !this.#isKnown(number) ? undefined : this.#known(number);
  }

  /** Returns an active contract without its creation event. */
  activeContract(contractId: string): Contract | undefined {
    const number = this.#activeNumber(contractId);
    return number === undefined ? undefined : this.#contracts.contract(number);
  }

  /**
   * Returns the active contracts of the wanted templates with this party as a stakeholder, or with any party of this
   * participant if `party` is undefined. Other contracts are not read.
   */
  *activeOf(
    party: string | undefined,
    isWanted: (template: TemplateDefinition) => boolean,
  ): Generator<Contract, void, undefined> {
    for (const number of this.#activeNumbers()) {
      const template = this.#contracts.template(number);
      if (template === undefined || !isWanted(template)) continue;
      if (party === undefined || this.#contracts.stakeholders(number).includes(party))
        yield this.#contracts.contract(number);
    }
  }

  /** Returns the active contracts of a template that have one of the readers as a stakeholder, in order of creation. */
  visibleOf(name: TypeName, readers: ReadonlySet<string>): readonly Contract[] {
    const active = this.activeOf(undefined, (template) => sameType(template.name, name));
    return Array.from(active).filter((contract) => isVisibleTo(contract, readers));
  }

  /**
   * Returns the contracts that were active at an offset, in order of creation. Later events do not change the result.
   *
   * @param since contracts created earlier are omitted
   */
  activeAt(offset: bigint, since: bigint): Iterable<KnownContract> {
    const at = Number(offset);
    const numbers = this.#numbers(
      (created, archived) => created >= since && created <= at && (archived === 0 || archived > at),
    );
    const offsets = numbers.map((number) => this.#createdAt[number] ?? 0);
    return mapped(numbers, (number, index) => this.#known(number, offsets[index]));
  }

  /** Forgets contracts that were archived up to `offset`. */
  pruneUpTo(offset: bigint): void {
    const upTo = Number(offset);
    for (const number of this.#numbers((_created, archived) => archived > 0 && archived <= upTo)) {
      this.#createdAt[number] = 0;
      this.#imported.delete(number);
    }
  }

  #known(number: number, createdAt = this.#createdAt[number] ?? 0): KnownContract {
    const imported = this.#imported.get(number);
    const { event, workflowId } = this.#contracts.created(
      imported?.entry ?? this.#contracts.createdIn(number),
      imported?.nodeId ?? this.#contracts.createdNode(number),
    );
    const contracts = this.#contracts;
    const archivedAt = this.#archivedAt[number] ?? 0;
    return {
      contract: event.contract,
      created: { offset: BigInt(createdAt), event, workflowId },
      get archived() {
        if (archivedAt === 0) return undefined;
        return { offset: BigInt(archivedAt), event: contracts.archivedBy(number) };
      },
    };
  }

  #isKnown(number: number): boolean {
    return (this.#createdAt[number] ?? 0) !== 0;
  }

  #activeNumber(contractId: string): number | undefined {
    const number = this.#contracts.find(contractId);
    if (number === undefined || !this.#isKnown(number)) return undefined;
    return this.#archivedAt[number] === 0 ? number : undefined;
  }

  /** Yields the numbers without sorting a copy if this participant has seen the creation of all its contracts. */
  #activeNumbers(): IteratorObject<number, void, undefined> {
    if (this.#imported.size > 0) return this.#numbers((_at, archived) => archived === 0).values();
    return this.#activeInOrder();
  }

  *#activeInOrder(): Generator<number, void, undefined> {
    for (let number = 0; number < this.#createdAt.length; number += 1) {
      if (this.#createdAt[number] !== 0 && this.#archivedAt[number] === 0) yield number;
    }
  }

  /** Returns the numbers of known contracts in order of arrival at this participant. */
  #numbers(isWanted: (createdAt: number, archivedAt: number) => boolean): number[] {
    const numbers: number[] = [];
    this.#createdAt.forEach((createdAt, number) => {
      if (createdAt !== 0 && isWanted(createdAt, this.#archivedAt[number] ?? 0))
        numbers.push(number);
    });
    if (this.#imported.size === 0) return numbers;
    return numbers.sort((one, other) => {
      const byOffset = (this.#createdAt[one] ?? 0) - (this.#createdAt[other] ?? 0);
      return byOffset === 0 ? one - other : byOffset;
    });
  }
}
