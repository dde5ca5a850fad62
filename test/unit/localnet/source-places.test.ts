import { expect, test } from 'vitest';
import { placesOf } from '../../../localnet/ledger/engine/places.ts';
import * as lf from '../../../localnet/lf/build/code.ts';
import { call, cons, lambda, located, variable } from '../../../localnet/lf/build/code.ts';
import type { Code } from '../../../localnet/lf/build/code.ts';
import * as types from '../../../localnet/lf/build/types.ts';
import { con } from '../../../localnet/lf/build/types.ts';
import { EngineLedger, exercise } from './engine-ledger.ts';
import { mainOnly } from './lf-packages.ts';

/* The places of the source that a failed submission was evaluating. Lines of a package count from 0. */

const Thing = con('Main:Thing');
const owner = lf.project(Thing, 'owner', variable('this'));
const x = variable('x');
const function1 = (name: string, of: Code) => lf.apply(lf.value(con(`Main:${name}`)), of);
const added = (left: Code, right: Code) => call('ADD_INT64', left, right);
const divided = call('DIV_INT64', lf.int64(1n), lf.int64(0n));

/** Returns the places of the failure of a choice. */
function placesIn(update: Code, minor = 1): readonly string[] {
  const ledger = new EngineLedger();
  const define = (body: Code) => ({
    type: types.arrow(types.int64, types.int64),
    body: lambda(['x'], body),
  });
  const id = ledger.upload({
    ...mainOnly({
      definitions: {
        complain: define(
          located(lf.apply(lf.typeApply(call('ERROR'), types.int64), lf.text('no')), 4),
        ),
        delegate: define(located(function1('complain', x), 8)),
        count: define(located(function1('count', added(x, lf.int64(1n))), 9)),
        calm: define(located(added(x, lf.int64(1n)), 10)),
      },
      templates: {
        Thing: {
          fields: { owner: types.party },
          signatories: cons([owner]),
          observers: lf.nil,
          choices: {
            Break: {
              result: types.int64,
              isConsuming: false,
              controllers: cons([owner]),
              observers: lf.nil,
              update,
            },
          },
        },
      },
    }),
    minor,
  });
  const type = `${id}:Main:Thing`;
  const contractId = ledger.create(['alice'], type, { owner: 'alice' });
  try {
    ledger.submit(['alice'], exercise(type, contractId, 'Break'));
  } catch (error) {
    return placesOf(error);
  }
  throw new Error('the choice did not fail');
}

const computed = (of: Code, line: number) => located(lf.pure(of), line);

test('a failure names the line, and the calls that led to it, the innermost first', () => {
  expect(placesIn(computed(located(added(lf.int64(1n), divided), 20), 19))).toEqual([
    'at Thing.Break (Main:21)',
  ]);
  expect(
    placesIn(
      computed(
        located(added(lf.int64(1n), located(function1('complain', lf.int64(1n)), 22)), 21),
        19,
      ),
    ),
  ).toEqual(['at complain (Main:5)', 'at Thing.Break (Main:23)']);
});

test('a call at the end of a function is named, and a call that has ended is not', () => {
  const ended = located(function1('calm', lf.int64(1n)), 30);
  const failing = located(function1('delegate', ended), 31);
  expect(placesIn(computed(failing, 29))).toEqual([
    'at complain (Main:5)',
    'at delegate (Main:9)',
    'at Thing.Break (Main:32)',
  ]);
});

test('the step of an update that fails is named', () => {
  const created = located(lf.create(Thing, lf.record(Thing, { owner: lf.text('') })), 41);
  const step = located(lf.fetch(Thing, lf.text('00')), 42);
  expect(placesIn(lf.block({ calm: located(lf.pure(lf.unitValue), 40), step }, created))).toEqual([
    'at Thing.Break (Main:43)',
  ]);
});

test('a loop that does not end has a trace of bounded length', () => {
  expect(placesIn(computed(function1('count', lf.int64(0n)), 50))[0]).toBe('at count (Main:10)');
});

test('locations in the table of expressions are found', () => {
  const failing = lf.interned(located(divided, 60));
  expect(placesIn(lf.pure(failing), 2)).toEqual(['at Thing.Break (Main:61)']);
});

test('code without locations has no trace', () => {
  expect(placesIn(lf.pure(added(lf.int64(1n), divided)))).toEqual([]);
});
