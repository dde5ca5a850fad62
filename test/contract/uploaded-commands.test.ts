import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Command } from '../../proto/gen/com/daml/ledger/api/v2/commands.ts';
import { forFile } from '../kit/for-file.ts';
import { change } from './kit/commands.ts';
import { darOf, makePackage } from './kit/dar.ts';
import { http, installRequestBody } from './kit/http.ts';
import { USER_ADMIN, USER_PERSON } from './kit/identities.ts';
import { create as createOf, exercise as exerciseOf } from './kit/licensing.ts';
import { openNetwork } from './kit/network.ts';
import { refusalOf } from './kit/refusal.ts';
import { int64, party as lfParty, record, recordValue, text as lfText } from './kit/values.ts';

/* Commands on packages that nothing here runs: their values are read by their types first. */

const network = await forFile(openNetwork());

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
