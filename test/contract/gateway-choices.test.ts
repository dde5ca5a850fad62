import { expect, test } from 'vitest';
import { commandFor } from '../../src/app/engine/attempts/prepare-command.ts';
import { NEWEST_MODEL, licensingModel } from '../../src/app/licensing/model.ts';
import { APP_INSTALL_REQUEST } from '../../src/domain/licensing.ts';
import { hasChoice } from '../../src/ledger/choices.ts';
import { change } from '../unit/app/made.ts';
import { forFile } from '../kit/for-file.ts';
import { LedgerClient, PROVIDER_SIDE, USER_SIDE, io } from './kit/ledger-client.ts';

const ledger = await forFile(LedgerClient.open({}));

test('a choice is known or not known without any effect', async () => {
  const submitter = await ledger.hosting.submitterFor(ledger.user, io());
  if (submitter === null) throw new Error('the user is hosted');
  const before = await ledger.gateway.ledgerEnd(USER_SIDE, io());
  const ask = (choice: string) =>
    hasChoice(
      ledger.gateway,
      submitter,
      { template: APP_INSTALL_REQUEST, choice, argument: { meta: { values: {} } } },
      io(),
    );
  expect(await ask('AppInstallRequest_Cancel')).toBe(true);
  expect(await ledger.gateway.ledgerEnd(USER_SIDE, io())).toBe(before);
  expect(await ledger.gateway.ledgerEnd(PROVIDER_SIDE, io())).toBeGreaterThan(0n);
});

test('without the choice a request is taken back by the built-in one', () => {
  const cancel = change({
    operation: 'cancel-install-request',
    body: { meta: { data: { a: 'b' } } },
  });
  const lifecycle = { contractId: 'c', provider: 'p' } as never;
  const older = licensingModel({ hasRequestCancel: false, hasComments: true });
  expect(commandFor(older, cancel, lifecycle)).toMatchObject({ choice: 'Archive', argument: {} });
  expect(commandFor(NEWEST_MODEL, cancel, lifecycle)).toMatchObject({
    choice: 'AppInstallRequest_Cancel',
    argument: { meta: { values: { a: 'b' } } },
  });
});
