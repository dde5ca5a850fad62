import type { DefinitionId, Type } from './types.ts';

/** The maximum length of a type's text. Types may share parts without limit, but their texts repeat such parts. */
const TYPE_CHARS_MAX = 1000;

export const definitionText = ({ packageId, module, name }: DefinitionId): string =>
  `${packageId}:${module}:${name}`;

/** The maximum number of steps for describing all types of a package. The largest published package takes 58,000. */
const STEPS_MAX = 2_000_000;
/** Replaces omitted text. */
const LEFT_OUT = '…';

/** Returns the text of a type, cut if it is too long. Package IDs are omitted. */
export const typeText = (type: Type): string => new TypeTexts().of(type);

/**
 * Returns texts of one package's types. The length is limited, because types share parts, so that a few bytes may stand
 * for a huge text.
 */
export class TypeTexts {
  readonly #known = new Map<Type, string>();
  #left = STEPS_MAX;

  of(type: Type): string {
    if (this.#left <= 0) return LEFT_OUT;
    const text = this.#known.get(type) ?? this.#write(type);
    this.#left -= text.length;
    return text;
  }

  #write(type: Type): string {
    const written = new TypeText();
    written.add(type, false);
    this.#left -= written.steps;
    const text = written.parts.join('').slice(0, TYPE_CHARS_MAX);
    this.#known.set(type, text);
    return text;
  }
}

class TypeText {
  readonly parts: string[] = [];
  /** The number of types and parts that were visited. */
  steps = 0;
  #length = 0;

  #put(text: string): void {
    this.parts.push(text);
    this.#length += text.length;
  }

  add(type: Type, isArgument: boolean): void {
    this.steps += 1;
    if (this.#length > TYPE_CHARS_MAX) return;
    switch (type.kind) {
      case 'var':
        this.#put(type.name);
        return;
      case 'nat':
        this.#put(String(type.value));
        return;
      case 'con':
        this.#put(`${type.id.module}:${type.id.name}`);
        return;
      case 'builtin':
        this.#put(type.builtin);
        return;
      case 'app':
        this.#inBrackets(isArgument, () => this.#application(type));
        return;
      case 'synonym':
        this.#put(`|${type.id.module}:${type.id.name}|`);
        return;
      case 'forall':
        this.#inBrackets(isArgument, () => {
          this.steps += type.vars.length;
          this.#put(`forall ${type.vars.map(({ name }) => name).join(' ')}. `);
          this.add(type.body, false);
        });
        return;
      case 'struct':
        this.steps += type.fields.length;
        this.#put(`<${type.fields.map(({ name }) => name).join(', ')}>`);
        return;
      default:
        throw new TypeError(`no such type: ${JSON.stringify(type satisfies never)}`);
    }
  }

  #application(type: Type): void {
    const args: Type[] = [];
    let head = type;
    while (head.kind === 'app') {
      args.push(head.arg);
      head = head.fun;
    }
    this.steps += args.length;
    this.add(head, true);
    for (const arg of args.reverse()) {
      this.#put(' ');
      this.add(arg, true);
    }
  }

  #inBrackets(isNeeded: boolean, add: () => void): void {
    if (isNeeded) this.#put('(');
    add();
    if (isNeeded) this.#put(')');
  }
}
