import type { DefinitionId, Type } from './types.ts';

/** Types may be shared without end; text is not. */
const TYPE_CHARS_MAX = 1000;

export const definitionText = ({ packageId, module, name }: DefinitionId): string =>
  `${packageId}:${module}:${name}`;

/** A type as people write it, cut where it gets too long. Package IDs are left out. */
export function typeText(type: Type): string {
  const text = new TypeText();
  text.add(type, false);
  return text.parts.join('').slice(0, TYPE_CHARS_MAX);
}

class TypeText {
  readonly parts: string[] = [];
  #length = 0;

  #put(text: string): void {
    this.parts.push(text);
    this.#length += text.length;
  }

  add(type: Type, isArgument: boolean): void {
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
          this.#put(`forall ${type.vars.map(({ name }) => name).join(' ')}. `);
          this.add(type.body, false);
        });
        return;
      case 'struct':
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
