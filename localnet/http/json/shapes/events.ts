import type {
  ArchivedEvent,
  CreatedEvent,
  Event,
  ExercisedEvent,
  InterfaceView,
} from '../../../../proto/gen/com/daml/ledger/api/v2/event.ts';
import type { Identifier } from '../../../../proto/gen/com/daml/ledger/api/v2/value.ts';
import type { Status } from '../../../../proto/gen/google/rpc/status.ts';
import type { Timestamp } from '../../../../proto/gen/google/protobuf/timestamp.ts';
import type { Json } from '../../../ledger/lf-json.ts';
import {
  anyJson,
  bare,
  bytes,
  defaulted,
  flag,
  int,
  list,
  long,
  oneOf,
  optional,
  record,
  text,
  writtenAs,
} from '../shape.ts';
import type { Shape } from '../shape.ts';
import type { ValueCodec } from '../value-codec.ts';
import { identifier, instant, status } from './well-known.ts';

const OK: Status = { code: 0, message: '', details: [] };
const NO_TYPE: Identifier = { packageId: '', moduleName: '', entityName: '' };

interface JsInterfaceView {
  interfaceId: Identifier;
  viewStatus: Status;
  viewValue: Json | undefined;
  implementationPackageId: string | undefined;
}

const interfaceView = writtenAs(
  record<JsInterfaceView>('JsInterfaceView', {
    interfaceId: identifier,
    viewStatus: status,
    viewValue: optional(anyJson),
    implementationPackageId: optional(text),
  }),
  (view: InterfaceView, values): JsInterfaceView => {
    const { interfaceId = NO_TYPE, viewStatus = OK, viewValue, implementationPackageId } = view;
    if (viewStatus.code !== 0 || viewValue === undefined) {
      const id = implementationPackageId === '' ? undefined : implementationPackageId;
      return { interfaceId, viewStatus, viewValue: undefined, implementationPackageId: id };
    }
    return {
      interfaceId,
      viewStatus,
      viewValue: values.payloadJson(interfaceId, viewValue),
      implementationPackageId,
    };
  },
);

type JsCreatedEvent = Omit<
  CreatedEvent,
  'templateId' | 'contractKey' | 'createArguments' | 'createdAt'
> & {
  templateId: Identifier;
  contractKey: Json | undefined;
  createArgument: Json | undefined;
  createdAt: Timestamp;
};

const EPOCH: Timestamp = { seconds: 0n, nanos: 0 };

/**
 * Converts an event. Its values are written with the types of the package by which this participant represents the
 * template.
 */
function toJsCreated(event: CreatedEvent, values: ValueCodec): JsCreatedEvent {
  const { templateId = NO_TYPE, createArguments, createdAt = EPOCH, contractKey: _key } = event;
  const shownAs = { ...templateId, packageId: event.representativePackageId };
  return {
    ...event,
    templateId,
    createdAt,
    // Templates of this network have no keys.
    contractKey: undefined,
    createArgument:
      createArguments === undefined ? undefined : values.payloadJson(shownAs, createArguments),
  };
}

export const createdEvent: Shape<CreatedEvent> = writtenAs(
  record<JsCreatedEvent>('CreatedEvent', {
    offset: long,
    nodeId: int,
    contractId: text,
    templateId: identifier,
    contractKey: optional(anyJson),
    contractKeyHash: defaulted(bytes),
    createArgument: optional(anyJson),
    createdEventBlob: defaulted(bytes),
    interfaceViews: defaulted(list(interfaceView)),
    witnessParties: list(text),
    signatories: list(text),
    observers: defaulted(list(text)),
    createdAt: instant,
    packageName: text,
    representativePackageId: text,
    acsDelta: flag,
  }),
  toJsCreated,
);

type Typed<T extends { templateId: Identifier | undefined }> = Omit<T, 'templateId'> & {
  templateId: Identifier;
};

export const archivedEvent: Shape<ArchivedEvent> = writtenAs(
  record<Typed<ArchivedEvent>>('ArchivedEvent', {
    offset: long,
    nodeId: int,
    contractId: text,
    templateId: identifier,
    witnessParties: list(text),
    packageName: text,
    implementedInterfaces: defaulted(list(identifier)),
  }),
  ({ templateId = NO_TYPE, ...event }: ArchivedEvent) => ({ ...event, templateId }),
);

type JsExercisedEvent = Omit<Typed<ExercisedEvent>, 'choiceArgument' | 'exerciseResult'> & {
  choiceArgument: Json;
  exerciseResult: Json;
};

export const exercisedEvent: Shape<ExercisedEvent> = writtenAs(
  record<JsExercisedEvent>('ExercisedEvent', {
    offset: long,
    nodeId: int,
    contractId: text,
    templateId: identifier,
    interfaceId: optional(identifier),
    choice: text,
    choiceArgument: anyJson,
    actingParties: list(text),
    consuming: flag,
    witnessParties: list(text),
    lastDescendantNodeId: int,
    exerciseResult: anyJson,
    packageName: text,
    implementedInterfaces: defaulted(list(identifier)),
    acsDelta: flag,
  }),
  (event: ExercisedEvent, values): JsExercisedEvent => {
    const { templateId = NO_TYPE, interfaceId, choice, choiceArgument, exerciseResult } = event;
    const of = interfaceId ?? templateId;
    return {
      ...event,
      templateId,
      choiceArgument:
        choiceArgument === undefined ? null : values.choiceArgumentJson(of, choice, choiceArgument),
      exerciseResult:
        exerciseResult === undefined ? null : values.resultJson(of, choice, exerciseResult),
    };
  },
);

export const event: Shape<Event> = writtenAs(
  oneOf<NonNullable<Event['event']>>(
    {
      created: bare('CreatedEvent', createdEvent),
      archived: bare('ArchivedEvent', archivedEvent),
      exercised: bare('ExercisedEvent', exercisedEvent),
    },
    { empty: null },
  ),
  (given: Event) => given.event,
);

/** The events of a transaction by node, for older clients. Archivals are excluded. */
export type TreeEvent = Exclude<NonNullable<Event['event']>, { $case: 'archived' }>;

export const treeEvent: Shape<TreeEvent | undefined> = oneOf<TreeEvent>(
  {
    created: { key: 'CreatedTreeEvent', shape: createdEvent },
    exercised: { key: 'ExercisedTreeEvent', shape: exercisedEvent },
  },
  { empty: null },
);
