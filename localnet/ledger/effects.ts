import { templateText } from './contract.ts';
import type { Contract } from './contract.ts';
import type { UsedContract } from './contract-keys.ts';
import { LedgerError } from './ledger-error.ts';

interface Effect {
  readonly text: string;
  readonly contract: Contract;
  readonly undo: () => void;
}

/** The contracts that a transaction has created and archived, in order. */
export class Effects {
  readonly #effects: Effect[] = [];
  readonly #used: Map<string, UsedContract>;

  constructor(used: Map<string, UsedContract>) {
    this.#used = used;
  }

  get count(): number {
    return this.#effects.length;
  }

  created(contract: Contract): void {
    const undo = () => void this.#used.delete(contract.contractId);
    this.#effects.push({ text: 'Create of', contract, undo });
  }

  archived(used: UsedContract, choice: string): void {
    const undo = () => {
      used.isConsumed = false;
    };
    const text = `Consuming exercise of ${choice} on`;
    this.#effects.push({ text, contract: used.contract, undo });
  }

  /**
   * Undoes the effects after the first `kept` ones. If there are any and `isAllowed` is false, throws
   * DAML_EFFECTFUL_ROLLBACK_ERROR.
   */
  undo(kept: number, isAllowed: boolean): void {
    const undone = this.#effects.splice(kept);
    if (undone.length > 0 && !isAllowed) {
      const shown = undone.map(
        ({ text, contract }) => `${text} ${templateText(contract)}(${contract.contractId})`,
      );
      throw new LedgerError(
        'DAML_EFFECTFUL_ROLLBACK_ERROR',
        `Interpretation error: Error: Tried to rollback side-effectful node(s): ${shown.join(',\n ')}`,
      );
    }
    for (const { undo } of undone.toReversed()) undo();
  }
}
