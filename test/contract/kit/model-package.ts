import {
  bool,
  contractId,
  date,
  enumeration,
  genMap,
  int64,
  list,
  numeric,
  optional,
  party,
  record,
  text,
  textMap,
  timestamp,
  UNIT,
  unit,
  variant,
} from '../../../localnet/ledger/lf-types.ts';
import type { LfType, LfValue } from '../../../localnet/ledger/lf-types.ts';
import {
  choice,
  definePackage,
  template,
  typeNamer,
} from '../../../localnet/ledger/package-definition.ts';
import type { InterfaceDefinition } from '../../../localnet/ledger/package-definition.ts';

/*
 * Contracts for features that the licensing package does not use: values of every type, nonconsuming choices, several
 * controllers, interfaces, and contracts that are seen by parties that are not their stakeholders.
 */

const named = typeNamer('tenure-model-tests');

const Inner = record(named('Model:Inner'), { label: text, note: optional(text) });

const EverythingPayload = record(named('Model:Everything'), {
  owner: party,
  aUnit: unit,
  aBool: bool,
  anInt: int64,
  aDate: date,
  aTime: timestamp,
  aDecimal: numeric(10),
  aText: text,
  someInt: optional(int64),
  deepOptional: optional(optional(text)),
  aList: list(int64),
  aTextMap: textMap(bool),
  aGenMap: genMap(int64, text),
  aRecord: Inner,
  aVariant: variant(named('Model:Shape'), { Circle: int64, Label: Inner }),
  anEnum: enumeration(named('Model:Colour'), ['Red', 'Green']),
  trailing: optional(text),
  lastTrailing: optional(int64),
});

const Everything = template<LfValue<typeof EverythingPayload>>({
  name: named('Model:Everything'),
  payload: EverythingPayload,
  signatories: ({ owner }) => [owner],
  observers: () => [],
});

/** A depth to which no value may be nested. */
const NESTING = 120;
let nestedType: LfType = text;
for (let depth = 0; depth < NESTING; depth += 1) nestedType = optional(nestedType);

const NestedPayload = record(named('Model:Nested'), { owner: party, nested: nestedType });

const Nested = template<LfValue<typeof NestedPayload>>({
  name: named('Model:Nested'),
  payload: NestedPayload,
  signatories: ({ owner }) => [owner],
  observers: () => [],
});

interface NamedView {
  readonly title: string;
  readonly readerCount: bigint;
}
const NamedViewType: LfType<NamedView> = record(named('Model:NamedView'), {
  title: text,
  readerCount: int64,
});

const Named: InterfaceDefinition<NamedView> = {
  kind: 'interface',
  name: named('Model:Named'),
  view: NamedViewType,
  choices: [{ name: 'Named_Title', kind: 'nonconsuming', argument: unit, result: text }],
};

const NotePayload = record(named('Model:Note'), {
  owner: party,
  readers: list(party),
  title: text,
});
type Note = LfValue<typeof NotePayload>;

const touchArgument = record(named('Model:Touch'), { actor: party });

const Note = template<Note>({
  name: named('Model:Note'),
  payload: NotePayload,
  signatories: ({ owner }) => [owner],
  observers: ({ readers }) => readers,
  choices: [
    choice({
      name: 'Touch',
      kind: 'nonconsuming',
      argument: touchArgument,
      result: text,
      controllers: (_note: Note, { actor }) => [actor],
      exercise: (_ledger, { payload }) => payload.title,
    }),
    choice({
      name: 'Agree',
      kind: 'consuming',
      argument: record(named('Model:Agree'), { actors: list(party) }),
      result: unit,
      controllers: (_note: Note, { actors }) => actors,
      exercise: () => UNIT,
    }),
  ],
  implements: [
    {
      iface: Named,
      view: ({ title, readers }) => ({ title, readerCount: BigInt(readers.length) }),
      choices: {
        Named_Title: choice({
          name: 'Named_Title',
          kind: 'nonconsuming',
          argument: unit,
          result: text,
          controllers: ({ owner }: Note) => [owner],
          exercise: (_ledger, { payload }) => payload.title,
        }),
      },
    },
  ],
});

const DelegationPayload = record(named('Model:Delegation'), { owner: party, delegate: party });
type Delegation = LfValue<typeof DelegationPayload>;

/** Lets the delegate act in the owner's name. So the delegate sees contracts of which it is not a stakeholder. */
const Delegation = template<Delegation>({
  name: named('Model:Delegation'),
  payload: DelegationPayload,
  signatories: ({ owner }) => [owner],
  observers: ({ delegate }) => [delegate],
  choices: [
    choice({
      name: 'WriteNote',
      kind: 'nonconsuming',
      argument: record(named('Model:WriteNote'), { title: text }),
      result: contractId,
      controllers: ({ delegate }: Delegation) => [delegate],
      exercise: (ledger, { payload: { owner } }, { title }) =>
        ledger.create(Note, { owner, readers: [], title }),
    }),
    choice({
      name: 'ReadNote',
      kind: 'nonconsuming',
      argument: record(named('Model:ReadNote'), { note: contractId }),
      result: text,
      controllers: ({ delegate }: Delegation) => [delegate],
      exercise: (ledger, _self, { note }) => ledger.fetch(Note, note).title,
    }),
  ],
});

export const modelPackage = definePackage({
  name: 'tenure-model-tests',
  version: '1.0.0',
  templates: [Everything, Nested, Note, Delegation],
  interfaces: [Named],
});
