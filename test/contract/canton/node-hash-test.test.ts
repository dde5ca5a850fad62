import { expect, test } from 'vitest';
import type { Value } from '../../../proto/gen/com/daml/ledger/api/v2/value.ts';
import { PreparedTransaction } from '../../../proto/gen/com/daml/ledger/api/v2/interactive/interactive_submission_service.ts';
import type { Node } from '../../../proto/gen/com/daml/ledger/api/v2/interactive/transaction/v1/interactive_submission_data.ts';
import { Unhashable, hashesOf } from '../../../localnet/interactive/hash.ts';
import { contractId, int64, text } from '../kit/values.ts';

/*
 * Modelled on Canton's unit tests of the hash of prepared transactions, NodeHashTest and MetadataHashTest for scheme
 * V2, with their inputs and results.
 */

type NodeType = NonNullable<Node['nodeType']>;

const hex = (digits: string): Uint8Array => Buffer.from(digits, 'hex');
const CID = '0007e7b5534931dfca8e1b485c105bae4e10808bd13ddc8e897f258015f9d921c5';
const CID_2 = '0059b59ad7a6b6066e77b91ced54b8282f0e24e7089944685cb8f22f32fcbc4e1b';
const ref = (moduleName: string, entityName: string) => ({
  packageId: 'package',
  moduleName,
  entityName,
});
const common = {
  lfVersion: '2.1',
  packageName: 'package-name-0',
  templateId: ref('module', 'name'),
  key: undefined,
};

const created: NodeType = {
  $case: 'create',
  value: {
    ...common,
    contractId: CID,
    argument: text('hello'),
    signatories: ['alice', 'bob'],
    stakeholders: ['alice', 'charlie'],
  },
};
const fetched: NodeType = {
  $case: 'fetch',
  value: {
    ...common,
    contractId: CID,
    signatories: ['alice'],
    stakeholders: ['charlie'],
    actingParties: ['alice', 'bob'],
    interfaceId: undefined,
    byKey: false,
  },
};
const exercised: NodeType = {
  $case: 'exercise',
  value: {
    ...common,
    contractId: CID,
    signatories: ['alice'],
    stakeholders: ['charlie'],
    actingParties: ['alice', 'bob'],
    interfaceId: ref('interface_module', 'interface_name'),
    choiceId: 'choice',
    chosenValue: int64(31_380n),
    consuming: true,
    children: ['0', '2'],
    exerciseResult: text('result'),
    choiceObservers: ['david'],
    byKey: false,
  },
};
const rolledBack: NodeType = { $case: 'rollback', value: { children: ['2', '4'] } };

const SEEDS: readonly string[] = [
  '926bbb6f341bc0092ae65d06c6e284024907148cc29543ef6bff0930f5d52c19',
  'e0c69eae8afb38872fa425c2cdba794176f3b9d97e8eefb7b0e7c831f566458f',
  '4d2a522e9ee44e31b9bef2e3c8a07d43475db87463c6a13c4ea92f898ac8a930',
  'b4f0534e651ac8d5e10d95ddfcafdb123550a5e3185e3fe61ec1746a7222a88e',
  'a867edafa1277f46f879ab92c373a15c2d75c5d86fec741705cee1eb01ef8c9e',
  '5483d5df9b245e662c0e4368b8062e8a0fd24c17ce4ded1a0e452e4ee879dd81',
];

const dummy = (id: string, party: string, days: bigint) => ({
  createdAt: days * 86_400_000_000n,
  eventBlob: new Uint8Array(),
  contract: {
    $case: 'v1' as const,
    value: {
      ...common,
      contractId: id,
      packageName: 'PkgName',
      templateId: { packageId: '-dummyPkg-', moduleName: 'DummyModule', entityName: 'dummyName' },
      argument: contractId(DUMMY_CID),
      signatories: [party],
      stakeholders: [party],
    },
  },
});
/** The contract ID that Canton's tests derive from the text `#dummyCid`. */
const DUMMY_CID = '0097a092402108f5593bac7fb3c909cd316910197dd98d603042a45ab85c81e0fd';

function prepared(
  roots: readonly string[],
  nodes = [created, created, fetched, fetched, exercised, rolledBack],
) {
  return PreparedTransaction.fromPartial({
    transaction: {
      version: '2.1',
      roots: [...roots],
      nodes: nodes.map((nodeType, index) => ({
        nodeId: index.toString(),
        versionedNode: { $case: 'v1', value: { nodeType } },
      })),
      nodeSeeds: SEEDS.map((seed, nodeId) => ({ nodeId, seed: hex(seed) })),
    },
    metadata: {
      submitterInfo: { actAs: ['alice', 'bob'], commandId: 'command-id' },
      transactionUuid: '4c6471d3-4e09-49dd-addf-6cd90e19c583',
      synchronizerId: 'synchronizer::id',
      minLedgerEffectiveTime: 0xaaaan,
      maxLedgerEffectiveTime: 0xbbbbn,
      maxRecordTime: 30n * 86_400_000_000n,
      inputContracts: [dummy(CID, 'alice', 10n), dummy(CID_2, 'bob', 20n)],
    },
  });
}

const hashOf = (roots: readonly string[], nodes?: NodeType[]) =>
  hashesOf(prepared(roots, nodes), 2).transaction.toString('hex');

test('NodeHashTest TransactionBuilder be stable: create, fetch, exercise and rollback in their tree', () => {
  expect(hashOf(['0', '5'])).toBe(
    '154f334d24a8a5e4d0ce51ac87d93821b3256f885f21d3f779a1640abf481983',
  );
});

test('MetadataHashTest be stable', () => {
  expect(hashesOf(prepared(['0', '5']), 2).metadata.toString('hex')).toBe(
    '6e89fcbcc9605179a47919b5e65a864e470e7a133f4f9f39b1e4545b223db769',
  );
});

test('NodeHashTest Full Transaction Hash be stable', () => {
  expect(hashesOf(prepared(['0', '5']), 2).whole.toString('hex')).toBe(
    '8c311c848db25d36b36fbd59f9483714a11688c2214e3c7cae3e028763520250',
  );
});

test('NodeHashTest TransactionBuilder throw if some nodes are missing', () => {
  expect(() => hashOf(['0', '5'], [])).toThrow(Unhashable);
});

test('NodeHashTest TransactionBuilder not produce collision in children', () => {
  expect(hashOf(['5', '0'])).not.toBe(hashOf(['0', '5']));
});

test.each<[string, Partial<Record<string, unknown>>]>([
  ['contractId', { contractId: CID_2 }],
  ['package name', { packageName: 'another_package_name' }],
  ['template ID', { templateId: ref('othermodule', 'othername') }],
  ['arg', { argument: { sum: { $case: 'bool', value: true } } satisfies Value }],
  ['signatories', { signatories: ['alice'] }],
  ['stakeholders', { stakeholders: ['alice'] }],
])('NodeHashTest CreateNodeBuilder not produce collision in %s', (_what, change) => {
  const changed = { ...created, value: { ...created.value, ...change } } as NodeType;
  expect(hashOf(['0'], [changed])).not.toBe(hashOf(['0'], [created]));
});

test('NodeHashTest Encoding not encode query nodes, nor what is by key', () => {
  const query: NodeType = {
    $case: 'queryByKey',
    value: { ...common, exhaustive: true, result: [CID], key: undefined },
  };
  expect(() => hashOf(['0'], [query])).toThrow(Unhashable);
  const byKey = { ...fetched, value: { ...fetched.value, byKey: true } } as NodeType;
  expect(() => hashOf(['0'], [byKey])).toThrow(Unhashable);
});

test('a node that is its own child is not hashed for ever', () => {
  const loop: NodeType = { $case: 'rollback', value: { children: ['0'] } };
  expect(() => hashOf(['0'], [loop])).toThrow(Unhashable);
});

test('the two schemes differ, and only the newer one signs for the latest record time', () => {
  const one = prepared(['0']);
  const other = prepared(['0']);
  other.metadata!.maxRecordTime = 1n;
  const [whole2, whole3] = ([2, 3] as const).map((version) => hashesOf(one, version).whole);
  expect(whole2).not.toEqual(whole3);
  expect(hashesOf(other, 2).whole).toEqual(whole2);
  expect(hashesOf(other, 3).whole).not.toEqual(whole3);
});

/**
 * A cancellation that LocalNet has prepared, and its hash. The hash was computed with npm's
 * `@canton-network/core-tx-visualizer` 1.7.0.
 */
const VISUALIZED = {
  transaction: [
    'CsQHCgMyLjESATAalQcKATDCPo4HGosHCgMyLjESigEwMGQ2M2NkODk3OTIxOWFhZjA3ZjA1NWY4ZDc4YTg0Zjk0YWVlNjM3ZTM5',
    'NGIzNzhhY2Y5NGExMzhlMDFjNDA5N2JjYTEyMTIyMDY1MGUzODgzMDc2M2ExMTk4YjAxMGM2YjEzNzA4MjE3NGRhZDRlZjRmNDJk',
    'YzNmN2FmNWI1M2JkYmEyZjY4MWEaFHF1aWNrc3RhcnQtbGljZW5zaW5nImsKQDdkM2JiMTgyYjZmODFkYjMzYmFkNmI4NTc2ZTg2',
    'M2IwOGVkM2NkMTc2YWE4MzRlZTc2ODIyOTE1Y2NmZWMzYjYSFExpY2Vuc2luZy5BcHBJbnN0YWxsGhFBcHBJbnN0YWxsUmVxdWVz',
    'dCpUYWxpY2UtYWI4M2Y0NGY6OjEyMjA2ZWE5MGI1NjBjZDJlNmI4NmMzNzQ2ZDcyZGVmOWE1OGM1MGQ1ZjQ1OGZlYjBlNzY2ZmQ5',
    'MjUwMmUyN2ZmYmFiMlRhbGljZS1hYjgzZjQ0Zjo6MTIyMDZlYTkwYjU2MGNkMmU2Yjg2YzM3NDZkNzJkZWY5YTU4YzUwZDVmNDU4',
    'ZmViMGU3NjZmZDkyNTAyZTI3ZmZiYWIyUmJvYi05MzFiYjNiYjo6MTIyMGZkNDkzNTQ3YzUxMjI4YWEzZGVhYTY1NzY1MmRmY2Rj',
    'ZTk1Y2ZlZWZlZTlkOTZkZGFkZGFjMmY3YmVkN2QyMmM6VGFsaWNlLWFiODNmNDRmOjoxMjIwNmVhOTBiNTYwY2QyZTZiODZjMzc0',
    'NmQ3MmRlZjlhNThjNTBkNWY0NThmZWIwZTc2NmZkOTI1MDJlMjdmZmJhYkoYQXBwSW5zdGFsbFJlcXVlc3RfQ2FuY2VsUv0BcvoB',
    'CnIKQDdkM2JiMTgyYjZmODFkYjMzYmFkNmI4NTc2ZTg2M2IwOGVkM2NkMTc2YWE4MzRlZTc2ODIyOTE1Y2NmZWMzYjYSFExpY2Vu',
    'c2luZy5BcHBJbnN0YWxsGhhBcHBJbnN0YWxsUmVxdWVzdF9DYW5jZWwSgwEKBG1ldGESe3J5CmkKQDRkZWQ2YjY2OGNiM2I2NGY3',
    'YTg4YTMwODc0Y2Q0MWM3NTgyOWY1ZTA2NGIzZmJiYWRmNDFlYzdlODM2MzM1NGYSG1NwbGljZS5BcGkuVG9rZW4uTWV0YWRhdGFW',
    'MRoITWV0YWRhdGESDAoGdmFsdWVzEgJiAFgBagIKACIiEiCdjQ5G+MPe8tnBWuZm0r0qpya1vSaOUMBG6pX18i8ztxKBEBJ8ClRh',
    'bGljZS1hYjgzZjQ0Zjo6MTIyMDZlYTkwYjU2MGNkMmU2Yjg2YzM3NDZkNzJkZWY5YTU4YzUwZDVmNDU4ZmViMGU3NjZmZDkyNTAy',
    'ZTI3ZmZiYWISJDhiN2IxZDcyLWNhZGYtNGU0YS04NDBlLTMyOWIwMmY2NjI0NBpZZ2xvYmFsLWRvbWFpbjo6MTIyMDQzZWFlNWMx',
    'MmQxZDVhYmJhOWMwMjhiZGIwNjYyMzBjOTk2ZDkwYzM2NzQzODk0MDFmYjI0ZGQ1Njg1OGFmMjQ6OjM1LTAqJDAwZjIxNmE0LTM0',
    'NmQtNGFjMC04YjY2LTUxMTZkODFmMGNhMjDox8WLuJ2YAzr2DQrQBwoDMi4xEooBMDBkNjNjZDg5NzkyMTlhYWYwN2YwNTVmOGQ3',
    'OGE4NGY5NGFlZTYzN2UzOTRiMzc4YWNmOTRhMTM4ZTAxYzQwOTdiY2ExMjEyMjA2NTBlMzg4MzA3NjNhMTE5OGIwMTBjNmIxMzcw',
    'ODIxNzRkYWQ0ZWY0ZjQyZGMzZjdhZjViNTNiZGJhMmY2ODFhGhRxdWlja3N0YXJ0LWxpY2Vuc2luZyJrCkA3ZDNiYjE4MmI2Zjgx',
    'ZGIzM2JhZDZiODU3NmU4NjNiMDhlZDNjZDE3NmFhODM0ZWU3NjgyMjkxNWNjZmVjM2I2EhRMaWNlbnNpbmcuQXBwSW5zdGFsbBoR',
    'QXBwSW5zdGFsbFJlcXVlc3QquANytQMKawpAN2QzYmIxODJiNmY4MWRiMzNiYWQ2Yjg1NzZlODYzYjA4ZWQzY2QxNzZhYTgzNGVl',
    'NzY4MjI5MTVjY2ZlYzNiNhIUTGljZW5zaW5nLkFwcEluc3RhbGwaEUFwcEluc3RhbGxSZXF1ZXN0EmAKCHByb3ZpZGVyElQ6UmJv',
    'Yi05MzFiYjNiYjo6MTIyMGZkNDkzNTQ3YzUxMjI4YWEzZGVhYTY1NzY1MmRmY2RjZTk1Y2ZlZWZlZTlkOTZkZGFkZGFjMmY3YmVk',
    'N2QyMmMSXgoEdXNlchJWOlRhbGljZS1hYjgzZjQ0Zjo6MTIyMDZlYTkwYjU2MGNkMmU2Yjg2YzM3NDZkNzJkZWY5YTU4YzUwZDVm',
    'NDU4ZmViMGU3NjZmZDkyNTAyZTI3ZmZiYWISgwEKBG1ldGESe3J5CmkKQDRkZWQ2YjY2OGNiM2I2NGY3YTg4YTMwODc0Y2Q0MWM3',
    'NTgyOWY1ZTA2NGIzZmJiYWRmNDFlYzdlODM2MzM1NGYSG1NwbGljZS5BcGkuVG9rZW4uTWV0YWRhdGFWMRoITWV0YWRhdGESDAoG',
    'dmFsdWVzEgJiADJUYWxpY2UtYWI4M2Y0NGY6OjEyMjA2ZWE5MGI1NjBjZDJlNmI4NmMzNzQ2ZDcyZGVmOWE1OGM1MGQ1ZjQ1OGZl',
    'YjBlNzY2ZmQ5MjUwMmUyN2ZmYmFiOlRhbGljZS1hYjgzZjQ0Zjo6MTIyMDZlYTkwYjU2MGNkMmU2Yjg2YzM3NDZkNzJkZWY5YTU4',
    'YzUwZDVmNDU4ZmViMGU3NjZmZDkyNTAyZTI3ZmZiYWI6UmJvYi05MzFiYjNiYjo6MTIyMGZkNDkzNTQ3YzUxMjI4YWEzZGVhYTY1',
    'NzY1MmRmY2RjZTk1Y2ZlZWZlZTlkOTZkZGFkZGFjMmY3YmVkN2QyMmPAPsCBxYu4nZgD0j6VBnsiZm9ybWF0IjoidGVudXJlLWxv',
    'Y2FsbmV0LWNvbnRyYWN0LzEiLCJjb250cmFjdElkIjoiMDBkNjNjZDg5NzkyMTlhYWYwN2YwNTVmOGQ3OGE4NGY5NGFlZTYzN2Uz',
    'OTRiMzc4YWNmOTRhMTM4ZTAxYzQwOTdiY2ExMjEyMjA2NTBlMzg4MzA3NjNhMTE5OGIwMTBjNmIxMzcwODIxNzRkYWQ0ZWY0ZjQy',
    'ZGMzZjdhZjViNTNiZGJhMmY2ODFhIiwicGFja2FnZUlkIjoiN2QzYmIxODJiNmY4MWRiMzNiYWQ2Yjg1NzZlODYzYjA4ZWQzY2Qx',
    'NzZhYTgzNGVlNzY4MjI5MTVjY2ZlYzNiNiIsIm1vZHVsZSI6IkxpY2Vuc2luZy5BcHBJbnN0YWxsIiwiZW50aXR5IjoiQXBwSW5z',
    'dGFsbFJlcXVlc3QiLCJwYXlsb2FkIjp7InByb3ZpZGVyIjoiYm9iLTkzMWJiM2JiOjoxMjIwZmQ0OTM1NDdjNTEyMjhhYTNkZWFh',
    'NjU3NjUyZGZjZGNlOTVjZmVlZmVlOWQ5NmRkYWRkYWMyZjdiZWQ3ZDIyYyIsInVzZXIiOiJhbGljZS1hYjgzZjQ0Zjo6MTIyMDZl',
    'YTkwYjU2MGNkMmU2Yjg2YzM3NDZkNzJkZWY5YTU4YzUwZDVmNDU4ZmViMGU3NjZmZDkyNTAyZTI3ZmZiYWIiLCJtZXRhIjp7InZh',
    'bHVlcyI6e319fSwic2lnbmF0b3JpZXMiOlsiYWxpY2UtYWI4M2Y0NGY6OjEyMjA2ZWE5MGI1NjBjZDJlNmI4NmMzNzQ2ZDcyZGVm',
    'OWE1OGM1MGQ1ZjQ1OGZlYjBlNzY2ZmQ5MjUwMmUyN2ZmYmFiIl0sIm9ic2VydmVycyI6WyJib2ItOTMxYmIzYmI6OjEyMjBmZDQ5',
    'MzU0N2M1MTIyOGFhM2RlYWE2NTc2NTJkZmNkY2U5NWNmZWVmZWU5ZDk2ZGRhZGRhYzJmN2JlZDdkMjJjIl0sImNyZWF0ZWRBdCI6',
    'IjE3OTU0MTQ0NjU1MjgwMDAifQ==',
  ].join(''),
  hash: 'e6f73ac219a81c1c4e4515b1d451497b7a846b4190a54b733bd0285f28d3d5c7',
};

test('the wallet SDK comes to the same hash of what LocalNet prepared', () => {
  const { transaction, hash } = VISUALIZED;
  const decoded = PreparedTransaction.decode(Buffer.from(transaction, 'base64'));
  expect(hashesOf(decoded, 2).whole.toString('hex')).toBe(hash);
});
