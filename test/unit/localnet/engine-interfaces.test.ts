import { expect, test } from 'vitest';
import type { ExerciseNode } from '../../../localnet/ledger/transaction-tree.ts';
import * as lf from '../../../localnet/lf/build/code.ts';
import {
  block,
  call,
  cons,
  match,
  patterns,
  pure,
  text,
  variable,
} from '../../../localnet/lf/build/code.ts';
import type { Code } from '../../../localnet/lf/build/code.ts';
import * as types from '../../../localnet/lf/build/types.ts';
import { con } from '../../../localnet/lf/build/types.ts';
import { EngineLedger, exercise, refusalOf } from './engine-ledger.ts';
import { mainOnly } from './lf-packages.ts';

/* Expressions on values of interfaces, one of which requires another. */

const Thing = con('Main:Thing');
const Plain = con('Main:Plain');
const Named = con('Main:Named');
const Owned = con('Main:Owned');
const View = con('Main:View');
const here = variable('this');
const self = variable('self');
const field = (name: string) => lf.project(Thing, name, here);
const named = lf.toInterface(Named, Thing, here);
const plain = lf.toInterface(Named, Plain, lf.record(Plain, { owner: field('owner') }));
const instance = (iface: types.Type) => ({
  iface,
  view: View,
  viewCode: lf.record(View, {}),
  methods: {},
  methodCode: {},
});
const iface = (...requires: types.Type[]) => ({ view: View, requires });

/** Runs a choice of a `Thing` that implements `Named` and the interface `Owned`, which requires `Named`. */
function run(result: types.Type, update: Code) {
  const ledger = new EngineLedger();
  const Touch = {
    result,
    isConsuming: false,
    controllers: cons([field('owner')]),
    observers: lf.nil,
    update,
  };
  const id = ledger.upload(
    mainOnly({
      data: { View: { record: {} } },
      interfaces: { Named: iface(), Owned: iface(Named) },
      templates: {
        Thing: {
          fields: { owner: types.party, reader: types.party },
          signatories: cons([field('owner')]),
          observers: cons([field('reader')]),
          choices: { Touch },
          implements: [instance(Named), instance(Owned)],
        },
        Plain: {
          fields: { owner: types.party },
          signatories: cons([lf.project(Plain, 'owner', here)]),
          observers: lf.nil,
          implements: [instance(Named)],
        },
      },
    }),
  );
  const type = `${id}:Main:Thing`;
  const contractId = ledger.create(['alice'], type, { owner: 'alice', reader: 'bob' });
  return { ledger, act: () => ledger.submit(['alice'], exercise(type, contractId, 'Touch')) };
}
const resultOf = (type: types.Type, update: Code) =>
  (run(type, update).act().roots[0] as ExerciseNode).result;
const isSome = (of: Code) =>
  match(of, [patterns.some('_'), lf.trueValue], [patterns.any, lf.falseValue]);
const parties = types.list(types.party);

test('signatories and observers of an interface are those of the contract', () => {
  expect(resultOf(parties, pure(lf.signatoryInterface(Named, named)))).toEqual(['alice']);
  expect(resultOf(parties, pure(lf.observerInterface(Named, named)))).toEqual(['bob']);
});

test('the template of a value of an interface is known', () => {
  const isThing = (of: Code) =>
    pure(call('EQUAL', lf.interfaceTemplate(Named, of), lf.typeRep(Thing)));
  expect(resultOf(types.bool, isThing(named))).toBe(true);
  expect(resultOf(types.bool, isThing(plain))).toBe(false);
});

test('a value of a requiring interface is one of the required interface, and back', () => {
  const required = lf.toRequired(Named, Owned, lf.toInterface(Owned, Thing, here));
  expect(resultOf(parties, pure(lf.observerInterface(Named, required)))).toEqual(['bob']);
  const back = (of: Code) => pure(isSome(lf.fromRequired(Named, Owned, of)));
  expect(resultOf(types.bool, back(required))).toBe(true);
  expect(resultOf(types.bool, back(plain))).toBe(false);
});

test('an unsafe conversion fails with the contract and both types', () => {
  const owner = (of: Code) =>
    pure(lf.project(Thing, 'owner', lf.unsafeFromInterface(Named, Thing, self, of)));
  expect(resultOf(types.party, owner(named))).toBe('alice');
  expect(refusalOf(run(types.party, owner(plain)).act)).toMatchObject({
    code: 'WRONGLY_TYPED_CONTRACT',
    text: expect.stringMatching(/Expected contract of type .*:Main:Thing but got .*:Main:Plain/u),
  });
  const owned = (of: Code) =>
    pure(lf.observerInterface(Owned, lf.unsafeFromRequired(Named, Owned, self, of)));
  expect(resultOf(parties, owned(named))).toEqual(['bob']);
  expect(refusalOf(run(parties, owned(plain)).act)).toMatchObject({
    code: 'CONTRACT_DOES_NOT_IMPLEMENT_REQUIRING_INTERFACE',
    text: expect.stringContaining('Main:Plain'),
  });
});

test('a value of an interface is created as its template', () => {
  const { ledger, act } = run(
    types.unit,
    block({ _: lf.createInterface(Named, plain) }, pure(lf.unitValue)),
  );
  act();
  const [, created] = ledger.created.map((id) => ledger.contracts.get(id)!);
  expect([created?.template.name.entity, created?.payload]).toEqual(['Plain', { owner: 'alice' }]);
});

test('a party has a text, and a map takes a value in place of an earlier one', () => {
  expect(resultOf(types.text, pure(call('PARTY_TO_TEXT', field('owner'))))).toBe('alice');
  const inserted = (map: Code, value: string) => call('GENMAP_INSERT', text('a'), text(value), map);
  const map = inserted(inserted(call('GENMAP_EMPTY'), 'first'), 'second');
  expect(resultOf(types.list(types.text), pure(call('GENMAP_VALUES', map)))).toEqual(['second']);
});
