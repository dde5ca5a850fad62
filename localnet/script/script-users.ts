import { as } from '../ledger/engine/builtin.ts';
import { fieldsOf } from '../ledger/engine/forms.ts';
import { itemsOf, listOf, NONE, Some, UNIT, Variant, wrongType } from '../ledger/engine/values.ts';
import type { Value } from '../ledger/engine/values.ts';
import type { FieldOf, ScriptTypes } from './script-types.ts';

/** A user as the script gave it, and the rights by their texts. */
interface KeptUser {
  readonly user: Value;
  readonly rights: Map<string, Value>;
}

const idIn = (value: Value | undefined): string => as.text(fieldsOf(as.value(value))[0]);

function rightsIn(value: Value | undefined): Map<string, Value> {
  const rights = new Map<string, Value>();
  for (const right of itemsOf(as.list(value))) {
    if (!(right instanceof Variant)) throw wrongType('a right of a user');
    rights.set(`${right.tag} ${typeof right.value === 'string' ? right.value : ''}`, right);
  }
  return rights;
}

/** The users of a script's ledger. An answer is `None` if the user does not exist, or exists already. */
export class ScriptUsers {
  readonly #types: ScriptTypes;
  readonly #users = new Map<string, KeptUser>();

  constructor(types: ScriptTypes) {
    this.#types = types;
  }

  #with(of: FieldOf, answer: (kept: KeptUser) => Value): Value {
    const kept = this.#users.get(idIn(of('userId')));
    return kept === undefined ? NONE : new Some(answer(kept));
  }

  create(of: FieldOf): Value {
    const user = as.value(of('user'));
    const id = idIn(this.#types.fields('User', user)('userId'));
    if (this.#users.has(id)) return NONE;
    this.#users.set(id, { user, rights: rightsIn(of('rights')) });
    return new Some(UNIT);
  }

  get(of: FieldOf): Value {
    return this.#with(of, ({ user }) => user);
  }

  delete(of: FieldOf): Value {
    return this.#with(of, () => {
      this.#users.delete(idIn(of('userId')));
      return UNIT;
    });
  }

  all(): Value {
    const ids = [...this.#users.keys()].toSorted();
    return listOf(ids.map((id) => as.value(this.#users.get(id)?.user)));
  }

  rightsOf(of: FieldOf): Value {
    return this.#with(of, ({ rights }) => listOf([...rights.values()]));
  }

  /** Answers with the rights that the user did not have before. */
  grant(of: FieldOf): Value {
    return this.#with(of, ({ rights }) => {
      const granted = [...rightsIn(of('rights'))].filter(([key]) => !rights.has(key));
      for (const [key, right] of granted) rights.set(key, right);
      return listOf(granted.map(([, right]) => right));
    });
  }

  /** Answers with the rights that the user had before. */
  revoke(of: FieldOf): Value {
    return this.#with(of, ({ rights }) => {
      const revoked = [...rightsIn(of('rights'))].filter(([key]) => rights.delete(key));
      return listOf(revoked.map(([, right]) => right));
    });
  }
}
