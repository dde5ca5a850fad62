import { describe, expect, test } from 'vitest';
import * as lf from '../../../localnet/lf/build/code.ts';
import {
  block,
  call,
  int64,
  patterns,
  pure,
  text,
  variable,
} from '../../../localnet/lf/build/code.ts';
import type { Code } from '../../../localnet/lf/build/code.ts';
import type { ChoiceSource, LfSource, TemplateSource } from '../../../localnet/lf/build/package.ts';
import * as types from '../../../localnet/lf/build/types.ts';
import { con, contractId, party } from '../../../localnet/lf/build/types.ts';
import type { ExerciseNode } from '../../../localnet/ledger/transaction-tree.ts';
import { EngineLedger, create, exercise, exerciseByKey, refusalOf } from './engine-ledger.ts';
import { mainOnly } from './lf-packages.ts';

/* Contracts of one version of a package that another version uses; and keys, which no contract can have here. */

const Note = con('Main:Note');
const Key = con('Main:Key');
const here = variable('this');
const of = (name: string) => lf.project(Note, name, here);
const list = (...items: Code[]) => lf.cons(items);
const key = (owner: Code, number: Code) => lf.record(Key, { owner, number });
const choice = (result: types.Type, update: Code, more: Partial<ChoiceSource> = {}) => ({
  result,
  isConsuming: false,
  controllers: list(of('owner')),
  observers: lf.nil,
  update,
  ...more,
});

/** Returns a package with a template that has a key, with the changes that this version makes. */
function version(
  number: string,
  changes: Partial<TemplateSource>,
  more: Partial<LfSource> & { readonly number?: Code } = {},
): LfSource {
  const { number: keyNumber = of('amount'), ...source } = more;
  const Oops = { record: { why: types.text } };
  return mainOnly(
    {
      data: { Key: { record: { owner: party, number: types.int64 } }, Oops },
      exceptions: ['Oops'],
      messages: { Oops: lf.lambda(['e'], text('oops')) },
      templates: {
        Note: {
          signatories: list(of('owner')),
          observers: lf.nil,
          key: Key,
          keyCode: {
            key: key(of('owner'), keyNumber),
            maintainers: lf.lambda(['k'], list(lf.project(Key, 'owner', variable('k')))),
          },
          ...changes,
          fields: { owner: party, amount: types.int64, ...changes.fields },
          choices: { Tell: choice(types.text, pure(text('told'))), ...changes.choices },
        },
      },
    },
    { minor: 3, version: number, ...source },
  );
}

const ledger = new EngineLedger();
const upload = (source: LfSource) => `${ledger.upload(source)}:Main:Note`;
const made = (type: string, amount: string) =>
  ledger.create(['owner'], type, { owner: 'owner', amount });
const act = (type: string, contract: string, name = 'Tell') => {
  const tree = ledger.submit(['owner'], exercise(type, contract, name));
  return (tree.roots[0] as ExerciseNode).result;
};
const older = upload(version('1.0.0', {}));

describe('a contract of an earlier version', () => {
  test('is found by its key as the later version has it', () => {
    const noteOf = (pair: Code) =>
      lf.project(Note, 'note', lf.project(con('Main:Pair'), '_2', pair));
    const found = lf.apply(lf.queryNByKey(Note), int64(1n), key(of('owner'), of('amount')));
    const shown = lf.match(
      variable('found'),
      [patterns.none, text('nothing')],
      [
        patterns.some('pairs'),
        lf.match(
          variable('pairs'),
          [patterns.nil, text('nobody')],
          [
            patterns.cons('pair', 'others'),
            lf.match(
              noteOf(variable('pair')),
              [patterns.none, text('without a note')],
              [patterns.some('n'), variable('n')],
            ),
          ],
        ),
      ],
    );
    const source = version('1.1.0', {
      fields: { note: types.optional(types.text) },
      choices: { Find: choice(types.text, block({ found }, pure(shown))) },
    });
    const { Main } = source.modules;
    const data = { ...Main!.data, Pair: { record: { _1: contractId(Note), _2: Note } } };
    const newer = upload({ ...source, modules: { Main: { ...Main, data } } });
    expect(act(newer, made(older, '1'), 'Find')).toBe('without a note');
  });

  test('must fulfil the precondition of the later one', () => {
    const precondition = call('GREATER', of('amount'), int64(0n));
    const newer = upload(version('1.2.0', { precondition }));
    expect(act(newer, made(older, '2'))).toBe('told');
    const none = made(older, '0');
    expect(refusalOf(() => act(newer, none))).toMatchObject({
      code: 'TEMPLATE_PRECONDITION_VIOLATED',
      text: `Interpretation error: Error: Update failed due to precondition violation when creating ${newer} with Note {owner = 'owner', amount = 0}`,
    });
  });

  test.each([
    ['another key', { number: call('ADD_INT64', of('amount'), int64(1n)) }],
    ['another package name', { name: 'another' }],
  ])('is refused with %s', (what, more) => {
    const contract = made(older, '3');
    const source = version(`1.3.${what.length}`, {}, more);
    expect(refusalOf(() => act(upload(source), contract)).code).toBe(
      'INTERPRETATION_UPGRADE_ERROR_VALIDATION_FAILED',
    );
  });

  test('cannot be caught where its parties fail', () => {
    const raised = lf.raise(con('Main:Oops'), lf.record(con('Main:Oops'), { why: text('no') }));
    const source = version('1.4.0', {
      fields: { other: types.optional(contractId(Note)) },
      observers: lf.match(of('other'), [patterns.none, raised], [patterns.some('o'), lf.nil]),
      choices: {
        Caught: choice(
          types.text,
          lf.tryCatch(
            block({ it: lf.fetch(Note, variable('argumentId')) }, pure(text('fetched'))),
            'e',
            lf.some(pure(text('caught'))),
          ),
        ),
      },
    });
    const { Main } = source.modules;
    const { Note: template } = Main!.templates!;
    const caught = template!.choices!['Caught']!;
    const fetched = lf.letIn(
      { argumentId: lf.project(con('Main:Caught'), 'of', variable('argument')) },
      caught.update!,
    );
    const choices = {
      ...template!.choices,
      Caught: { ...caught, fields: { of: contractId(Note) }, update: fetched },
    };
    const templates = { Note: { ...template!, choices } };
    const newer = upload({ ...source, modules: { Main: { ...Main, templates } } });
    const contract = made(older, '4');
    const own = ledger.create(['owner'], newer, { owner: 'owner', amount: '4', other: contract });
    const run = () => ledger.submit(['owner'], exercise(newer, own, 'Caught', { of: contract }));
    expect(refusalOf(run)).toMatchObject({ code: 'DAML_FAILURE' });
  });
});

test('a payload behind an interface is refused where an earlier version would lose something', () => {
  const face = ledger.upload(
    mainOnly({ interfaces: { Face: { view: types.unit } } }, { name: 'face' }),
  );
  const Face = con('Main:Face', face);
  const earlier = con('Main:Note', older.split(':')[0]);
  const source = version('1.5.0', {
    fields: { note: types.optional(types.text) },
    implements: [{ iface: Face, viewCode: lf.unitValue }],
    choices: {
      Back: choice(
        types.text,
        pure(
          lf.match(
            lf.fromInterface(Face, earlier, lf.toInterface(Face, Note, here)),
            [patterns.none, text('not one')],
            [patterns.some('it'), text('is one')],
          ),
        ),
      ),
    },
  });
  const newer = upload(source);
  expect(act(newer, made(newer, '5'), 'Back')).toBe('is one');
  const noted = ledger.create(['owner'], newer, { owner: 'owner', amount: '5', note: 'a note' });
  expect(refusalOf(() => act(newer, noted, 'Back'))).toMatchObject({
    code: 'INTERPRETATION_UPGRADE_ERROR_TRANSLATION_FAILED',
    text: expect.stringContaining(`Translation of a contract to a value of type ${older} fails.`),
  });
});

test('a contract of another template is refused by its name', () => {
  const other = ledger.upload(
    mainOnly(
      {
        templates: {
          Other: {
            fields: { owner: party },
            signatories: list(lf.project(con('Main:Other'), 'owner', here)),
            observers: lf.nil,
          },
        },
      },
      { name: 'others' },
    ),
  );
  const contract = made(older, '6');
  const type = `${other}:Main:Other`;
  expect(refusalOf(() => act(type, contract, 'Archive'))).toMatchObject({
    code: 'WRONGLY_TYPED_CONTRACT',
    text: `Interpretation error: Error: Update failed due to wrongly typed contract id ${contract}\n  Expected contract of type ${type} but got ${older}`,
  });
});

describe('a key', () => {
  const Odd = con('Main:Odd');
  const oddKey = con('Main:Key');
  const source = mainOnly(
    {
      data: { Key: { record: { owner: party, to: types.optional(contractId(Odd)) } } },
      templates: {
        Odd: {
          fields: { owner: party, other: party, to: types.optional(contractId(Odd)) },
          signatories: list(lf.project(Odd, 'owner', here)),
          observers: lf.nil,
          key: oddKey,
          keyCode: {
            key: lf.record(oddKey, {
              owner: lf.project(Odd, 'other', here),
              to: lf.project(Odd, 'to', here),
            }),
            maintainers: lf.lambda(['k'], list(lf.project(oddKey, 'owner', variable('k')))),
          },
        },
      },
    },
    { minor: 3, name: 'odd' },
  );
  const type = `${ledger.upload(source)}:Main:Odd`;
  const odd = (other: string, to?: string) =>
    ledger.create(['owner', 'other'], type, { owner: 'owner', other, to: to ?? null });

  test('has signatories as its maintainers', () => {
    expect(refusalOf(() => odd('other'))).toMatchObject({
      code: 'DAML_AUTHORIZATION_ERROR',
      text: `Interpretation error: Error: node NodeId(0) (${type}) has maintainers other which are not a subset of the signatories owner`,
    });
  });

  test('has no contract IDs', () => {
    const to = odd('owner');
    expect(refusalOf(() => odd('owner', to))).toMatchObject({
      code: 'CONTRACT_ID_IN_CONTRACT_KEY',
      text: `Interpretation error: Error: Contract IDs are not supported in contract keys: ${to}`,
    });
    const command = exerciseByKey(type, { owner: 'owner', to }, 'Archive');
    expect(refusalOf(() => ledger.submit(['owner'], command))).toMatchObject({
      code: 'COMMAND_PREPROCESSING_FAILED',
      text: `Contract IDs are not supported in contract keys: ${to}`,
    });
  });
});

describe('a template whose code is wrong', () => {
  const Bad = con('Main:Bad');
  const bad = (changes: Partial<TemplateSource>): string => {
    const own = lf.project(Bad, 'owner', here);
    const Main = {
      templates: {
        Bad: { fields: { owner: party }, signatories: list(own), observers: lf.nil, ...changes },
      },
    };
    const strings = [Object.keys(changes).join()];
    return `${ledger.upload(mainOnly(Main, { name: 'bad', strings }))}:Main:Bad`;
  };
  const badChoice = {
    result: types.text,
    controllers: list(lf.project(Bad, 'owner', here)),
    observers: lf.nil,
    update: pure(int64(1n)),
  };

  test.each([
    ['signatories that are no list', bad({ signatories: int64(1n) })],
    ['observers that are no parties', bad({ observers: list(int64(1n)) })],
  ])('ends its submission: %s', (_what, type) => {
    const run = () => ledger.submit(['owner'], create(type, { owner: 'owner' }));
    expect(refusalOf(run).code).toBe('DAML_INTERPRETATION_ERROR');
  });

  test('ends its submission: a result of another type', () => {
    const type = bad({ choices: { Wrong: badChoice } });
    const contract = ledger.create(['owner'], type, { owner: 'owner' });
    expect(refusalOf(() => act(type, contract, 'Wrong')).code).toBe('DAML_INTERPRETATION_ERROR');
  });

  test('ends its submission: a text that no ledger can store', () => {
    const update = pure(call('HEX_TO_TEXT', text('00')));
    const type = bad({ choices: { Null: { ...badChoice, update } } });
    const contract = ledger.create(['owner'], type, { owner: 'owner' });
    expect(refusalOf(() => act(type, contract, 'Null'))).toMatchObject({
      code: 'MALFORMED_TEXT',
      text: 'Interpretation error: Error: Text is malformed: Text contains null character',
    });
  });

  test('ends its submission: no signatories', () => {
    const type = bad({ signatories: lf.nil, observers: lf.nil });
    const run = () => ledger.submit(['owner'], create(type, { owner: 'owner' }));
    expect(refusalOf(run).text).toMatch(/ has no signatories$/);
  });
});
