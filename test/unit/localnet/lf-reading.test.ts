import { describe, expect, test } from 'vitest';
import { typeText } from '../../../localnet/lf/pretty.ts';
import { UNIT_EXPRESSION } from '../../../localnet/lf/build/expressions.ts';
import { archiveOf, lfPackage, lfPackageBytes } from '../../../localnet/lf/build/package.ts';
import type { LfSource, ModuleSource } from '../../../localnet/lf/build/package.ts';
import { WireType } from '@bufbuild/protobuf/wire';
import type { Bytes, Write } from '../../../localnet/lf/build/tables.ts';
import { message, number, part } from '../../../localnet/lf/build/tables.ts';
import {
  app,
  con,
  contractId,
  genMap,
  int64,
  list,
  numeric,
  optional,
  party,
  text,
  textMap,
  unit,
  variable,
} from '../../../localnet/lf/build/types.ts';
import { mainOnly, read, readBytes, readWhole, refusalOf } from './lf-packages.ts';

/* Reading Daml-LF packages of each version of the language, and refusing archives that are not packages. */

const NESTING_MAX = { 1: 1000, 2: 100, 3: 100 } as const;
/** The number of layers around an expression: a module and a value. The package itself does not count. */
const LAYERS_AROUND = 2;

const sourceOf = (minor: number): LfSource => ({
  name: 'shop',
  version: '1.2.3',
  minor,
  modules: {
    'Shop.Things': {
      data: {
        Shape: { variant: { Circle: int64, Named: con('Shop.Things:Shape.Named') } },
        'Shape.Named': { record: { name: text } },
        Colour: { enum: ['Red', 'Green'] },
        Pair: { record: { left: variable('a'), right: variable('b') }, params: ['a', 'b'] },
        View: { record: { title: text } },
      },
      templates: {
        Thing: {
          fields: {
            owner: party,
            price: numeric(10),
            shapes: list(con('Shop.Things:Shape')),
            pair: app(con('Shop.Things:Pair'), int64, textMap(con('Shop.Things:Colour'))),
            more: optional(genMap(text, contractId(con('Shop.Things:Thing')))),
          },
          choices: {
            Touch: { fields: { actor: party }, result: text, isConsuming: false },
            Give: { fields: { to: party }, result: contractId(con('Shop.Things:Thing')) },
          },
          ...(minor >= 3 ? { key: party } : {}),
          implements: [{ iface: con('Shop.Things:Titled'), methods: { title: text } }],
        },
      },
      interfaces: {
        Titled: {
          view: con('Shop.Things:View'),
          methods: { title: text },
          choices: { Look: { result: unit } },
        },
      },
    },
    Helpers: { values: { helper: UNIT_EXPRESSION } },
  },
});

describe.each([1, 2, 3] as const)('a package in Daml-LF 2.%i', (minor) => {
  const made = readWhole(sourceOf(minor));
  const module = made.modules.get('Shop.Things')!;

  test('is what its bytes say', () => {
    const { id, payload } = lfPackage(sourceOf(minor));
    expect([made.id, made.name, made.version, made.minor]).toEqual([id, 'shop', '1.2.3', minor]);
    expect(Buffer.from(made.payload).equals(payload)).toBe(true);
    expect([...made.modules.keys()]).toEqual(['Shop.Things', 'Helpers']);
    expect([made.isUtility, made.modules.get('Helpers')!.isUtility]).toEqual([false, true]);
    expect([...made.dependencies]).toEqual([]);
  });

  test('has templates with payload, choices, key and interfaces', () => {
    const thing = module.templates.get('Thing')!;
    expect(
      [...thing.choices.values()].map(({ name, isConsuming, argument, result }) => [
        name,
        isConsuming,
        typeText(argument),
        typeText(result),
      ]),
    ).toEqual([
      ['Touch', false, 'Shop.Things:Touch', 'Text'],
      ['Give', true, 'Shop.Things:Give', 'ContractId Shop.Things:Thing'],
    ]);
    expect(thing.key?.kind).toBe(minor >= 3 ? 'builtin' : undefined);
    expect(thing.implements).toEqual([
      { id: { packageId: made.id, module: 'Shop.Things', name: 'Titled' }, methods: ['title'] },
    ]);
  });

  test('has data types of every sort', () => {
    const shapeOf = (name: string) => {
      const shape = module.dataTypes.get(name)!.shape;
      const typed =
        shape.kind === 'record' ? shape.fields : shape.kind === 'variant' ? shape.constructors : [];
      return [shape.kind, ...typed.map(({ name: of, type }) => `${of}: ${typeText(type)}`)];
    };
    expect(shapeOf('Thing')).toEqual([
      'record',
      'owner: Party',
      'price: Numeric 10',
      'shapes: List Shop.Things:Shape',
      'pair: Shop.Things:Pair Int64 (TextMap Shop.Things:Colour)',
      'more: Optional (GenMap Text (ContractId Shop.Things:Thing))',
    ]);
    expect(shapeOf('Shape')).toEqual([
      'variant',
      'Circle: Int64',
      'Named: Shop.Things:Shape.Named',
    ]);
    expect(module.dataTypes.get('Colour')!.shape).toEqual({
      kind: 'enum',
      constructors: ['Red', 'Green'],
    });
    expect(module.dataTypes.get('Pair')!.params).toEqual([
      { name: 'a', kind: 'star' },
      { name: 'b', kind: 'star' },
    ]);
  });

  test('has interfaces with view, methods and choices', () => {
    const titled = module.interfaces.get('Titled')!;
    expect([
      typeText(titled.view),
      titled.methods.map(({ name }) => name),
      [...titled.choices.keys()],
    ]).toEqual(['Shop.Things:View', ['title'], ['Look']]);
  });

  test('names the packages that it refers to', () => {
    const of = (fields: LfSource['modules'][string]) => mainOnly(fields, { minor });
    const base = read(of({ data: { Base: { record: {} } } }));
    const user = read(of({ data: { User: { record: { base: con('Main:Base', base.id) } } } }));
    expect([...user.dependencies]).toEqual([base.id]);
  });

  test('does not refer to the package that it says it upgrades', () => {
    const upgrades = 'ab'.repeat(32);
    expect([...readWhole(mainOnly({}, { minor, upgrades })).dependencies]).toEqual([]);
    const refusal = refusalOf(() => read(mainOnly({}, { minor, upgrades: '!' })).dependencies);
    expect(refusal).toEqual({
      code: 'DAR_PARSE_ERROR',
      why: 'non expected character in "!"',
    });
  });

  test.each([
    ['as deep as may be', 0, 'none'],
    ['one layer deeper', 1, 'DAR_PARSE_ERROR'],
  ])('may nest expressions %s', (_how, more, code) => {
    // A location is one message, and a projection is two messages. Together they make every number of layers possible.
    const layers = NESTING_MAX[minor] - LAYERS_AROUND - 1 + more;
    let inner: Bytes =
      layers % 2 === 0 ? UNIT_EXPRESSION : message(part(1, message()), number(5, 0));
    for (let layer = 0; layer < Math.floor(layers / 2); layer += 1) {
      inner = message(part(13, message(part(2, inner))));
    }
    const archive = () =>
      readBytes(lfPackage(mainOnly({ values: { deep: inner } }, { minor })).archive);
    expect(refusalOf(archive).code).toBe(code);
  });
});

/** Returns a message of an expression that contains another expression. */
const withFirst = (field: number, inner: Bytes) => message(part(field, message(part(1, inner))));
const withPart = (field: number, at: number) =>
  message(part(field, message(part(at, UNIT_EXPRESSION))));
const literal = (write: Write) => message(part(6, message(write)));
/** In the package, two strings come before the given ones. */
const withNumeric = (numeric: string) => {
  const source = mainOnly({ values: { value: literal(number(3, 2)) } }, { strings: [numeric] });
  return lfPackage(source).archive;
};

describe('an archive that is none', () => {
  const lf = lfPackageBytes(mainOnly({}));
  const withField = (field: number, bytes: Uint8Array) =>
    message((writer) => writer.raw(lf), part(field, bytes));
  const ofPackage = (bytes: Uint8Array, minor = '1') => archiveOf(bytes, { minor }).archive;
  const ofSource = (source: ModuleSource) => lfPackage(mainOnly(source)).archive;
  const ofTable = (field: number) => message(number(field, 0));
  const star = message(part(1, message()));
  const unitType = message(part(3, message()));
  const arrowOf = (kind: Bytes) => message(part(2, message(part(1, kind), part(2, star))));
  // A reference to another package, as a package of version 2.1 writes it.
  const byId = lfPackageBytes(
    mainOnly({ synonyms: { Thing: con('Main:Thing', 'ab'.repeat(32)) } }),
  );

  test.each<[string, Bytes, string]>([
    [
      'has another hash',
      archiveOf(lf, { hash: 'ab'.repeat(32) }).archive,
      'Mismatching hashes! Expected',
    ],
    ['is cut', ofPackage(lf.subarray(0, lf.length - 3)), 'the input ended unexpectedly'],
    [
      'has a field that there is not',
      ofPackage(withField(77, new Uint8Array())),
      'Message of type daml_lf_2.Package contains unknown field numbered 77',
    ],
    [
      'has a field of a later version',
      ofPackage(withField(7, UNIT_EXPRESSION)),
      'field 7 of daml_lf_2.Package is not supported by Daml-LF 2.1',
    ],
    [
      'has text that is none',
      ofPackage(withField(2, new Uint8Array([0xc3, 0x28]))),
      'Protocol message had invalid UTF-8.',
    ],
    ['has a type that is nothing', ofPackage(withField(5, new Uint8Array())), 'Type.SUM_NOT_SET'],
    [
      'has a type that holds itself',
      ofPackage(withField(5, message(part(3, message(number(1, 9), part(2, ofTable(8))))))),
      'invalid internedTypes table index 0',
    ],
    [
      'has an expression that holds itself',
      ofPackage(withField(7, message(part(13, message(part(2, ofTable(44)))))), '2'),
      'Interned expression indexes not monotonic',
    ],
    [
      'has a kind that holds itself',
      ofPackage(withField(6, arrowOf(ofTable(4))), '2'),
      'invalid internedKinds table index 0',
    ],
    [
      'has an index where a type has to be',
      ofPackage(withField(5, ofTable(8))),
      'Immediate Interned type in interning table (needs concrete constructor)',
    ],
    [
      'has an index where an expression has to be',
      ofPackage(withField(7, ofTable(44)), '2'),
      'Immediate InternedExpr in interning table (needs concrete constructor)',
    ],
    [
      'has an index where a kind has to be',
      ofPackage(withField(6, ofTable(4)), '2'),
      'Immediate InternedKind in interning table (needs concrete constructor)',
    ],
    [
      'has a structure without fields',
      ofPackage(withField(5, message(part(5, message())))),
      'Unexpected empty fields',
    ],
    [
      'has a kind of functions without arguments',
      ofPackage(withField(6, message(part(2, message(part(2, star))))), '2'),
      'Unexpected empty params',
    ],
    [
      'has a kind of functions with two arguments at once',
      ofPackage(withField(6, message(part(2, message(part(1, star), part(1, star))))), '2'),
      'Illegal local flattening: since lf flattening is supported, expected a single element for params, but found 2',
    ],
    [
      'has a type with its arguments, as before 2.2',
      ofPackage(withField(5, message(part(3, message(number(1, 9), part(2, unitType))))), '2'),
      'Illegal local flattening: Since lf flattening is supported, expected a null list builtin.getArgsList, but found 1',
    ],
    ['has a name without segments', ofPackage(withField(3, message())), 'No segments provided'],
    [
      'has a synonym that is called as a type',
      ofSource({ data: { Thing: { record: {} } }, synonyms: { Thing: text } }),
      'Unexpected PackageError Exception',
    ],
    [
      'has a value that is called as a type',
      ofSource({ data: { Thing: { record: {} } }, values: { Thing: UNIT_EXPRESSION } }),
      'Unexpected PackageError Exception',
    ],
    [
      'implements an interface twice',
      ofSource({
        data: { View: { record: {} } },
        interfaces: { Titled: { view: con('Main:View') } },
        templates: {
          Thing: {
            fields: {},
            implements: [{ iface: con('Main:Titled') }, { iface: con('Main:Titled') }],
          },
        },
      }),
      'Unexpected PackageError Exception',
    ],
    [
      'requires an interface twice',
      ofSource({
        data: { View: { record: {} } },
        interfaces: {
          A: { view: con('Main:View') },
          B: { view: con('Main:View'), requires: [con('Main:A'), con('Main:A')] },
        },
      }),
      'Unexpected PackageError Exception',
    ],
    [
      'has an exception that is called as a template',
      ofSource({
        templates: { Thing: { fields: {} } },
        exceptions: ['Thing'],
      }),
      'Unexpected PackageError Exception',
    ],
    [
      'has an enum with a type variable',
      ofSource({ data: { Colour: { enum: ['Red'], params: ['a'] } } }),
      'Unexpected non-empty params',
    ],
    [
      'names another package by its ID from 2.2 on',
      ofPackage(byId, '2'),
      `Got explicit non-stable package id (${'ab'.repeat(32)})`,
    ],
    ['has no metadata', ofPackage(new Uint8Array()), 'Package.metadata is required'],
    [
      'has a module without the usual flags',
      ofPackage(withField(1, message(number(1, 0)))),
      'Deprecated feature flag settings',
    ],
  ])('%s', (_what, archive, why) => {
    expect(refusalOf(() => readBytes(archive))).toEqual({
      code: 'DAR_PARSE_ERROR',
      why: expect.stringContaining(why),
    });
  });

  test.each<[string, Bytes, string]>([
    ['an application of nothing', withFirst(15, UNIT_EXPRESSION), 'Unexpected empty args'],
    ['a function of nothing', withPart(17, 2), 'Unexpected empty params'],
    ['a type function of nothing', withPart(18, 2), 'Unexpected empty params'],
    ['an application to no type', withFirst(16, UNIT_EXPRESSION), 'Unexpected empty args'],
    ['a block without bindings', withPart(20, 2), 'Unexpected empty bindings'],
    ['a constant that there is not', message(number(5, 3)), 'BuiltinCon.UNRECOGNIZED'],
    ['a function that there is not', message(number(4, 24)), 'BuiltinFunction.UNRECOGNIZED'],
    [
      'a function of a later version',
      message(number(4, 73)),
      'daml_lf_2.SECP256K1_VALIDATE_KEY is not supported by Daml-LF 2.1',
    ],
    ['a number that is none', literal(number(3, 0)), 'Could not read Numeric string "made"'],
    ['a day after all others', literal(number(5, 2_932_897)), 'out of bound Date 2932897'],
    ['a day before all others', literal(number(5, -719_163)), 'out of bound Date -719163'],
    [
      'a category that there is not',
      literal(number(6, 2)),
      'BuiltinLitFailureCategory.UNRECOGNIZED',
    ],
    [
      'a time after all others',
      literal((writer) => writer.tag(2, WireType.Bit64).sfixed64('253402300800000000')),
      'error decoding timestamp: cannot convert long 253402300800000000 into Timestamp',
    ],
  ])('has %s among its expressions', (_what, expression, why) => {
    expect(refusalOf(() => readBytes(ofSource({ values: { value: expression } })))).toEqual({
      code: 'DAR_PARSE_ERROR',
      why: expect.stringContaining(why),
    });
  });

  test.each<[string, Bytes]>([
    ['the first day', literal(number(5, -719_162))],
    ['the last day', literal(number(5, 2_932_896))],
    ['the last function', message(number(4, 72))],
    ['true', message(number(5, 2))],
    [
      'the first time',
      literal((writer) => writer.tag(2, WireType.Bit64).sfixed64('-62135596800000000')),
    ],
  ])('but not where it has %s', (_what, expression) => {
    const archive = ofSource({ values: { value: expression } });
    expect(refusalOf(() => readBytes(archive)).code).toBe('none');
  });

  test.each(['1.', '-0.5', `${'1'.repeat(38)}.`, `0.${'9'.repeat(37)}`])(
    'but not where it has the number %s',
    (numeric) => {
      expect(refusalOf(() => readBytes(withNumeric(numeric))).code).toBe('none');
    },
  );
  test.each([
    '1',
    '01.0',
    '+1.0',
    `${'1'.repeat(39)}.`,
    `1.${'9'.repeat(38)}`,
    `11.${'9'.repeat(37)}`,
  ])('where it has the number %s', (numeric) => {
    expect(refusalOf(() => readBytes(withNumeric(numeric))).code).toBe('DAR_PARSE_ERROR');
  });

  test('has a key before there were keys', () => {
    const source = mainOnly({ templates: { Thing: { fields: { owner: party }, key: party } } });
    expect(refusalOf(() => readWhole({ ...source, minor: 2 })).why).toContain(
      'DefTemplate is not supported',
    );
    expect(refusalOf(() => readWhole({ ...source, minor: 3 })).code).toBe('none');
  });
});
