import { describe, expect, test } from 'vitest';
import type { LfPackage } from '../../../localnet/lf/package.ts';
import { compareVersions } from '../../../localnet/lf/versions.ts';
import type { DataSource, ModuleSource } from '../../../localnet/lf/build/package.ts';
import {
  app,
  con,
  int64,
  list,
  optional,
  party,
  text,
  unit,
  variable,
} from '../../../localnet/lf/build/types.ts';
import { mainOnly, read, readWhole, refusalOf, vet } from './lf-packages.ts';

/* For each rule of smart contract upgrades, a pair of packages and the participant's message. */

const REASON = 'Reason: ';
/** Returns why `present` cannot be a later version of `past`, or `undefined` if it can. */
function upgrade(past: LfPackage, present: LfPackage, others: readonly LfPackage[] = []) {
  const { code, why } = refusalOf(() => vet(present, [past], others));
  if (code === 'none') return undefined;
  expect(code).toBe('NOT_VALID_UPGRADE_PACKAGE');
  const heading = `Upgrade checks indicate that ${String(present)} cannot be an upgrade of ${String(past)}. ${REASON}`;
  expect(why.slice(0, heading.length)).toBe(heading);
  return why.slice(heading.length);
}

/** Returns a module that has one definition of each kind, with the given changes. */
const thing = (changes: Partial<ModuleSource> = {}): ModuleSource => ({
  data: {
    Address: { record: { street: text, town: text } },
    Shape: { variant: { Circle: int64, Square: int64, Named: con('Main:Shape.Named') } },
    'Shape.Named': { record: { name: text } },
    Colour: { enum: ['Red', 'Green'] },
    Box: { record: { content: variable('a') }, params: ['a'] },
    View: { record: {} },
    Inner: { record: {}, isSerializable: false },
  },
  templates: { Thing: template() },
  interfaces: { Titled: { view: con('Main:View') } },
  ...changes,
});
type Template = NonNullable<ModuleSource['templates']>[string];
const template = (changes: Partial<Template> = {}): Template => ({
  fields: { owner: party, title: text },
  choices: { Touch: { fields: { actor: party }, result: text } },
  implements: [{ iface: con('Main:Titled') }],
  ...changes,
});
const withTemplate = (changes: Partial<Template>) =>
  thing({ templates: { Thing: template(changes) } });
const withData = (changes: Readonly<Record<string, DataSource>>) =>
  thing({ data: { ...thing().data, ...changes } });
const versionOf = (version: string, module: ModuleSource, minor = 1) =>
  readWhole(mainOnly(module, { minor, version }));
const made = (module: ModuleSource, minor = 1) => versionOf('1.0.0', module, minor);
const later = (module: ModuleSource, minor = 1) => versionOf('1.0.1', module, minor);

describe('an upgrade', () => {
  test.each<[string, ModuleSource]>([
    ['that changes nothing', thing()],
    [
      'with an optional field at the end',
      withTemplate({ fields: { owner: party, title: text, note: optional(text) } }),
    ],
    [
      'with an optional argument',
      withTemplate({
        choices: { Touch: { fields: { actor: party, why: optional(text) }, result: text } },
      }),
    ],
    [
      'with a new choice',
      withTemplate({ choices: { ...template().choices, New: { result: unit } } }),
    ],
    [
      'with a new constructor of a variant',
      withData({ Shape: { variant: { ...thing().data!['Shape']!.variant, Line: int64 } } }),
    ],
    ['with a new constructor of an enum', withData({ Colour: { enum: ['Red', 'Green', 'Blue'] } })],
    ['with a new data type', withData({ New: { record: {} } })],
    [
      'with another name for a type variable',
      withData({ Box: { record: { content: variable('b') }, params: ['b'] } }),
    ],
    ['without a type that is never stored', thing({ data: without(thing().data!, 'Inner') })],
    ['with a new template', thing({ templates: { Thing: template(), New: { fields: {} } } })],
  ])('%s passes', (_what, present) => {
    // An interface that the package defines itself would not be the same in both versions.
    expect(upgrade(made(own(thing())), later(own(present)))).toBeUndefined();
  });

  const UPGRADED_TEMPLATE = 'The upgraded template Thing';
  const GONE =
    'appears in package that is being upgraded, but does not appear in the upgrading package.';
  test.each<[string, ModuleSource, string]>([
    [
      'removes a template',
      thing({ templates: {}, data: { ...thing().data, Thing: { record: template().fields } } }),
      `Template Thing ${GONE}`,
    ],
    ['removes a choice', withTemplate({ choices: {} }), `Choice Touch ${GONE}`],
    [
      'removes a data type',
      thing({ data: without(thing().data!, 'Address') }),
      `Data type Address ${GONE}`,
    ],
    [
      'changes what a choice gives',
      withTemplate({ choices: { Touch: { fields: { actor: party }, result: int64 } } }),
      'The upgraded choice Touch cannot change its return type.',
    ],
    [
      'removes a field',
      withTemplate({ fields: { owner: party } }),
      `${UPGRADED_TEMPLATE} is missing some of its original fields.`,
    ],
    [
      'changes the type of a field',
      withTemplate({ fields: { owner: party, title: int64 } }),
      `${UPGRADED_TEMPLATE} has changed the types of some of its original fields.`,
    ],
    [
      'makes a field optional',
      withTemplate({ fields: { owner: party, title: optional(text) } }),
      `${UPGRADED_TEMPLATE} has changed the types of some of its original fields.`,
    ],
    [
      'adds a field that is required',
      withTemplate({ fields: { owner: party, title: text, note: text } }),
      `${UPGRADED_TEMPLATE} has added new fields, but those fields are not Optional.`,
    ],
    [
      'adds a field in the middle',
      withTemplate({ fields: { owner: party, note: optional(text), title: text } }),
      `${UPGRADED_TEMPLATE} has changed the order of its fields - any new fields must be added at the end of the record.`,
    ],
    [
      'changes the order of fields',
      withTemplate({ fields: { title: text, owner: party } }),
      `${UPGRADED_TEMPLATE} has changed the order of its fields - any new fields must be added at the end of the record.`,
    ],
    [
      'adds a required argument',
      withTemplate({ choices: { Touch: { fields: { actor: party, why: text }, result: text } } }),
      'The upgraded input type of choice Touch on template Thing has added new fields, but those fields are not Optional.',
    ],
    [
      'removes an argument',
      withTemplate({ choices: { Touch: { fields: {}, result: text } } }),
      'The upgraded input type of choice Touch on template Thing is missing some of its original fields.',
    ],
    [
      'changes the type of an argument',
      withTemplate({ choices: { Touch: { fields: { actor: text }, result: text } } }),
      'The upgraded input type of choice Touch on template Thing has changed the types of some of its original fields.',
    ],
    [
      'adds a field to a record that is required',
      withData({ Address: { record: { street: text, town: text, country: text } } }),
      'The upgraded data type Address has added new fields, but those fields are not Optional.',
    ],
    [
      'adds a constructor in the middle',
      withData({
        Shape: {
          variant: { Circle: int64, Line: int64, Square: int64, Named: con('Main:Shape.Named') },
        },
      }),
      'The upgraded data type Shape has changed the order of its variants - any new variant must be added at the end of the variant.',
    ],
    [
      'removes a constructor of a variant',
      withData({ Shape: { variant: { Circle: int64, Named: con('Main:Shape.Named') } } }),
      'The upgraded data type Shape has removed an existing variant.',
    ],
    [
      'changes what a constructor holds',
      withData({
        Shape: { variant: { Circle: text, Square: int64, Named: con('Main:Shape.Named') } },
      }),
      'The upgraded data type Shape has changed the type of a variant.',
    ],
    [
      'changes the order of constructors',
      withData({
        Shape: { variant: { Square: int64, Circle: int64, Named: con('Main:Shape.Named') } },
      }),
      'The upgraded data type Shape has changed the order of its variants - any new variant must be added at the end of the variant.',
    ],
    [
      'adds a field to a constructor',
      withData({ 'Shape.Named': { record: { name: text, more: text } } }),
      'The upgraded variant constructor Shape.Named from variant Shape has added a field.',
    ],
    [
      'removes a constructor of an enum',
      withData({ Colour: { enum: ['Red'] } }),
      'The upgraded data type Colour has removed an existing variant.',
    ],
    [
      'changes the order of an enum',
      withData({ Colour: { enum: ['Green', 'Red'] } }),
      'The upgraded data type Colour has changed the order of its variants - any new variant must be added at the end of the enum.',
    ],
    [
      'makes a record a variant',
      withData({ Address: { variant: { Street: text } } }),
      'The upgraded data type Address has changed from a record to a variant. Datatypes cannot change variety via upgrades.',
    ],
    [
      'has another number of type variables',
      withData({ Box: { record: { content: variable('a') }, params: ['a', 'b'] } }),
      'The upgraded data type Box has changed the number of type variables it has.',
    ],
    [
      'can no longer be stored',
      withData({ Address: { ...thing().data!['Address'], isSerializable: false } }),
      'The upgraded data type Address was serializable and is now unserializable. Datatypes cannot change their serializability via upgrades.',
    ],
    [
      'makes a template of a record',
      thing({
        templates: { Thing: template(), Address: { fields: thing().data!['Address']!.record! } },
        data: without(thing().data!, 'Address'),
      }),
      'The record Address has changed origin from data type Address to template Address',
    ],
  ])('that %s is refused', (_what, present, defect) => {
    expect(upgrade(made(own(thing())), later(own(present)))).toBe(defect);
  });

  test('that removes a module is refused', () => {
    const past = readWhole({ ...mainOnly(own(thing())), modules: { Main: own(thing()), Old: {} } });
    expect(upgrade(past, later(own(thing())))).toBe(`Module Old ${GONE}`);
  });

  test('in an older version of the language is refused', () => {
    expect(upgrade(made(own(thing()), 2), later(own(thing()), 1))).toBe(
      'The upgraded package uses an older LF version (2.1 < 2.2)',
    );
    expect(upgrade(made(own(thing()), 1), later(own(thing()), 2))).toBeUndefined();
  });

  test.each([
    ['adds a key', undefined, party, 'add a key.'],
    ['removes its key', party, undefined, 'remove its key.'],
    ['changes its key', party, list(party), 'change its key type.'],
  ] as const)('that %s is refused', (_what, past, present, words) => {
    const keyed = (key: typeof party | undefined) =>
      own(withTemplate(key === undefined ? {} : { key }));
    const first = made(keyed(past), 3);
    expect(upgrade(first, later(keyed(present), 3))).toBe(`${UPGRADED_TEMPLATE} cannot ${words}`);
    expect(upgrade(first, later(keyed(past), 3))).toBeUndefined();
  });

  test('that no longer implements an interface is refused', () => {
    const base = read(
      mainOnly(
        { data: { View: { record: {} } }, interfaces: { Titled: { view: con('Main:View') } } },
        { name: 'base' },
      ),
    );
    const of = (version: string, changes: Partial<Template>) =>
      readWhole(mainOnly(own(withTemplate(changes)), { version }), [base]);
    const titled = { implements: [{ iface: con('Main:Titled', base.id) }] };
    const past = of('1.0.0', titled);
    expect(upgrade(past, of('1.0.1', titled), [base])).toBeUndefined();
    expect(upgrade(past, of('1.0.1', { implements: [] }), [base])).toBe(
      `Implementation of interface ${base.id}:Main:Titled by template Thing appears in package that is being upgraded, but does not appear in this package.`,
    );
  });

  test('may refer to a later version of another package, and to no earlier one', () => {
    const base = (version: string) =>
      read(mainOnly({ data: { Base: { record: {} } } }, { name: 'base', version }));
    const [older, newer] = [base('1.9.0'), base('1.10.0')];
    const user = (version: string, of: LfPackage) =>
      readWhole(
        mainOnly(
          { data: { User: { record: { base: app(con('Main:Base', of.id)) } } } },
          { version },
        ),
        [of],
      );
    const changed =
      'The upgraded data type User has changed the types of some of its original fields.';
    const both = [older, newer];
    expect(upgrade(user('1.0.0', older), user('1.0.1', newer), both)).toBeUndefined();
    expect(upgrade(user('1.0.0', newer), user('1.0.1', older), both)).toBe(changed);
  });
});

describe('the versions of a package', () => {
  const version = (of: string, changes: Partial<Template> = {}, name = 'made') =>
    readWhole({ ...mainOnly(own(withTemplate(changes))), version: of, name });
  const check = (added: LfPackage, ...vetted: readonly LfPackage[]) =>
    refusalOf(() => vet(added, vetted));
  const fields = { owner: party, title: text };
  const [first, second] = [
    version('1.0.0'),
    version('1.0.10', { fields: { ...fields, note: optional(text) } }),
  ];

  test('are in order, whatever order they come in', () => {
    expect(['1.10.0', '1.2.0', '1.2', '0.9.9', '1.2.0.1'].toSorted(compareVersions)).toEqual([
      '0.9.9',
      '1.2',
      '1.2.0',
      '1.2.0.1',
      '1.10.0',
    ]);
    expect(check(second, first).code).toBe('none');
    expect(check(first, second).code).toBe('none');
  });

  test('are each an upgrade of the one before, and the one after of them', () => {
    const between = version('1.0.9', { fields: { ...fields, other: optional(text) } });
    expect(check(between, first, second)).toEqual({
      code: 'NOT_VALID_UPGRADE_PACKAGE',
      why: `Upgrade checks indicate that ${second.id} (made v1.0.10) cannot be an upgrade of ${between.id} (made v1.0.9). Reason: The upgraded template Thing is missing some of its original fields.`,
    });
  });

  test('are one package each', () => {
    const again = version('1.0.0', { fields: { owner: party } });
    const [low, high] = [first, again].toSorted((a, b) => (a.id < b.id ? -1 : 1));
    expect(check(again, first)).toEqual({
      code: 'KNOWN_PACKAGE_VERSION',
      why: `Tried to vet two packages with the same name and version: ${String(low)} and ${String(high)}.`,
    });
  });

  test('are not compared where nothing could be stored', () => {
    const utility = (content: string) => readWhole(mainOnly({ synonyms: { [content]: text } }));
    expect(check(utility('One'), utility('Other')).code).toBe('none');
  });

  test('of the standard library are not compared, and have nothing to store since 3.2', () => {
    const stdlib = (of: string, changes: Partial<Template>) => version(of, changes, 'daml-stdlib');
    expect(check(stdlib('3.1.0', { fields: {} }), stdlib('3.1.0', {})).code).toBe('none');
    const storing = stdlib('3.4.0', {});
    expect(check(storing)).toEqual({
      code: 'DAML_PRIM_NOT_UTILITY_PACKAGE',
      why: `Tried to vet a package ${String(storing)}, but this package is not a utility package. All packages named \`daml-prim\` or \`daml-std-lib\` must be a utility package.`,
    });
  });

  test('count where they are vetted, and not where they are stored only', () => {
    const other = version('1.0.1', { fields: { owner: party } });
    expect(refusalOf(() => vet(other, [first])).code).toBe('NOT_VALID_UPGRADE_PACKAGE');
    expect(refusalOf(() => vet(other, [], [first])).code).toBe('none');
  });

  test('are looked at of all that is referred to as well', () => {
    const base = (of: string, field: Readonly<Record<string, typeof text>>) =>
      read(mainOnly({ data: { Base: { record: field } } }, { name: 'base', version: of }));
    const [older, newer] = [base('1.0.0', { a: text }), base('1.0.1', { b: text })];
    const user = readWhole(
      mainOnly({ data: { User: { record: { base: con('Main:Base', older.id) } } } }),
      [older],
    );
    expect(refusalOf(() => vet(user, [older])).code).toBe('none');
    expect(refusalOf(() => vet(user, [older, newer])).code).toBe('NOT_VALID_UPGRADE_PACKAGE');
  });

  test('refer to what is there', () => {
    const base = read(mainOnly({ data: { Base: { record: {} } } }, { name: 'base' }));
    const user = readWhole(
      mainOnly({ data: { User: { record: { base: con('Main:Base', base.id) } } } }),
      [base],
    );
    expect(refusalOf(() => vet(user, [], [base])).code).toBe('none');
    expect(refusalOf(() => vet(user, [])).code).toBe('TOPOLOGY_CANNOT_VET_DUE_TO_MISSING_PACKAGES');
  });
});

function without<T>(of: Readonly<Record<string, T>>, name: string): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(of).filter(([key]) => key !== name));
}

/**
 * Removes instances of interfaces that the package defines itself, because these interfaces are not the same in both
 * versions.
 */
function own(module: ModuleSource): ModuleSource {
  const templates = Object.entries(module.templates ?? {}).map(([name, of]) => {
    const instances = (of.implements ?? []).filter(
      ({ iface }) => iface.kind === 'con' && iface.id.packageId !== '',
    );
    return [name, { ...of, implements: instances }] as const;
  });
  return { ...module, templates: Object.fromEntries(templates) };
}
