import { createHash, createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { decodeBlob, encodeBlob } from '../ledger/created-event-blob.ts';
import { isAuthentic, sameType } from '../ledger/contract.ts';
import type { Contract } from '../ledger/contract.ts';
import { Meter } from '../ledger/engine/bounds.ts';
import { as } from '../ledger/engine/builtin.ts';
import { toEngine } from '../ledger/engine/conversion.ts';
import { DamlFailure } from '../ledger/engine/failures.ts';
import { fieldsOf } from '../ledger/engine/forms.ts';
import {
  Any,
  itemsOf,
  LfRecord,
  listOf,
  NONE,
  optionalOf,
  Some,
  TypeRep,
  UNIT,
  Variant,
  Enum,
  wrongType,
} from '../ledger/engine/values.ts';
import type { Value } from '../ledger/engine/values.ts';
import { LedgerError } from '../ledger/ledger-error.ts';
import { signHash } from '../ledger/engine/secp256k1.ts';
import { isUserId } from '../ledger/lf-values.ts';
import type { DefinitionId } from '../lf/types.ts';
import type { ScriptCommand, ScriptLedger, ScriptSubmission } from './script-ledger.ts';
import type { ScriptTypes } from './script-types.ts';
import type { FieldOf } from './script-types.ts';
import { failureStatus, SubmitErrors, typeRepOf } from './submit-errors.ts';
import { treeOf } from './tree-values.ts';
import type { ScriptUsers } from './script-users.ts';

/** Runs a script within a script, for questions that contain one. */
export type RunScript = (script: Value) => Value;

/** The parts of a run that answers use: ledger, users, types of the library, and the script's evaluation. */
export interface Asked {
  readonly ledger: ScriptLedger;
  readonly types: ScriptTypes;
  readonly users: ScriptUsers;
  readonly meter: Meter;
  /** Runs a script that a function without an argument returns. */
  readonly runDelayed: RunScript;
  readonly run: RunScript;
  /** Returns the failure that an exception causes. */
  readonly failureOf: (exception: Any) => DamlFailure;
}

type Answer = (asked: Asked, field: FieldOf) => Value;

const left = (value: Value): Value => new Variant('Left', 0, value);
const right = (value: Value): Value => new Variant('Right', 1, value);
const tuple = (...values: readonly Value[]): Value => new LfRecord(values);
const items = (value: Value | undefined): readonly Value[] => [...itemsOf(as.list(value))];
const texts = (value: Value | undefined): readonly string[] =>
  items(value).map((one) => as.text(one));
const only = (value: Value | undefined): Value => as.value(fieldsOf(as.value(value))[0]);
const some = (value: Value | undefined): Value | undefined =>
  value instanceof Some ? value.value : undefined;

/** Reads the type of a template or an interface. */
function idIn(value: Value | undefined): DefinitionId {
  const rep = only(value);
  if (rep instanceof TypeRep && rep.type.kind === 'con') return rep.type.id;
  throw wrongType('the type of a template');
}

const anyIn = (value: Value | undefined): Any => as.any(only(value));

function commandOf({ types }: Asked, value: Value): ScriptCommand {
  const meta = types.fields('CommandWithMeta', value);
  const command = meta('command');
  if (!(command instanceof Variant)) throw wrongType('a command');
  const { tag } = command;
  const of = types.fields(`Command.${tag}`, command.value);
  const isExact = meta('explicitPackageId') === true;
  if (tag === 'Create') {
    const payload = anyIn(of('argC'));
    return { kind: 'create', target: typeOfAny(payload), isExact, payload };
  }
  if (tag === 'CreateAndExercise') {
    const payload = anyIn(of('tplArgCE'));
    const argument = anyIn(of('choiceArgCE'));
    return { kind: 'createAndExercise', target: typeOfAny(payload), isExact, payload, argument };
  }
  const target = idIn(of('tplId'));
  const argument = anyIn(of('argE'));
  if (tag === 'Exercise') {
    return { kind: 'exercise', target, isExact, contractId: as.text(of('cId')), argument };
  }
  return { kind: 'exerciseByKey', target, isExact, key: anyIn(of('keyE')).value, argument };
}

function typeOfAny({ type }: Any): DefinitionId {
  if (type.kind === 'con') return type.id;
  throw wrongType('a template');
}

function disclosedIn({ types, ledger }: Asked, value: Value): Contract {
  const blob = as.text(types.fields('Disclosure', value)('blob'));
  const contract = decodeBlob(Buffer.from(blob, 'hex'), ledger.registry);
  if (contract !== undefined && isAuthentic(contract)) return contract;
  throw new LedgerError('INVALID_ARGUMENT', 'a disclosed contract cannot be read');
}

function submissionOf(asked: Asked, of: FieldOf): ScriptSubmission {
  const [first, rest] = fieldsOf(as.value(of('sActAs')));
  return {
    actAs: [as.text(first), ...texts(rest)],
    readAs: texts(of('sReadAs')),
    disclosed: items(of('sDisclosures')).map((one) => disclosedIn(asked, one)),
    preferences: items(some(of('sPackagePreference')) ?? listOf([])).map((id) => as.text(only(id))),
    commands: items(of('sCommands')).map((one) => commandOf(asked, one)),
  };
}

function submit(asked: Asked, value: Value): Value {
  const { types, ledger } = asked;
  const of = types.fields('Submission', value);
  const behaviour = of('sErrorBehaviour');
  if (!(behaviour instanceof Enum)) throw wrongType('a behaviour on errors');
  const submission = submissionOf(asked, of);
  let committed;
  try {
    committed = ledger.submit(submission);
  } catch (error) {
    if (!(error instanceof LedgerError) || behaviour.name === 'MustSucceed') throw error;
    return left(new SubmitErrors(types, ledger).of(error, submission));
  }
  if (behaviour.name === 'MustFail') {
    throw new ScriptError('Expected submit to fail but it succeeded');
  }
  const results = committed.results.map((result) =>
    'created' in result
      ? types.variant('CommandResult', 'CreateResult', result.created)
      : types.variant('CommandResult', 'ExerciseResult', result.exercised),
  );
  return right(tuple(listOf(results), treeOf(asked, committed.tree)));
}

/** A failure of the script itself. */
export class ScriptError extends Error {
  override readonly name = 'ScriptError';
}

const anyTemplate = (ledger: ScriptLedger, id: DefinitionId, contract: Contract): Value =>
  new LfRecord([new Any({ kind: 'con', id }, ledger.payloadAs(id, contract))]);

const contractPair = ({ ledger }: Asked, id: DefinitionId, contract: Contract): Value =>
  tuple(contract.contractId, anyTemplate(ledger, id, contract));

/** Returns a contract's view of an interface; `undefined` if the contract does not implement the interface. */
function viewOf(
  { ledger, meter }: Asked,
  id: DefinitionId,
  { template, payload }: Contract,
): Value | undefined {
  const { name, view } = ledger.registry.engine.interface(id);
  const found = template.implements.find(({ iface }) => sameType(iface.name, name));
  if (found === undefined) return undefined;
  try {
    return optionalOf(toEngine(view, found.view(payload, new Meter()), meter));
  } catch (error) {
    if (error instanceof LedgerError) return NONE;
    throw error;
  }
}

const withId = (asked: Asked, of: FieldOf): Contract | undefined => {
  const wanted = as.text(of('cid'));
  return [...asked.ledger.visible(texts(of('parties')))].find(
    ({ contractId }) => contractId === wanted,
  );
};

function newParty({ ledger: { parties } }: Asked, of: FieldOf): string {
  const hint = as.text(of('idHint'));
  const name = as.text(of('requestedName') ?? of('displayName'));
  if (hint !== '' && parties.has(hint)) throw new ScriptError(`the party ${hint} exists already`);
  const base = hint === '' ? name.replaceAll(/[^a-zA-Z0-9:\-_ ]/gu, '_') || 'party' : hint;
  let party = base;
  for (let count = 1; parties.has(party); count += 1) party = `${base}_${count}`;
  parties.add(party);
  return party;
}

function packagesNamed({ types, ledger }: Asked, of: FieldOf): readonly string[] {
  return items(of('packages')).map((one) => {
    const field = types.fields('PackageName', one);
    const [name, version] = [as.text(field('name')), as.text(field('version'))];
    const found = ledger.packages.find((each) => each.name === name && each.version === version);
    if (found === undefined) throw new ScriptError(`the DAR has no package ${name}-${version}`);
    return found.id;
  });
}

const packageNames = ({ types }: Asked, packages: ScriptLedger['packages']): Value =>
  listOf(packages.map(({ name, version }) => types.record('PackageName', { name, version })));

/** Signs a hash of a message, or the message itself if it is a hash already. Returns the signature in hex. */
function signed(of: FieldOf, isHash: boolean): string {
  const [key, text] = [as.text(of('privateKey')), as.text(of('message'))];
  const message = Buffer.from(text, 'hex');
  return signHash(
    isHash ? message : createHash('sha256').update(message).digest(),
    privateKeyOf(key),
  );
}

const privateKeyOf = (hex: string) =>
  createPrivateKey({ key: Buffer.from(hex, 'hex'), format: 'der', type: 'pkcs8' });

function keyPair({ types }: Asked): Value {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'secp256k1' });
  return types.record('Secp256k1KeyPair', {
    privateKey: privateKey.export({ format: 'der', type: 'pkcs8' }).toString('hex'),
    publicKey: publicKey.export({ format: 'der', type: 'spki' }).toString('hex'),
  });
}

/** Runs a part of a script. Returns its result, or the value to which `caught` converts its failure. */
function attempt(run: () => Value, caught: (error: unknown) => Value | undefined): Value {
  try {
    return right(run());
  } catch (error) {
    const value = caught(error);
    if (value === undefined) throw error;
    return left(value);
  }
}

const exceptionOf = (error: unknown): Value | undefined =>
  error instanceof DamlFailure ? error.exception : undefined;

function statusOf(error: unknown): Value | undefined {
  const failure = error instanceof LedgerError ? error.cause : error;
  return failure instanceof DamlFailure ? failureStatus(failure) : undefined;
}

/** Returns the question's name, the name of its error and the text, if the ledger refused a question. */
function commandFailure(error: unknown): Value | undefined {
  if (error instanceof LedgerError) return tuple('Submit', error.code, error.text);
  return error instanceof ScriptError ? tuple('Submit', error.name, error.message) : undefined;
}

function raise(of: FieldOf): never {
  const [errorId, category, message, meta] = fieldsOf(as.value(of('status')));
  const entries = as
    .map(meta)
    .entries.map(([key, value]) => [as.text(key), as.text(value)] as const);
  throw new DamlFailure(
    as.text(errorId),
    Number(as.integer(category)),
    as.text(message),
    Object.fromEntries(entries),
  );
}

const invalidUserId = (name: string): Value | undefined =>
  isUserId(name)
    ? undefined
    : `user id "${name}" does not match regex "[a-zA-Z0-9@^$.!\`\\-#+'~_|:()]{1,128}"`;

/** The answers to all questions of Daml Script, by the names of the questions. */
const ANSWERS: Readonly<Record<string, Answer>> = {
  Submit: (asked, of) => listOf(items(of('submissions')).map((one) => submit(asked, one))),
  QueryACS: (asked, of) => {
    const id = idIn(of('tplId'));
    const found = asked.ledger.contractsOf(id, texts(of('parties')));
    return listOf(found.map((contract) => contractPair(asked, id, contract)));
  },
  QueryContractId: (asked, of) => {
    const found = withId(asked, of);
    if (found === undefined) return NONE;
    const { packageId, template } = found;
    const own = { packageId, module: template.name.module, name: template.name.entity };
    const blob = Buffer.from(encodeBlob(found)).toString('hex');
    const wanted = idIn(of('tplId'));
    const id = asked.ledger.isTemplate(wanted) ? wanted : own;
    return new Some(tuple(anyTemplate(asked.ledger, id, found), typeRepOf(own), blob));
  },
  QueryInterface: (asked, of) => {
    const id = idIn(of('interfaceId'));
    const found = [...asked.ledger.visible(texts(of('parties')))].flatMap((contract): Value[] => {
      const view = viewOf(asked, id, contract);
      return view === undefined ? [] : [tuple(contract.contractId, view)];
    });
    return listOf(found);
  },
  QueryInterfaceContractId: (asked, of) => {
    const found = withId(asked, of);
    return (found && viewOf(asked, idIn(of('interfaceId')), found)) ?? NONE;
  },
  QueryContractKey: (asked, of) => {
    const id = idIn(of('tplId'));
    const [found] = asked.ledger.withKey(id, texts(of('parties')), anyIn(of('key')).value);
    return found === undefined ? NONE : new Some(contractPair(asked, id, found));
  },
  QueryNContractKey: (asked, of) => {
    const id = idIn(of('tplId'));
    const key = anyIn(of('contractKey')).value;
    const found = asked.ledger.withKey(id, texts(of('parties')), key);
    const most = Number(as.integer(of('limit')));
    return listOf(found.slice(0, most).map((contract) => contractPair(asked, id, contract)));
  },
  AllocateParty: newParty,
  ListKnownParties: ({ ledger, types }) =>
    listOf(
      [...ledger.parties]
        .toSorted()
        .map((party) => types.record('PartyDetails', { party, displayName: NONE, isLocal: true })),
    ),
  GetTime: ({ ledger }) => ledger.now,
  SetTime: ({ ledger }, of) => {
    ledger.now = as.integer(of('time'));
    return UNIT;
  },
  // No other program uses the ledger, so nothing could change in the meantime.
  Sleep: () => UNIT,
  Catch: ({ runDelayed }, of) => attempt(() => runDelayed(as.value(of('act'))), exceptionOf),
  TryFailureStatus: ({ runDelayed }, of) =>
    attempt(() => runDelayed(as.value(of('act'))), statusOf),
  TryCommands: ({ run }, of) => attempt(() => run(as.value(of('act'))), commandFailure),
  Throw: ({ failureOf }, of) => {
    throw failureOf(as.any(of('exc')));
  },
  FailWithStatus: (_asked, of) => raise(of),
  Secp256k1Sign: ({ types }, of) => signed(of, types.signsHashes),
  Secp256k1WithEcdsaSign: (_asked, of) => signed(of, true),
  Secp256k1GenerateKeyPair: keyPair,
  ValidateUserId: (_asked, of) => optionalOf(invalidUserId(as.text(of('name')))),
  CreateUser: ({ users }, of) => users.create(of),
  GetUser: ({ users }, of) => users.get(of),
  DeleteUser: ({ users }, of) => users.delete(of),
  ListAllUsers: ({ users }) => users.all(),
  GrantUserRights: ({ users }, of) => users.grant(of),
  RevokeUserRights: ({ users }, of) => users.revoke(of),
  ListUserRights: ({ users }, of) => users.rightsOf(of),
  VetPackages: (asked, of) => {
    for (const id of packagesNamed(asked, of)) asked.ledger.vetted.add(id);
    return UNIT;
  },
  UnvetPackages: (asked, of) => {
    for (const id of packagesNamed(asked, of)) asked.ledger.vetted.delete(id);
    return UNIT;
  },
  ListVettedPackages: (asked) =>
    packageNames(
      asked,
      asked.ledger.packages.filter(({ id }) => asked.ledger.vetted.has(id)),
    ),
  ListAllPackages: (asked) => packageNames(asked, asked.ledger.packages),
};

/** Answers a question of a script. Throws LedgerError, DamlFailure or ScriptError if the script fails with it. */
export function answer(asked: Asked, name: string, payload: Value): Value {
  const found = ANSWERS[name];
  if (found === undefined) throw new ScriptError(`a script on its own ledger cannot use ${name}`);
  return found(asked, asked.types.fields(name, payload));
}
