import { describe, expect, test } from 'vitest';
import * as lf from '../../../localnet/lf/build/code.ts';
import { call, int64, patterns, text, variable } from '../../../localnet/lf/build/code.ts';
import type { Code } from '../../../localnet/lf/build/code.ts';
import * as types from '../../../localnet/lf/build/types.ts';
import { con } from '../../../localnet/lf/build/types.ts';
import { failureOf, resultOf } from './engine-values.ts';

const Point = con('Main:Point');
const Shape = con('Main:Shape');
const Colour = con('Main:Colour');
const Oops = con('Main:Oops');
const around = {
  data: {
    Point: { record: { x: types.int64, y: types.int64 } },
    Shape: { variant: { Dot: types.unit, Circle: types.int64 } },
    Colour: { enum: ['Red', 'Green'] },
    Oops: { record: { why: types.text } },
  },
  exceptions: ['Oops'],
  messages: { Oops: lf.lambda(['e'], lf.project(Oops, 'why', variable('e'))) },
};
// The fields are written in another order than that of their declaration.
const point = lf.record(Point, { y: int64(2n), x: int64(1n) });

const cases: readonly (readonly [string, Code, unknown])[] = [
  ['records', point, [1n, 2n]],
  ['projections', lf.project(Point, 'y', point), 2n],
  ['updates of records', lf.recordUpdate(Point, 'x', point, int64(9n)), [9n, 2n]],
  ['variants', lf.variant(Shape, 'Circle', int64(3n)), { Circle: 3n }],
  ['enumerations', lf.enumValue(Colour, 'Green'), 'Green'],
  ['structures', lf.struct({ b: int64(2n), a: int64(1n) }), { a: 1n, b: 2n }],
  ['projections of structures', lf.structProject('b', lf.struct({ b: int64(2n) })), 2n],
  [
    'updates of structures',
    lf.structUpdate('b', lf.struct({ a: int64(1n), b: int64(2n) }), int64(3n)),
    { a: 1n, b: 3n },
  ],
  ['lists', lf.cons([int64(1n)], lf.cons([int64(2n)])), [1n, 2n]],
  ['optionals', lf.some(lf.none), { some: null }],
  ['types at run time', lf.typeRep(Point), { type: expect.objectContaining({ kind: 'con' }) }],
  ['values of any type', lf.fromAny(Point, lf.toAny(Point, point)), { some: [1n, 2n] }],
  ['values of another type', lf.fromAny(Shape, lf.toAny(Point, point)), null],
  [
    'exceptions as values',
    lf.fromAnyException(Oops, lf.toAnyException(Oops, lf.record(Oops, { why: text('x') }))),
    { some: ['x'] },
  ],
  ['applied types', lf.typeApply(int64(1n), types.text), 1n],
  ['locations', lf.located(int64(1n), 7), 1n],
];

describe('an expression', () => {
  test.each(cases)('makes %s', (_what, code, result) => {
    expect(resultOf(code, around)).toEqual(result);
  });

  test.each([1, 2, 3])('binds variables, the innermost first, in 2.%i', (minor) => {
    const code = lf.letIn(
      { a: int64(1n), b: call('ADD_INT64', variable('a'), int64(1n)) },
      lf.apply(
        lf.lambda(['a', 'c'], lf.cons([variable('a'), variable('b'), variable('c')])),
        int64(5n),
        variable('a'),
      ),
    );
    expect(resultOf(code, { minor })).toEqual([5n, 2n, 1n]);
  });

  test('keeps what is in scope where a function is made', () => {
    const add = lf.lambda(['x'], lf.lambda(['y'], call('SUB_INT64', variable('x'), variable('y'))));
    const code = lf.letIn(
      { add, fromTen: lf.apply(variable('add'), int64(10n)), x: int64(0n) },
      lf.apply(variable('fromTen'), int64(3n)),
    );
    expect(resultOf(code)).toBe(7n);
  });

  test('chooses the first branch that matches', () => {
    const chosen = (of: Code, ...branches: Parameters<typeof lf.match>[1][]) =>
      resultOf(lf.match(of, ...branches, [patterns.any, text('other')]), around);
    const circle = patterns.variant(Shape, 'Circle', 'r');
    expect(chosen(lf.variant(Shape, 'Circle', int64(3n)), [circle, variable('r')])).toBe(3n);
    expect(chosen(lf.variant(Shape, 'Dot', lf.unitValue), [circle, variable('r')])).toBe('other');
    const green = patterns.enum(Colour, 'Green');
    expect(chosen(lf.enumValue(Colour, 'Green'), [green, text('green')])).toBe('green');
    expect(chosen(lf.enumValue(Colour, 'Red'), [green, text('green')])).toBe('other');
    expect(chosen(lf.trueValue, [patterns.false, text('f')], [patterns.true, text('t')])).toBe('t');
    expect(chosen(lf.unitValue, [patterns.unit, text('u')])).toBe('u');
    const list = lf.cons([int64(1n), int64(2n)]);
    expect(
      chosen(list, [patterns.nil, text('nil')], [patterns.cons('h', 't'), variable('t')]),
    ).toEqual([2n]);
    expect(chosen(lf.nil, [patterns.nil, text('nil')])).toBe('nil');
    expect(chosen(lf.none, [patterns.some('x'), variable('x')], [patterns.none, text('n')])).toBe(
      'n',
    );
    expect(chosen(lf.some(int64(1n)), [patterns.some('x'), variable('x')])).toBe(1n);
  });

  test('refers to definitions, which are computed once', () => {
    const traced: string[] = [];
    const definitions = {
      one: { type: types.int64, body: call('TRACE', text('computed'), int64(1n)) },
    };
    const one = lf.value(con('Main:one'));
    expect(resultOf(call('ADD_INT64', one, one), { definitions, traced })).toBe(2n);
    expect(traced).toEqual(['computed']);
  });

  test('evaluates arguments in order, all of them before the function is applied to the first', () => {
    const traced: string[] = [];
    const say = (what: string, code: Code) => call('TRACE', text(what), code);
    const inner = lf.letIn({ f: lf.lambda(['b'], say('inner', variable('b'))) }, variable('f'));
    const fun = lf.lambda(['a'], say('outer', inner));
    resultOf(lf.apply(lf.apply(fun, say('first', int64(1n))), say('second', int64(2n))), {
      traced,
    });
    expect(traced).toEqual(['first', 'second', 'outer', 'inner']);
  });

  test('raises exceptions, whose text their definition makes', () => {
    const raised = lf.raise(Oops, lf.record(Oops, { why: text('it broke') }));
    expect(failureOf(raised, around)).toBe('UNHANDLED_EXCEPTION/Main:Oops: it broke');
    const exception = lf.toAnyException(Oops, lf.record(Oops, { why: text('it broke') }));
    expect(resultOf(call('ANY_EXCEPTION_MESSAGE', exception), around)).toBe('it broke');
    const messages = { Oops: lf.lambda(['e'], lf.fail('no text')) };
    expect(failureOf(raised, { ...around, messages })).toBe(
      'UNHANDLED_EXCEPTION/Main:Oops: <Failed to calculate message as Main:Oops was thrown during conversion>',
    );
  });

  test('is read from the table of expressions', () => {
    const shared = lf.interned(int64(4n));
    const sum = lf.interned(call('ADD_INT64', shared, shared));
    expect(resultOf(lf.interned(call('MUL_INT64', sum, sum)), { minor: 2 })).toBe(64n);
  });
});

describe('code that is not well typed', () => {
  test.each([
    ['an application of what is no function', lf.apply(int64(1n), int64(2n))],
    ['a builtin on other values', call('ADD_INT64', text('a'), int64(1n))],
    ['a variable that is nowhere', variable('nowhere')],
    ['a case without a branch', lf.match(int64(1n), [patterns.none, int64(1n)])],
    ['a definition that there is not', lf.value(con('Main:missing'))],
    ['a field that there is not', lf.project(Point, 'z', point)],
  ])('ends with an error: %s', (_what, code) => {
    expect(failureOf(code, around)).toMatch(/^DAML_INTERPRETATION_ERROR: /);
  });
});

describe('bounds', () => {
  const Main = (name: string) => lf.value(con(`Main:${name}`));
  const int = types.int64;
  const loop = (body: Code) => ({ definitions: { loop: { type: int, body } } });
  const EXCEEDED = /^INTERPRETATION_TIME_EXCEEDED: Interpretation aborted: the submission needs/;

  test('do not depend on the depth of code', () => {
    // Adds the numbers up to n. Each addition contains the next one.
    const body = lf.lambda(
      ['n'],
      lf.match(
        call('LESS_EQ', variable('n'), int64(0n)),
        [patterns.true, int64(0n)],
        [
          patterns.false,
          call(
            'ADD_INT64',
            variable('n'),
            lf.apply(Main('loop'), call('SUB_INT64', variable('n'), int64(1n))),
          ),
        ],
      ),
    );
    expect(resultOf(lf.apply(Main('loop'), int64(30_000n)), loop(body))).toBe(450_015_000n);
    expect(
      failureOf(lf.apply(Main('loop'), int64(30_000n)), {
        ...loop(body),
        bounds: { frames: 20_000 },
      }),
    ).toMatch(EXCEEDED);
  });

  test('end what does not end', () => {
    const body = lf.lambda(['x'], lf.apply(Main('loop'), variable('x')));
    const bounds = { steps: 100_000 };
    expect(failureOf(lf.apply(Main('loop'), int64(1n)), { ...loop(body), bounds })).toMatch(
      EXCEEDED,
    );
    expect(failureOf(Main('loop'), { ...loop(Main('loop')), bounds })).toMatch(EXCEEDED);
  });

  test('end what takes too long', () => {
    const body = lf.lambda(['x'], lf.apply(Main('loop'), variable('x')));
    const bounds = { milliseconds: 20 };
    expect(failureOf(lf.apply(Main('loop'), int64(1n)), { ...loop(body), bounds })).toMatch(
      /20 ms\.$/,
    );
  });

  test('end texts that double without end', () => {
    const body = lf.lambda(
      ['t'],
      lf.apply(Main('loop'), call('APPEND_TEXT', variable('t'), variable('t'))),
    );
    expect(failureOf(lf.apply(Main('loop'), text('ab')), loop(body))).toMatch(
      /^(?:INTERPRETATION_TIME_EXCEEDED|DAML_INTERPRETATION_ERROR): /,
    );
  });

  test('end expressions that unfold to exponentially many', () => {
    let code: Code = int64(1n);
    for (let level = 0; level < 60; level += 1) {
      const half = lf.interned(code);
      let index: Uint8Array<ArrayBuffer> | undefined;
      // Both operands refer to the same entry of the table.
      const shared: Code = (tables) => (index ??= half(tables));
      code = call('ADD_INT64', shared, shared);
    }
    expect(failureOf(code, { minor: 2, bounds: { steps: 200_000 } })).toMatch(EXCEEDED);
  });
});
