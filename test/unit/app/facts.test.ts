import { NEWEST_MODEL } from '../../../src/app/licensing/model.ts';
import { expect, test } from 'vitest';
import { contractsIn, factsOf, lifecycleIdOf } from '../../../src/app/engine/lanes/facts.ts';
import {
  APP_INSTALL,
  APP_INSTALL_REQUEST,
  LICENSE,
  LICENSE_RENEWAL_REQUEST,
} from '../../../src/domain/licensing.ts';
import { PROVIDER, contractId, created, exercised, transaction } from './made.ts';

const READ_AS = new Set([PROVIDER]);

test('a request appears', () => {
  const request = created(
    APP_INSTALL_REQUEST,
    0,
    1,
    {},
    { signatories: [], observers: [PROVIDER] },
  );
  expect(factsOf(NEWEST_MODEL, transaction([request]), READ_AS)).toEqual([
    { kind: 'born', lifecycleKind: 'install-request', created: request, through: null },
  ]);
});

test('accepting ends the request and begins an install', () => {
  const install = created(APP_INSTALL, 1, 2, { numLicensesCreated: '0' });
  const facts = factsOf(
    NEWEST_MODEL,
    transaction([exercised(APP_INSTALL_REQUEST, 0, 1, 1, 'AppInstallRequest_Accept'), install]),
    READ_AS,
  );
  expect(facts).toEqual([
    { kind: 'born', lifecycleKind: 'install', created: install, through: contractId(1) },
    {
      kind: 'happened',
      contractId: contractId(1),
      event: { type: 'ledger.requestAccepted' },
      choice: expect.anything(),
    },
  ]);
});

test('creating a licence continues the install and begins a licence', () => {
  const license = created(LICENSE, 1, 3, { licenseNum: '1', expiresAt: '2026-01-01T00:00:00Z' });
  const next = created(APP_INSTALL, 2, 4, { numLicensesCreated: '1' });
  const facts = factsOf(
    NEWEST_MODEL,
    transaction([exercised(APP_INSTALL, 0, 2, 2, 'AppInstall_CreateLicense'), license, next]),
    READ_AS,
  );
  expect(facts).toEqual([
    { kind: 'born', lifecycleKind: 'license', created: license, through: contractId(2) },
    {
      kind: 'continued',
      lifecycleKind: 'install',
      from: contractId(2),
      created: next,
      through: null,
      event: { type: 'ledger.installReplaced', numLicensesCreated: '1' },
    },
  ]);
});

test('completing a renewal ends it and continues its licence, and no other', () => {
  const other = created(LICENSE, 6, 8, { licenseNum: '2', expiresAt: '2026-01-01T00:00:00Z' });
  const next = created(LICENSE, 3, 4, { licenseNum: '1', expiresAt: '2026-02-01T00:00:00Z' });
  const facts = factsOf(
    NEWEST_MODEL,
    transaction([
      exercised(LICENSE_RENEWAL_REQUEST, 0, 3, 2, 'LicenseRenewalRequest_CompleteRenewal'),
      exercised(LICENSE, 1, 1, 3, 'Archive'),
      next,
      exercised(LICENSE, 4, 4, 7, 'Archive'),
      other,
    ]),
    READ_AS,
  );
  expect(facts).toEqual([
    {
      kind: 'continued',
      lifecycleKind: 'license',
      from: contractId(3),
      created: next,
      through: contractId(2),
      event: { type: 'ledger.licenseRenewed', expiresAt: '2026-02-01T00:00:00Z' },
    },
    { kind: 'born', lifecycleKind: 'license', created: other, through: null },
    {
      kind: 'happened',
      contractId: contractId(2),
      event: { type: 'ledger.renewalCompleted' },
      choice: expect.anything(),
    },
    {
      kind: 'happened',
      contractId: contractId(7),
      event: { type: 'ledger.licenseExpired' },
      choice: expect.anything(),
    },
  ]);
});

test('a choice that consumes its contract last, by an Archive of its own, is what ended it', () => {
  const completion = exercised(
    LICENSE_RENEWAL_REQUEST,
    0,
    4,
    2,
    'LicenseRenewalRequest_CompleteRenewal',
    { consuming: false },
  );
  const facts = factsOf(
    NEWEST_MODEL,
    transaction([
      completion,
      exercised(LICENSE, 1, 1, 3, 'Archive'),
      exercised(LICENSE_RENEWAL_REQUEST, 2, 2, 5, 'Archive'),
      exercised(LICENSE_RENEWAL_REQUEST, 4, 4, 2, 'Archive'),
    ]),
    READ_AS,
  );
  expect(facts).toEqual([
    {
      kind: 'happened',
      contractId: contractId(3),
      event: { type: 'ledger.licenseExpired' },
      choice: expect.anything(),
    },
    {
      kind: 'happened',
      contractId: contractId(5),
      event: { type: 'ledger.renewalWithdrawn' },
      choice: expect.anything(),
    },
    {
      kind: 'happened',
      contractId: contractId(2),
      event: { type: 'ledger.renewalCompleted' },
      choice: expect.anything(),
    },
  ]);
});

test('an install whose next one is archived at once has been cancelled', () => {
  const facts = factsOf(
    NEWEST_MODEL,
    transaction([
      exercised(APP_INSTALL, 0, 2, 1, 'AppInstall_CreateLicense'),
      created(APP_INSTALL, 1, 2, { provider: 'p', user: 'u', numLicensesCreated: '1' }),
      exercised(APP_INSTALL, 3, 3, 2, 'Archive'),
    ]),
    READ_AS,
  );
  expect(facts).toEqual([
    {
      kind: 'happened',
      contractId: contractId(1),
      event: { type: 'ledger.installCancelled' },
      choice: expect.anything(),
    },
  ]);
});

test('two installs in one update do not continue each other', () => {
  const first = created(APP_INSTALL, 1, 2, { numLicensesCreated: '0' });
  const second = created(APP_INSTALL, 3, 4, { numLicensesCreated: '0' });
  const facts = factsOf(
    NEWEST_MODEL,
    transaction([
      exercised(APP_INSTALL_REQUEST, 0, 1, 1, 'AppInstallRequest_Accept'),
      first,
      exercised(APP_INSTALL, 2, 2, 9, 'AppInstall_Cancel'),
      second,
    ]),
    READ_AS,
  );
  expect(facts.map(({ kind }) => kind)).toEqual(['born', 'born', 'happened', 'happened']);
});

test.each([
  [APP_INSTALL_REQUEST, 'AppInstallRequest_Reject', 'ledger.requestRejected'],
  [APP_INSTALL_REQUEST, 'AppInstallRequest_Cancel', 'ledger.requestCancelled'],
  [APP_INSTALL_REQUEST, 'Archive', 'ledger.requestCancelled'],
  [APP_INSTALL, 'AppInstall_Cancel', 'ledger.installCancelled'],
  [LICENSE, 'License_Expire', 'ledger.licenseExpired'],
  [LICENSE, 'Archive', 'ledger.licenseExpired'],
  // It is not known why the contract has ended: see docs/decisions/lifecycles.md.
  [LICENSE, 'License_Later', 'ledger.gone'],
  [LICENSE_RENEWAL_REQUEST, 'LicenseRenewalRequest_CompleteRenewal', 'ledger.renewalCompleted'],
  [LICENSE_RENEWAL_REQUEST, 'AllocationRequest_Reject', 'ledger.renewalRejected'],
  [LICENSE_RENEWAL_REQUEST, 'AllocationRequest_Withdraw', 'ledger.renewalWithdrawn'],
  [LICENSE_RENEWAL_REQUEST, 'Archive', 'ledger.renewalWithdrawn'],
])('%o by %s', (template, choice, type) => {
  expect(
    factsOf(NEWEST_MODEL, transaction([exercised(template, 0, 0, 7, choice)]), READ_AS),
  ).toEqual([
    { kind: 'happened', contractId: contractId(7), event: { type }, choice: expect.anything() },
  ]);
});

test('what does not consume, what is another template, and what is only divulged, is no fact', () => {
  const other = { packageName: 'x', moduleName: 'M', entityName: 'T' };
  const divulged = created(LICENSE, 3, 5, {}, { signatories: [], observers: [] });
  const events = [
    exercised(LICENSE, 0, 0, 1, 'License_Renew', { consuming: false }),
    created(other, 1, 2, {}),
    exercised(other, 2, 2, 3, 'Archive'),
    divulged,
  ];
  expect(factsOf(NEWEST_MODEL, transaction(events), READ_AS)).toEqual([]);
});

test('a renewal that is asked for is asked of its licence', () => {
  const renewal = created(LICENSE_RENEWAL_REQUEST, 1, 2, {
    licenseNum: '1',
    settleBefore: '2026-01-01T00:00:00Z',
    requestId: 'request',
  });
  const events = [exercised(LICENSE, 0, 1, 1, 'License_Renew', { consuming: false }), renewal];
  expect(factsOf(NEWEST_MODEL, transaction(events), READ_AS)).toEqual([
    { kind: 'born', lifecycleKind: 'renewal', created: renewal, through: contractId(1) },
  ]);
});

test('a batch names every contract that something happens to', () => {
  const events = [
    exercised(LICENSE, 0, 0, 1, 'License_Renew', { consuming: false }),
    created(LICENSE, 1, 2, {}),
  ];
  expect(
    contractsIn([transaction(events), transaction([exercised(LICENSE, 0, 0, 3, 'Archive')])]),
  ).toEqual([contractId(1), contractId(2), contractId(3)]);
});

test('a lifecycle is named after its first contract', () => {
  expect(lifecycleIdOf('license', contractId(255))).toMatch(/^license-[0-9a-f]{40}$/u);
});
