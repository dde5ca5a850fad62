import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Command } from '../../proto/gen/com/daml/ledger/api/v2/commands.ts';
import { party as ownerType, record as lfRecord } from '../../localnet/ledger/lf-types.ts';
import type { LfValue } from '../../localnet/ledger/lf-types.ts';
import { licensingPackage } from '../../localnet/ledger/licensing/package.ts';
import { definePackage, template, typeNamer } from '../../localnet/ledger/package-definition.ts';
import { forFile } from '../kit/for-file.ts';
import { lfPackage } from '../../localnet/lf/build/package.ts';
import * as code from '../../localnet/lf/build/code.ts';
import { con, optional, party as aParty, text as aText } from '../../localnet/lf/build/types.ts';
import type { Type } from '../../localnet/lf/build/types.ts';
import { change } from './kit/commands.ts';
import { darOf } from './kit/dar.ts';
import { eventsOf, LEDGER_EFFECTS } from './kit/formats.ts';
import { http, installRequestBody } from './kit/http.ts';
import { USER_ADMIN, USER_PERSON } from './kit/identities.ts';
import { create as createOf, exercise as exerciseOf } from './kit/licensing.ts';
import { openNetwork } from './kit/network.ts';
import { refusalOf } from './kit/refusal.ts';
import { createdOf, transact } from './kit/steps.ts';
import {
  int64,
  party as lfParty,
  record,
  recordValue,
  some,
  text as lfText,
} from './kit/values.ts';
import type { Fields } from './kit/values.ts';

/*
 * Commands on uploaded packages. LocalNet reads their values according to the packages' types, and executes the
 * packages' code.
 */

const ThingType = con('Main:Thing');
/** The owner signs this contract. */
const signed = {
  signatories: code.cons([code.project(ThingType, 'owner', code.variable('this'))]),
  observers: code.nil,
};

/** A published package. LocalNet has a native implementation of one of its templates. */
const published = lfPackage({
  name: 'stood-for',
  version: '1.0.0',
  modules: {
    Main: {
      templates: {
        Thing: { fields: { owner: aParty } },
        Other: {
          fields: { owner: aParty },
          signatories: code.cons([code.project(con('Main:Other'), 'owner', code.variable('this'))]),
          observers: code.nil,
        },
      },
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
  const name = `made-${randomUUID()}`;
  const touchable = {
    ...signed,
    fields: { owner: aParty, title: aText },
    choices: {
      Touch: {
        result: aText,
        controllers: signed.signatories,
        observers: code.nil,
        update: code.pure(code.project(ThingType, 'title', code.variable('this'))),
      },
    },
  };
  const made = lfPackage({
    name,
    version: '1.0.0',
    modules: { Main: { templates: { Thing: touchable } } },
  });
  const references = [`#${name}`, made.id];
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

  test.each(references)('is executed as its code says: %s', async (reference) => {
    const { appUser } = network.localnet.parties;
    const fields = record({ owner: owner(), title: lfText('a thing') });
    const act = (command: Command) =>
      transact(over, change(command, { actAs: [appUser] }), {
        eventFormat: eventsOf([appUser]),
        transactionShape: LEDGER_EFFECTS,
      });
    const created = createdOf(await act(createOf(named(reference), fields)), named(made.id));
    expect([created.templateId?.packageId, created.signatories]).toEqual([made.id, [appUser]]);
    const touched = await act(
      exerciseOf(named(reference), created.contractId, 'Touch', recordValue({})),
    );
    expect(touched.events.map(({ event }) => event)).toEqual([
      expect.objectContaining({
        $case: 'exercised',
        value: expect.objectContaining({ exerciseResult: lfText('a thing'), consuming: true }),
      }),
    ]);
    const again = exerciseOf(named(reference), created.contractId, 'Touch', recordValue({}));
    expect(await run(again)).toMatchObject({ reason: 'CONTRACT_NOT_FOUND' });
    const { status } = await submit(`${reference}:Main:Thing`, thing());
    expect(status).toBe(200);
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

describe('a template with a key', () => {
  const keyed = lfPackage({
    name: `keyed-${randomUUID()}`,
    version: '1.0.0',
    minor: 3,
    modules: {
      Main: {
        templates: {
          Thing: {
            ...signed,
            fields: { owner: aParty, title: aText },
            key: aText,
            keyCode: {
              key: code.project(ThingType, 'title', code.variable('this')),
              // Any party can be the maintainer; this one does not occur in any payload.
              maintainers: code.lambda(['k'], code.cons([code.text('maintainer')])),
            },
            choices: {
              Touch: { result: aText, controllers: signed.signatories, observers: code.nil },
            },
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
    [
      'its own type',
      keyedId,
      lfText('a key'),
      'did not find a contract with key',
      'CONTRACT_KEY_NOT_FOUND',
    ],
    ['another type', keyedId, int64(1n), 'mismatching type', 'COMMAND_PREPROCESSING_FAILED'],
    [
      'no type',
      unkeyed,
      lfText('a key'),
      `unknown template without contract key ${unkeyed}.`,
      'COMMAND_PREPROCESSING_FAILED',
    ],
  ])('a choice by a key of %s', async (_what, templateId, contractKey, cause, reason) => {
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
    expect(refusal).toMatchObject({ reason });
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
      404,
      expect.objectContaining({ code: 'CONTRACT_KEY_NOT_FOUND' }),
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
      // No contract of this template can be created: its code fails with an error that names the version.
      failure: `this is ${of}`,
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
  const RAN = /^INTERPRETATION_USER_ERROR: .*User abort: this is (\S+)/s;
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
    expect(RAN.exec(await over())?.[1]).toBe('1.1.0');
    expect(await over([first.id])).toContain('note');
    expect(RAN.exec(await create(thing({ note: 'a note' })))?.[1]).toBe('1.1.0');
    expect(RAN.exec(await create(thing(), [first.id]))?.[1]).toBe('1.0.0');
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
    expect(RAN.exec(await create(thing()))?.[1]).toBe('1.0.0');
    expect(await over([second.id])).toContain('PACKAGE_SELECTION_FAILED');
    await changeVetting('unvet', first.id);
    expect(await over()).toContain('PACKAGE_SELECTION_FAILED');
    expect(await create(thing())).toContain('JSON_API_PACKAGE_SELECTION_FAILED');
    await changeVetting('vet', first.id);
    await changeVetting('vet', second.id);
    expect(RAN.exec(await over())?.[1]).toBe('1.1.0');
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
  expect((await create('Other', owned)).updateId).not.toBe('');
  expect((await create('Thing', owned)).updateId).not.toBe('');
});
