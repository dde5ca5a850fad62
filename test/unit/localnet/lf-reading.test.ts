import { describe, expect, test } from 'vitest';
import { typeText } from '../../../localnet/lf/pretty.ts';
import { UNIT_EXPRESSION } from '../../../localnet/lf/build/expressions.ts';
import { archiveOf, lfPackage, lfPackageBytes } from '../../../localnet/lf/build/package.ts';
import type { LfSource } from '../../../localnet/lf/build/package.ts';
import type { Bytes } from '../../../localnet/lf/build/tables.ts';
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

/* What is read of Daml-LF packages, in each version of the language, and what is refused as none. */

const NESTING_MAX = { 1: 1000, 2: 100, 3: 100 } as const;
/** A package, a module, a value: layers around an expression, the package itself not counted. */
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

  test.each([
    ['as deep as may be', 0, 'none'],
    ['one layer deeper', 1, 'DAR_PARSE_ERROR'],
  ])('may nest expressions %s', (_how, more, code) => {
    // A location is one message, a function two: both together come to any number.
    const layers = NESTING_MAX[minor] - LAYERS_AROUND - 1 + more;
    let inner: Bytes =
      layers % 2 === 0 ? UNIT_EXPRESSION : message(part(1, message()), number(5, 0));
    for (let layer = 0; layer < Math.floor(layers / 2); layer += 1) {
      inner = message(part(18, message(part(2, inner))));
    }
    const archive = () =>
      readBytes(lfPackage(mainOnly({ values: { deep: inner } }, { minor })).archive);
    expect(refusalOf(archive).code).toBe(code);
  });
});

describe('an archive that is none', () => {
  const lf = lfPackageBytes(mainOnly({}));
  const withField = (field: number, bytes: Uint8Array) =>
    message((writer) => writer.raw(lf), part(field, bytes));
  const ofPackage = (bytes: Uint8Array, minor = '1') => archiveOf(bytes, { minor }).archive;

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
      'has a type that names itself',
      ofPackage(withField(5, message(number(8, 0)))),
      'invalid internedTypes table index 0',
    ],
    [
      'has an expression that names itself',
      ofPackage(withField(7, message(number(44, 0))), '2'),
      'invalid internedExprs table index 0',
    ],
    [
      'has a kind that names itself',
      ofPackage(withField(6, message(number(4, 0))), '2'),
      'invalid internedKinds table index 0',
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

  test('has a key before there were keys', () => {
    const source = mainOnly({ templates: { Thing: { fields: { owner: party }, key: party } } });
    expect(refusalOf(() => readWhole({ ...source, minor: 2 })).why).toContain(
      'DefTemplate is not supported',
    );
    expect(refusalOf(() => readWhole({ ...source, minor: 3 })).code).toBe('none');
  });
});
