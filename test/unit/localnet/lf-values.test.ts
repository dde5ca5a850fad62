import { describe, expect, test } from 'vitest';
import { encodeValue, valueSource } from '../../../localnet/messages/values.ts';
import { fromJson, toJson } from '../../../localnet/ledger/lf-json.ts';
import type { Json } from '../../../localnet/ledger/lf-json.ts';
import type { TemplateDefinition } from '../../../localnet/ledger/package-definition.ts';
import { PackageRegistry } from '../../../localnet/ledger/package-registry.ts';
import { UploadedPackages } from '../../../localnet/ledger/uploaded-packages.ts';
import { lfPackage } from '../../../localnet/lf/build/package.ts';
import {
  app,
  bool,
  con,
  contractId,
  date,
  genMap,
  int64,
  list,
  numeric,
  optional,
  party,
  text,
  textMap,
  timestamp,
  unit,
  variable,
} from '../../../localnet/lf/build/types.ts';
import { mainOnly } from './lf-packages.ts';

/* Values of uploaded packages. They are read and written according to the types in the packages. */

const base = lfPackage({
  ...mainOnly({
    data: { Pair: { record: { left: variable('a'), right: variable('b') }, params: ['a', 'b'] } },
  }),
  name: 'base',
});
const made = lfPackage(
  mainOnly({
    data: {
      Tree: {
        variant: { Leaf: variable('a'), Node: list(app(con('Main:Tree'), variable('a'))) },
        params: ['a'],
      },
      Colour: { enum: ['Red', 'Green'] },
    },
    templates: {
      Thing: {
        fields: {
          owner: party,
          nothing: unit,
          yes: bool,
          count: int64,
          day: date,
          moment: timestamp,
          price: numeric(3),
          self: contractId(con('Main:Thing')),
          tree: app(con('Main:Tree'), int64),
          colours: textMap(con('Main:Colour')),
          pairs: genMap(int64, app(con('Main:Pair', base.id), text, app(con('Main:Tree'), text))),
          more: optional(optional(text)),
          note: optional(text),
        },
        choices: { Touch: { fields: { why: text }, result: unit } },
      },
    },
  }),
);
const registry = new PackageRegistry([]);
for (const [name, { id, payload }] of [
  ['base', base],
  ['made', made],
] as const) {
  registry.uploaded.add({ id, name, version: '1.0.0', payload: () => payload });
}
const { definition } = registry.find({ packageId: '#made', module: 'Main', entity: 'Thing' })!;
if (definition.kind !== 'template') throw new Error('no template');
const thing: TemplateDefinition = definition;

const JSON_VALUE: Json = {
  owner: 'alice::1220',
  nothing: {},
  yes: true,
  count: '42',
  day: '2026-01-31',
  moment: '2026-01-31T12:00:00.000001Z',
  price: '1.500',
  self: `00${'ab'.repeat(40)}`,
  tree: {
    tag: 'Node',
    value: [
      { tag: 'Leaf', value: '1' },
      { tag: 'Node', value: [] },
    ],
  },
  colours: { sky: 'Green' },
  pairs: [['1', { left: 'a', right: { tag: 'Leaf', value: 'b' } }]],
  more: [],
  note: null,
};

describe('a value of an uploaded type', () => {
  test('is the same in JSON', () => {
    expect(toJson(thing.payload, fromJson(thing.payload, JSON_VALUE))).toEqual(JSON_VALUE);
  });

  test.each([true, false])('is the same in protobuf, verbose: %s', (verbose) => {
    const value = fromJson(thing.payload, JSON_VALUE);
    const encoded = encodeValue(thing.payload, value, { verbose, packageIdOf: (name) => name });
    expect(valueSource(encoded, 'value')(thing.payload)).toEqual(value);
  });

  test('is refused where it is of another type, at any depth', () => {
    const changed = (changes: { readonly [key: string]: Json }) => () =>
      fromJson(thing.payload, { ...(JSON_VALUE as object), ...changes });
    expect(changed({ tree: { tag: 'Node', value: [{ tag: 'Leaf', value: 'x' }] } })).toThrow(
      'mismatching type: int64',
    );
    expect(changed({ pairs: [['1', { left: 'a', right: { tag: 'Leaf', value: 1 } }]] })).toThrow(
      'mismatching type: text',
    );
    expect(changed({ colours: { sky: 'Blue' } })).toThrow('mismatching type: enum');
    expect(changed({ price: '1.2345' })).toThrow('Cannot represent 1.2345 as (Numeric 3)');
  });

  test('is the argument of a choice as well', () => {
    const [touch] = thing.choices;
    expect(fromJson(touch!.argument, { why: 'because' })).toEqual({ why: 'because' });
  });
});

test('of several versions a name means the latest', () => {
  const versions = new UploadedPackages();
  for (const version of ['1.9.0', '1.10.0', '1.2.0']) {
    const { id, payload } = lfPackage(mainOnly({}, { version }));
    versions.add({ id, name: 'made', version, payload: () => payload });
  }
  expect(versions.find('#made')?.version).toBe('1.10.0');
});
