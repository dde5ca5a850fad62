import { NEWEST_MODEL } from '../../src/app/licensing/model.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { meaningOf } from '../../src/app/engine/lanes/choices.ts';
import { OPERATIONS } from '../../src/domain/licensing.ts';
import { ProblemError } from '../../src/domain/problems.ts';
import { USER } from '../kit/http-api.ts';
import { startContractsWorld } from '../kit/http-contracts.ts';
import { traces } from '../kit/http-refusals.ts';
import { forFile } from '../kit/for-file.ts';

/* Malformed choices under the ledger's names: the error names the wrong part, and nothing is recorded. */

const world = await forFile(startContractsWorld());
const { provider, user } = world;
beforeEach(() => world.follow());

const META = { values: { reason: 'test' } };

describe('what is refused before anything is recorded', () => {
  const KNOWN: Readonly<Record<string, readonly string[]>> = {
    install: ['AppInstall_CreateLicense', 'AppInstall_Cancel'],
    license: ['License_Expire', 'License_Renew'],
    open: ['AppInstallRequest_Accept', 'AppInstallRequest_Reject', 'AppInstallRequest_Cancel'],
  };

  test.each(['Archive', 'License_Explode', '', 'toString', 'AppInstall_Cancel '])(
    'an unknown choice: %s',
    async (choice) => {
      await world.pause();
      const before = await traces(world.api);
      for (const [on, choices] of Object.entries(KNOWN)) {
        const refused = await world.exercise(provider, world[on as 'install'], choice, {});
        expect([refused.statusCode, refused.json()]).toMatchObject([
          422,
          { code: 'CHOICE_UNKNOWN', field: 'choice', choices },
        ]);
        expect(refused.json().message).toContain(choices.join(', '));
      }
      expect(await traces(world.api)).toBe(before);
    },
  );

  test('any choice of a contract that no machine knows', async () => {
    const license = await world.licensed();
    await user.post(`/licenses/${license}/comments?commandId=${world.id('comment')}`, {
      body: 'hello',
    });
    const [comment] = (await user.get(`/licenses/${license}/comments?limit=1`)).json();
    const refused = await world.exercise(user, comment.contractId, 'Archive', {});
    expect([refused.statusCode, refused.json()]).toMatchObject([
      422,
      { code: 'CHOICE_UNKNOWN', choices: [], message: expect.stringContaining('known: none') },
    ]);
  });

  const RENEW = {
    licenseFeeAmount: '1.0',
    licenseExtensionDuration: { microseconds: '1' },
    prepareUntil: '2099-01-01T00:00:00Z',
    settleBefore: '2099-01-02T00:00:00Z',
    description: '',
  };
  test.each([
    ['License_Expire', null, 'argument'],
    ['License_Expire', [], 'argument'],
    ['License_Expire', 'x', 'argument'],
    ['License_Expire', { note: 1 }, 'argument.note'],
    ['License_Expire', { actor: USER }, 'argument.actor'],
    ['License_Expire', { meta: { data: {} } }, 'argument.meta.data'],
    ['License_Expire', { meta: { values: [] } }, 'argument.meta.values'],
    ['License_Expire', { meta: { values: { a: 1 } } }, 'argument.meta.values.a'],
    ['License_Expire', { meta: { values: { a: 'x'.repeat(5_000) } } }, 'argument.meta.values.a'],
    [
      'License_Expire',
      {
        meta: { values: Object.fromEntries(Array.from({ length: 65 }, (_o, n) => [`k${n}`, ''])) },
      },
      'argument.meta.values',
    ],
    ['License_Renew', {}, 'argument.licenseFeeAmount'],
    ['License_Renew', { ...RENEW, requestId: '' }, 'argument.requestId'],
    ['License_Renew', { ...RENEW, licenseFeeAmount: 100 }, 'argument.licenseFeeAmount'],
    ['License_Renew', { ...RENEW, licenseFeeAmount: '-1' }, 'argument.licenseFeeAmount'],
    ['License_Renew', { ...RENEW, licenseFeeAmount: '0.00000000001' }, 'argument.licenseFeeAmount'],
    [
      'License_Renew',
      { ...RENEW, licenseExtensionDuration: 'P1D' },
      'argument.licenseExtensionDuration',
    ],
    [
      'License_Renew',
      { ...RENEW, licenseExtensionDuration: { microseconds: '0' } },
      'argument.licenseExtensionDuration.microseconds',
    ],
    ['License_Renew', { ...RENEW, settleBefore: '2099-02-30T00:00:00Z' }, 'argument.settleBefore'],
    ['License_Renew', { ...RENEW, requestedAt: 'now' }, 'argument.requestedAt'],
    ['License_Renew', { ...RENEW, licenseFeeInstrumentId: {} }, 'argument.licenseFeeInstrumentId'],
  ] as const)('%s, mistake %#', async (choice, argument, field) => {
    await world.pause();
    const before = await traces(world.api);
    const refused = await world.exercise(provider, world.license, choice, argument);
    expect([refused.statusCode, refused.json()]).toMatchObject([
      422,
      { code: 'ARGUMENT_INVALID', field, message: expect.stringContaining(field) },
    ]);
    expect(await traces(world.api)).toBe(before);
  });

  test.each([
    ['open', 'AppInstallRequest_Accept', { meta: META }, 'argument.installMeta'],
    ['install', 'AppInstall_CreateLicense', {}, 'argument.params'],
    ['install', 'AppInstall_CreateLicense', { params: { x: 1 } }, 'argument.params.x'],
  ] as const)('on %s: %s with %j', async (on, choice, argument, field) => {
    const refused = await world.exercise(provider, world[on], choice, argument);
    expect([refused.statusCode, refused.json().field]).toEqual([422, field]);
  });

  test.each([
    [{ allocationCid: 7 }, 'argument.allocationCid'],
    [{ allocationCid: 'x', licenseCid: 'y' }, 'argument.licenseCid'],
    [
      { allocationCid: 'x', extraArgs: { context: { values: { a: 1 } } } },
      'argument.extraArgs.context.values',
    ],
  ])('a completion with %j', async (argument, field) => {
    const renewal = await world.renewed();
    const choice = 'LicenseRenewalRequest_CompleteRenewal';
    const refused = await world.exercise(provider, renewal, choice, argument);
    expect([refused.statusCode, refused.json().field]).toEqual([422, field]);
  });

  test('a body without a choice or an argument', async () => {
    const path = `/contracts/${world.license}/exercise`;
    for (const [body, field] of [
      [undefined, 'body'],
      [{ argument: {} }, 'choice'],
      [{ choice: 7, argument: {} }, 'choice'],
      [{ choice: 'License_Expire' }, 'argument'],
    ] as const) {
      const refused = await user.post(`${path}?commandId=${world.id('exercise')}`, body);
      expect([refused.statusCode, refused.json().field]).toEqual([400, field]);
    }
  });
});

test('every choice of an operation can be asked for by its name', () => {
  for (const operation of OPERATIONS) {
    const { command, kind } = NEWEST_MODEL.operation(operation);
    if (command.kind !== 'choice') continue;
    let refusal: unknown = null;
    try {
      meaningOf(NEWEST_MODEL, { kind } as never, command.name, { unknown: true });
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toBeInstanceOf(ProblemError);
    expect((refusal as ProblemError).details).toMatchObject({
      code: 'ARGUMENT_INVALID',
      extra: { field: 'argument.unknown' },
    });
  }
});
