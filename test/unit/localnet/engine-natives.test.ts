import { describe, expect, test } from 'vitest';
import {
  contractId as ledgerContractId,
  int64 as ledgerInt64,
  party as ledgerParty,
  record,
  text as ledgerText,
} from '../../../localnet/ledger/lf-types.ts';
import type { LfValue } from '../../../localnet/ledger/lf-types.ts';
import {
  choice,
  definePackage,
  implementChoice,
  template,
  typeNamer,
} from '../../../localnet/ledger/package-definition.ts';
import type {
  ChoiceDefinition,
  InterfaceDefinition,
} from '../../../localnet/ledger/package-definition.ts';
import * as lf from '../../../localnet/lf/build/code.ts';
import { block, call, pure, text, variable } from '../../../localnet/lf/build/code.ts';
import { lfPackage } from '../../../localnet/lf/build/package.ts';
import * as types from '../../../localnet/lf/build/types.ts';
import { con, party } from '../../../localnet/lf/build/types.ts';
import { EngineLedger, exercise, treeOf } from './engine-ledger.ts';
import { mainOnly } from './lf-packages.ts';

/*
 * A published package with an interface that a native template of LocalNet implements, and an uploaded package with a
 * template that implements the same interface.
 */

const view = { data: { View: { record: { size: types.int64 } } } };
const described = {
  fields: { prefix: types.text },
  result: types.text,
  isConsuming: false,
  controllers: lf.signatoryInterface(con('Main:Thing'), variable('this')),
  observers: lf.nil,
  update: pure(
    call(
      'APPEND_TEXT',
      lf.project(con('Main:Describe'), 'prefix', variable('argument')),
      lf.callInterface(con('Main:Thing'), 'nameOf', variable('this')),
    ),
  ),
};
const shared = {
  ...mainOnly({
    ...view,
    interfaces: {
      Thing: {
        view: con('Main:View'),
        methods: { nameOf: types.text },
        choices: { Describe: described },
      },
    },
  }),
  name: 'shared',
};
const published = lfPackage(shared);
const named = typeNamer('shared');
const View = record(named('Main:View'), { size: ledgerInt64 });
type ThingView = LfValue<typeof View>;
const Describe = {
  name: 'Describe',
  kind: 'nonconsuming',
  argument: record(named('Main:Describe'), { prefix: ledgerText }),
  result: ledgerText,
} as const;
const Thing: InterfaceDefinition<ThingView> = {
  kind: 'interface',
  name: named('Main:Thing'),
  view: View,
  choices: [Describe],
};
const Coin = record(named('Main:Coin'), { owner: ledgerParty, size: ledgerInt64 });
type CoinPayload = LfValue<typeof Coin>;
const viewOf = ({ size }: CoinPayload): ThingView => ({ size });
const Ask = choice({
  name: 'Ask',
  kind: 'nonconsuming',
  argument: record(named('Main:Ask'), { other: ledgerContractId }),
  result: ledgerText,
  controllers: ({ owner }: CoinPayload) => [owner],
  exercise: (ledger, _self, { other }) => {
    const { size } = ledger.fetchInterface(Thing, other);
    return `${size} ${ledger.exercise(Thing, other, Describe, { prefix: 'native asks: ' })}`;
  },
});
const coin = template<CoinPayload>({
  name: Coin.name,
  payload: Coin,
  signatories: ({ owner }) => [owner],
  observers: () => [],
  choices: [Ask],
  implements: [
    {
      iface: Thing,
      view: viewOf,
      choices: {
        Describe: implementChoice(
          { ...Describe, controllers: () => ['owner'] },
          viewOf,
          (_ledger, { payload }, { prefix }) => `${prefix}a native coin of ${payload.size}`,
        ) as ChoiceDefinition<CoinPayload>,
      },
    },
  ],
});
const standIn = definePackage({
  name: 'shared',
  version: '1.0.0',
  publishedId: published.id,
  templates: [coin],
  interfaces: [Thing],
});

const SharedThing = con('Main:Thing', published.id);
const SharedView = con('Main:View', published.id);
const Note = con('Main:Note');
const self = (name: string) => lf.project(Note, name, variable('this'));
const other = lf.project(con('Main:AskOther'), 'other', variable('argument'));
const engine = {
  ...mainOnly({
    templates: {
      Note: {
        fields: { owner: party, words: types.text },
        signatories: lf.cons([self('owner')]),
        observers: lf.nil,
        implements: [
          {
            iface: SharedThing,
            view: SharedView,
            viewCode: lf.record(SharedView, { size: lf.int64(7n) }),
            methods: { nameOf: types.text },
            methodCode: { nameOf: self('words') },
          },
        ],
        choices: {
          AskOther: {
            fields: { other: types.contractId(SharedThing) },
            result: types.text,
            isConsuming: false,
            controllers: lf.cons([self('owner')]),
            observers: lf.nil,
            update: block(
              {
                thing: lf.fetchInterface(SharedThing, other),
                told: lf.exerciseInterface(
                  SharedThing,
                  'Describe',
                  other,
                  lf.record(con('Main:Describe', published.id), { prefix: text('engine asks: ') }),
                ),
              },
              pure(
                call(
                  'APPEND_TEXT',
                  call(
                    'INT64_TO_TEXT',
                    lf.project(
                      SharedView,
                      'size',
                      lf.viewInterface(SharedThing, variable('thing')),
                    ),
                  ),
                  variable('told'),
                ),
              ),
            ),
          },
        },
      },
    },
  }),
  name: 'notes',
};

describe('native packages and packages of the engine', () => {
  const ledger = new EngineLedger([standIn]);
  ledger.upload(shared);
  const noteType = `${ledger.upload(engine)}:Main:Note`;
  const coinType = `${published.id}:Main:Coin`;
  const native = ledger.create(['owner'], coinType, { owner: 'owner', size: '3' });
  const note = ledger.create(['owner'], noteType, { owner: 'owner', words: 'a note' });
  const resultOf = (type: string, contract: string, choiceName: string, of: string) =>
    treeOf(ledger.submit(['owner'], exercise(type, contract, choiceName, { other: of })).roots);

  test('call each other through an interface', () => {
    const inside = (result: string) => [
      { fetch: expect.any(String), as: 'Thing' },
      { exercise: 'Describe', result, inside: [] },
    ];
    const asks = [
      [coinType, native, 'Ask', note, '7 native asks: a note', 'native asks: a note'],
      [
        noteType,
        note,
        'AskOther',
        native,
        '3engine asks: a native coin of 3',
        'engine asks: a native coin of 3',
      ],
      [noteType, note, 'AskOther', note, '7engine asks: a note', 'engine asks: a note'],
    ] as const;
    for (const [type, contract, name, of, result, told] of asks) {
      expect(resultOf(type, contract, name, of)).toEqual([
        { exercise: name, result, inside: inside(told) },
      ]);
    }
  });

  test('are told apart', () => {
    const { registry } = ledger;
    expect([registry.isNative(published.id), registry.isNative(noteType.slice(0, 64))]).toEqual([
      true,
      false,
    ]);
  });
});
