import { expect, test } from 'vitest';
import { ScriptRunner, scriptText } from '../../../localnet/script/run-script.ts';
import type { Outcome } from '../../../localnet/script/run-script.ts';
import * as lf from '../../../localnet/lf/build/code.ts';
import {
  call,
  cons,
  lambda,
  match,
  patterns,
  text,
  variable,
} from '../../../localnet/lf/build/code.ts';
import type { Code } from '../../../localnet/lf/build/code.ts';
import * as types from '../../../localnet/lf/build/types.ts';
import { con } from '../../../localnet/lf/build/types.ts';
import type { Type } from '../../../localnet/lf/build/types.ts';
import type { Json } from '../../../localnet/ledger/lf-json.ts';
import { mainOnly, read } from './lf-packages.ts';
import { LIBRARY, scriptCode } from '../../kit/script-library.ts';

/* Daml Script on a ledger of its own. */

const library = read(LIBRARY);
const { of, make, script, done, ask, commands, submit, allocate, query } = scriptCode(library.id);

const Thing = con('Main:Thing');
const Oops = con('Main:Oops');
const alice = variable('alice');
const owner = lf.project(Thing, 'owner', variable('this'));
const thing = lf.record(Thing, { owner: alice });
const created = commands.create(Thing, thing);
const choiceOf = (name: string) => con(`Main:${name}`);
const exercised = (id: Code, choice: string) =>
  commands.exercise(Thing, id, choiceOf(choice), lf.record(choiceOf(choice), {}));
const createdAnd = (choice: string) =>
  commands.createAndExercise(Thing, thing, choiceOf(choice), lf.record(choiceOf(choice), {}));
const lengthOf = (list: Code) =>
  call(
    'FOLDL',
    lambda(['sum', '_'], call('ADD_INT64', variable('sum'), lf.int64(1n))),
    lf.int64(0n),
    list,
  );

/** Takes the only item of a list. */
const first = (list: Code) => match(list, [patterns.cons('head', 'tail'), variable('head')]);
/** Takes the ID of the contract that the first command of a submission created. */
const idIn = (answer: string) =>
  match(first(variable(answer)), [
    patterns.variant(of('Either'), 'Right', 'both'),
    match(first(lf.project(of('Pair'), '_1', variable('both'))), [
      patterns.variant(of('CommandResult'), 'CreateResult', 'id'),
      variable('id'),
    ]),
  ]);

/** Controlled by the owner. */
const choice = (update: Code, isConsuming = false) => ({
  result: types.unit,
  isConsuming,
  controllers: cons([owner]),
  observers: lf.nil,
  update,
});
const raised = lf.raise(Oops, lf.record(Oops, { why: text('too late') }));

function runnerOf(scripts: Readonly<Record<string, { result?: Type; input?: Type; body: Code }>>) {
  const traced: string[] = [];
  const definitions = Object.fromEntries(
    Object.entries(scripts).map(([name, { result = types.unit, input, body }]) => {
      const type = types.app(of('Script'), result);
      return [name, { type: input === undefined ? type : types.arrow(input, type), body }];
    }),
  );
  const main = read(
    mainOnly({
      data: { Oops: { record: { why: types.text } } },
      exceptions: ['Oops'],
      messages: { Oops: lambda(['e'], lf.project(Oops, 'why', variable('e'))) },
      definitions: {
        ...definitions,
        $generated: { type: types.app(of('Script'), types.unit), body: lf.unitValue },
      },
      templates: {
        Thing: {
          fields: { owner: types.party },
          signatories: cons([owner]),
          observers: lf.nil,
          choices: {
            Touch: choice(lf.pure(lf.unitValue), true),
            Break: choice(lf.block({ it: lf.create(Thing, variable('this')) }, raised)),
            Retry: choice(
              lf.tryCatch(
                lf.block({ it: lf.create(Thing, variable('this')) }, raised),
                'e',
                lf.some(lf.pure(lf.unitValue)),
              ),
            ),
          },
        },
      },
    }),
  );
  const runner = new ScriptRunner({ main, dependencies: [library] }, (line) => traced.push(line));
  return { runner, traced };
}

function outcomeOf(body: Code, result: Type = types.unit): Outcome {
  const { runner } = runnerOf({ it: { result, body: script(body) } });
  return runner.run(runner.scripts[0]!);
}

function resultOf(body: Code, result: Type): Json | undefined {
  const outcome = outcomeOf(body, result);
  if (!outcome.ok) throw new Error([outcome.reason, ...outcome.trace].join('\n'));
  return outcome.result;
}

const withAlice = (next: Code) => allocate('Alice', 'alice', next);
const counted = query(alice, Thing, 'all', done(lengthOf(variable('all'))));

test('a script creates and archives contracts; the outcome counts both', () => {
  const body = withAlice(
    submit(
      'MustSucceed',
      alice,
      [created, createdAnd('Touch')],
      'answer',
      submit(
        'MustSucceed',
        alice,
        [created],
        'other',
        query(alice, Thing, 'all', done(lengthOf(variable('all')))),
      ),
    ),
  );
  expect(outcomeOf(body, types.int64)).toEqual({
    ok: true,
    activeContracts: 2,
    transactions: 2,
    result: '2',
  });
});

test('scripts are found by their types, in order, without those that the compiler generated', () => {
  const { runner } = runnerOf({
    second: { body: script(done(lf.unitValue)) },
    first: { body: script(done(lf.unitValue)) },
    withInput: { input: types.int64, body: lambda(['n'], script(done(lf.unitValue))) },
  });
  expect(runner.scripts.map(scriptText)).toEqual(['Main:first', 'Main:second', 'Main:withInput']);
});

test('every script has a ledger of its own', () => {
  const body = script(withAlice(submit('MustSucceed', alice, [created], '_', counted)));
  const { runner } = runnerOf({
    one: { result: types.int64, body },
    two: { result: types.int64, body },
  });
  const counts = runner.scripts.map((one) => runner.run(one));
  expect(counts).toEqual([
    expect.objectContaining({ result: '1', activeContracts: 1 }),
    expect.objectContaining({ result: '1', activeContracts: 1 }),
  ]);
});

test('the failure of a submission ends the script, with the choices and the line of the script', () => {
  const outcome = outcomeOf(
    withAlice(submit('MustSucceed', alice, [createdAnd('Break')], '_', done(lf.unitValue))),
  );
  expect(outcome).toMatchObject({
    ok: false,
    reason: expect.stringContaining('UNHANDLED_EXCEPTION/Main:Oops') as string,
  });
  if (outcome.ok) return;
  expect(outcome.reason).toContain('too late');
  expect(outcome.trace).toEqual([
    expect.stringMatching(/^in choice [0-9a-f]{8}:Main:Thing:Break on contract 00/u),
    expect.stringMatching(/^in create-and-exercise command/u),
    'at Submit, called in Main:42',
  ]);
});

test('a failed submission has no effect, and the script can see the exception', () => {
  const message = match(first(variable('answer')), [
    patterns.variant(of('Either'), 'Left', 'error'),
    match(variable('error'), [
      patterns.variant(of('SubmitError'), 'UnhandledException', 'unhandled'),
      match(lf.project(of('SubmitError.UnhandledException'), 'exc', variable('unhandled')), [
        patterns.some('exc'),
        call('ANY_EXCEPTION_MESSAGE', variable('exc')),
      ]),
    ]),
  ]);
  const body = withAlice(
    submit(
      'Try',
      alice,
      [created, createdAnd('Break')],
      'answer',
      query(alice, Thing, 'all', done(message)),
    ),
  );
  expect(outcomeOf(body, types.text)).toEqual({
    ok: true,
    activeContracts: 0,
    transactions: 0,
    result: 'too late',
  });
});

test('contracts that are created in a part that fails and is caught do not exist', () => {
  const body = withAlice(submit('MustSucceed', alice, [createdAnd('Retry')], '_', counted));
  expect(resultOf(body, types.int64)).toBe('1');
});

test('a submission that must fail and succeeds ends the script', () => {
  expect(
    outcomeOf(withAlice(submit('MustFail', alice, [created], '_', done(lf.unitValue)))),
  ).toMatchObject({ ok: false, reason: 'Expected submit to fail but it succeeded' });
  expect(
    outcomeOf(withAlice(submit('MustFail', alice, [createdAnd('Break')], '_', done(lf.unitValue)))),
  ).toMatchObject({ ok: true, activeContracts: 0 });
});

test('an archived contract is not found, and the error says why', () => {
  const tag = match(first(variable('again')), [
    patterns.variant(of('Either'), 'Left', 'error'),
    match(variable('error'), [
      patterns.variant(of('SubmitError'), 'ContractNotFound', 'missing'),
      match(
        lf.project(
          of('SubmitError.ContractNotFound'),
          'additionalDebuggingInfo',
          variable('missing'),
        ),
        [
          patterns.some('info'),
          match(
            variable('info'),
            [
              patterns.variant(of('ContractNotFoundAdditionalInfo'), 'NotActive', '_'),
              text('archived'),
            ],
            [patterns.any, text('other')],
          ),
        ],
      ),
    ]),
  ]);
  const body = withAlice(
    submit(
      'MustSucceed',
      alice,
      [created],
      'answer',
      submit(
        'MustSucceed',
        alice,
        [exercised(idIn('answer'), 'Touch')],
        '_',
        submit('Try', alice, [exercised(idIn('answer'), 'Touch')], 'again', done(tag)),
      ),
    ),
  );
  expect(resultOf(body, types.text)).toBe('archived');
});

test('a party that was not allocated cannot submit', () => {
  const body = submit('MustSucceed', alice, [created], '_', done(lf.unitValue));
  const parsed = match(call('TEXT_TO_PARTY', text('Mallory')), [patterns.some('alice'), body]);
  expect(outcomeOf(parsed)).toMatchObject({
    ok: false,
    reason: 'INVALID_ARGUMENT: parties are not allocated: Mallory',
  });
});

test('time begins in 1970 and is what the script sets', () => {
  const body = ask(
    'GetTime',
    {},
    'start',
    ask(
      'SetTime',
      { time: lf.timestamp(5_000_000n) },
      '_',
      ask('GetTime', {}, 'end', done(cons([variable('start'), variable('end')]))),
    ),
  );
  expect(resultOf(body, types.list(types.timestamp))).toEqual([
    '1970-01-01T00:00:00Z',
    '1970-01-01T00:00:05Z',
  ]);
});

test('exceptions that a script throws can be caught in it', () => {
  const exception = lf.toAnyException(Oops, lf.record(Oops, { why: text('thrown') }));
  const act = script(ask('Throw', { exc: exception }, '_', done(lf.unitValue)));
  const caught = match(
    variable('answer'),
    [patterns.variant(of('Either'), 'Left', 'exc'), call('ANY_EXCEPTION_MESSAGE', variable('exc'))],
    [patterns.any, text('nothing thrown')],
  );
  const body = ask(
    'Catch',
    { act: lambda(['_'], act), dummy: lf.unitValue },
    'answer',
    done(caught),
  );
  expect(resultOf(body, types.text)).toBe('thrown');
  expect(outcomeOf(ask('Throw', { exc: exception }, '_', done(lf.unitValue)))).toMatchObject({
    ok: false,
    reason: 'UNHANDLED_EXCEPTION/Main:Oops: thrown',
  });
});

test('users have rights, and can be created only once', () => {
  const userId = make('UserId', { unpack: text('bob') });
  const user = make('User', { userId, primaryParty: lf.none });
  const admin = lf.variant(of('UserRight'), 'ParticipantAdmin', lf.unitValue);
  const creating = { user, rights: cons([admin]), participant: lf.none };
  const isSome = (answer: string) =>
    match(variable(answer), [patterns.some('_'), lf.trueValue], [patterns.none, lf.falseValue]);
  const granted = match(variable('granted'), [
    patterns.some('rights'),
    lengthOf(variable('rights')),
  ]);
  const more = {
    userId,
    rights: cons([admin, lf.variant(of('UserRight'), 'CanActAs', alice)]),
    participant: lf.none,
  };
  const body = (result: Code) =>
    withAlice(
      ask(
        'CreateUser',
        creating,
        'made',
        ask('CreateUser', creating, 'again', ask('GrantUserRights', more, 'granted', done(result))),
      ),
    );
  expect(resultOf(body(cons([isSome('made'), isSome('again')])), types.list(types.bool))).toEqual([
    true,
    false,
  ]);
  expect(resultOf(body(granted), types.int64)).toBe('1');
});

test('signatures of a script are valid in contract code', () => {
  const of2 = (field: string) => lf.project(of('Secp256k1KeyPair'), field, variable('pair'));
  const signing = (
    question: string,
    message: string,
    builtin: 'SECP256K1_BOOL' | 'SECP256K1_WITH_ECDSA_BOOL',
  ) =>
    ask(
      'Secp256k1GenerateKeyPair',
      {},
      'pair',
      ask(
        question,
        { privateKey: of2('privateKey'), message: text(message) },
        'signature',
        done(call(builtin, variable('signature'), text(message), of2('publicKey'))),
      ),
    );
  const hash = 'ab'.repeat(32);
  for (let round = 0; round < 2; round += 1) {
    expect(resultOf(signing('Secp256k1Sign', 'deadbeef', 'SECP256K1_BOOL'), types.bool)).toBe(true);
    expect(
      resultOf(signing('Secp256k1WithEcdsaSign', hash, 'SECP256K1_WITH_ECDSA_BOOL'), types.bool),
    ).toBe(true);
  }
});

test('commands do not find a package that is not vetted', () => {
  const name = make('PackageName', { name: text('made'), version: text('1.0.0') });
  const body = withAlice(
    ask(
      'UnvetPackages',
      { packages: cons([name]) },
      '_',
      submit('MustSucceed', alice, [created], '_', done(lf.unitValue)),
    ),
  );
  expect(outcomeOf(body)).toMatchObject({
    ok: false,
    reason: 'PACKAGE_SELECTION_FAILED: no version of made is vetted',
  });
});

test('a script that is a function takes its input as JSON', () => {
  const { runner } = runnerOf({
    it: {
      input: types.int64,
      result: types.int64,
      body: lambda(['n'], script(done(variable('n')))),
    },
  });
  const [it] = runner.scripts;
  expect(runner.run(it!, '7')).toMatchObject({ ok: true, result: '7' });
  expect(runner.run(it!)).toMatchObject({ ok: false, reason: 'the script takes an input' });
});

test('a question that the runner does not know ends the script', () => {
  expect(outcomeOf(ask('UnknownQuestion', {}, '_', done(lf.unitValue)))).toMatchObject({
    ok: false,
    reason: 'a script on its own ledger cannot use UnknownQuestion',
  });
});

test('messages of debug and trace reach the log, and casts of the library do nothing', () => {
  const cast = lf.value(con('Daml.Script.Internal.LowLevel:dangerousCast', library.id));
  const { runner, traced } = runnerOf({
    it: {
      result: types.text,
      body: script(done(call('TRACE', text('seen'), lf.apply(cast, text('cast'))))),
    },
  });
  expect(runner.run(runner.scripts[0]!)).toMatchObject({ ok: true, result: 'cast' });
  expect(traced).toEqual(['seen']);
});
