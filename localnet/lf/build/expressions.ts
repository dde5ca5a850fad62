import { message, number, part } from './tables.ts';
import type { Bytes, LfTables } from './tables.ts';
import { list, party, unit } from './types.ts';
import type { Type } from './types.ts';

const BUILTIN_ERROR = 1;

/** `()`. */
export const UNIT_EXPRESSION = message(number(5, 0));

/** The few expressions that assembled packages need. They can be simple, because these packages are never executed. */
export class Expressions {
  readonly #tables: LfTables;
  readonly #failure: string;

  constructor(tables: LfTables, failure: string) {
    this.#tables = tables;
    this.#failure = failure;
  }

  /**
   * Returns an expression of the given type that fails with the package's text. It uses the builtin `ERROR : forall a.
   * Text -> a`.
   */
  failing(type: Type): Bytes {
    const text = this.#tables.string(this.#failure);
    const ofType = message(
      part(1, message(number(4, BUILTIN_ERROR))),
      part(2, this.#tables.typeReference(type)),
    );
    const literal = message(part(6, message(number(4, text))));
    return message(part(15, message(part(1, message(part(16, ofType))), part(2, literal))));
  }

  /** Returns the empty list of parties. */
  noParties(): Bytes {
    return message(part(21, message(part(1, this.#tables.typeReference(party)))));
  }

  /** Returns the update without an effect, whose result is `()`. */
  nothing(): Bytes {
    const pure = message(part(1, this.#tables.typeReference(unit)), part(2, UNIT_EXPRESSION));
    return message(part(23, message(part(1, pure))));
  }

  /** Returns an expression for parties that only the native implementation computes. */
  parties(): Bytes {
    return this.failing(list(party));
  }
}
