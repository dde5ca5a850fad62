import * as lf from '../../localnet/lf/build/code.ts';
import type { Code } from '../../localnet/lf/build/code.ts';
import type { DataSource, LfSource } from '../../localnet/lf/build/package.ts';
import * as types from '../../localnet/lf/build/types.ts';
import type { Type } from '../../localnet/lf/build/types.ts';

/*
 * A library with the data types of Daml Script that the runner reads and makes, and code that asks its questions. Types
 * of fields are not checked, so all of them are `()`.
 */

export const LIBRARY_MODULE = 'Daml.Script.Internal.LowLevel';

const record = (...fields: readonly string[]): DataSource => ({
  record: Object.fromEntries(fields.map((field) => [field, types.unit])),
  isSerializable: false,
});
const variant = (...tags: readonly string[]): DataSource => ({
  variant: Object.fromEntries(tags.map((tag) => [tag, types.unit])),
  isSerializable: false,
});

const DATA: Readonly<Record<string, DataSource>> = {
  Script: { ...record('runScript', 'dummy'), params: ['a'] },
  Free: variant('Pure', 'Free'),
  ScriptF: record('unpack'),
  Question: record('commandName', 'commandVersion', 'payload', 'locations', 'continue'),
  SrcLoc: record('package', 'module', 'file', 'startLine', 'startCol', 'endLine', 'endCol'),
  Pair: record('_1', '_2'),
  Triple: record('_1', '_2', '_3'),
  Either: variant('Left', 'Right'),
  Any1: record('any'),
  Any2: record('any', 'of'),
  NonEmpty: record('hd', 'tl'),
  AnyContractId: record('templateId', 'contractId'),
  Submit: record('submissions'),
  Submission: record(
    'sActAs',
    'sReadAs',
    'sDisclosures',
    'sPackagePreference',
    'sPrefetchKeys',
    'sErrorBehaviour',
    'sCommands',
    'sLocation',
  ),
  ErrorBehaviour: { enum: ['MustSucceed', 'MustFail', 'Try'] },
  CommandWithMeta: record('command', 'explicitPackageId'),
  Command: variant('Create', 'Exercise', 'ExerciseByKey', 'CreateAndExercise'),
  'Command.Create': record('argC'),
  'Command.Exercise': record('tplId', 'cId', 'argE'),
  'Command.CreateAndExercise': record('tplArgCE', 'choiceArgCE'),
  CommandResult: variant('CreateResult', 'ExerciseResult'),
  TransactionTree: record('rootEvents'),
  TreeEvent: variant('CreatedEvent', 'ExercisedEvent'),
  Created: record('contractId', 'argument'),
  Exercised: record('contractId', 'choice', 'argument', 'childEvents'),
  SubmitError: variant('ContractNotFound', 'UserError', 'UnhandledException', 'UnknownError'),
  'SubmitError.ContractNotFound': record('unknownContractIds', 'additionalDebuggingInfo'),
  'SubmitError.UserError': record('userErrorMessage'),
  'SubmitError.UnhandledException': record('exc'),
  'SubmitError.UnknownError': record('unknownErrorMessage'),
  ContractNotFoundAdditionalInfo: variant('NotFound', 'NotActive', 'NotEffective', 'NotVisible'),
  'ContractNotFoundAdditionalInfo.NotActive': record('additionalInfoCid'),
  QueryACS: record('parties', 'tplId'),
  QueryContractId: record('parties', 'tplId', 'cid'),
  AllocateParty: record('requestedName', 'idHint', 'participant'),
  ListKnownParties: record('participant'),
  PartyDetails: record('party', 'isLocal'),
  GetTime: record(),
  SetTime: record('time'),
  Catch: record('act', 'dummy'),
  Throw: record('exc'),
  UserId: record('unpack'),
  User: record('userId', 'primaryParty'),
  UserRight: variant('ParticipantAdmin', 'CanActAs'),
  CreateUser: record('user', 'rights', 'participant'),
  GrantUserRights: record('userId', 'rights', 'participant'),
  GetUser: record('userId', 'participant'),
  Secp256k1Sign: record('privateKey', 'message'),
  Secp256k1GenerateKeyPair: record(),
  Secp256k1KeyPair: record('privateKey', 'publicKey'),
  Secp256k1WithEcdsaSign: record('privateKey', 'message'),
  PackageName: record('name', 'version'),
  UnvetPackages: record('packages'),
  UnknownQuestion: record(),
};

export const LIBRARY: LfSource = {
  name: 'daml-script',
  version: '3.4.0',
  modules: {
    [LIBRARY_MODULE]: {
      data: DATA,
      definitions: { dangerousCast: { type: types.unit, body: lf.fail('not replaced') } },
    },
  },
};

/** Makes the code of scripts. @param library the ID of the library's package */
export function scriptCode(library: string) {
  const of = (name: string): Type => types.con(`${LIBRARY_MODULE}:${name}`, library);
  const make = (name: string, fields: Readonly<Record<string, Code>>) =>
    lf.record(of(name), fields);
  const dummy = { dummy: lf.unitValue };
  const pair = (a: Code, b: Code) => make('Pair', { _1: a, _2: b });
  const script = (steps: Code) => make('Script', { runScript: lf.lambda(['_'], steps), ...dummy });
  /** Ends a script with a result. */
  const done = (result: Code) => lf.variant(of('Free'), 'Pure', pair(result, lf.unitValue));
  const place = make('SrcLoc', {
    package: lf.text('made'),
    module: lf.text('Main'),
    file: lf.text('Main.daml'),
    startLine: lf.int64(41n),
    startCol: lf.int64(0n),
    endLine: lf.int64(41n),
    endCol: lf.int64(9n),
  });
  /** Asks a question, binds the answer to a name, and continues. */
  const ask = (name: string, payload: Readonly<Record<string, Code>>, as: string, next: Code) => {
    const question = make('Question', {
      commandName: lf.text(name),
      commandVersion: lf.int64(1n),
      payload: make(name, payload),
      locations: lf.cons([pair(lf.text(name), place)]),
      continue: lf.lambda([as], next),
    });
    return lf.variant(of('Free'), 'Free', make('ScriptF', { unpack: question }));
  };
  const any = (type: Type, value: Code) => make('Any1', { any: lf.toAny(type, value) });
  const typeRep = (type: Type) => make('Any1', { any: lf.typeRep(type) });
  const command = (tag: string, fields: Readonly<Record<string, Code>>) =>
    make('CommandWithMeta', {
      command: lf.variant(of('Command'), tag, make(`Command.${tag}`, fields)),
      explicitPackageId: lf.falseValue,
    });
  const choice = (template: Type, type: Type, argument: Code) =>
    make('Any2', { any: lf.toAny(type, argument), of: typeRep(template) });
  const commands = {
    create: (template: Type, payload: Code) => command('Create', { argC: any(template, payload) }),
    exercise: (template: Type, id: Code, type: Type, argument: Code) =>
      command('Exercise', {
        tplId: typeRep(template),
        cId: id,
        argE: choice(template, type, argument),
      }),
    createAndExercise: (template: Type, payload: Code, type: Type, argument: Code) =>
      command('CreateAndExercise', {
        tplArgCE: any(template, payload),
        choiceArgCE: choice(template, type, argument),
      }),
  };
  /** Submits commands and binds the list with one `Either`. */
  const submit = (
    behaviour: 'MustSucceed' | 'MustFail' | 'Try',
    actor: Code,
    all: readonly Code[],
    as: string,
    next: Code,
  ) => {
    const submission = make('Submission', {
      sActAs: make('NonEmpty', { hd: actor, tl: lf.nil }),
      sReadAs: lf.nil,
      sDisclosures: lf.nil,
      sPackagePreference: lf.none,
      sPrefetchKeys: lf.nil,
      sErrorBehaviour: lf.enumValue(of('ErrorBehaviour'), behaviour),
      sCommands: lf.cons(all),
      sLocation: lf.none,
    });
    return ask('Submit', { submissions: lf.cons([submission]) }, as, next);
  };
  const allocate = (name: string, as: string, next: Code) =>
    ask(
      'AllocateParty',
      { requestedName: lf.text(name), idHint: lf.text(''), participant: lf.none },
      as,
      next,
    );
  const query = (reader: Code, template: Type, as: string, next: Code) =>
    ask('QueryACS', { parties: lf.cons([reader]), tplId: typeRep(template) }, as, next);
  return { of, make, pair, script, done, ask, any, typeRep, commands, submit, allocate, query };
}
