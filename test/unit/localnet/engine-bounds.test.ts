import { describe, expect, test } from 'vitest';
import * as lf from '../../../localnet/lf/build/code.ts';
import { block, call, int64, pure, text, variable } from '../../../localnet/lf/build/code.ts';
import type { Code } from '../../../localnet/lf/build/code.ts';
import type { ChoiceSource } from '../../../localnet/lf/build/package.ts';
import * as types from '../../../localnet/lf/build/types.ts';
import { con, contractId, party } from '../../../localnet/lf/build/types.ts';
import { Meter } from '../../../localnet/ledger/engine/bounds.ts';
import { exactText } from '../../../localnet/ledger/engine/comparison.ts';
import { damlFailure } from '../../../localnet/ledger/interpretation-errors.ts';
import { archiveChoice } from '../../../localnet/ledger/package-definition.ts';
import type { InterfaceImplementation } from '../../../localnet/ledger/package-definition.ts';
import { viewOf } from '../../../localnet/ledger/writable.ts';
import { witnessesOf } from '../../../localnet/ledger/transaction-tree.ts';
import { EngineLedger, exercise, refusalOf } from './engine-ledger.ts';
import { failureOf, resultOf, runnerOf, stepsOf } from './engine-values.ts';
import { mainOnly } from './lf-packages.ts';

/* Limits for one submission. Everything that takes time or memory counts as steps. */

const EXCEEDED = /^INTERPRETATION_TIME_EXCEEDED: /;
const names = (count: number) => Array.from({ length: count }, (_, at) => `x${at}`);
const here = variable('this');

/** Doubles a value `power` times. For example, a text then has two to the power of `power` times as many characters. */
function doubled(one: Code, power: number, twice: (half: Code) => Code): Code {
  const levels = names(power + 1);
  const bindings = levels.map((name, at) => [
    name,
    at === 0 ? one : twice(variable(levels[at - 1]!)),
  ]);
  return lf.letIn(Object.fromEntries(bindings), variable(levels.at(-1)!));
}
const repeated = (one: string, power: number) =>
  doubled(text(one), power, (half) => call('APPEND_TEXT', half, half));

describe('a value that uses its parts many times', () => {
  const Tree = con('Main:Tree');
  const Pair = con('Main:Pair');
  const Made = con('Main:Made');
  const Root = con('Main:Root');
  const Keyed = con('Main:Keyed');
  const leaf = lf.variant(Tree, 'Leaf', lf.unitValue);
  // This value is small in the engine, where its parts are shared, but as a ledger value it has 16,384 leaves.
  const tree = doubled(leaf, 14, (half) =>
    lf.variant(Tree, 'Node', lf.record(Pair, { left: half, right: half })),
  );
  const owner = lf.project(Root, 'owner', here);
  const choice = (result: types.Type, update: Code, more: Partial<ChoiceSource> = {}) => ({
    result,
    isConsuming: false,
    controllers: lf.cons([owner]),
    observers: lf.nil,
    update,
    ...more,
  });
  const source = mainOnly(
    {
      data: {
        Pair: { record: { left: Tree, right: Tree } },
        Tree: { variant: { Leaf: types.unit, Node: Pair } },
      },
      templates: {
        Made: {
          fields: { owner: party, tree: Tree },
          signatories: lf.cons([lf.project(Made, 'owner', here)]),
          observers: lf.nil,
        },
        Keyed: {
          fields: { owner: party },
          signatories: lf.cons([lf.project(Keyed, 'owner', here)]),
          observers: lf.nil,
          key: Tree,
          keyCode: { key: tree, maintainers: lf.lambda(['k'], lf.nil) },
        },
        Root: {
          fields: { owner: party },
          signatories: lf.cons([owner]),
          observers: lf.nil,
          choices: {
            Payload: choice(contractId(Made), lf.create(Made, lf.record(Made, { owner, tree }))),
            Key: choice(contractId(Keyed), lf.create(Keyed, lf.record(Keyed, { owner }))),
            Result: choice(Tree, pure(tree)),
            Take: choice(types.unit, pure(lf.unitValue), { fields: { tree: Tree } }),
            Argument: choice(
              types.unit,
              lf.exercise(Root, 'Take', variable('self'), lf.record(con('Main:Take'), { tree })),
            ),
          },
        },
      },
    },
    { minor: 3 },
  );
  const ledger = new EngineLedger();
  const type = `${ledger.upload(source)}:Main:Root`;
  const root = ledger.create(['owner'], type, { owner: 'owner' });

  test.each(['Payload', 'Key', 'Result', 'Argument'])(
    'costs the steps of all of its parts: %s',
    (name) => {
      const act = () => ledger.submit(['owner'], exercise(type, root, name));
      expect(refusalOf(act).code).toBe('INTERPRETATION_TIME_EXCEEDED');
    },
  );
});

test('a contract that is fetched again and again costs the steps of its payload each time', () => {
  const Big = con('Main:Big');
  const owner = lf.project(Big, 'owner', here);
  const fetches = Object.fromEntries(
    names(200).map((name) => [name, lf.fetch(Big, variable('self'))]),
  );
  const ledger = new EngineLedger();
  const source = mainOnly({
    templates: {
      Big: {
        fields: { owner: party, numbers: types.list(types.int64) },
        signatories: lf.cons([owner]),
        observers: lf.nil,
        choices: {
          Fetch: {
            result: types.unit,
            isConsuming: false,
            controllers: lf.cons([owner]),
            observers: lf.nil,
            update: block(fetches, pure(lf.unitValue)),
          },
        },
      },
    },
  });
  const type = `${ledger.upload(source)}:Main:Big`;
  const made = (count: number) =>
    ledger.create(['owner'], type, { owner: 'owner', numbers: Array(count).fill('1') });
  const fetch = (id: string) => ledger.submit(['owner'], exercise(type, id, 'Fetch'));
  expect(fetch(made(1)).roots).toHaveLength(1);
  const big = made(500);
  expect(refusalOf(() => fetch(big)).code).toBe('INTERPRETATION_TIME_EXCEEDED');
});

describe('builtins on long texts', () => {
  const few = { steps: 100_000 };

  test('read a number in one pass', () => {
    const zeros = call('APPEND_TEXT', repeated('0', 17), text('x'));
    expect(resultOf(call('TEXT_TO_NUMERIC', lf.numeric('0.0'), zeros), { bounds: few })).toBeNull();
    const ones = call('APPEND_TEXT', text('1.'), repeated('0', 17));
    expect(resultOf(call('TEXT_TO_NUMERIC', lf.numeric('0.0'), ones), { bounds: few })).toEqual({
      some: '1.0',
    });
  });

  test.each(['EXPLODE_TEXT', 'TEXT_TO_CODE_POINTS'] as const)(
    '%s takes a step for each character',
    (builtin) => {
      expect(failureOf(call(builtin, repeated('a', 17)), { bounds: few })).toMatch(EXCEEDED);
    },
  );

  test('hash a block at a time', () => {
    const hash = (power: number) => stepsOf(call('KECCAK256_TEXT', repeated('ab', power)));
    expect(hash(13) - hash(12)).toBeGreaterThan(20_000);
  });

  test('do not make a text that is too long', () => {
    // Each part is within the limit, but all parts together are not.
    const part = repeated('a', 25);
    const parts = (shared: string) => lf.cons(Array.from({ length: 4 }, () => variable(shared)));
    const joined = lf.letIn({ shared: part }, call('IMPLODE_TEXT', parts('shared')));
    expect(failureOf(joined)).toBe(
      'DAML_INTERPRETATION_ERROR: Interpretation error: Error: a text is too long',
    );
  });
});

describe('steps grow with', () => {
  const many = names(1000);
  const numbers = Object.fromEntries(many.map((name) => [name, int64(1n)]));
  const Wide = con('Main:Wide');
  const data = { Wide: { record: Object.fromEntries(many.map((name) => [name, types.int64])) } };

  test('the fields of a record that is changed', () => {
    const record = lf.record(Wide, numbers);
    const changed = lf.recordUpdate(Wide, 'x0', record, int64(2n));
    expect(stepsOf(changed, { data }) - stepsOf(record, { data })).toBeGreaterThan(60);
  });

  test('the fields of a structure that is changed', () => {
    const struct = lf.struct(numbers);
    const changed = lf.structUpdate('x0', struct, int64(2n));
    expect(stepsOf(changed) - stepsOf(struct)).toBeGreaterThan(1000);
  });

  test('the variables that are passed', () => {
    const inner = (name: string) => stepsOf(lf.letIn(numbers, variable(name)));
    expect(inner('x0') - inner('x999')).toBeGreaterThan(60);
  });

  test('the branches that are passed', () => {
    const Many = con('Main:Many');
    const around = { data: { Many: { enum: many } } };
    const chosen = (name: string) =>
      stepsOf(
        lf.match(
          lf.enumValue(Many, name),
          ...many.map((each) => [lf.patterns.enum(Many, each), int64(1n)] as const),
        ),
        around,
      );
    expect(chosen('x999') - chosen('x0')).toBeGreaterThan(60);
  });

  test('the fields of records that are compared', () => {
    const first = lf.record(Wide, { ...numbers, x0: int64(2n) });
    const record = lf.record(Wide, numbers);
    const compared = stepsOf(call('EQUAL', first, record), { data });
    expect(compared - 2 * stepsOf(record, { data })).toBeGreaterThan(60);
  });
});

test('the text of an exception belongs to the steps of its submission', () => {
  const Oops = con('Main:Oops');
  const loop = lf.value(con('Main:loop'));
  const around = {
    data: { Oops: { record: { why: types.text } } },
    exceptions: ['Oops'],
    definitions: {
      loop: { type: types.text, body: lf.lambda(['e'], lf.apply(loop, variable('e'))) },
    },
    messages: { Oops: loop },
    bounds: { steps: 10_000 },
  };
  const raised = lf.raise(Oops, lf.record(Oops, { why: text('no end') }));
  expect(() => failureOf(raised, around)).toThrow(EXCEEDED);
});

test('the text of an error is kept to its beginning', () => {
  const long = repeated('a', 20);
  expect(failureOf(call('ERROR', long)).length).toBeLessThan(5000);
  const { text: why, metadata } = damlFailure('', 'id', 'a'.repeat(10_000), {
    key: 'b'.repeat(10_000),
  });
  expect([why.length < 5000, metadata['key']!.length]).toEqual([true, 4096]);
});

test('archivals and views count on the meter that they are given', () => {
  const Shown = con('Main:Shown');
  const Face = con('Main:Face');
  const Main = {
    interfaces: { Face: { view: types.unit } },
    templates: {
      Shown: {
        fields: { owner: party },
        signatories: lf.cons([lf.project(Shown, 'owner', here)]),
        observers: lf.nil,
        implements: [{ iface: Face, viewCode: lf.unitValue }],
      },
    },
  };
  const ledger = new EngineLedger();
  const type = `${ledger.upload(mainOnly(Main))}:Main:Shown`;
  const contract = ledger.contracts.get(ledger.create(['owner'], type, { owner: 'owner' }))!;
  const { template, payload } = contract;
  const stepsOfRun = (run: (meter: Meter) => unknown) => {
    const meter = new Meter();
    run(meter);
    return meter.steps;
  };
  const archival = archiveChoice(template);
  expect(stepsOfRun((meter) => archival.controllers(payload, {}, meter))).toBeGreaterThan(0);
  const [{ iface }] = template.implements as [InterfaceImplementation<unknown>];
  expect(stepsOfRun((meter) => viewOf(contract, iface, meter))).toBeGreaterThan(0);
});

test('a type that uses its parts many times has a short text', () => {
  const deep = (leaf: types.Type) => {
    let type = leaf;
    for (let level = 0; level < 60; level += 1) type = types.app(type, type);
    return type;
  };
  expect(exactText(deep(types.int64)).length).toBeLessThan(500);
  expect(exactText(deep(types.int64))).toBe(exactText(deep(types.int64)));
  expect(exactText(deep(types.int64))).not.toBe(exactText(deep(types.text)));
});

test('the value of a definition stays for the next submission if it is small', () => {
  const traced: string[] = [];
  const definition = (name: string, count: number) => ({
    type: types.list(types.int64),
    body: call('TRACE', text(name), lf.cons(Array.from({ length: count }, () => int64(1n)))),
  });
  const definitions = { small: definition('small', 10), large: definition('large', 2000) };
  const values = ['small', 'large', 'large'].map((name) => lf.value(con(`Main:${name}`)));
  // The expression is the value of a definition, but too large to be cached, so each run evaluates it.
  const run = runnerOf(
    lf.letIn(Object.fromEntries(values.map((of, at) => [`v${at}`, of])), lf.cons(values)),
    { definitions, traced },
  );
  run();
  run();
  expect(traced).toEqual(['small', 'large', 'large']);
});

test('choices nest deeply without the stack of the process, and 1,000 deep at most', () => {
  const Root = con('Main:Root');
  const Next = con('Main:Next');
  const owner = lf.project(Root, 'owner', here);
  const left = lf.project(Next, 'left', variable('argument'));
  const less = lf.record(Next, { left: call('SUB_INT64', left, int64(1n)) });
  const inner = block(
    { depth: lf.exercise(Root, 'Next', variable('self'), less) },
    pure(call('ADD_INT64', variable('depth'), int64(1n))),
  );
  const Main = {
    templates: {
      Root: {
        fields: { owner: party },
        signatories: lf.cons([owner]),
        observers: lf.nil,
        choices: {
          Next: {
            fields: { left: types.int64 },
            result: types.int64,
            isConsuming: false,
            controllers: lf.cons([owner]),
            observers: lf.nil,
            update: lf.match(
              call('EQUAL', left, int64(0n)),
              [lf.patterns.true, pure(int64(0n))],
              [lf.patterns.false, inner],
            ),
          },
        },
      },
    },
  };
  const ledger = new EngineLedger();
  const type = `${ledger.upload(mainOnly(Main))}:Main:Root`;
  const root = ledger.create(['owner'], type, { owner: 'owner' });
  const next = (left: string) => ledger.submit(['owner'], exercise(type, root, 'Next', { left }));
  const { roots } = next('999');
  expect(roots).toMatchObject([{ result: 999n, lastDescendantNodeId: 999 }]);
  expect(witnessesOf(roots).size).toBe(1000);
  expect(refusalOf(() => next('1000')).text).toMatch(/ choices nest too deeply$/);
});
