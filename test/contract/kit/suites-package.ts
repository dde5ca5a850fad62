import {
  contractId,
  int64,
  optional,
  party,
  record,
  recursiveVariant,
  text,
  unit,
  UNIT,
} from '../../../localnet/ledger/lf-types.ts';
import type { LfValue } from '../../../localnet/ledger/lf-types.ts';
import {
  choice,
  definePackage,
  template,
  typeNamer,
} from '../../../localnet/ledger/package-definition.ts';
import type { TemplateDefinition } from '../../../localnet/ledger/package-definition.ts';

/*
 * Contracts for the cases of the public conformance suites: contracts that do nothing, references, values of any depth,
 * and agreements.
 */

const PACKAGE_NAME = 'tenure-suite-tests';
const named = typeNamer(PACKAGE_NAME);
const inModule = (entity: string) => named(`Suites:${entity}`);

/** Returns the name of one of the package's types as commands write it. */
export const inSuites = (entityName: string) => ({
  packageId: `#${PACKAGE_NAME}`,
  moduleName: 'Suites',
  entityName,
});

const DummyPayload = record(inModule('Dummy'), { operator: party });
type DummyPayload = LfValue<typeof DummyPayload>;

const Dummy: TemplateDefinition<DummyPayload> = template({
  name: inModule('Dummy'),
  payload: DummyPayload,
  signatories: ({ operator }) => [operator],
  observers: () => [],
  choices: [
    choice({
      name: 'DummyChoice1',
      kind: 'consuming',
      argument: record(inModule('DummyChoice1'), {}),
      result: unit,
      controllers: ({ operator }: DummyPayload) => [operator],
      exercise: () => UNIT,
    }),
    choice({
      name: 'DummyNonConsuming',
      kind: 'nonconsuming',
      argument: record(inModule('DummyNonConsuming'), {}),
      result: unit,
      controllers: ({ operator }: DummyPayload) => [operator],
      exercise: () => UNIT,
    }),
    choice({
      name: 'Clone',
      kind: 'consuming',
      argument: record(inModule('Clone'), {}),
      result: contractId,
      controllers: ({ operator }: DummyPayload) => [operator],
      exercise: (ledger, { payload }) => {
        ledger.create(Dummy, payload);
        return ledger.create(Dummy, payload);
      },
    }),
    choice({
      name: 'FailingClone',
      kind: 'consuming',
      argument: record(inModule('FailingClone'), {}),
      result: contractId,
      controllers: ({ operator }: DummyPayload) => [operator],
      exercise: (ledger, { payload }) => {
        const cloned = ledger.create(Dummy, payload);
        ledger.require('the clone is none', cloned === '');
        return cloned;
      },
    }),
  ],
});

const DummyWithParam = template<DummyPayload>({
  name: inModule('DummyWithParam'),
  payload: record(inModule('DummyWithParam'), { operator: party }),
  signatories: ({ operator }) => [operator],
  observers: () => [],
  choices: [
    choice({
      name: 'DummyChoice2',
      kind: 'consuming',
      argument: record(inModule('DummyChoice2'), { str: text }),
      result: unit,
      controllers: ({ operator }: DummyPayload) => [operator],
      exercise: () => UNIT,
    }),
  ],
});

const RefPayload = record(inModule('ContractRef'), { owner: party, ref: contractId });
type RefPayload = LfValue<typeof RefPayload>;

const ContractRef: TemplateDefinition<RefPayload> = template({
  name: inModule('ContractRef'),
  payload: RefPayload,
  signatories: ({ owner }) => [owner],
  observers: () => [],
  choices: [
    choice({
      name: 'Change',
      kind: 'consuming',
      argument: record(inModule('Change'), { newRef: contractId }),
      result: contractId,
      controllers: ({ owner }: RefPayload) => [owner],
      exercise: (ledger, { payload }, { newRef }) =>
        ledger.create(ContractRef, { ...payload, ref: newRef }),
    }),
  ],
});

type Nat =
  | { readonly tag: 'Z'; readonly value: unknown }
  | { readonly tag: 'S'; readonly value: Nat };
const Nat = recursiveVariant<Nat>(inModule('Nat'), (self) => ({ Z: unit, S: self }));

/** This function does not use recursion, because the value may be nested deeply. */
function natOf(i: bigint): Nat {
  let nat: Nat = { tag: 'Z', value: UNIT };
  for (let depth = 0n; depth < i; depth += 1n) nat = { tag: 'S', value: nat };
  return nat;
}

function depthOf(nat: Nat): bigint {
  let depth = 0n;
  for (let inner = nat; inner.tag === 'S'; inner = inner.value) depth += 1n;
  return depth;
}

const NestedPayload = record(inModule('Nested'), { party, i: int64, n: Nat });
type NestedPayload = LfValue<typeof NestedPayload>;
const Nested: TemplateDefinition<NestedPayload> = template({
  name: inModule('Nested'),
  payload: NestedPayload,
  signatories: (payload) => [payload.party],
  observers: () => [],
});

const HandlerPayload = record(inModule('Handler'), { party });
type HandlerPayload = LfValue<typeof HandlerPayload>;
const controllers = (payload: HandlerPayload) => [payload.party];

const Destruct = choice({
  name: 'Destruct',
  kind: 'nonconsuming',
  argument: record(inModule('Destruct'), { n: Nat }),
  result: int64,
  controllers,
  exercise: (_ledger, _self, { n }) => depthOf(n),
});

const Handler: TemplateDefinition<HandlerPayload> = template({
  name: inModule('Handler'),
  payload: HandlerPayload,
  signatories: controllers,
  observers: () => [],
  choices: [
    Destruct,
    choice({
      name: 'ConstructThenDestruct',
      kind: 'nonconsuming',
      argument: record(inModule('ConstructThenDestruct'), { i: int64 }),
      result: int64,
      controllers,
      exercise: (ledger, self, { i }) =>
        ledger.exercise(Handler, self.contractId, Destruct, { n: natOf(i) }),
    }),
    choice({
      name: 'Construct',
      kind: 'nonconsuming',
      argument: record(inModule('Construct'), { i: int64 }),
      result: Nat,
      controllers,
      exercise: (_ledger, _self, { i }) => natOf(i),
    }),
    choice({
      name: 'Create',
      kind: 'nonconsuming',
      argument: record(inModule('Create'), { i: int64 }),
      result: contractId,
      controllers,
      exercise: (ledger, self, { i }) =>
        ledger.create(Nested, { party: self.payload.party, i, n: natOf(i) }),
    }),
    choice({
      name: 'Overflow',
      kind: 'nonconsuming',
      argument: record(inModule('Overflow'), { i: int64 }),
      result: int64,
      controllers,
      // LocalNet's own contracts must not add in this way, because it ignores the range of integers.
      exercise: (_ledger, _self, { i }) => i + 1n,
    }),
  ],
});

const AgreementPayload = record(inModule('Agreement'), { giver: party, receiver: party });
type AgreementPayload = LfValue<typeof AgreementPayload>;
const Agreement = template<AgreementPayload>({
  name: inModule('Agreement'),
  payload: AgreementPayload,
  signatories: ({ giver, receiver }) => [giver, receiver],
  observers: () => [],
});

const AgreementFactory: TemplateDefinition<AgreementPayload> = template({
  name: inModule('AgreementFactory'),
  payload: record(inModule('AgreementFactory'), { giver: party, receiver: party }),
  signatories: ({ giver }) => [giver],
  observers: ({ receiver }) => [receiver],
  choices: [
    choice({
      name: 'AgreementFactoryAccept',
      kind: 'nonconsuming',
      argument: record(inModule('AgreementFactoryAccept'), {}),
      result: contractId,
      controllers: ({ receiver }: AgreementPayload) => [receiver],
      exercise: (ledger, { payload }) => ledger.create(Agreement, payload),
    }),
    choice({
      name: 'CreateAgreement',
      kind: 'nonconsuming',
      argument: record(inModule('CreateAgreement'), {}),
      result: contractId,
      controllers: ({ receiver, giver }: AgreementPayload) => [receiver, giver],
      exercise: (ledger, { payload }) => ledger.create(Agreement, payload),
    }),
  ],
});

const TrailingPayload = record(inModule('Trailing'), {
  owner: party,
  first: optional(text),
  last: optional(text),
});
const Trailing = template<LfValue<typeof TrailingPayload>>({
  name: inModule('Trailing'),
  payload: TrailingPayload,
  signatories: ({ owner }) => [owner],
  observers: () => [],
});

export const suitesPackage = definePackage({
  name: PACKAGE_NAME,
  version: '1.0.0',
  templates: [
    Dummy,
    DummyWithParam,
    ContractRef,
    Nested,
    Handler,
    Agreement,
    AgreementFactory,
    Trailing,
  ],
});
