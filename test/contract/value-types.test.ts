import { describe, expect, it, test } from 'vitest';
import type { Identifier, Value } from '../../proto/gen/com/daml/ledger/api/v2/value.ts';
import { forFile } from '../kit/for-file.ts';
import { change } from './kit/commands.ts';
import { ACS_DELTA, eventsOf, transactions } from './kit/formats.ts';
import { USER_ADMIN } from './kit/identities.ts';
import { create, createInstall, createLicense } from './kit/licensing.ts';
import { modelPackage } from './kit/model-package.ts';
import { openNetwork } from './kit/network.ts';
import { refusalOf } from './kit/refusal.ts';
import { activeIds, transact } from './kit/steps.ts';
import { createdIn } from './kit/streams.ts';
import {
  int64,
  numeric,
  party,
  readRecord,
  record,
  recordValue,
  text,
  timestamp,
} from './kit/values.ts';
import type { Fields } from './kit/values.ts';

/*
 * Values of every type, modelled on the public conformance suites TransactionServiceArgumentsIT,
 * TransactionServiceOutputsIT, DamlValuesIT, DeeplyNestedValueIT and ValueLimitsIT.
 */

const network = await forFile(openNetwork({ extraPackages: [modelPackage] }));
const ledger = network.as(USER_ADMIN);
const owner = await network.party('owner', USER_ADMIN);

const EVERYTHING: Identifier = {
  packageId: '#tenure-model-tests',
  moduleName: 'Model',
  entityName: 'Everything',
};

const unit: Value = { sum: { $case: 'unit', value: {} } };
const bool = (value: boolean): Value => ({ sum: { $case: 'bool', value } });
const date = (value: number): Value => ({ sum: { $case: 'date', value } });
const none: Value = { sum: { $case: 'optional', value: { value: undefined } } };
const some = (value: Value): Value => ({ sum: { $case: 'optional', value: { value } } });
const list = (...elements: Value[]): Value => ({ sum: { $case: 'list', value: { elements } } });
const genMap = (...entries: [Value, Value][]): Value => ({
  sum: { $case: 'genMap', value: { entries: entries.map(([key, value]) => ({ key, value })) } },
});
const variant = (constructor: string, value: Value): Value => ({
  sum: { $case: 'variant', value: { variantId: undefined, constructor, value } },
});
const enumValue = (constructor: string): Value => ({
  sum: { $case: 'enum', value: { enumId: undefined, constructor } },
});
const boolMap = (entries: Record<string, boolean>): Value => ({
  sum: {
    $case: 'textMap',
    value: {
      entries: Object.entries(entries).map(([key, value]) => ({ key, value: bool(value) })),
    },
  },
});

const fields = (changes: Fields = {}): Fields => ({
  owner: party(owner),
  aUnit: unit,
  aBool: bool(true),
  anInt: int64(42n),
  aDate: date(20_000),
  aTime: timestamp(1_700_000_000_123_456n),
  aDecimal: numeric('12.5'),
  aText: text('text'),
  someInt: some(int64(7n)),
  deepOptional: some(none),
  aList: list(int64(3n), int64(1n), int64(2n)),
  aTextMap: boolMap({ b: false, a: true }),
  aGenMap: genMap([int64(2n), text('two')], [int64(1n), text('one')]),
  aRecord: recordValue({ label: text('inner'), note: some(text('noted')) }),
  aVariant: variant('Circle', int64(5n)),
  anEnum: enumValue('Green'),
  trailing: some(text('there')),
  lastTrailing: some(int64(1n)),
  ...changes,
});

async function stored(changes: Fields, verbose = true) {
  const transaction = await transact(
    ledger,
    change(create(EVERYTHING, record(fields(changes))), { actAs: [owner] }),
    transactions(ACS_DELTA, eventsOf([owner], { verbose })),
  );
  return createdIn(transaction)[0]!.createArguments;
}

const refusal = (changes: Fields) =>
  refusalOf(
    transact(ledger, change(create(EVERYTHING, record(fields(changes))), { actAs: [owner] })),
  );

describe('a value of every type', () => {
  it('comes back as it went in, maps in the order of their keys', async () => {
    expect(readRecord(await stored({}))).toEqual({
      owner,
      aUnit: {},
      aBool: true,
      anInt: 42n,
      aDate: 20_000,
      aTime: 1_700_000_000_123_456n,
      aDecimal: '12.5000000000',
      aText: 'text',
      someInt: { some: 7n },
      deepOptional: { some: null },
      aList: [3n, 1n, 2n],
      aTextMap: { a: true, b: false },
      aGenMap: [
        [1n, 'one'],
        [2n, 'two'],
      ],
      aRecord: { label: 'inner', note: { some: 'noted' } },
      aVariant: { tag: 'Circle', value: 5n },
      anEnum: 'Green',
      trailing: { some: 'there' },
      lastTrailing: { some: 1n },
    });
  });

  it('names its type when verbose', async () => {
    const { fields: all } = (await stored({
      aVariant: variant('Label', recordValue({ label: text('x'), note: none })),
    }))!;
    const byLabel = new Map(all.map(({ label, value }) => [label, value?.sum]));
    expect(byLabel.get('aRecord')).toMatchObject({
      value: { recordId: { moduleName: 'Model', entityName: 'Inner' } },
    });
    expect(byLabel.get('aVariant')).toMatchObject({
      value: { variantId: { moduleName: 'Model', entityName: 'Shape' }, constructor: 'Label' },
    });
    expect(byLabel.get('anEnum')).toMatchObject({
      value: { enumId: { moduleName: 'Model', entityName: 'Colour' } },
    });
    const [terse] = (await stored({}, false))!.fields.filter(
      ({ value }) => value?.sum?.$case === 'enum',
    );
    expect(terse?.value?.sum?.value).toMatchObject({ enumId: undefined });
  });
});

describe('fields at the end of a record that are None', () => {
  it.each([true, false])('are dropped on output (verbose: %s)', async (verbose) => {
    const all = (await stored({ trailing: none, lastTrailing: none }, verbose))!.fields;
    expect(all).toHaveLength(16);
    const partly = (await stored({ trailing: some(text('x')), lastTrailing: none }, verbose))!
      .fields;
    expect(partly).toHaveLength(17);
  });

  it('are kept when something follows', async () => {
    const all = (await stored({ trailing: none, lastTrailing: some(int64(1n)) }))!;
    expect(readRecord(all)).toMatchObject({ trailing: null, lastTrailing: { some: 1n } });
    expect(all.fields).toHaveLength(18);
  });

  it('are dropped inside other values too', async () => {
    const all = readRecord(
      await stored({ aRecord: recordValue({ label: text('alone'), note: none }) }),
    );
    expect(all).toMatchObject({ aRecord: { label: 'alone' } });
    expect((all as { aRecord: object }).aRecord).not.toHaveProperty('note');
  });

  it('may be left out on input', async () => {
    const { trailing: _, lastTrailing: __, ...short } = fields();
    const transaction = await transact(
      ledger,
      change(create(EVERYTHING, record(short)), { actAs: [owner] }),
    );
    expect(createdIn(transaction)[0]!.createArguments!.fields).toHaveLength(16);
  });
});

describe('a numeric', () => {
  it.each([
    ['0', '0.0000000000'],
    ['-0', '0.0000000000'],
    ['+1', '1.0000000000'],
    ['1.0', '1.0000000000'],
    ['-0.0000000001', '-0.0000000001'],
    ['00042.50', '42.5000000000'],
    ['9999999999999999999999999999.9999999999', '9999999999999999999999999999.9999999999'],
  ])('%s is kept as %s', async (given, kept) => {
    expect(readRecord(await stored({ aDecimal: numeric(given) }))).toMatchObject({
      aDecimal: kept,
    });
  });

  it.each(['0.00000000001', '10000000000000000000000000000', '', '.5', 'one', '1e3', '1,5', ' 1'])(
    'is not %j',
    async (given) => {
      expect(await refusal({ aDecimal: numeric(given) })).toMatchObject({
        status: 'INVALID_ARGUMENT',
        reason: expect.stringMatching(
          /^(COMMAND_PREPROCESSING_FAILED|INVALID_ARGUMENT|INVALID_FIELD)$/,
        ) as string,
      });
    },
  );
});

test('CommandServiceIT CSBadNumericValues: too exact, or too large', async () => {
  for (const [given, why] of [
    ['0.00000000005', 'Cannot represent'],
    ['10000000000000000000000000000.0000000000', 'Out-of-bounds (Numeric 10)'],
    ['-10000000000000000000000000000.0000000000', 'Out-of-bounds (Numeric 10)'],
  ] as const) {
    const { reason, message } = await refusal({ aDecimal: numeric(given) });
    expect([reason, message]).toEqual([
      'COMMAND_PREPROCESSING_FAILED',
      expect.stringContaining(why),
    ]);
  }
});

test('a text with a null character is judged with its type', async () => {
  expect(await refusal({ aText: text('a\0b') })).toMatchObject({
    reason: 'COMMAND_PREPROCESSING_FAILED',
  });
});

describe('a date', () => {
  it.each([-719_162, 2_932_896])('may be day %s', async (day) => {
    expect(readRecord(await stored({ aDate: date(day) }))).toMatchObject({ aDate: day });
  });

  it.each([-719_163, 2_932_897])('is never day %s', async (day) => {
    expect((await refusal({ aDate: date(day) })).status).toBe('INVALID_ARGUMENT');
  });
});

describe('a value of the wrong shape', () => {
  const cases: readonly [string, Fields][] = [
    ['an unknown variant constructor', { aVariant: variant('Square', int64(1n)) }],
    ['a variant with a value of another constructor', { aVariant: variant('Circle', text('x')) }],
    ['an unknown enum constructor', { anEnum: enumValue('Blue') }],
    ['a list with an element of another type', { aList: list(int64(1n), text('2')) }],
    ['a generic map with a key of another type', { aGenMap: genMap([text('1'), text('one')]) }],
    ['an optional of another type', { someInt: some(text('x')) }],
    ['a record where a text is due', { aText: recordValue({}) }],
    ['nothing at all', { aBool: { sum: undefined } }],
  ];

  it.each(cases)('such as %s is refused', async (_what, changes) => {
    expect((await refusal(changes)).status).toBe('INVALID_ARGUMENT');
  });
});

describe('a value', () => {
  const NESTED: Identifier = { ...EVERYTHING, entityName: 'Nested' };
  const nestedIn = (levels: number): Value => {
    let value = none;
    for (let level = 1; level < levels; level += 1) value = some(value);
    return value;
  };
  const createNested = (levels: number) =>
    transact(
      ledger,
      change(create(NESTED, record({ owner: party(owner), nested: nestedIn(levels) })), {
        actAs: [owner],
      }),
    );

  it('may be nested almost a hundred deep', async () => {
    const [created] = createdIn(await createNested(95));
    let depth = 0;
    let value = created!.createArguments!.fields[1]?.value;
    while (value?.sum?.$case === 'optional') {
      depth += 1;
      value = value.sum.value.value;
    }
    expect(depth).toBe(95);
  });

  it('must not be nested more than a hundred deep', async () => {
    const tooDeep = await refusalOf(createNested(110));
    expect(tooDeep.status).toBe('INVALID_ARGUMENT');
    expect(['COMMAND_PREPROCESSING_FAILED', 'INVALID_ARGUMENT']).toContain(tooDeep.reason);
  });

  it('that nobody can read does no harm', async () => {
    // The nesting is still shallow enough for the stack of the client's own encoder.
    expect(await refusalOf(createNested(2_000))).toMatchObject({ reason: 'INVALID_ARGUMENT' });
    expect(createdIn(await createNested(1))).toHaveLength(1);
  });

  it('may be almost as large as ten mebibytes, and not larger', async () => {
    const ofSize = (mebibytes: number) => ({ aText: text('x'.repeat(mebibytes * 2 ** 20)) });
    const kept = readRecord(await stored(ofSize(9))) as { aText: string };
    expect(kept.aText).toHaveLength(9 * 2 ** 20);
    expect((await refusal(ofSize(11))).status).toBe('RESOURCE_EXHAUSTED');
  });
});

test('a sum beyond 64 bits is refused, and nothing of it is kept', async () => {
  const owner = await network.party('owner', USER_ADMIN);
  const sides = { user: owner, provider: owner };
  const by = (command: Parameters<typeof change>[0]) => change(command, { actAs: [owner] });
  const [install] = createdIn(
    await transact(ledger, by(createInstall(sides, 9_223_372_036_854_775_807n))),
  );
  const refused = await refusalOf(transact(ledger, by(createLicense(install!.contractId))));
  expect(refused).toMatchObject({ status: 'FAILED_PRECONDITION', reason: 'DAML_FAILURE' });
  expect(refused.message).toContain('(ADD_INT64 9223372036854775807 1)');
  expect(await activeIds(ledger, owner)).toEqual([install!.contractId]);
});
