import { validationError } from './errors.ts';
import { interfaceIn } from './library.ts';
import type { Library } from './library.ts';
import type { Interface, Template } from './module.ts';
import { definitionText } from './pretty.ts';
import type { DefinitionId } from './types.ts';

function lookUp(library: Library, id: DefinitionId, where: string): Interface {
  const found = interfaceIn(library, id);
  if (found !== undefined) return found;
  throw validationError(`unknown interface ${definitionText(id)}`, where);
}

/** Whether an interface requires all that those that it requires do, and not itself. DAR_VALIDATION_ERROR. */
export function checkInterface(library: Library, id: DefinitionId, { requires }: Interface): void {
  const own = definitionText(id);
  const where = ` in interface ${own}`;
  const required = new Set(requires.map(definitionText));
  if (required.has(own)) {
    throw validationError(
      `Circular interface requirement is not allowed: interface ${own} requires itself.`,
      where,
    );
  }
  for (const one of requires) {
    for (const further of lookUp(library, one, where).requires.map(definitionText)) {
      if (required.has(further)) continue;
      throw validationError(
        `Interface ${own} is missing requirements ${further} required by ${definitionText(one)}`,
        where,
      );
    }
  }
}

/** Whether a template implements whole interfaces. DAR_VALIDATION_ERROR. */
export function checkInstances(library: Library, template: Template, where: string): void {
  const implemented = new Set(template.implements.map(({ id }) => definitionText(id)));
  for (const { id, methods } of template.implements) {
    const of = lookUp(library, id, where);
    const missing = of.requires.map(definitionText).find((required) => !implemented.has(required));
    if (missing !== undefined) {
      throw validationError(
        `Missing required interface instance ${missing} for template ${template.name}, required by interface ${definitionText(id)}`,
        where,
      );
    }
    const implementedHere = new Set(methods);
    const lacking = of.methods.find(({ name }) => !implementedHere.has(name));
    if (lacking !== undefined) {
      throw validationError(
        `Interface instance lacks an implementation for method '${lacking.name}'.`,
        where,
      );
    }
    const named = new Set(of.methods.map(({ name }) => name));
    const extra = methods.find((name) => !named.has(name));
    if (extra !== undefined) {
      throw validationError(
        `Tried to implement method ${extra} but interface ${definitionText(id)} does not have a method with that name.`,
        where,
      );
    }
  }
}
