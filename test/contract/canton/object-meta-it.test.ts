import { describe, expect, test } from 'vitest';
import { expectRefused, openSuite, unique } from '../kit/conformance.ts';

/*
 * Modelled on the public conformance suites UserManagementServiceObjectMetaIT and PartyManagementServiceObjectMetaIT,
 * which have the same cases about annotations and resource versions.
 */

const {
  ledger: { partyAdmin, userAdmin },
} = await openSuite();

type Annotations = Record<string, string>;

interface Meta {
  readonly resourceVersion: string;
  readonly annotations: Annotations;
}

/** A kind of object that has metadata: how to create, read and change one. */
interface Kind {
  readonly idPath: string;
  readonly meta: string;
  readonly invalidUpdate: string;
  readonly concurrentUpdate: string;
  /** Creates an object. @returns its ID */
  create(annotations?: Annotations): Promise<string>;
  read(id: string): Promise<Meta>;
  update(id: string, meta: Meta, paths: readonly string[]): Promise<Meta>;
}

const users: Kind = {
  idPath: 'id',
  meta: 'metadata',
  invalidUpdate: 'INVALID_USER_UPDATE_REQUEST',
  concurrentUpdate: 'CONCURRENT_USER_UPDATE_DETECTED',
  async create(annotations = {}) {
    const metadata = { resourceVersion: '', annotations };
    return (await userAdmin.createUser({ user: { id: unique('user'), metadata } })).user!.id;
  },
  read: async (userId) => (await userAdmin.getUser({ userId })).user!.metadata!,
  async update(id, metadata, paths) {
    const request = { user: { id, metadata }, updateMask: [...paths] };
    return (await userAdmin.updateUser(request)).user!.metadata!;
  },
};

const parties: Kind = {
  idPath: 'party',
  meta: 'local_metadata',
  invalidUpdate: 'INVALID_PARTY_DETAILS_UPDATE_REQUEST',
  concurrentUpdate: 'CONCURRENT_PARTY_DETAILS_UPDATE_DETECTED',
  async create(annotations = {}) {
    const localMetadata = { resourceVersion: '', annotations };
    return (await partyAdmin.allocateParty({ localMetadata })).partyDetails!.party;
  },
  async read(party) {
    const { partyDetails } = await partyAdmin.getParties({ parties: [party] });
    return partyDetails[0]!.localMetadata!;
  },
  async update(party, localMetadata, paths) {
    const request = { partyDetails: { party, localMetadata }, updateMask: [...paths] };
    return (await partyAdmin.updatePartyDetails(request)).partyDetails!.localMetadata!;
  },
};

/** The maximum size of an object's annotations. */
const KIB_MAX = 256 * 1024;
const LARGEST = 'a'.repeat(KIB_MAX - 1);
const TOO_LARGE = 'a'.repeat(KIB_MAX);
const INVALID_KEY = '.aaaa.management.daml/foo_';

describe.each([
  ['UserManagementServiceObjectMetaIT', users],
  ['PartyManagementServiceObjectMetaIT', parties],
])('%s', (suite, kind) => {
  const annotationsPath = `${kind.meta}.annotations`;
  const versionPath = `${kind.meta}.resource_version`;
  const change = (id: string, annotations: Annotations, paths = [annotationsPath], version = '') =>
    kind.update(id, { resourceVersion: version, annotations }, paths);

  test(`${suite} AllowSpecifyingResourceVersionAndResourceIdInUpdateMask`, async () => {
    const id = await kind.create({ k1: 'v1' });
    const { annotations } = await change(id, {}, [kind.idPath, versionPath]);
    expect(annotations).toEqual({ k1: 'v1' });
  });

  test(`${suite} UpdatingResourceUtilizingConcurrentChangeControl`, async () => {
    const id = await kind.create();
    const first = await kind.read(id);
    const second = await change(id, { k1: 'v1', k2: 'v2' });
    expect(second.annotations).toEqual({ k1: 'v1', k2: 'v2' });
    expect(new Set([first.resourceVersion, second.resourceVersion, '']).size).toBe(3);
    const stale = change(id, { k1: 'v1', k2: 'v2' }, [annotationsPath], first.resourceVersion);
    await expectRefused(stale, kind.concurrentUpdate);
    const changes = { k1: 'v1a', k2: '', k3: 'v3' };
    const third = await change(id, changes, [annotationsPath], second.resourceVersion);
    expect(third.annotations).toEqual({ k1: 'v1a', k3: 'v3' });
    expect(third.resourceVersion).not.toBe(second.resourceVersion);
  });

  test(`${suite} RaceConditionUpdateResourceAnnotations`, async () => {
    const id = await kind.create();
    const keys = Array.from({ length: 10 }, (_, index) => `key${index + 1}`);
    await Promise.all(keys.map((key) => change(id, { [key]: 'a' })));
    const { annotations } = await kind.read(id);
    expect(Object.keys(annotations).toSorted()).toEqual(keys.toSorted());
  });

  test(`${suite} FailingUpdateRequestsWhenUpdatePathIsDuplicated`, async () => {
    const id = await kind.create();
    const twice = change(id, { k1: 'v1' }, [annotationsPath, annotationsPath]);
    await expectRefused(twice, kind.invalidUpdate);
  });

  test(`${suite} FailingUpdateRequestWhenNoUpdatePaths`, async () => {
    const id = await kind.create();
    await expectRefused(change(id, { k1: 'v1' }, []), kind.invalidUpdate);
  });

  test(`${suite} FAilingUpdateRequestWhenUpdateMaskHaveUnknownFieldPath`, async () => {
    const id = await kind.create();
    for (const path of ['unknown_field', 'aaa!bbb', '']) {
      await expectRefused(change(id, {}, [path]), kind.invalidUpdate);
    }
  });

  test(`${suite} FailingToCreateResourceWhenAnnotationsValueIsEmpty`, async () => {
    const created = kind.create({ k2: '' });
    await expectRefused(created, 'INVALID_ARGUMENT', 'value of an annotation is empty');
  });

  test(`${suite} TestAnnotationsKeySyntaxOnResourceCreation`, async () => {
    const created = kind.create({ [INVALID_KEY]: 'a' });
    await expectRefused(created, 'INVALID_ARGUMENT', 'has invalid syntax');
  });

  test(`${suite} TestAnnotationsSizeLimitsOnResourceCreation`, async () => {
    const created = kind.create({ a: TOO_LARGE });
    await expectRefused(created, 'INVALID_ARGUMENT', 'larger than the limit of 256kb');
  });

  test(`${suite} UpdateAnnotationsUsingNonEmptyMap`, async () => {
    for (const path of [annotationsPath, kind.meta]) {
      const id = await kind.create({ k1: 'v1', k2: 'v2', k3: 'v3' });
      const { annotations } = await change(id, { k1: 'v1a', k3: '', k4: 'v4', k5: '' }, [path]);
      expect(annotations).toEqual({ k1: 'v1a', k2: 'v2', k4: 'v4' });
    }
  });

  test(`${suite} UpdateAnnotationsUsingEmptyMap`, async () => {
    const id = await kind.create({ k1: 'v1', k2: 'v2', k3: 'v3' });
    for (const path of [annotationsPath, kind.meta]) {
      const { annotations } = await change(id, {}, [path]);
      expect(annotations).toEqual({ k1: 'v1', k2: 'v2', k3: 'v3' });
    }
  });

  test(`${suite} TestAnnotationsKeySyntaxOnResourceUpdateWhenAddingKey`, async () => {
    const id = await kind.create({ '0-user.management.daml/foo': 'a' });
    const changed = change(id, { [INVALID_KEY]: 'a' });
    await expectRefused(changed, 'INVALID_ARGUMENT', 'has invalid syntax');
  });

  test(`${suite} TestAnnotationsKeySyntaxOnResourceUpdateEvenWhenDeletingNonExistentKey`, async () => {
    const id = await kind.create();
    const changed = change(id, { [INVALID_KEY]: '' });
    await expectRefused(changed, 'INVALID_ARGUMENT', 'has invalid syntax');
  });

  test(`${suite} NotCountingEmptyValuedKeysToTheAnnotationsSizeLimitOnUpdate`, async () => {
    const id = await kind.create();
    const { annotations } = await change(id, { a: LARGEST, cc: '' });
    expect(annotations).toEqual({ a: LARGEST });
  });

  test(`${suite} TestAnnotationsMaxSizeLimitsWhenUpdatingResource`, async () => {
    const id = await kind.create({ a: LARGEST });
    const changed = change(id, { a: TOO_LARGE });
    await expectRefused(changed, 'INVALID_ARGUMENT', 'larger than the limit of 256kb');
  });
});
