import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Value } from '../../proto/gen/com/daml/ledger/api/v2/value.ts';
import { forFile } from '../kit/for-file.ts';
import { change, ledgerEnd } from './kit/commands.ts';
import { ACS_DELTA, eventsOf, LEDGER_EFFECTS, updatesOf } from './kit/formats.ts';
import { USER_ADMIN } from './kit/identities.ts';
import { ledgerMethods, RawCaller } from './kit/hostile/grpc.ts';
import { create, exercise, INSTALL, LICENSE, REQUEST } from './kit/licensing.ts';
import { modelPackage } from './kit/model-package.ts';
import { openNetwork } from './kit/network.ts';
import { refusalOf } from './kit/refusal.ts';
import { activeContracts, transact } from './kit/steps.ts';
import { between } from './kit/streams.ts';
import { inSuites, suitesPackage } from './kit/suites-package.ts';
import { int64, party, record, recordValue } from './kit/values.ts';

/*
 * Malicious arguments, with values of any kind in any place. The answer is always a refusal or a transaction, and
 * afterwards the ledger can still be read.
 */

const network = await forFile(openNetwork({ extraPackages: [modelPackage, suitesPackage] }));
const ledger = network.as(USER_ADMIN);
const owner = await network.party('owner', USER_ADMIN);

const EXTREME_INT64 = [2n ** 63n - 1n, -(2n ** 63n), 0n, -1n];
const EXTREME_TIMES = [...EXTREME_INT64, 253_402_300_799_999_999n, -62_135_596_800_000_001n];
const NUMERICS = [
  '9'.repeat(28),
  `${'9'.repeat(29)}.0`,
  '9'.repeat(38),
  '0.00000000001',
  '-0',
  'x',
];
const TEXTS = ['', '\0', 'a\0b', '\uffff', '😀', '"\\\n', 'constructor', '__proto__'];
const IDS = ['00', 'zzz', '0'.repeat(66), `00${'ab'.repeat(48)}`, ''];

const leaf = fc.oneof(
  fc.constantFrom(...EXTREME_INT64).map((value) => int64(value)),
  fc.constantFrom(...EXTREME_TIMES).map((value): Value => ({ sum: { $case: 'timestamp', value } })),
  fc
    .constantFrom(0, -719_163, 2_932_897, 2 ** 31 - 1)
    .map((value): Value => ({ sum: { $case: 'date', value } })),
  fc.constantFrom(...NUMERICS).map((value): Value => ({ sum: { $case: 'numeric', value } })),
  fc.constantFrom(...TEXTS).map((value): Value => ({ sum: { $case: 'text', value } })),
  fc.constantFrom(owner, '', '\0', 'no party').map((value) => party(value)),
  fc.constantFrom(...IDS).map((value): Value => ({ sum: { $case: 'contractId', value } })),
  fc.constant<Value>({ sum: { $case: 'unit', value: {} } }),
  fc.constant<Value>({ sum: undefined }),
);

const { value: anyValue } = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    { arbitrary: leaf, weight: 3 },
    {
      arbitrary: fc
        .array(tie('value'), { maxLength: 3 })
        .map((elements): Value => ({ sum: { $case: 'list', value: { elements } } })),
      weight: 1,
    },
    {
      arbitrary: fc
        .array(fc.tuple(fc.constantFrom(...TEXTS), tie('value')), { maxLength: 2 })
        .map((entries): Value => ({
          sum: {
            $case: 'textMap',
            value: { entries: entries.map(([key, value]) => ({ key, value })) },
          },
        })),
      weight: 1,
    },
    {
      arbitrary: fc
        .option(tie('value'), { nil: undefined })
        .map((value): Value => ({ sum: { $case: 'optional', value: { value } } })),
      weight: 1,
    },
    {
      arbitrary: fc
        .array(fc.tuple(fc.constantFrom('', 'owner', 'x', '\0'), tie('value')), { maxLength: 3 })
        .map((fields): Value => ({
          sum: {
            $case: 'record',
            value: {
              recordId: undefined,
              fields: fields.map(([label, value]) => ({ label, value })),
            },
          },
        })),
      weight: 1,
    },
  ),
}));

/** Valid records of these templates. In each of them, one field after another is replaced. */
const TARGETS = [
  [REQUEST, ['provider', 'user', 'meta']],
  [INSTALL, ['provider', 'user', 'meta', 'numLicensesCreated']],
  [LICENSE, ['provider', 'user', 'expiresAt', 'licenseNum', 'params']],
  [inSuites('ContractRef'), ['owner', 'ref']],
  [inSuites('Nested'), ['party', 'i', 'n']],
] as const;

const anyCommand = fc
  .constantFrom(...TARGETS)
  .chain(([template, fields]) =>
    fc
      .tuple(...fields.map(() => fc.oneof(anyValue, fc.constant(party(owner)))))
      .map((values) =>
        create(
          template,
          record(Object.fromEntries(fields.map((name, index) => [name, values[index]!]))),
        ),
      ),
  );

const anyExercise = anyValue.map((argument) =>
  exercise(REQUEST, `00${'ab'.repeat(48)}`, 'AppInstallRequest_Accept', argument),
);

const UNFIT = ['INTERNAL', 'UNKNOWN', 'UNAVAILABLE'];

test('no argument makes an internal error, nor spoils what is read afterwards', async () => {
  const begin = await ledgerEnd(ledger);
  await fc.assert(
    fc.asyncProperty(fc.oneof(anyCommand, anyExercise), async (command) => {
      const call = transact(ledger, change(command, { actAs: [owner] }));
      const taken = await call.then(
        () => true,
        () => false,
      );
      if (taken) return;
      const refusal = await refusalOf(call);
      expect(UNFIT).not.toContain(refusal.status);
    }),
    { numRuns: 150 },
  );
  const install = create(
    INSTALL,
    record({
      provider: party(owner),
      user: party(owner),
      meta: recordValue({ values: { sum: { $case: 'textMap', value: { entries: [] } } } }),
      numLicensesCreated: int64(2n ** 63n - 1n),
    }),
  );
  await transact(ledger, change(install, { actAs: [owner] }));
  const active = await activeContracts(ledger, eventsOf([owner], { blobs: true }));
  expect(active.length).toBeGreaterThan(0);
  const end = await ledgerEnd(ledger);
  for (const shape of [ACS_DELTA, LEDGER_EFFECTS]) {
    const updates = await between(ledger, begin, end, updatesOf(shape, [owner]));
    expect(updates.length).toBeGreaterThan(0);
  }
});

test('a value that nests too deep to be read is refused in words', async () => {
  let value = int64(0n);
  for (let level = 0; level < 600; level += 1) {
    value = { sum: { $case: 'optional', value: { value } } };
  }
  const deep = create(inSuites('Nested'), record({ party: party(owner), n: value }));
  const refusal = await refusalOf(transact(ledger, change(deep, { actAs: [owner] })));
  expect(refusal).toMatchObject({ status: 'INVALID_ARGUMENT', reason: 'INVALID_ARGUMENT' });
});

test('bytes that are no message are refused in words, in calls and in streams', async () => {
  const token = await network.tokens.of(USER_ADMIN);
  using caller = new RawCaller(network.localnet.urls.participants['app-user'].ledger, token);
  const methods = ledgerMethods();
  for (const name of ['CommandService/SubmitAndWait', 'UpdateService/GetUpdates']) {
    const method = methods.get(`com.daml.ledger.api.v2.${name}`)!;
    const { code, details } = await caller.call(method, Uint8Array.of(0x0a, 0xff));
    expect(code, details).toBe('INVALID_ARGUMENT');
  }
  await expect(ledgerEnd(ledger)).resolves.toBeTypeOf('bigint');
});
