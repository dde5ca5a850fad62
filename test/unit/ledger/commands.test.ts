import { NEWEST_MODEL } from '../../../src/app/licensing/model.ts';
import { describe, expect, test } from 'vitest';
import { trusted } from '../../../src/domain/ids.ts';
import type { ContractId } from '../../../src/domain/ids.ts';
import type { JsonRecord } from '../../../src/domain/json.ts';
import type { TemplateName } from '../../../src/domain/ledger.ts';
import { APP_INSTALL, APP_INSTALL_REQUEST, LICENSE } from '../../../src/domain/licensing.ts';
import { encodeCommand } from '../../../src/ledger/commands.ts';
import { decodeRecord, decodeValue } from '../../../src/ledger/decode.ts';
import { ArgumentError } from '../../../src/ledger/encode.ts';

const CONTRACT = trusted<ContractId>(`00${'ab'.repeat(32)}`);
const META = { values: { note: 'x' } };
const ACTOR = 'provider::1220ab';

const exercise = (template: TemplateName, choice: string, argument: JsonRecord) =>
  encodeCommand(
    { kind: 'exercise', template, contractId: CONTRACT, choice, argument },
    NEWEST_MODEL.argumentsOf,
  ).command;

describe('an exercise', () => {
  test.each<[TemplateName, string, JsonRecord]>([
    [APP_INSTALL_REQUEST, 'AppInstallRequest_Accept', { installMeta: META, meta: META }],
    [APP_INSTALL_REQUEST, 'AppInstallRequest_Reject', { meta: META }],
    [APP_INSTALL_REQUEST, 'AppInstallRequest_Cancel', { meta: META }],
    [APP_INSTALL, 'AppInstall_CreateLicense', { params: { meta: META } }],
    [APP_INSTALL, 'AppInstall_Cancel', { actor: ACTOR, meta: META }],
    [LICENSE, 'License_Expire', { actor: ACTOR, meta: META }],
    [APP_INSTALL_REQUEST, 'Archive', {}],
    [APP_INSTALL, 'Archive', {}],
    [LICENSE, 'Archive', {}],
  ])('of %j %s carries its argument', (template, choice, argument) => {
    const command = exercise(template, choice, argument);
    if (command?.$case !== 'exercise') throw new Error('not an exercise');
    expect(command.value).toMatchObject({ choice, contractId: CONTRACT });
    expect(command.value.templateId).toEqual({
      packageId: '#quickstart-licensing',
      moduleName: template.moduleName,
      entityName: template.entityName,
    });
    expect(decodeValue(command.value.choiceArgument)).toEqual(argument);
  });

  test.each(['License_Renew', 'toString', ''])('of the unknown choice %j is refused', (choice) => {
    expect(() => exercise(LICENSE, choice, {})).toThrow(ArgumentError);
  });

  test('with an argument that does not fit names the field', () => {
    expect(() =>
      exercise(LICENSE, 'License_Expire', { actor: ACTOR, meta: { values: { n: 1 } } }),
    ).toThrow('meta.values.n: expected a text');
  });
});

describe('a create', () => {
  const argument = { provider: ACTOR, user: 'user::1220cd', meta: META };

  test('of an install request carries its fields in declaration order', () => {
    const { command } = encodeCommand(
      { kind: 'create', template: APP_INSTALL_REQUEST, argument },
      NEWEST_MODEL.argumentsOf,
    );
    if (command?.$case !== 'create') throw new Error('not a create');
    expect(command.value.createArguments?.fields.map(({ label }) => label)).toEqual([
      'provider',
      'user',
      'meta',
    ]);
    expect(decodeRecord(command.value.createArguments)).toEqual(argument);
  });

  test.each([APP_INSTALL, LICENSE, { packageName: 'other', moduleName: 'M', entityName: 'E' }])(
    'of %j is refused',
    (template) => {
      expect(() =>
        encodeCommand({ kind: 'create', template, argument }, NEWEST_MODEL.argumentsOf),
      ).toThrow(ArgumentError);
    },
  );
});
