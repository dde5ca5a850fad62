import { typesOf } from '../../src/app/contract/model.ts';
import { NEWEST_MODEL } from '../../src/app/licensing/model.ts';
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { ServerError, Status as GrpcStatus } from 'nice-grpc';
import type { FaultCall, FaultPlan } from '../../localnet/faults.ts';
import { NO_FAULTS } from '../../localnet/faults.ts';
import { LedgerError } from '../../localnet/ledger/ledger-error.ts';
import type { CommandId, Party, SubmissionId } from '../../src/domain/ids.ts';
import { trusted } from '../../src/domain/ids.ts';
import {
  ALLOCATION,
  APP_INSTALL,
  APP_INSTALL_REQUEST,
  LICENSE,
} from '../../src/domain/licensing.ts';
import { knownOf } from '../../src/ledger/discover.ts';
import { forFile } from '../kit/for-file.ts';
import {
  created,
  exercise,
  io,
  LedgerClient,
  META,
  PROVIDER_SIDE,
  USER_SIDE,
} from './kit/ledger-client.ts';

/** Faults with which a test affects its own submissions. */
let onSubmit: Partial<Pick<FaultPlan, 'onEnter' | 'onLeave'>> = {};
const isSubmit = ({ path }: FaultCall): boolean => path.endsWith('/Submit');
const faults: FaultPlan = {
  ...NO_FAULTS,
  onEnter: (call, signal) => (isSubmit(call) ? onSubmit.onEnter?.(call, signal) : undefined),
  onLeave: (call, signal) => (isSubmit(call) ? onSubmit.onLeave?.(call, signal) : undefined),
};

const ledger = await forFile(LedgerClient.open({ faults }));

const newSubmission = () => trusted<SubmissionId>(randomUUID());

describe('what the participants say about themselves', () => {
  test('needs no administrator', () => {
    const { versions, rights, wanted, isTimeStatic } = ledger.discovered;
    expect([...versions.keys()]).toEqual([PROVIDER_SIDE, USER_SIDE]);
    expect(versions.get(PROVIDER_SIDE)).toMatch(/^3\./);
    expect(rights.of(PROVIDER_SIDE).actAs).toContain(ledger.provider);
    expect(rights.of(PROVIDER_SIDE).ledgerUser).toBe('1a36eb86-4ccc-4ec6-b7b7-caa08b354989');
    expect(rights.of(USER_SIDE).actAs).toContain(ledger.user);
    expect(wanted).toEqual(typesOf(NEWEST_MODEL));
    expect(isTimeStatic).toBe(false);
  });

  test('tells known templates from unknown ones', async () => {
    const [participant] = ledger.participants;
    const unknown = [
      { ...LICENSE, entityName: 'NoSuchTemplate' },
      { ...LICENSE, packageName: 'no-such-package' },
      { ...LICENSE, moduleName: 'No.Such.Module' },
    ];
    const asked = [unknown[0]!, LICENSE, ...unknown.slice(1), APP_INSTALL];
    const interfaces = [ALLOCATION, unknown[1]!];
    const wanted = { templates: asked, interfaces };
    expect(await knownOf(participant!, ledger.provider, wanted, io())).toEqual({
      templates: [LICENSE, APP_INSTALL],
      interfaces: [ALLOCATION],
    });
  });
});

describe('a lifecycle', () => {
  test('goes through both participants and comes back with equal offsets', async () => {
    const requested = await ledger.request(ledger.user, ledger.installRequest());
    expect(requested.submitter.participant).toBe(USER_SIDE);
    const byUser = await ledger.complete(requested);
    expect(byUser).toMatchObject({
      participant: USER_SIDE,
      commandId: requested.commandId,
      actAs: [ledger.user],
      ledgerUser: requested.submitter.ledgerUser,
      answer: null,
    });
    const request = created(await ledger.transactionWith(byUser.updateId!), APP_INSTALL_REQUEST);
    expect(request).toMatchObject({
      payload: { provider: ledger.provider, user: ledger.user, meta: META },
      signatories: [ledger.user],
      observers: [ledger.provider],
      template: APP_INSTALL_REQUEST,
    });

    const accept = await ledger.request(
      ledger.provider,
      exercise(APP_INSTALL_REQUEST, request.contractId, 'AppInstallRequest_Accept', {
        installMeta: META,
        meta: { values: {} },
      }),
      { workflowId: 'lifecycle-1' },
    );
    const byProvider = await ledger.complete(accept);
    const accepted = await ledger.transactionWith(byProvider.updateId!);
    expect(accepted).toMatchObject({
      offset: byProvider.offset,
      commandId: accept.commandId,
      workflowId: 'lifecycle-1',
    });
    const install = created(accepted, APP_INSTALL);
    expect(install.payload).toMatchObject({ numLicensesCreated: '0', meta: META });
    expect(accepted.events[0]).toMatchObject({
      kind: 'exercised',
      consuming: true,
      choice: 'AppInstallRequest_Accept',
      argument: { installMeta: META, meta: { values: {} } },
      result: install.contractId,
      actingParties: [ledger.provider],
    });

    const create = exercise(APP_INSTALL, install.contractId, 'AppInstall_CreateLicense', {
      params: { meta: META },
    });
    const licensed = await ledger.transact(await ledger.request(ledger.provider, create));
    const license = created(licensed, LICENSE);
    expect(license.payload).toEqual({
      provider: ledger.provider,
      user: ledger.user,
      licenseNum: '1',
      params: { meta: META },
      expiresAt: licensed.effectiveAt,
    });
    expect(licensed.events[0]).toMatchObject({
      result: {
        licenseId: license.contractId,
        installId: created(licensed, APP_INSTALL).contractId,
      },
    });

    const expire = exercise(LICENSE, license.contractId, 'License_Expire', {
      actor: ledger.provider,
      meta: META,
    });
    const expired = await ledger.transact(await ledger.request(ledger.provider, expire));
    expect(expired.events).toMatchObject([{ kind: 'exercised', consuming: true, result: {} }]);
    expect(Date.parse(expired.recordTime)).toBeLessThanOrEqual(Date.now());
  });

  test('can be ended by every choice, and by Archive where there is none', async () => {
    const ends: readonly (readonly [Party, string, object])[] = [
      [ledger.provider, 'AppInstallRequest_Reject', { meta: META }],
      [ledger.user, 'AppInstallRequest_Cancel', { meta: META }],
      [ledger.user, 'Archive', {}],
    ];
    for (const [party, choice, argument] of ends) {
      const { contractId } = await ledger.createInstallRequest();
      const command = exercise(APP_INSTALL_REQUEST, contractId, choice, argument as never);
      const { events } = await ledger.transact(await ledger.request(party, command));
      expect(events).toMatchObject([{ kind: 'exercised', choice, consuming: true, argument }]);
    }
  });
});

describe('an answer', () => {
  test('stale-contract: the contract is gone', async () => {
    const { contractId } = await ledger.createInstallRequest();
    const reject = exercise(APP_INSTALL_REQUEST, contractId, 'AppInstallRequest_Reject', {
      meta: META,
    });
    await ledger.transact(await ledger.request(ledger.provider, reject));
    expect(await ledger.submit(await ledger.request(ledger.provider, reject))).toMatchObject({
      class: 'stale-contract',
      code: 'CONTRACT_NOT_FOUND',
    });
  });

  test('refused: a rule of the contract', async () => {
    const { contractId } = await ledger.createInstallRequest();
    const accept = exercise(APP_INSTALL_REQUEST, contractId, 'AppInstallRequest_Accept', {
      installMeta: META,
      meta: META,
    });
    const accepted = await ledger.transact(await ledger.request(ledger.provider, accept));
    const cancel = exercise(
      APP_INSTALL,
      created(accepted, APP_INSTALL).contractId,
      'AppInstall_Cancel',
      {
        actor: ledger.localnet.parties.dso,
        meta: META,
      },
    );
    const answer = await ledger.submit(await ledger.request(ledger.provider, cancel));
    expect(answer).toMatchObject({ class: 'refused', code: 'DAML_AUTHORIZATION_ERROR' });
  });

  test('refused: the wrong party', async () => {
    const { contractId } = await ledger.createInstallRequest();
    const cancel = exercise(APP_INSTALL_REQUEST, contractId, 'AppInstallRequest_Cancel', {
      meta: META,
    });
    expect(await ledger.submit(await ledger.request(ledger.provider, cancel))).toMatchObject({
      class: 'refused',
      code: 'DAML_AUTHORIZATION_ERROR',
    });
  });

  test('refused: no right to act as the party', async () => {
    const request = await ledger.request(ledger.user, ledger.installRequest());
    const submitter = await ledger.submitterOf(ledger.provider);
    const answer = await ledger.submit({
      ...request,
      submitter: { ...submitter, actAs: ledger.user },
    });
    // The participant accepts the token, because the ledger user may act as another party, but not as this one.
    expect(answer).toMatchObject({ class: 'credentials', code: 'MAY_NOT_ACT_AS' });
  });

  test('refused: what a participant does not accept as a command', async () => {
    const request = await ledger.request(ledger.user, ledger.installRequest());
    const answer = await ledger.submit({ ...request, commandId: trusted<CommandId>('a\nb') });
    expect(answer).toMatchObject({ class: 'refused', code: 'INVALID_FIELD' });
  });

  test('done: the same command again, whose update can be read back', async () => {
    const request = await ledger.request(ledger.user, ledger.installRequest());
    const first = await ledger.complete(request);
    const second = await ledger.complete({ ...request, submissionId: newSubmission() });
    expect(second).toMatchObject({
      updateId: null,
      answer: {
        class: 'done',
        code: 'DUPLICATE_COMMAND',
        duplicateOf: { accepted: true, offset: first.offset },
      },
    });
    expect(await ledger.gateway.updateAt(USER_SIDE, first.offset, io())).toEqual({
      updateId: first.updateId,
      commandId: request.commandId,
      workflowId: request.workflowId,
    });
  });

  test('is no duplicate once the deduplication offset lies after the first acceptance', async () => {
    const request = await ledger.request(ledger.user, ledger.installRequest());
    const { offset } = await ledger.complete(request);
    const again = { ...request, submissionId: newSubmission(), deduplicationOffset: offset };
    expect(await ledger.complete(again)).toMatchObject({ answer: null });
  });

  test('unknown: applied, but nobody heard; the same command again tells', async () => {
    const request = await ledger.request(ledger.user, ledger.installRequest());
    onSubmit = {
      onLeave: () => {
        throw new ServerError(GrpcStatus.UNAVAILABLE, 'lost');
      },
    };
    const lost = await ledger.submit(request).finally(() => {
      onSubmit = {};
    });
    expect(lost).toMatchObject({ class: 'unknown', takesNoTry: false });
    const again = await ledger.complete({ ...request, submissionId: newSubmission() });
    expect(again.answer).toMatchObject({ class: 'done', duplicateOf: { accepted: true } });
  });

  test.each([
    ['PARTICIPANT_BACKPRESSURE', 'busy'],
    ['SERVICE_NOT_RUNNING', 'busy'],
    ['SUBMISSION_ALREADY_IN_FLIGHT', 'in-flight'],
    ['LOCAL_VERDICT_LOCKED_CONTRACTS', 'contention'],
    ['REQUEST_TIME_OUT', 'unknown'],
    ['LEDGER_API_INTERNAL_ERROR', 'unknown'],
    ['UNAUTHENTICATED', 'credentials'],
  ] as const)('%s is %s', async (code, name) => {
    const request = await ledger.request(ledger.user, ledger.installRequest());
    onSubmit = {
      onEnter: () => {
        throw new LedgerError(code, 'as planned');
      },
    };
    const answer = await ledger.submit(request).finally(() => {
      onSubmit = {};
    });
    expect(answer).toMatchObject({ class: name, takesNoTry: false });
  });
});

test('there is no update where nothing is, and none for those who may not see it', async () => {
  const { offset } = await ledger.complete(
    await ledger.request(ledger.user, ledger.installRequest()),
  );
  expect(await ledger.gateway.updateAt(USER_SIDE, offset, io())).not.toBeNull();
  expect(await ledger.gateway.updateAt(USER_SIDE, offset + 1_000n, io())).toBeNull();
});
