import { shown, validationError } from './errors.ts';
import type { DataType, LfModule } from './module.ts';
import type { Steps } from './steps.ts';

interface Entity {
  /** The kind and name of the entity, as error messages show them. */
  readonly text: string;
  readonly module: string;
  /** The entity's name, prefixed with the names of its parents; empty for a module. */
  readonly path: string;
  readonly kind: 'record' | 'constructor' | 'other';
}

/**
 * Checks that names of a package differ by more than upper and lower case. Otherwise code generators and some file
 * systems could not distinguish them. A variant's constructor and the record of its fields count as one name. Throws
 * DAR_VALIDATION_ERROR.
 */
export function checkCollisions(modules: Iterable<LfModule>, steps: Steps): void {
  const known = new Map<string, Entity[]>();
  for (const module of modules) {
    for (const entity of entitiesIn(module)) {
      const path = entity.path === '' ? module.name : `${module.name}.${entity.path}`;
      steps.takeText(path, 'the names of its definitions are too long');
      const name = path.toUpperCase();
      const same = known.get(name);
      if (same === undefined) known.set(name, [entity]);
      else {
        const other = same.find((each) => !isAllowed(each, entity));
        if (other !== undefined) {
          throw validationError(`collision between ${shown(other.text)} and ${shown(entity.text)}`);
        }
        same.push(entity);
      }
    }
  }
}

const isAllowed = (one: Entity, other: Entity): boolean =>
  one.module === other.module &&
  one.path === other.path &&
  ((one.kind === 'record' && other.kind === 'constructor') ||
    (one.kind === 'constructor' && other.kind === 'record'));

function* entitiesIn(module: LfModule): Generator<Entity> {
  const { name } = module;
  const entity = (what: string, path: string, shownAs: string, kind: Entity['kind'] = 'other') => ({
    text: `${what} ${name}:${shownAs}`,
    module: name,
    path,
    kind,
  });
  yield { text: `module ${name}`, module: name, path: '', kind: 'other' };
  for (const data of module.dataTypes.values()) yield* entitiesOf(data, entity);
  for (const synonym of module.synonyms.names()) yield entity('type synonym', synonym, synonym);
  for (const template of module.templates.values()) {
    for (const choice of template.choices.keys()) {
      const path = `${template.name}.${choice}`;
      yield entity('template choice', path, `${template.name}:${choice}`);
    }
  }
  for (const each of module.interfaces.values()) {
    for (const choice of each.choices.keys()) {
      yield entity('interface choice', `${each.name}.${choice}`, `${each.name}:${choice}`);
    }
  }
}

function* entitiesOf(
  { name, shape }: DataType,
  entity: (what: string, path: string, shownAs: string, kind?: Entity['kind']) => Entity,
): Generator<Entity> {
  switch (shape.kind) {
    case 'record':
      yield entity('record', name, name, 'record');
      for (const field of shape.fields) {
        yield entity('record field', `${name}.${field.name}`, `${name}:${field.name}`);
      }
      return;
    case 'variant':
      yield entity('variant', name, name);
      for (const each of shape.constructors) {
        const path = `${name}.${each.name}`;
        yield entity('variant constructor', path, `${name}:${each.name}`, 'constructor');
      }
      return;
    case 'enum':
      yield entity('enum', name, name);
      for (const each of shape.constructors)
        yield entity('enum constructor', `${name}.${each}`, `${name}:${each}`);
      return;
    case 'interface':
      yield entity('interface', name, name);
      return;
    default:
      shape satisfies never;
  }
}
