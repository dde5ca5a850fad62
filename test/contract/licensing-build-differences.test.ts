import { describe, expect, test } from 'vitest';
import * as code from '../../localnet/lf/build/code.ts';
import { con, optional, text } from '../../localnet/lf/build/types.ts';
import { inChoice, inTemplate, licensingBuild, withCode } from '../kit/licensing-build.ts';
import type { Change } from '../kit/licensing-build.ts';
import { change as commandsOf } from './kit/commands.ts';
import { darOf } from './kit/dar.ts';
import { eventsOf, LEDGER_EFFECTS } from './kit/formats.ts';
import { http } from './kit/http.ts';
import { USER_ADMIN } from './kit/identities.ts';
import {
  create as createOf,
  exercise as exerciseOf,
  meta,
  REQUEST,
  requestArguments,
} from './kit/licensing.ts';
import { openNetwork } from './kit/network.ts';
import { refusalOf } from './kit/refusal.ts';
import { createdOf, transact } from './kit/steps.ts';
import { readRecord, record, recordValue, some, text as lfText } from './kit/values.ts';
import type { Fields } from './kit/values.ts';

/* Builds of the licensing package that differ from LocalNet's own package. They run as they were built. */

const NAME = 'quickstart-licensing';
const APP_INSTALL = 'Licensing.AppInstall';

/** Opens a ledger that uses a build, with functions for its parties' commands. */
async function openWith(change: Change) {
  const network = await openNetwork();
  const packages = licensingBuild((source) => change(withCode(source)));
  await network.as(USER_ADMIN).packageAdmin.uploadDarFile({ darFile: darOf(packages) });
  const sides = await network.sides();
  const clients = network.as(USER_ADMIN);
  const request = (more: Fields = {}) => {
    const { recordId, fields } = requestArguments(sides);
    const all = { recordId, fields: [...fields, ...record(more).fields] };
    return transact(clients, commandsOf(createOf(REQUEST, all), { actAs: [sides.user] }));
  };
  const act = (choice: string, contractId: string, argument: Fields) =>
    transact(
      clients,
      commandsOf(exerciseOf(REQUEST, contractId, choice, recordValue(argument)), {
        actAs: [sides.user],
      }),
      { eventFormat: eventsOf([sides.user]), transactionShape: LEDGER_EFFECTS },
    );
  return { network, packageId: packages[0]!.id, request, act };
}

describe('a build that differs from the package', () => {
  const REQUEST_NAME = 'AppInstallRequest';
  const Request = con(`${APP_INSTALL}:${REQUEST_NAME}`);
  const requestField = (name: string) => code.project(Request, name, code.variable('this'));
  const CANCEL = 'AppInstallRequest_Cancel';

  test('in a field more has contracts with the field', async () => {
    const { network, request } = await openWith(
      inTemplate(APP_INSTALL, REQUEST_NAME, (template) => ({
        ...template,
        fields: { ...template.fields, note: optional(text) },
      })),
    );
    await using _closed = network;
    const created = createdOf(await request({ note: some(lfText('a note')) }), REQUEST);
    expect(readRecord(created.createArguments)).toMatchObject({
      note: { some: 'a note' },
    });
  });

  test('in a choice more has the choice', async () => {
    const { network, request, act } = await openWith(
      inTemplate(APP_INSTALL, REQUEST_NAME, (template) => ({
        ...template,
        choices: {
          ...template.choices,
          Greet: {
            fields: { word: text },
            result: text,
            isConsuming: false,
            controllers: code.cons([requestField('user')]),
            observers: code.nil,
            update: code.pure(
              code.call(
                'APPEND_TEXT',
                code.project(con(`${APP_INSTALL}:Greet`), 'word', code.variable('argument')),
                code.text('!'),
              ),
            ),
          },
        },
      })),
    );
    await using _closed = network;
    const { contractId } = createdOf(await request(), REQUEST);
    const { events } = await act('Greet', contractId, { word: lfText('hello') });
    expect(events[0]?.event?.value).toMatchObject({ exerciseResult: lfText('hello!') });
  });

  test('in a body has the body', async () => {
    const { network, request, act } = await openWith(
      inChoice(APP_INSTALL, REQUEST_NAME, CANCEL, (choice) => ({
        ...choice,
        update: code.fail('no request is ever cancelled'),
      })),
    );
    await using _closed = network;
    const { contractId } = createdOf(await request(), REQUEST);
    const refusal = await refusalOf(act(CANCEL, contractId, { meta: meta() }));
    expect(refusal.reason).toBe('INTERPRETATION_USER_ERROR');
    expect(refusal.message).toContain('no request is ever cancelled');
  });

  test('in a choice less and a template less has neither', async () => {
    const less = inTemplate(APP_INSTALL, REQUEST_NAME, ({ choices, ...template }) => ({
      ...template,
      choices: Object.fromEntries(
        Object.entries(choices ?? {}).filter(([name]) => name !== CANCEL),
      ),
    }));
    const { network, request, act, packageId } = await openWith((source) =>
      less({
        ...source,
        modules: Object.fromEntries(
          Object.entries(source.modules).filter(([name]) => name !== 'Licensing.LicenseComment'),
        ),
      }),
    );
    await using _closed = network;
    const created = createdOf(await request(), REQUEST);
    expect(created.templateId?.packageId).toBe(packageId);
    const refusal = await refusalOf(act(CANCEL, created.contractId, { meta: meta() }));
    expect(refusal.message).toContain(`unknown choice ${CANCEL}`);
  });

  test('is told apart from what runs natively', async () => {
    const { network, packageId } = await openWith((source) => source);
    await using _closed = network;
    const { json } = await http(network, `${network.localnet.urls.network}/control/packages`);
    const listing = json as readonly { id: string; name: string; runs: string }[];
    const found = (name: string) => listing.filter((each) => each.name === name);
    expect(found(NAME)).toEqual([expect.objectContaining({ id: packageId, runs: 'engine' })]);
    expect(found('splice-amulet').map(({ runs }) => runs)).toEqual(['native']);
  });
});
