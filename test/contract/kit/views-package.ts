import {
  bool,
  contractId,
  genMap,
  int64,
  list,
  party,
  record,
  text,
  unit,
  UNIT,
} from '../../../localnet/ledger/lf-types.ts';
import type { LfValue, Unit } from '../../../localnet/ledger/lf-types.ts';
import {
  choice,
  definePackage,
  implementChoice,
  template,
  typeNamer,
} from '../../../localnet/ledger/package-definition.ts';
import type {
  InterfaceChoice,
  InterfaceDefinition,
  TemplateDefinition,
} from '../../../localnet/ledger/package-definition.ts';

/*
 * More contracts for cases of the public conformance suites: templates with interfaces, one of which has a view that
 * fails, contracts that are divulged, and transactions that are deep, wide or large.
 */

const PACKAGE_NAME = 'tenure-view-tests';
const named = typeNamer(PACKAGE_NAME);

/** Returns the name of one of the package's types as commands and filters write it. */
export const inViews =
  (moduleName: string) =>
  (entityName: string): { packageId: string; moduleName: string; entityName: string } => ({
    packageId: `#${PACKAGE_NAME}`,
    moduleName,
    entityName,
  });

const inModule = (entity: string) => named(`Views:${entity}`);

const View = record(inModule('View'), { owner: party, a: int64, b: bool });
type View = LfValue<typeof View>;
const View2 = record(inModule('View2'), { c: int64 });
const EmptyView = record(inModule('EmptyView'), {});

const ChoiceI: InterfaceChoice<View, object, Unit> = {
  name: 'ChoiceI',
  kind: 'nonconsuming',
  argument: record(inModule('ChoiceI'), {}),
  result: unit,
  controllers: ({ owner }) => [owner],
};
const I: InterfaceDefinition<View> = {
  kind: 'interface',
  name: inModule('I'),
  view: View,
  choices: [ChoiceI],
};
const I2: InterfaceDefinition<LfValue<typeof View2>> = {
  kind: 'interface',
  name: inModule('I2'),
  view: View2,
  choices: [],
};
const INoTemplate: InterfaceDefinition<object> = {
  kind: 'interface',
  name: inModule('INoTemplate'),
  view: EmptyView,
  choices: [],
};

/** Returns a template's implementation of the interface `I`. */
const asI = <P>(view: (payload: P) => View) => ({
  iface: I,
  view,
  choices: { [ChoiceI.name]: implementChoice(ChoiceI, view, () => UNIT) },
});
const asI2 = (c: bigint) => ({ iface: I2, view: () => ({ c }), choices: {} });

interface Numbered {
  readonly p: string;
  readonly a: bigint;
}
const numbered = (entity: string) => ({
  name: inModule(entity),
  payload: record(inModule(entity), { p: party, a: int64 }),
  signatories: ({ p }: Numbered) => [p],
  observers: () => [],
});

const T1 = template<Numbered>({
  ...numbered('T1'),
  implements: [asI(({ p, a }) => ({ owner: p, a, b: true }))],
});
const T2 = template<Numbered>({
  ...numbered('T2'),
  implements: [asI(({ p, a }) => ({ owner: p, a, b: false }))],
  choices: [
    choice({
      name: 'ChoiceT2',
      kind: 'nonconsuming',
      argument: record(inModule('ChoiceT2'), {}),
      result: unit,
      controllers: ({ p }: Numbered) => [p],
      exercise: () => UNIT,
    }),
  ],
});
/** A template whose view fails, because a number in it is out of range. */
const T3 = template<Numbered>({
  ...numbered('T3'),
  implements: [asI(({ p, a }) => ({ owner: p, a: a + 2n ** 63n, b: true }))],
});
const T4 = template<Numbered>(numbered('T4'));
const T5 = template<Numbered>({
  ...numbered('T5'),
  implements: [asI(({ p, a }) => ({ owner: p, a, b: true })), asI2(1n)],
});

const T6Payload = record(inModule('T6'), { p1: party, p2: party });
const T6 = template<LfValue<typeof T6Payload>>({
  name: inModule('T6'),
  payload: T6Payload,
  signatories: ({ p1 }) => [p1],
  observers: ({ p1, p2 }) => [p1, p2],
  implements: [asI(({ p1 }) => ({ owner: p1, a: 6n, b: true })), asI2(7n)],
});

/** An interface with a choice whose name the template and another interface also have. */
function archivable(module: string, ownChoice: string) {
  const inIts = (entity: string) => named(`${module}:${entity}`);
  const Owned = record(inIts('OwnedView'), { owner: party });
  type Owned = LfValue<typeof Owned>;
  const OwnChoice: InterfaceChoice<Owned, object, Unit> = {
    name: ownChoice,
    kind: 'nonconsuming',
    argument: record(inIts(ownChoice), {}),
    result: unit,
    controllers: ({ owner }) => [owner],
  };
  const MyArchive: InterfaceChoice<Owned, object, string> = {
    name: 'MyArchive',
    kind: 'consuming',
    argument: record(inIts('MyArchive'), {}),
    result: text,
    controllers: ({ owner }) => [owner],
  };
  const iface: InterfaceDefinition<Owned> = {
    kind: 'interface',
    name: inIts('I'),
    view: Owned,
    choices: [OwnChoice, MyArchive],
  };
  const view = (payload: Owned) => payload;
  return {
    iface,
    implementation: {
      iface,
      view,
      choices: {
        [OwnChoice.name]: implementChoice(OwnChoice, view, () => UNIT),
        [MyArchive.name]: implementChoice(MyArchive, view, () => `${module}.I`),
      },
    },
  };
}
const first = archivable('Interface1', 'ChoiceI1');
const second = archivable('Interface2', 'ChoiceI2');

const OwnedPayload = record(named('Interface:T'), { owner: party });
type OwnedPayload = LfValue<typeof OwnedPayload>;
const T = template<OwnedPayload>({
  name: named('Interface:T'),
  payload: OwnedPayload,
  signatories: ({ owner }) => [owner],
  observers: () => [],
  implements: [first.implementation, second.implementation],
  choices: [
    choice({
      name: 'MyArchive',
      kind: 'consuming',
      argument: record(named('Interface:MyArchive'), {}),
      result: text,
      controllers: ({ owner }: OwnedPayload) => [owner],
      exercise: () => 'Interface.T',
    }),
  ],
});

const inDivulgence = (entity: string) => named(`Divulgence:${entity}`);
const Divulgence1Payload = record(inDivulgence('Divulgence1'), { div1Party: party });
const Archive1 = choice({
  name: 'Divulgence1Archive',
  kind: 'consuming',
  argument: record(inDivulgence('Divulgence1Archive'), {}),
  result: unit,
  controllers: ({ div1Party }: LfValue<typeof Divulgence1Payload>) => [div1Party],
  exercise: () => UNIT,
});
const Divulgence1 = template<LfValue<typeof Divulgence1Payload>>({
  name: inDivulgence('Divulgence1'),
  payload: Divulgence1Payload,
  signatories: ({ div1Party }) => [div1Party],
  observers: () => [],
  choices: [Archive1],
});

const Divulgence2Payload = record(inDivulgence('Divulgence2'), {
  div2Signatory: party,
  div2Fetcher: party,
});
type Divulgence2Payload = LfValue<typeof Divulgence2Payload>;
const byFetcher = ({ div2Fetcher }: Divulgence2Payload) => [div2Fetcher];
const Divulgence2 = template<Divulgence2Payload>({
  name: inDivulgence('Divulgence2'),
  payload: Divulgence2Payload,
  signatories: ({ div2Signatory }) => [div2Signatory],
  observers: byFetcher,
  choices: [
    choice({
      name: 'Divulgence2Archive',
      kind: 'nonconsuming',
      argument: record(inDivulgence('Divulgence2Archive'), { div1ToArchive: contractId }),
      result: unit,
      controllers: byFetcher,
      exercise: (ledger, _self, { div1ToArchive }) => {
        ledger.exercise(Divulgence1, div1ToArchive, Archive1, {});
        return UNIT;
      },
    }),
    choice({
      name: 'Divulgence2Fetch',
      kind: 'nonconsuming',
      argument: record(inDivulgence('Divulgence2Fetch'), { div1ToFetch: contractId }),
      result: unit,
      controllers: byFetcher,
      exercise: (ledger, _self, { div1ToFetch }) => {
        ledger.fetch(Divulgence1, div1ToFetch);
        return UNIT;
      },
    }),
    choice({
      name: 'Divulgence2ImmediateDivulge',
      kind: 'nonconsuming',
      argument: record(inDivulgence('Divulgence2ImmediateDivulge'), {}),
      result: contractId,
      controllers: byFetcher,
      exercise: (ledger, { payload }) =>
        ledger.create(Divulgence1, { div1Party: payload.div2Fetcher }),
    }),
  ],
});

const WitnessesPayload = record(inDivulgence('Witnesses'), {
  p_signatory: party,
  p_observer: party,
  p_actor: party,
});
type WitnessesPayload = LfValue<typeof WitnessesPayload>;
const byActor = (kind: 'consuming' | 'nonconsuming', name: string) =>
  choice({
    name,
    kind,
    argument: record(inDivulgence(name), {}),
    result: unit,
    controllers: ({ p_actor: actor }: WitnessesPayload) => [actor],
    exercise: () => UNIT,
  });
const Witnesses = template<WitnessesPayload>({
  name: inDivulgence('Witnesses'),
  payload: WitnessesPayload,
  signatories: ({ p_signatory: signatory }) => [signatory],
  observers: ({ p_observer: observer }) => [observer],
  choices: [
    byActor('consuming', 'WitnessesChoice'),
    byActor('nonconsuming', 'WitnessesNonConsumingChoice'),
  ],
});

const inLimits = (entity: string) => named(`Limits:${entity}`);
const Items = genMap(text, party);
const WithMapPayload = record(inLimits('WithMap'), { owner: party, items: Items });
type WithMapPayload = LfValue<typeof WithMapPayload>;
const WithMap: TemplateDefinition<WithMapPayload> = template({
  name: inLimits('WithMap'),
  payload: WithMapPayload,
  signatories: ({ owner }) => [owner],
  observers: () => [],
  choices: [
    choice({
      name: 'WithMap_Noop',
      kind: 'nonconsuming',
      argument: record(inLimits('WithMap_Noop'), {}),
      result: unit,
      controllers: ({ owner }: WithMapPayload) => [owner],
      exercise: () => UNIT,
    }),
    choice({
      name: 'WithMap_Expand',
      kind: 'consuming',
      argument: record(inLimits('WithMap_Expand'), { newItems: Items }),
      result: contractId,
      controllers: ({ owner }: WithMapPayload) => [owner],
      // In the case of the suite, this only extends empty maps.
      exercise: (ledger, { payload }, { newItems }) =>
        ledger.create(WithMap, { ...payload, items: newItems }),
    }),
  ],
});

const WithListPayload = record(inLimits('WithList'), { owner: party, items: list(text) });
type WithListPayload = LfValue<typeof WithListPayload>;
const WithList: TemplateDefinition<WithListPayload> = template({
  name: inLimits('WithList'),
  payload: WithListPayload,
  signatories: ({ owner }) => [owner],
  observers: () => [],
  choices: [
    choice({
      name: 'WithList_Noop',
      kind: 'nonconsuming',
      argument: record(inLimits('WithList_Noop'), {}),
      result: unit,
      controllers: ({ owner }: WithListPayload) => [owner],
      exercise: () => UNIT,
    }),
    choice({
      name: 'WithList_Expand',
      kind: 'consuming',
      argument: record(inLimits('WithList_Expand'), { newItems: list(text) }),
      result: contractId,
      controllers: ({ owner }: WithListPayload) => [owner],
      exercise: (ledger, { payload }, { newItems }) =>
        ledger.create(WithList, { ...payload, items: [...payload.items, ...newItems] }),
    }),
  ],
});

const TreePayload = record(inLimits('Tree'), { owner: party });
type TreePayload = LfValue<typeof TreePayload>;
const BuildArgument = record(inLimits('Build'), { depth: int64, branching: int64 });
const Build = choice({
  name: 'Build',
  kind: 'nonconsuming',
  argument: BuildArgument,
  result: int64,
  controllers: ({ owner }: TreePayload) => [owner],
  exercise: (ledger, { contractId: self }, { depth, branching }): bigint => {
    let nodes = 1n;
    if (depth <= 0n) return nodes;
    for (let branch = 0n; branch < branching; branch += 1n) {
      nodes += ledger.exercise<LfValue<typeof BuildArgument>, bigint>(Tree, self, Build, {
        depth: depth - 1n,
        branching,
      });
    }
    return nodes;
  },
});
const Tree: TemplateDefinition<TreePayload> = template({
  name: inLimits('Tree'),
  payload: TreePayload,
  signatories: ({ owner }) => [owner],
  observers: () => [],
  choices: [Build],
});

export const viewsPackage = definePackage({
  name: PACKAGE_NAME,
  version: '1.0.0',
  templates: [
    T1,
    T2,
    T3,
    T4,
    T5,
    T6,
    T,
    Divulgence1,
    Divulgence2,
    Witnesses,
    WithMap,
    WithList,
    Tree,
  ],
  interfaces: [I, I2, INoTemplate, first.iface, second.iface],
});
