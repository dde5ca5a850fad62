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
import { readInputContracts, replay } from '../../../localnet/interactive/replay.ts';
import { encodeBlob } from '../../../localnet/ledger/created-event-blob.ts';
import { nodesOf } from '../../../localnet/ledger/transaction-tree.ts';
import {
  DamlTransaction,
  Metadata,
} from '../../../proto/gen/com/daml/ledger/api/v2/interactive/interactive_submission_service.ts';
import {
  Create,
  Fetch,
} from '../../../proto/gen/com/daml/ledger/api/v2/interactive/transaction/v1/interactive_submission_data.ts';
import {
  EngineLedger,
  create,
  exercise,
  exerciseByKey,
  refusalOf,
  treeOf,
} from './engine-ledger.ts';
import { mainOnly } from './lf-packages.ts';

const here = variable('this');
const list = (...of: Code[]) => lf.cons(of);
const resultOf = (tree: { readonly roots: readonly unknown[] }) =>
  (tree.roots[0] as ExerciseNode).result;

describe('a contract key', () => {
  const Account = con('Main:Account');
  const Key = con('Main:Key');
  const of = (name: string) => lf.project(Account, name, here);
  const key = (owner: Code, number: Code) => lf.record(Key, { owner, number });
  const own = key(of('owner'), of('number'));
  const tuple = con('Main:Pair');
  const choice = (result: types.Type, update: Code): ChoiceSource => ({
    result,
    isConsuming: false,
    controllers: list(of('owner')),
    observers: lf.nil,
    update,
  });
  const source = mainOnly(
    {
      data: {
        Key: { record: { owner: party, number: types.int64 } },
        Pair: { record: { _1: contractId(Account), _2: Account } },
      },
      templates: {
        Account: {
          fields: { owner: party, number: types.int64, note: types.text },
          signatories: list(of('owner')),
          observers: lf.nil,
          key: Key,
          keyCode: {
            key: own,
            maintainers: lf.lambda(
              ['k'],
              lf.match(
                call('EQUAL', lf.project(Key, 'number', variable('k')), int64(0n)),
                [patterns.true, lf.nil],
                [patterns.any, list(lf.project(Key, 'owner', variable('k')))],
              ),
            ),
          },
          choices: {
            Find: choice(
              types.text,
              block(
                { found: lf.apply(lf.fetchByKey(Account), own) },
                pure(lf.project(Account, 'note', lf.project(tuple, '_2', variable('found')))),
              ),
            ),
            Missing: choice(
              types.unit,
              lf.apply(lf.fetchByKey(Account), key(of('owner'), int64(9n))),
            ),
            All: choice(
              types.optional(types.list(tuple)),
              lf.apply(lf.queryNByKey(Account), int64(2n), own),
            ),
            Tell: choice(
              types.text,
              lf.exerciseByKey(Account, 'Note', own, lf.record(con('Main:Note'), {})),
            ),
            Note: choice(types.text, pure(of('note'))),
          },
        },
      },
    },
    { minor: 3 },
  );
  const ledger = new EngineLedger();
  const type = `${ledger.upload(source)}:Main:Account`;
  const made = (note: string, number = '1') => {
    ledger.now += 1n;
    return ledger.create(['owner'], type, { owner: 'owner', number, note });
  };
  const [first, second, third] = [made('first'), made('second'), made('third')];
  const act = (choiceName: string) =>
    resultOf(ledger.submit(['owner'], exercise(type, first, choiceName)));

  test('finds the latest of several contracts that have it', () => {
    expect(act('Find')).toBe('third');
    expect(act('Tell')).toBe('third');
    expect(act('All')).toMatchObject({ some: [{ _1: third }, { _1: second }] });
  });

  test('finds nothing where there is nothing', () => {
    expect(refusalOf(() => act('Missing')).code).toBe('CONTRACT_KEY_NOT_FOUND');
  });

  test('is what a command exercises by', () => {
    const command = exerciseByKey(type, { owner: 'owner', number: '1' }, 'Note');
    expect(resultOf(ledger.submit(['owner'], command))).toBe('third');
  });

  test.each(['Find', 'Tell', 'All'])(
    'is looked up again where a transaction was prepared: %s',
    (name) => {
      const command = exercise(type, first, name);
      const { roots, inputs } = ledger.submit(['owner'], command);
      const inputContracts = Array.from(inputs.values(), (contract) => ({
        contract: { $case: 'v1' as const, value: Create.fromPartial({}) },
        createdAt: contract.createdAt,
        eventBlob: encodeBlob(contract),
      }));
      const used = new Set(Array.from(nodesOf(roots), ({ contract }) => contract.contractId));
      const nodes = Array.from(used, (contractId) => ({
        nodeId: contractId,
        versionedNode: {
          $case: 'v1' as const,
          value: {
            nodeType: { $case: 'fetch' as const, value: Fetch.fromPartial({ contractId }) },
          },
        },
      }));
      const { registry } = ledger;
      const brought = readInputContracts(
        Metadata.fromPartial({ inputContracts }),
        DamlTransaction.fromPartial({ nodes }),
        registry,
      );
      const seeds = new Map<number, Uint8Array>();
      const again = { registry, actAs: ['owner'], inputs: brought, seeds, ledgerTime: ledger.now };
      expect(treeOf(replay(command, again).roots)).toEqual(treeOf(roots));
    },
  );

  test('needs maintainers', () => {
    expect(refusalOf(() => made('nobody', '0')).code).toBe('CREATE_EMPTY_CONTRACT_KEY_MAINTAINERS');
  });
});

describe('another version of a package', () => {
  const version = (name: string, fields: TemplateSource['fields'], result: Code): LfSource =>
    mainOnly(
      {
        templates: {
          Note: {
            fields: { owner: party, ...fields },
            signatories: list(lf.project(con('Main:Note'), 'owner', here)),
            observers: lf.nil,
            choices: {
              Tell: {
                result: types.text,
                isConsuming: false,
                controllers: list(lf.project(con('Main:Note'), 'owner', here)),
                observers: lf.nil,
                update: pure(result),
              },
            },
          },
        },
      },
      { version: name },
    );
  const ledger = new EngineLedger();
  const older = `${ledger.upload(version('1.0.0', {}, text('older')))}:Main:Note`;
  const shownNote = lf.match(
    lf.project(con('Main:Note'), 'note', here),
    [patterns.none, text('newer, without a note')],
    [patterns.some('n'), variable('n')],
  );
  const newer = `${ledger.upload(version('1.1.0', { note: types.optional(types.text) }, shownNote))}:Main:Note`;
  const tell = (type: string, contract: string) =>
    resultOf(ledger.submit(['owner'], exercise(type, contract, 'Tell')));

  test('reads contracts of an earlier one, whose new fields are empty', () => {
    const contract = ledger.create(['owner'], older, { owner: 'owner' });
    expect(tell(older, contract)).toBe('older');
    expect(tell(newer, contract)).toBe('newer, without a note');
  });

  test('reads contracts of a later one, unless something would be lost', () => {
    const empty = ledger.create(['owner'], newer, { owner: 'owner' });
    expect(tell(older, empty)).toBe('older');
    const noted = ledger.create(['owner'], newer, { owner: 'owner', note: 'a note' });
    expect(tell(newer, noted)).toBe('a note');
    expect(refusalOf(() => tell(older, noted)).code).toBe(
      'INTERPRETATION_UPGRADE_ERROR_TRANSLATION_FAILED',
    );
  });
});

test('a contract that loops ends its submission, and others go on', () => {
  const ledger = new EngineLedger();
  const Loop = con('Main:Loop');
  const forever = lf.value(con('Main:forever'));
  const source = mainOnly({
    definitions: {
      forever: { type: types.unit, body: lf.lambda(['x'], lf.apply(forever, variable('x'))) },
    },
    templates: {
      Loop: {
        fields: { owner: party },
        signatories: list(lf.project(Loop, 'owner', here)),
        observers: lf.nil,
        choices: {
          Run: {
            result: types.unit,
            isConsuming: false,
            controllers: list(lf.project(Loop, 'owner', here)),
            observers: lf.nil,
            update: lf.apply(forever, lf.unitValue),
          },
        },
      },
    },
  });
  const type = `${ledger.upload(source)}:Main:Loop`;
  const contract = ledger.create(['owner'], type, { owner: 'owner' });
  expect(refusalOf(() => ledger.submit(['owner'], exercise(type, contract, 'Run'))).code).toBe(
    'INTERPRETATION_TIME_EXCEEDED',
  );
  expect(ledger.submit(['owner'], create(type, { owner: 'owner' })).roots).toHaveLength(1);
});
