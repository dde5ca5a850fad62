import { describe, expect, test } from 'vitest';
import * as lf from '../../../localnet/lf/build/code.ts';
import { block, call, int64, pure, text, variable } from '../../../localnet/lf/build/code.ts';
import type { Code } from '../../../localnet/lf/build/code.ts';
import type { ChoiceSource, LfSource, TemplateSource } from '../../../localnet/lf/build/package.ts';
import * as types from '../../../localnet/lf/build/types.ts';
import { con, contractId, party } from '../../../localnet/lf/build/types.ts';
import { Meter } from '../../../localnet/ledger/engine/bounds.ts';
import { witnessesOf } from '../../../localnet/ledger/transaction-tree.ts';
import type { ExerciseNode, TreeNode } from '../../../localnet/ledger/transaction-tree.ts';
import { EngineLedger, NOW, exercise, refusalOf, treeOf } from './engine-ledger.ts';
import { mainOnly } from './lf-packages.ts';

const Iou = con('Main:Iou');
const Oops = con('Main:Oops');
const Holding = con('Main:Holding');
const View = con('Main:View');
const self = variable('self');
const here = variable('this');
const field = (name: string) => lf.project(Iou, name, here);
const given = (choice: string, name: string) =>
  lf.project(con(`Main:${choice}`), name, variable('argument'));
const list = (...of: Code[]) => lf.cons(of);
const iou = (owner: Code, amount: Code) =>
  lf.record(Iou, { issuer: field('issuer'), owner, amount });
const raise = (why: string) => lf.raise(Oops, lf.record(Oops, { why: text(why) }));
const handled = (body: Code, handler: Code) => lf.tryCatch(body, 'e', handler);
const unitType = types.unit;
const swallowed = (body: Code) => handled(body, lf.some(pure(lf.unitValue)));
const fetchThenRaise = block({ it: lf.fetch(Iou, self) }, raise('inner'));

/** Returns a nonconsuming choice without arguments. The owner controls it. */
const owners = (
  result: types.Type,
  update: Code,
  more: Partial<ChoiceSource> = {},
): ChoiceSource => ({
  result,
  isConsuming: false,
  controllers: list(field('owner')),
  observers: lf.nil,
  update,
  ...more,
});

const CHOICES: Readonly<Record<string, ChoiceSource>> = {
  Archive: owners(unitType, pure(lf.unitValue), {
    isConsuming: true,
    controllers: list(field('issuer')),
    argument: con('Main:Nothing'),
  }),
  Transfer: owners(contractId(Iou), lf.create(Iou, iou(given('Transfer', 'to'), field('amount'))), {
    isConsuming: true,
    fields: { to: party },
    controllers: list(field('owner'), given('Transfer', 'to')),
    observers: list(field('issuer')),
  }),
  // Replaces the contract by two new contracts.
  Split: owners(
    types.list(contractId(Iou)),
    block(
      {
        first: lf.create(Iou, iou(field('owner'), given('Split', 'at'))),
        second: lf.create(
          Iou,
          iou(field('owner'), call('SUB_INT64', field('amount'), given('Split', 'at'))),
        ),
      },
      pure(list(variable('first'), variable('second'))),
    ),
    { isConsuming: true, fields: { at: types.int64 } },
  ),
  Read: owners(
    types.int64,
    block({ it: lf.fetch(Iou, self) }, pure(lf.project(Iou, 'amount', variable('it')))),
  ),
  Now: owners(types.timestamp, lf.getTime),
  IsEarly: owners(types.bool, lf.isBefore(lf.timestamp(NOW + 5n))),
  // Exercises another choice on the same contract twice.
  Twice: owners(
    unitType,
    block(
      { first: lf.exercise(Iou, 'Archive', self, lf.record(con('Main:Nothing'), {})) },
      lf.exercise(Iou, 'Archive', self, lf.record(con('Main:Nothing'), {})),
    ),
    { controllers: list(field('issuer')) },
  ),
  Embedded: owners(types.int64, lf.embed(pure(int64(7n)))),
  // Fetches before the exception that is caught are kept.
  Caught: owners(
    types.text,
    handled(
      block({ it: lf.fetch(Iou, self) }, raise('seen')),
      lf.some(pure(call('ANY_EXCEPTION_MESSAGE', variable('e')))),
    ),
  ),
  CaughtOutside: owners(
    types.text,
    handled(
      lf.exercise(Iou, 'Fails', self, lf.record(con('Main:Fails'), {})),
      lf.some(pure(call('ANY_EXCEPTION_MESSAGE', variable('e')))),
    ),
  ),
  // Contains a rollback that has other rollbacks at its beginning and at its end.
  CaughtFirst: owners(
    unitType,
    swallowed(block({ one: swallowed(fetchThenRaise), two: lf.fetch(Iou, self) }, raise('outer'))),
  ),
  CaughtLast: owners(
    unitType,
    block(
      {
        none: swallowed(raise('at once')),
        one: swallowed(
          block({ one: lf.fetch(Iou, self), two: swallowed(fetchThenRaise) }, raise('outer')),
        ),
        two: lf.fetch(Iou, self),
      },
      pure(lf.unitValue),
    ),
  ),
  NotCaught: owners(unitType, handled(raise('passes'), lf.none)),
  CaughtEffect: owners(
    unitType,
    handled(
      block({ made: lf.create(Iou, iou(field('owner'), int64(1n))) }, raise('undone')),
      lf.some(pure(lf.unitValue)),
    ),
  ),
  CaughtDivision: owners(
    types.int64,
    handled(pure(call('DIV_INT64', int64(1n), int64(0n))), lf.some(pure(int64(-1n)))),
  ),
  Fails: owners(unitType, raise('no')),
  Throws: owners(unitType, lf.fail('stopped')),
  BadControllers: owners(unitType, pure(lf.unitValue), {
    controllers: lf.raise(Oops, lf.record(Oops, { why: text('controllers') })),
  }),
  CaughtControllers: owners(
    unitType,
    handled(
      lf.exercise(Iou, 'BadControllers', self, lf.record(con('Main:BadControllers'), {})),
      lf.some(pure(lf.unitValue)),
    ),
  ),
  ByInterface: owners(
    types.text,
    block(
      { it: lf.fetchInterface(Holding, lf.call('COERCE_CONTRACT_ID', self)) },
      lf.exerciseInterface(
        Holding,
        'Describe',
        self,
        lf.record(con('Main:Describe'), { prefix: text('it is ') }),
      ),
    ),
  ),
};

const IouTemplate: TemplateSource = {
  fields: { issuer: party, owner: party, amount: types.int64 },
  precondition: call('GREATER', field('amount'), int64(0n)),
  signatories: list(field('issuer')),
  observers: list(field('owner')),
  choices: CHOICES,
  implements: [
    {
      iface: Holding,
      view: View,
      viewCode: lf.record(View, { size: field('amount') }),
      methods: { nameOf: types.text },
      methodCode: { nameOf: call('INT64_TO_TEXT', field('amount')) },
    },
  ],
};

const asset = (minor = 1): LfSource =>
  mainOnly(
    {
      data: {
        Nothing: { record: {} },
        Oops: { record: { why: types.text } },
        View: { record: { size: types.int64 } },
      },
      exceptions: ['Oops'],
      messages: { Oops: lf.lambda(['e'], lf.project(Oops, 'why', variable('e'))) },
      templates: { Iou: IouTemplate },
      interfaces: {
        Holding: {
          view: View,
          methods: { nameOf: types.text },
          choices: {
            Describe: {
              fields: { prefix: types.text },
              result: types.text,
              isConsuming: false,
              controllers: lf.signatoryInterface(Holding, here),
              observers: lf.nil,
              update: pure(
                call(
                  'APPEND_TEXT',
                  lf.project(con('Main:Describe'), 'prefix', variable('argument')),
                  lf.callInterface(Holding, 'nameOf', here),
                ),
              ),
            },
          },
        },
      },
    },
    { minor },
  );

function opened(minor?: number) {
  const ledger = new EngineLedger();
  const id = ledger.upload(asset(minor));
  const type = `${id}:Main:Iou`;
  const made = (amount = '10') =>
    ledger.create(['issuer'], type, { issuer: 'issuer', owner: 'owner', amount });
  const act = (choice: string, argument = {}, actAs = ['owner'], of = made()) =>
    ledger.submit(actAs, exercise(type, of, choice, argument));
  return { ledger, id, type, made, act };
}

const resultOf = (tree: { readonly roots: readonly unknown[] }) =>
  (tree.roots[0] as ExerciseNode).result;

describe.each([1, 2, 3])('an uploaded template in Daml-LF 2.%i', (minor) => {
  const { ledger, made, act } = opened(minor);

  test('is created with its signatories and observers', () => {
    const contract = ledger.contracts.get(made())!;
    expect(contract.signatories).toEqual(['issuer']);
    expect(contract.observers).toEqual(['owner']);
    expect(contract.payload).toEqual({ issuer: 'issuer', owner: 'owner', amount: 10n });
  });

  test('is archived by a choice that consumes, which creates others', () => {
    const contract = made();
    const tree = act('Split', { at: '3' }, ['owner', 'issuer'], contract);
    expect(treeOf(tree.roots)).toEqual([
      {
        exercise: 'Split',
        result: [expect.any(String), expect.any(String)],
        inside: [
          { create: 'Iou', of: { issuer: 'issuer', owner: 'owner', amount: '3' } },
          { create: 'Iou', of: { issuer: 'issuer', owner: 'owner', amount: '7' } },
        ],
      },
    ]);
    expect([...tree.consumed]).toEqual([contract]);
  });
});

describe('an update', () => {
  const { ledger, type, made, act } = opened();

  test('has the authority of the signatories and of those who control the choice', () => {
    const tree = act('Transfer', { to: 'next' }, ['owner', 'next']);
    expect(witnessesOf(tree.roots)).toEqual(
      new Map([
        [0, ['issuer', 'next', 'owner']],
        [1, ['issuer', 'next', 'owner']],
      ]),
    );
    expect(refusalOf(() => act('Transfer', { to: 'next' }))).toMatchObject({
      code: 'DAML_AUTHORIZATION_ERROR',
      text: expect.stringContaining('requires authorizers next,owner, but only owner were given'),
    });
    expect(
      refusalOf(() =>
        ledger.create(['owner'], type, { issuer: 'issuer', owner: 'owner', amount: '1' }),
      ).code,
    ).toBe('DAML_AUTHORIZATION_ERROR');
  });

  test('checks what its template ensures', () => {
    expect(refusalOf(() => made('0')).code).toBe('TEMPLATE_PRECONDITION_VIOLATED');
    // The same rule applies to contracts that a choice creates.
    expect(refusalOf(() => act('Split', { at: '10' }))).toMatchObject({
      code: 'TEMPLATE_PRECONDITION_VIOLATED',
    });
  });

  test('fetches', () => {
    const tree = act('Read');
    expect(resultOf(tree)).toBe(10n);
    expect(treeOf(tree.roots)).toEqual([
      { exercise: 'Read', result: '10', inside: [{ fetch: 'Iou', as: undefined }] },
    ]);
  });

  test('reads ledger time, which bounds the time of the transaction', () => {
    const tree = act('Now');
    expect(resultOf(tree)).toBe(NOW);
    expect(tree.timeBounds).toEqual({ min: NOW, max: NOW });
    const early = act('IsEarly');
    expect([resultOf(early), early.timeBounds]).toEqual([true, { max: NOW + 4n }]);
    ledger.now = NOW + 5n;
    const late = act('IsEarly');
    expect([resultOf(late), late.timeBounds]).toEqual([false, { min: NOW + 5n }]);
    ledger.now = NOW;
  });

  test('is embedded in an expression', () => {
    expect(resultOf(act('Embedded'))).toBe(7n);
  });

  test('finds no contract that it has archived', () => {
    expect(refusalOf(() => act('Twice', {}, ['issuer'])).code).toBe('CONTRACT_NOT_ACTIVE');
  });
});

describe('an exception', () => {
  const { id, act, made } = opened();

  test('that is caught undoes what had no effect, and its handler goes on', () => {
    const tree = act('Caught');
    expect(treeOf(tree.roots)).toEqual([
      {
        exercise: 'Caught',
        result: 'seen',
        inside: [{ rollback: [{ fetch: 'Iou', as: undefined }] }],
      },
    ]);
    // The transaction requires that the contract is still active.
    expect(tree.inputs.size).toBe(1);
    expect(resultOf(act('CaughtDivision'))).toBe(-1n);
  });

  test('is caught in what another one undoes: rollbacks neither begin nor end with one', () => {
    const numbers = (choice: string) => {
      const [root] = act(choice).roots;
      const read = (node: TreeNode): unknown =>
        node.kind === 'rollback' ? { [node.nodeId]: node.children.map(read) } : node.nodeId;
      return (root as ExerciseNode).children.map(read);
    };
    expect(numbers('CaughtFirst')).toEqual([{ 1: [2] }, { 3: [4] }]);
    expect(numbers('CaughtLast')).toEqual([{ 1: [2, 3] }, 4]);
  });

  test('is caught outside of the choice that raises it', () => {
    expect(treeOf(act('CaughtOutside').roots)).toEqual([
      {
        exercise: 'CaughtOutside',
        result: 'no',
        inside: [{ rollback: [{ exercise: 'Fails', inside: [] }] }],
      },
    ]);
  });

  test('that nothing catches ends the submission, with a trace', () => {
    const contract = made();
    const { code, text: why, metadata } = refusalOf(() => act('Fails', {}, ['owner'], contract));
    expect([code, why]).toEqual([
      'DAML_FAILURE',
      'Interpretation error: Error: User failure: UNHANDLED_EXCEPTION/Main:Oops (error category 9): no',
    ]);
    const [short, on] = [id.slice(0, 8), contract.slice(0, 10)];
    expect(metadata['exercise_trace']).toBe(
      `    in choice ${short}:Main:Iou:Fails on contract ${on} (#0)\n` +
        `    in exercise command ${short}:Main:Iou:Fails on contract ${on}.\n`,
    );
    expect(refusalOf(() => act('NotCaught')).text).toContain('passes');
  });

  test('cannot undo what has an effect', () => {
    expect(refusalOf(() => act('CaughtEffect'))).toMatchObject({
      code: 'DAML_EFFECTFUL_ROLLBACK_ERROR',
      text: expect.stringMatching(
        /Tried to rollback side-effectful node\(s\): Create of \w+:Main:Iou/,
      ),
    });
  });

  test('in what says who controls a choice cannot be caught', () => {
    expect(refusalOf(() => act('CaughtControllers')).text).toContain('controllers');
  });

  test('is none where code ends by itself', () => {
    expect(refusalOf(() => act('Throws'))).toMatchObject({
      code: 'INTERPRETATION_USER_ERROR',
      text: 'Interpretation error: Error: User abort: stopped',
    });
  });
});

describe('an interface', () => {
  const { ledger, id, act, made } = opened();

  test('is fetched and exercised by, with the methods of the template', () => {
    const tree = act('ByInterface');
    expect(treeOf(tree.roots)).toEqual([
      {
        exercise: 'ByInterface',
        result: 'it is 10',
        inside: [
          { fetch: 'Iou', as: 'Holding' },
          { exercise: 'Describe', result: 'it is 10', inside: [] },
        ],
      },
    ]);
  });

  test('is what a command exercises by', () => {
    const tree = ledger.submit(
      ['issuer'],
      exercise(`${id}:Main:Holding`, made(), 'Describe', { prefix: '' }),
    );
    expect(resultOf(tree)).toBe('10');
  });

  test('shows a view', () => {
    const { template, payload } = ledger.contracts.get(made('4'))!;
    expect(template.implements[0]!.view(payload, new Meter())).toEqual({ size: 4n });
  });
});
