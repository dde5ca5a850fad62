import type { LfModule } from './module.ts';
import { spine } from './serializability.ts';

/** What a data type is for. */
export interface Origin {
  readonly kind: 'template' | 'choice' | 'constructor' | 'type';
  /** As errors name it. */
  readonly text: string;
  /** The same for the same purpose in another version of the package. */
  readonly key: string;
}

/** What the data type of a name is for in a module. */
export function originOf(module: LfModule, name: string): Origin {
  if (module.templates.has(name)) {
    return { kind: 'template', text: `template ${name}`, key: `template ${name}` };
  }
  const end = name.lastIndexOf('.');
  const [prefix, last] = [name.slice(0, Math.max(end, 0)), name.slice(end + 1)];
  for (const template of module.templates.values()) {
    const of = template.name.slice(0, Math.max(template.name.lastIndexOf('.'), 0));
    if (of !== prefix || !template.choices.has(last)) continue;
    const text = `input type of choice ${last} on template ${template.name}`;
    return { kind: 'choice', text, key: text };
  }
  return (
    constructorOrigin(module, prefix, last) ?? {
      kind: 'type',
      text: `data type ${name}`,
      key: `type ${name}`,
    }
  );
}

/** A record that holds the fields of a variant's constructor is called as both. */
function constructorOrigin(module: LfModule, variant: string, name: string): Origin | undefined {
  const shape = module.dataTypes.get(variant)?.shape;
  if (shape?.kind !== 'variant') return undefined;
  const type = shape.constructors.find((each) => each.name === name)?.type;
  const head = type === undefined ? undefined : spine(type).head;
  if (head?.kind !== 'con') return undefined;
  const text = `variant constructor ${head.id.name} from variant ${variant}`;
  return { kind: 'constructor', text, key: `${text} ${head.id.module}` };
}
