import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Command } from '../../proto/gen/com/daml/ledger/api/v2/commands.ts';
import { party as ownerType, record as lfRecord } from '../../localnet/ledger/lf-types.ts';
import type { LfValue } from '../../localnet/ledger/lf-types.ts';
import { licensingPackage } from '../../localnet/ledger/licensing/package.ts';
import { definePackage, template, typeNamer } from '../../localnet/ledger/package-definition.ts';
import { forFile } from '../kit/for-file.ts';
import { lfPackage } from '../../localnet/lf/build/package.ts';
import { optional, party as aParty, text as aText } from '../../localnet/lf/build/types.ts';
import type { Type } from '../../localnet/lf/build/types.ts';
import { change } from './kit/commands.ts';
import { darOf, makePackage } from './kit/dar.ts';
import { http, installRequestBody } from './kit/http.ts';
import { USER_ADMIN, USER_PERSON } from './kit/identities.ts';
import { create as createOf, exercise as exerciseOf } from './kit/licensing.ts';
import { openNetwork } from './kit/network.ts';
import { refusalOf } from './kit/refusal.ts';
import {
  int64,
  party as lfParty,
  record,
  recordValue,
  some,
  text as lfText,
} from './kit/values.ts';
import type { Fields } from './kit/values.ts';

/* Commands on packages that nothing here runs: their values are read by their types first. */

/** A published package, and what LocalNet has of it. */
const published = lfPackage({
  name: 'stood-for',
  version: '1.0.0',
  modules: {
    Main: {
      templates: { Thing: { fields: { owner: aParty } }, Other: { fields: { owner: aParty } } },
    },
  },
});
const Thing = lfRecord(typeNamer('stood-for')('Main:Thing'), { owner: ownerType });
const standIn = definePackage({
  name: 'stood-for',
  version: '1.0.0',
  publishedId: published.id,
  templates: [
    template<LfValue<typeof Thing>>({
      name: Thing.name,
      payload: Thing,
      signatories: ({ owner }) => [owner],
      observers: () => [],
    }),
  ],
});

const network = await forFile(openNetwork({ extraPackages: [standIn] }));

const submitCommand = (command: object) => {
  const { appUser: user, appProvider: provider } = network.localnet.parties;
  return http(
    network,
    `${network.localnet.urls.participants['app-user'].json}/v2/commands/submit-and-wait`,
    {
      body: installRequestBody({ user, provider }, { commands: [command] }),
      as: USER_PERSON,
    },
  );
};
const submit = (templateId: string, createArguments: object = {}) =>
  submitCommand({ CreateCommand: { templateId, createArguments } });

describe('a package that was uploaded, in a command', () => {
  const same = { name: `made-${randomUUID()}`, version: '1.0.0' };
  const made = makePackage(same);
  const references = [`#${same.name}`, made.id];
  const contractId = `00${'ab'.repeat(40)}`;
  const thing = () => ({ owner: network.localnet.parties.appUser, title: 'a thing' });
  const over = network.as(USER_PERSON);
  const run = (command: Command) => {
    const commands = change(command, { actAs: [network.localnet.parties.appUser] });
    return refusalOf(over.commands.submitAndWait({ commands }));
  };
  const named = (packageId: string, entityName = 'Thing') => ({
    packageId,
    moduleName: 'Main',
    entityName,
  });
  const owner = () => lfParty(network.localnet.parties.appUser);

  beforeAll(async () => {
    await network.as(USER_ADMIN).packageAdmin.uploadDarFile({ darFile: darOf([made]) });
  });

  test.each(references)('hears that nothing can run it here: %s', async (name) => {
    const templateId = `${name}:Main:Thing`;
    const create = submit(templateId, thing());
    const exercise = submitCommand({
      ExerciseCommand: { templateId, contractId, choice: 'Touch', choiceArgument: {} },
    });
    for (const answer of [create, exercise]) {
      const { status, json } = await answer;
      expect([status, json]).toEqual([
        400,
        expect.objectContaining({
          code: 'COMMAND_PREPROCESSING_FAILED',
          cause: expect.stringContaining('LocalNet has no Daml engine'),
        }),
      ]);
    }
  });

  test.each<[string, () => Command, string]>([
    [
      'a template that is not there',
      () => createOf(named(made.id, 'Other'), record({})),
      'unknown template or interface',
    ],
    [
      'a field that is missing',
      () => createOf(named(made.id), record({ title: lfText('') })),
      'Missing non-optional field "owner"',
    ],
    [
      'a field of another type',
      () => createOf(named(made.id), record({ owner: owner(), title: int64(1n) })),
      'mismatching type',
    ],
    [
      'a choice that is not there',
      () => exerciseOf(named(made.id), contractId, 'Break', recordValue({})),
      'unknown choice Break',
    ],
    [
      "an argument that is not the choice's",
      () => exerciseOf(named(made.id), contractId, 'Touch', recordValue({ x: int64(1n) })),
      'extra field "x"',
    ],
  ])('hears of %s before', async (_what, command, cause) => {
    const { status, reason, message } = await run(command());
    expect([status, reason]).toEqual(['INVALID_ARGUMENT', 'COMMAND_PREPROCESSING_FAILED']);
    expect(message).toContain(cause);
  });

  test('is read by its types in JSON too', async () => {
    const missing = await submit(`${made.id}:Main:Thing`, { title: '' });
    expect([missing.status, missing.json]).toEqual([
      400,
      expect.objectContaining({ cause: 'Missing non-optional fields: Set(owner)' }),
    ]);
    const other = await submit(`${made.id}:Main:Other`, {});
    expect([other.status, other.json]).toEqual([
      404,
      expect.objectContaining({ code: 'TEMPLATES_OR_INTERFACES_NOT_FOUND' }),
    ]);
  });
});

describe('a template with a key, which nothing here runs', () => {
  const keyed = lfPackage({
    name: `keyed-${randomUUID()}`,
    version: '1.0.0',
    minor: 3,
    modules: {
      Main: {
        templates: {
          Thing: {
            fields: { owner: aParty, title: aText },
            key: aText,
            choices: { Touch: { result: aText } },
          },
        },
      },
    },
  });
  const keyedId = `${keyed.id}:Main:Thing`;
  const unkeyed = `${licensingPackage.id}:Licensing.License:License`;
  const templateOf = (text: string) => {
    const [packageId = '', moduleName = '', entityName = ''] = text.split(':');
    return { packageId, moduleName, entityName };
  };
  const ofParty = (changes: Readonly<Record<string, unknown>>) => {
    const { appUser: user, appProvider: provider } = network.localnet.parties;
    const url = `${network.localnet.urls.participants['app-user'].json}/v2/commands/submit-and-wait`;
    return http(network, url, {
      body: installRequestBody({ user, provider }, changes),
      as: USER_PERSON,
    });
  };
  const prefetched = (templateId: string, contractKey: unknown) =>
    ofParty({ prefetchContractKeys: [{ templateId, contractKey, limit: 1 }] });

  beforeAll(async () => {
    await network.as(USER_ADMIN).packageAdmin.uploadDarFile({ darFile: darOf([keyed]) });
  });

  test.each([
    ['its own type', keyedId, 'a key', 200, undefined],
    ['another type', keyedId, 1, 500, 'LEDGER_API_INTERNAL_ERROR'],
    ['no type', unkeyed, 'a key', 404, 'TEMPLATES_OR_INTERFACES_NOT_FOUND'],
  ])('a key to prefetch of %s, in JSON', async (_what, templateId, contractKey, status, code) => {
    const answer = await prefetched(templateId, contractKey);
    expect([answer.status, (answer.json as { code?: string }).code]).toEqual([status, code]);
  });

  test.each([
    ['its own type', keyedId, lfText('a key'), 'LocalNet has no Daml engine'],
    ['another type', keyedId, int64(1n), 'mismatching type'],
    ['no type', unkeyed, lfText('a key'), `unknown template without contract key ${unkeyed}.`],
  ])('a choice by a key of %s', async (_what, templateId, contractKey, cause) => {
    const value = { templateId: templateOf(templateId), contractKey, choice: 'Touch' };
    const command = {
      command: {
        $case: 'exerciseByKey' as const,
        value: { ...value, choiceArgument: recordValue({}) },
      },
    };
    const { appUser } = network.localnet.parties;
    const commands = change(command, { actAs: [appUser] });
    const refusal = await refusalOf(network.as(USER_PERSON).commands.submitAndWait({ commands }));
    expect(refusal).toMatchObject({ reason: 'COMMAND_PREPROCESSING_FAILED' });
    expect(refusal.message).toContain(cause);
  });

  test('a choice by a key, in JSON', async () => {
    const { status, json } = await submitCommand({
      ExerciseByKeyCommand: {
        templateId: keyedId,
        contractKey: 'a key',
        choice: 'Touch',
        choiceArgument: {},
      },
    });
    expect([status, json]).toEqual([
      400,
      expect.objectContaining({ cause: expect.stringContaining('LocalNet has no Daml engine') }),
    ]);
  });
});

describe('a package of several versions, by name', () => {
  const name = `made-${randomUUID()}`;
  const version = (of: string, fields: Readonly<Record<string, Type>>) =>
    lfPackage({
      name,
      version: of,
      modules: { Main: { templates: { Thing: { fields } } } },
    });
  const owned = { owner: aParty, title: aText };
  const first = version('1.0.0', owned);
  const second = version('1.1.0', { ...owned, note: optional(aText) });
  const admin = network.as(USER_ADMIN).packageAdmin;
  const thing = (more: object = {}) => ({
    owner: network.localnet.parties.appUser,
    title: 'a thing',
    ...more,
  });
  const create = async (createArguments: object, packageIdSelectionPreference: string[] = []) => {
    const { appUser: user, appProvider: provider } = network.localnet.parties;
    const commands = [{ CreateCommand: { templateId: `#${name}:Main:Thing`, createArguments } }];
    const { json } = await http(
      network,
      `${network.localnet.urls.participants['app-user'].json}/v2/commands/submit-and-wait`,
      {
        body: installRequestBody({ user, provider }, { commands, packageIdSelectionPreference }),
        as: USER_PERSON,
      },
    );
    const { code, cause } = json as { readonly code: string; readonly cause: string };
    return `${code}: ${cause}`;
  };
  const over = async (preferences: readonly string[] = []) => {
    const note = lfText('a note');
    const { appUser } = network.localnet.parties;
    const fields = record({ owner: lfParty(appUser), title: lfText(''), note: some(note) });
    const id = { packageId: `#${name}`, moduleName: 'Main', entityName: 'Thing' };
    const commands = {
      ...change(createOf(id, fields), { actAs: [appUser] }),
      packageIdSelectionPreference: [...preferences],
    };
    const { reason, message } = await refusalOf(
      network.as(USER_PERSON).commands.submitAndWait({ commands }),
    );
    return `${reason}: ${message}`;
  };
  const RAN = /^COMMAND_PREPROCESSING_FAILED: .*LocalNet has no Daml engine: package (\w+) was/;
  const changeVetting = async (operation: 'vet' | 'unvet', packageId: string) => {
    const value = { packages: [{ packageId }] };
    await admin.updateVettedPackages({
      changes: [{ operation: { $case: operation, value } }],
    });
  };

  beforeAll(async () => {
    await admin.uploadDarFile({ darFile: darOf([first]) });
    await admin.uploadDarFile({ darFile: darOf([second]) });
  });

  test('is the latest one, or the one that is preferred', async () => {
    expect(RAN.exec(await over())?.[1]).toBe(second.id);
    expect(await over([first.id])).toContain('note');
    expect(RAN.exec(await create(thing({ note: 'a note' })))?.[1]).toBe(second.id);
    expect(RAN.exec(await create(thing(), [first.id]))?.[1]).toBe(first.id);
    expect(await create(thing({ note: 'a note' }), [first.id])).not.toMatch(RAN);
  });

  test('is the latest one that is vetted, or none', async () => {
    await changeVetting('unvet', second.id);
    const preferred = await network.as(USER_ADMIN).interactive.getPreferredPackageVersion({
      parties: [network.localnet.parties.appUser],
      packageName: name,
    });
    expect(preferred.packagePreference?.packageReference?.packageId).toBe(first.id);
    expect(await over()).toContain('note');
    expect(RAN.exec(await create(thing()))?.[1]).toBe(first.id);
    expect(await over([second.id])).toContain('PACKAGE_SELECTION_FAILED');
    await changeVetting('unvet', first.id);
    expect(await over()).toContain('PACKAGE_SELECTION_FAILED');
    expect(await create(thing())).toContain('JSON_API_PACKAGE_SELECTION_FAILED');
    await changeVetting('vet', first.id);
    await changeVetting('vet', second.id);
    expect(RAN.exec(await over())?.[1]).toBe(second.id);
  });
});

test('what LocalNet lacks of a published package is known once that is uploaded', async () => {
  const { appUser } = network.localnet.parties;
  const create = (entityName: string, fields: Fields) =>
    network.as(USER_PERSON).commands.submitAndWait({
      commands: change(
        createOf({ packageId: '#stood-for', moduleName: 'Main', entityName }, record(fields)),
        { actAs: [appUser] },
      ),
    });
  const owned = { owner: lfParty(appUser) };
  const before = await refusalOf(create('Other', owned));
  expect(before.message).toContain('unknown template or interface');
  await network.as(USER_ADMIN).packageAdmin.uploadDarFile({ darFile: darOf([published]) });
  expect((await refusalOf(create('Other', {}))).message).toContain('"owner"');
  expect((await refusalOf(create('Other', owned))).message).toContain('has no Daml engine');
  expect((await create('Thing', owned)).updateId).not.toBe('');
});
