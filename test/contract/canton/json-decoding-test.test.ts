import { describe, expect, test } from 'vitest';
import type { Status } from '../../../proto/gen/google/rpc/status.ts';
import { TransactionShape } from '../../../proto/gen/com/daml/ledger/api/v2/transaction_filter.ts';
import type { CumulativeFilter } from '../../../proto/gen/com/daml/ledger/api/v2/transaction_filter.ts';
import { Reader, bytes } from '../../../localnet/http/json/shape.ts';
import type { Shape } from '../../../localnet/http/json/shape.ts';
import { identifier, status } from '../../../localnet/http/json/shapes/well-known.ts';
import { unassignedEvent } from '../../../localnet/http/json/shapes/updates.ts';
import { updatesOf } from '../../../localnet/http/json/transcoding.ts';
import { ValueCodec } from '../../../localnet/http/json/value-codec.ts';
import type { Json } from '../../../localnet/ledger/lf-json.ts';
import { PackageRegistry } from '../../../localnet/ledger/package-registry.ts';

const values = new ValueCodec(new PackageRegistry([]));

const decode = <T>(shape: Shape<T>, json: Json): T | readonly string[] => {
  const reader = new Reader();
  const value = shape.read(json, reader);
  return reader.defects.length > 0 ? reader.defects : value;
};

describe('JsonDecodingTest', () => {
  test('JsonDecodingTest decode structure with only required properties', () => {
    expect(decode(unassignedEvent, { reassignmentId: 'reId' })).toMatchObject({
      reassignmentId: 'reId',
      witnessParties: [],
    });
  });

  test('JsonDecodingTest do not fail on extra/unspecified fields', () => {
    const json = { contractId: 'cid', reBBassignmentId: 'reId' };
    expect(decode(unassignedEvent, json)).toMatchObject({ contractId: 'cid', reassignmentId: '' });
  });
});

describe('JsSchemaDecodeByteStringEitherTest', () => {
  test('JsSchemaDecodeByteStringEitherTest should decode a valid base64 string', () => {
    expect(decode(bytes, 'AQID')).toEqual(new Uint8Array([1, 2, 3]));
  });

  test('JsSchemaDecodeByteStringEitherTest should return DecodeFailure on invalid base64', () => {
    expect(decode(bytes, 'not base64!')).toEqual(['The string is not a valid Base64: not base64!']);
  });
});

describe('JsSchemaDecodeIdentifierEitherTest', () => {
  const defect = (given: string) => [
    `Invalid identifier format (${given}) not matching the expected format (<package>:<moduleName>:<entityName>)`,
  ];

  test('JsSchemaDecodeIdentifierEitherTest should decode a valid <package>:<moduleName>:<entityName> template id', () => {
    expect(decode(identifier, 'pkg:Mod:Ent')).toEqual({
      packageId: 'pkg',
      moduleName: 'Mod',
      entityName: 'Ent',
    });
  });

  test.each([
    ['has too few segments', 'pkg:Mod'],
    ['has too many segments', 'pkg:Mod:Ent:More'],
    ['is empty', ''],
  ])(
    'JsSchemaDecodeIdentifierEitherTest should return a DecodingFailure when the template id %s',
    (_what, given) => {
      expect(decode(identifier, given)).toEqual(defect(given));
    },
  );
});

describe('GrpcStatusEncoderSpec', () => {
  const unknownFields = { fields: {} };
  const detail = (name: string, base64: string) => ({
    typeUrl: `type.googleapis.com/google.rpc.${name}`,
    value: new Uint8Array(Buffer.from(base64, 'base64')),
  });

  test('GrpcStatusEncoderSpec encode Status with all error details', () => {
    const encoded = {
      ErrorInfo:
        'CgpTT01FX0VSUk9SGggKAmNrEgJjdhoYCg9kZWZpbml0ZV9hbnN3ZXISBWZhbHNlGg4KCGNhdGVnb3J5EgIxMg==',
      RetryInfo: 'CgIIAQ==',
      RequestInfo: 'CgZjb3JySWQ=',
      ResourceInfo: 'Cg5ERVZfRVJST1JfVFlQRRINc29tZS9yZXNvdXJjZQ==',
    };
    const given: Status = {
      code: 11,
      message: 'SOME_ERROR(12,corrId): This is a sample error',
      details: Object.entries(encoded).map(([name, base64]) => detail(name, base64)),
    };
    const decoded = {
      ErrorInfo: {
        reason: 'SOME_ERROR',
        domain: '',
        metadata: { ck: 'cv', definite_answer: 'false', category: '12' },
      },
      RetryInfo: { retryDelay: { seconds: 1, nanos: 0, unknownFields } },
      RequestInfo: { requestId: 'corrId', servingData: '' },
      ResourceInfo: {
        resourceType: 'DEV_ERROR_TYPE',
        resourceName: 'some/resource',
        owner: '',
        description: '',
      },
    };
    expect(status.write(given, values)).toEqual({
      code: 11,
      message: given.message,
      details: Object.entries(decoded).map(([name, valueDecoded]) => ({
        typeUrl: `type.googleapis.com/google.rpc.${name}`,
        value: encoded[name as keyof typeof encoded],
        valueDecoded: { ...valueDecoded, unknownFields },
        unknownFields,
      })),
    });
  });

  test('GrpcStatusEncoderSpec encode Status with unknown detail type', () => {
    const details = [{ typeUrl: 'type.googleapis.com/unknown.Type', value: new Uint8Array([1]) }];
    expect(status.write({ code: 2, message: 'unknown', details }, values)).toMatchObject({
      details: [{ valueDecoded: 'Unknown type for decoding' }],
    });
  });

  test('GrpcStatusEncoderSpec encode Status with no details', () => {
    expect(status.write({ code: 0, message: 'ok', details: [] }, values)).toEqual({
      code: 0,
      message: 'ok',
      details: [],
    });
  });
});

describe('JsUpdateServiceTest', () => {
  const interfaceFilter: CumulativeFilter = {
    identifierFilter: {
      $case: 'interfaceFilter',
      value: {
        interfaceId: { packageId: '#p', moduleName: 'M', entityName: 'I' },
        includeInterfaceView: true,
        includeCreatedEventBlob: true,
      },
    },
  };
  const wildcard: CumulativeFilter = {
    identifierFilter: { $case: 'wildcardFilter', value: { includeCreatedEventBlob: true } },
  };
  const formatOf = (cumulative: CumulativeFilter[], isForTrees: boolean) => {
    const filters = { cumulative };
    const { updateFormat } = updatesOf(
      {
        beginExclusive: 0n,
        endInclusive: undefined,
        filter: { filtersByParty: { alice: filters }, filtersForAnyParty: filters },
        verbose: true,
        updateFormat: undefined,
        descendingOrder: false,
      },
      isForTrees,
    );
    const transactions = updateFormat?.includeTransactions;
    expect(updateFormat?.includeTopologyEvents).toBeUndefined();
    expect(updateFormat?.includeReassignments).toEqual(transactions?.eventFormat);
    expect(transactions?.eventFormat?.verbose).toBe(true);
    const byParty = transactions?.eventFormat?.filtersByParty['alice'];
    expect(byParty).toEqual(transactions?.eventFormat?.filtersForAnyParty);
    return { shape: transactions?.transactionShape, cumulative: byParty?.cumulative };
  };

  test('JsUpdateServiceTest add a wildcard when filters do not contain a wildcard filter and is needed for trees', () => {
    expect(formatOf([interfaceFilter], true)).toEqual({
      shape: TransactionShape.LEDGER_EFFECTS,
      cumulative: [
        interfaceFilter,
        {
          identifierFilter: { $case: 'wildcardFilter', value: { includeCreatedEventBlob: false } },
        },
      ],
    });
  });

  test('JsUpdateServiceTest NOT add a wildcard when filters contain a wildcard filter', () => {
    expect(formatOf([interfaceFilter, wildcard], true)).toEqual({
      shape: TransactionShape.LEDGER_EFFECTS,
      cumulative: [interfaceFilter, wildcard],
    });
  });

  test('JsUpdateServiceTest NOT add a wildcard when filters are NOT needed for trees', () => {
    expect(formatOf([interfaceFilter], false)).toEqual({
      shape: TransactionShape.ACS_DELTA,
      cumulative: [interfaceFilter],
    });
  });
});
