import type { ObjectMeta } from '../../../../proto/gen/com/daml/ledger/api/v2/admin/object_meta.ts';
import type {
  OffsetCheckpoint,
  SynchronizerTime,
} from '../../../../proto/gen/com/daml/ledger/api/v2/offset_checkpoint.ts';
import { ParticipantPermission } from '../../../../proto/gen/com/daml/ledger/api/v2/state_service.ts';
import type { TraceContext } from '../../../../proto/gen/com/daml/ledger/api/v2/trace_context.ts';
import type { Identifier } from '../../../../proto/gen/com/daml/ledger/api/v2/value.ts';
import type { Any } from '../../../../proto/gen/google/protobuf/any.ts';
import type { Duration } from '../../../../proto/gen/google/protobuf/duration.ts';
import type { Timestamp } from '../../../../proto/gen/google/protobuf/timestamp.ts';
import {
  ErrorInfo,
  RequestInfo,
  ResourceInfo,
  RetryInfo,
} from '../../../../proto/gen/google/rpc/error_details.ts';
import type { Status } from '../../../../proto/gen/google/rpc/status.ts';
import type { Json } from '../../../ledger/lf-json.ts';
import { parseTimestamp } from '../../../ledger/lf-values.ts';
import { timestampOf } from '../../../messages/times.ts';
import {
  enumeration,
  bytes,
  defaulted,
  int,
  list,
  long,
  map,
  message,
  optional,
  record,
  text,
} from '../shape.ts';
import type { Shape } from '../shape.ts';

const TYPE_NAME_FORMAT = '<package>:<moduleName>:<entityName>';

/** The name of a template or an interface: `<package>:<module>:<entity>`. */
export const identifier: Shape<Identifier> = {
  read: (json, at) => {
    if (typeof json !== 'string') return at.wrongType(json, 'string');
    // As with Scala's `split`, empty parts at the end are dropped.
    const [packageId = '', moduleName = '', entityName = '', ...rest] = json
      .replace(/:+$/, '')
      .split(':');
    if (entityName === '' || rest.length > 0) {
      return at.fail(
        `Invalid identifier format (${json}) not matching the expected format (${TYPE_NAME_FORMAT})`,
      );
    }
    return { packageId, moduleName, entityName };
  },
  write: (value) =>
    value === undefined ? '::' : `${value.packageId}:${value.moduleName}:${value.entityName}`,
  schema: () => ({ type: 'string' }),
};

/** Returns nanoseconds as decimal places, in groups of three digits; an empty text for zero. */
function fractionText(nanos: number): string {
  if (nanos === 0) return '';
  const digits = nanos.toString().padStart(9, '0');
  return `.${digits.replace(/(?:000){1,2}$/, '')}`;
}

/** A point in time, as ISO-8601. On input, digits after the microseconds are dropped. */
export const instant: Shape<Timestamp> = {
  read: (json, at) => {
    if (typeof json !== 'string') return at.wrongType(json, 'string');
    const micros = parseTimestamp(json);
    if (micros === undefined)
      return at.fail(`Text '${json.slice(0, 100)}' could not be parsed at index 0`);
    return timestampOf(micros);
  },
  write: ({ seconds, nanos } = { seconds: 0n, nanos: 0 }) => {
    const base = new Date(Number(seconds) * 1000).toISOString().slice(0, 19);
    return `${base}${fractionText(nanos)}Z`;
  },
  schema: () => ({ type: 'string' }),
};

const UNKNOWN_FIELDS: Json = { fields: {} };

/** The key that a participant's JSON library writes for unknown protobuf fields. It is always empty. */
const unknownFields: Shape<undefined> = {
  read: () => undefined,
  write: () => UNKNOWN_FIELDS,
  absent: { value: undefined },
  isOptional: true,
  schema: (names) =>
    names.component('UnknownFieldSet', () => ({
      type: 'object',
      required: ['fields'],
      properties: { fields: { type: 'object', additionalProperties: { type: 'object' } } },
    })),
};

/** Messages of Google's own packages, for which a participant's JSON library writes a key with unknown fields. */
export type Foreign<T> = T & { unknownFields?: undefined };

export const duration: Shape<Foreign<Duration>> = record<Foreign<Duration>>('Duration', {
  seconds: defaulted(long),
  nanos: defaulted(int),
  unknownFields,
});

export const fieldMask: Shape<Foreign<{ paths: string[] }>> = record('FieldMask', {
  paths: defaulted(list(text)),
  unknownFields,
});

/** An update mask. In TypeScript it is a list of paths; in JSON it is an object with one text. */
export const updateMask: Shape<string[] | undefined> = optional({
  read: (json, at) => fieldMask.read(json, at)?.paths ?? [],
  write: (paths, values) => fieldMask.write({ paths: paths ?? [] }, values),
  schema: (names) => fieldMask.schema(names),
});

export const objectMeta = message<ObjectMeta>('ObjectMeta', {
  resourceVersion: text,
  annotations: map(text),
});

export const traceContext = message<TraceContext>('TraceContext', {
  traceparent: optional(text),
  tracestate: optional(text),
});

export const synchronizerTime = message<SynchronizerTime>('SynchronizerTime', {
  synchronizerId: text,
  recordTime: optional(instant),
});

export const offsetCheckpoint = message<OffsetCheckpoint>('OffsetCheckpoint', {
  offset: long,
  synchronizerTimes: list(synchronizerTime),
});

const errorInfo = record<Foreign<ErrorInfo>>('ErrorInfo', {
  reason: text,
  domain: text,
  metadata: map(text),
  unknownFields,
});
const retryInfo = record<Foreign<RetryInfo>>('RetryInfo', {
  retryDelay: optional(duration),
  unknownFields,
});
const requestInfo = record<Foreign<RequestInfo>>('RequestInfo', {
  requestId: text,
  servingData: text,
  unknownFields,
});
const resourceInfo = record<Foreign<ResourceInfo>>('ResourceInfo', {
  resourceType: text,
  resourceName: text,
  owner: text,
  description: text,
  unknownFields,
});

type WriteDetail = (value: Uint8Array, values: Parameters<Shape<Any>['write']>[1]) => Json;

/** The details of the error model that the JSON API decodes. */
const DETAILS: Readonly<Record<string, WriteDetail>> = {
  'google.rpc.ErrorInfo': (value, values) => errorInfo.write(ErrorInfo.decode(value), values),
  'google.rpc.RetryInfo': (value, values) => retryInfo.write(RetryInfo.decode(value), values),
  'google.rpc.RequestInfo': (value, values) => requestInfo.write(RequestInfo.decode(value), values),
  'google.rpc.ResourceInfo': (value, values) =>
    resourceInfo.write(ResourceInfo.decode(value), values),
};

const anyMessage: Shape<Any> = {
  read: (json, at) => record<Any>('ProtoAny', { typeUrl: text, value: bytes }).read(json, at),
  write: (any = { typeUrl: '', value: new Uint8Array() }, values) => {
    const decode = DETAILS[any.typeUrl.split('/').at(-1) ?? ''];
    return {
      typeUrl: any.typeUrl,
      value: bytes.write(any.value, values),
      valueDecoded: decode === undefined ? 'Unknown type for decoding' : decode(any.value, values),
      unknownFields: UNKNOWN_FIELDS,
    };
  },
  schema: (names) =>
    names.component('ProtoAny', () => ({
      type: 'object',
      required: ['typeUrl', 'value', 'unknownFields'],
      properties: {
        typeUrl: { type: 'string' },
        value: { type: 'string' },
        unknownFields: unknownFields.schema(names),
        valueDecoded: {},
      },
    })),
};

export const status: Shape<Status> = record<Status>('JsStatus', {
  code: int,
  message: text,
  details: defaulted(list(anyMessage)),
});

/** Bytes in hexadecimal. Most other fields with bytes use base64. */
export const hexBytes: Shape<Uint8Array> = {
  ...bytes,
  read: (json, at) =>
    typeof json === 'string' && /^(?:[\da-f]{2})*$/i.test(json)
      ? new Uint8Array(Buffer.from(json, 'hex'))
      : at.wrongType(json, 'string'),
  write: (value) => (value === undefined ? '' : Buffer.from(value).toString('hex')),
};

export const participantPermission = enumeration('PARTICIPANT_PERMISSION', ParticipantPermission);
