import { describe, expect, it } from 'vitest';
import type { Command } from '../../proto/gen/com/daml/ledger/api/v2/commands.ts';
import type { Transaction } from '../../proto/gen/com/daml/ledger/api/v2/transaction.ts';
import type { Record as LfRecord } from '../../proto/gen/com/daml/ledger/api/v2/value.ts';
import { forFile } from '../kit/for-file.ts';
import { change, ledgerEnd } from './kit/commands.ts';
import { ACS_DELTA, eventsOf, LEDGER_EFFECTS, transactions, updatesOf } from './kit/formats.ts';
import type { EventOptions } from './kit/formats.ts';
import { USER_ADMIN } from './kit/identities.ts';
import {
  accept,
  archive,
  create,
  createLicense,
  createLicenseContract,
  createRequest,
  INSTALL,
  LICENSE,
  REQUEST,
  requestArguments,
} from './kit/licensing.ts';
import { openSides } from './kit/network.ts';
import { refusalOf } from './kit/refusal.ts';
import { createdOf, newInstall, newRequest, transact } from './kit/steps.ts';
import { archivedIn, createdIn, exercisedIn, readAll, transactionsIn } from './kit/streams.ts';
import {
  int64,
  party,
  readRecord,
  readValue,
  record,
  recordValue,
  textMap,
  timestamp,
} from './kit/values.ts';

/*
 * The contents of a transaction and the parties that see them, modelled on the public conformance suites
 * TransactionServiceVisibilityIT, …StakeholdersIT, …OutputsIT, …ArgumentsIT, …ExerciseIT and …AuthorizationIT.
 */

const { network, ledger, sides, asUser, asProvider } = await forFile(openSides());

/** Returns the transaction at an offset as these parties see it; `undefined` if none of them sees it. */
async function seenBy(
  parties: readonly string[],
  { offset }: Pick<Transaction, 'offset'>,
  shape: typeof ACS_DELTA | typeof LEDGER_EFFECTS = ACS_DELTA,
  options: EventOptions = {},
): Promise<Transaction | undefined> {
  const responses = await readAll(
    ledger.updates.getUpdates({
      beginExclusive: offset - 1n,
      endInclusive: offset,
      updateFormat: updatesOf(shape, parties, options),
    }),
  );
  return transactionsIn(responses)[0];
}

describe('a create', () => {
  it('is seen by its signatories and observers and by nobody else', async () => {
    const outsider = await network.party('outsider', USER_ADMIN);
    const transaction = await transact(ledger, asUser(createRequest(sides)));
    for (const reader of [sides.user, sides.provider]) {
      const [created] = createdIn((await seenBy([reader], transaction))!);
      expect(created).toMatchObject({ signatories: [sides.user], observers: [sides.provider] });
    }
    expect(await seenBy([outsider], transaction)).toBeUndefined();
    expect(await seenBy([outsider], transaction, LEDGER_EFFECTS)).toBeUndefined();
  });

  it('names as witnesses only parties that were asked for', async () => {
    const transaction = await transact(ledger, asUser(createRequest(sides)));
    const outsider = await network.party('outsider', USER_ADMIN);
    const witnessesFor = async (...parties: string[]) =>
      createdIn((await seenBy(parties, transaction))!)[0]!.witnessParties.toSorted();
    expect(await witnessesFor(sides.user)).toEqual([sides.user]);
    expect(await witnessesFor(sides.provider)).toEqual([sides.provider]);
    expect(await witnessesFor(sides.user, sides.provider, outsider)).toEqual(
      [sides.user, sides.provider].toSorted(),
    );
  });

  it('lists nobody as signatory and observer both', async () => {
    const alone = { user: sides.user, provider: sides.user };
    const [created] = createdIn(await transact(ledger, asUser(createRequest(alone))));
    expect(created).toMatchObject({ signatories: [sides.user], observers: [] });
  });

  it('lists all signatories', async () => {
    const install = await newInstall(ledger, sides);
    expect(install.signatories.toSorted()).toEqual([sides.user, sides.provider].toSorted());
    expect(install.observers).toEqual([]);
  });

  it('says when it happened in ledger time', async () => {
    const transaction = await transact(ledger, asUser(createRequest(sides)));
    const [created] = createdIn(transaction);
    expect(created!.createdAt).toEqual(transaction.effectiveAt);
    const nowS = Date.now() / 1_000;
    expect(Math.abs(Number(transaction.effectiveAt!.seconds) - nowS)).toBeLessThan(60);
    expect(transaction.recordTime).toBeDefined();
  });

  it('gives a contract ID that can be used at once', async () => {
    const { contractId } = await newRequest(ledger, sides);
    const accepted = await transact(ledger, asProvider(accept(contractId)));
    const licensed = await transact(
      ledger,
      asProvider(createLicense(createdOf(accepted, INSTALL).contractId)),
    );
    expect(readRecord(createdOf(licensed, INSTALL).createArguments)).toMatchObject({
      numLicensesCreated: 1n,
    });
  });
});

describe('an exercise', () => {
  it('by the observer is seen by the signatory', async () => {
    const { contractId } = await newRequest(ledger, sides);
    const transaction = await transact(ledger, asProvider(accept(contractId)));
    const delta = (await seenBy([sides.user], transaction))!;
    expect(archivedIn(delta)).toMatchObject([{ contractId, witnessParties: [sides.user] }]);
    expect(createdOf(delta, INSTALL).witnessParties).toEqual([sides.user]);

    const effects = (await seenBy([sides.user], transaction, LEDGER_EFFECTS))!;
    expect(exercisedIn(effects)).toMatchObject([
      {
        contractId,
        choice: 'AppInstallRequest_Accept',
        actingParties: [sides.provider],
        witnessParties: [sides.user],
      },
    ]);
    expect(createdIn(effects)).toHaveLength(1);
  });

  it('gives its result as the contracts it created', async () => {
    const { contractId } = await newInstall(ledger, sides);
    const transaction = await transact(
      ledger,
      asProvider(createLicense(contractId)),
      transactions(LEDGER_EFFECTS, eventsOf([sides.provider])),
    );
    expect(readValue(exercisedIn(transaction)[0]!.exerciseResult)).toEqual({
      installId: createdOf(transaction, INSTALL).contractId,
      licenseId: createdOf(transaction, LICENSE).contractId,
    });
    expect(readRecord(createdOf(transaction, LICENSE).createArguments)).toMatchObject({
      licenseNum: 1n,
      expiresAt: microsOf(transaction.effectiveAt!),
    });
  });

  it('that archives takes the empty record and gives unit', async () => {
    const { contractId } = await newRequest(ledger, sides);
    const transaction = await transact(
      ledger,
      asUser(archive(REQUEST, contractId)),
      transactions(LEDGER_EFFECTS, eventsOf([sides.user])),
    );
    const [exercised] = exercisedIn(transaction);
    expect(exercised).toMatchObject({ choice: 'Archive', consuming: true });
    expect(exercised!.nodeId).toBe(exercised!.lastDescendantNodeId);
    expect(exercised!.choiceArgument?.sum).toMatchObject({
      $case: 'record',
      value: {
        recordId: { moduleName: 'DA.Internal.Template', entityName: 'Archive' },
        fields: [],
      },
    });
    expect(exercised!.exerciseResult?.sum).toEqual({ $case: 'unit', value: {} });
  });
});

const microsOf = ({ seconds, nanos }: { seconds: bigint; nanos: number }) =>
  seconds * 1_000_000n + BigInt(nanos / 1_000);

describe('a command ID', () => {
  it('is shown to its submitters only', async () => {
    const commands = asUser(createRequest(sides));
    const transaction = await transact(ledger, commands);
    expect((await seenBy([sides.user], transaction))!.commandId).toBe(commands.commandId);
    expect((await seenBy([sides.provider], transaction))!.commandId).toBe('');
    expect((await seenBy([sides.user, sides.provider], transaction))!.commandId).toBe(
      commands.commandId,
    );
  });

  it('is shown to each of several submitters', async () => {
    const commands = change(createRequest(sides), { actAs: [sides.user, sides.provider] });
    const transaction = await transact(ledger, commands);
    for (const reader of [sides.user, sides.provider]) {
      expect((await seenBy([reader], transaction))!.commandId).toBe(commands.commandId);
    }
  });
});

describe('verbosity', () => {
  const labelsOf = (source: LfRecord | undefined): string[] =>
    (source?.fields ?? []).flatMap(({ label, value }) => [
      label,
      ...(value?.sum?.$case === 'record' ? labelsOf(value.sum.value) : []),
    ]);

  it('adds labels and record IDs, to creates, arguments and results', async () => {
    const { contractId } = await newInstall(ledger, sides);
    const transaction = await transact(ledger, asProvider(createLicense(contractId)));
    const read = async (verbose: boolean) =>
      (await seenBy([sides.provider], transaction, LEDGER_EFFECTS, { verbose }))!;

    const full = await read(true);
    const license = createdOf(full, LICENSE).createArguments;
    expect(labelsOf(license)).toEqual([
      'provider',
      'user',
      'expiresAt',
      'licenseNum',
      'params',
      'meta',
      'values',
    ]);
    expect(license!.recordId).toMatchObject({
      moduleName: 'Licensing.License',
      entityName: 'License',
    });
    const [exercised] = exercisedIn(full);
    expect(readValue(exercised!.exerciseResult)).toHaveProperty('licenseId');
    expect(readValue(exercised!.choiceArgument)).toHaveProperty('params');

    const terse = await read(false);
    const bare = createdOf(terse, LICENSE).createArguments;
    expect(new Set(labelsOf(bare))).toEqual(new Set(['']));
    expect(bare!.recordId).toBeUndefined();
    expect(readRecord(bare)).toEqual(
      Object.values(readRecord(license) as object).map((value) =>
        typeof value === 'object' && value !== null ? [[value.meta.values]] : value,
      ),
    );
    const [silent] = exercisedIn(terse);
    expect(readValue(silent!.exerciseResult)).toEqual(
      Object.values(readValue(exercised!.exerciseResult) as object),
    );
  });

  it('keeps the order of the declaration', async () => {
    const reversed = { recordId: undefined, fields: requestArguments(sides).fields.toReversed() };
    const transaction = await transact(ledger, asUser(create(REQUEST, reversed)));
    expect(Object.keys(readRecord(createdIn(transaction)[0]!.createArguments) as object)).toEqual([
      'provider',
      'user',
      'meta',
    ]);
  });
});

describe('values', () => {
  const stored = async (entries: Readonly<Record<string, string>>) => {
    const created = await newRequest(ledger, sides, entries);
    const { meta } = readRecord(created.createArguments) as { meta: { values: unknown } };
    return meta.values;
  };

  it('of type text come back as they went in', async () => {
    const entries = {
      '': 'empty key',
      empty: '',
      ключ: 'значение',
      emoji: '🗝️ 👩‍💻',
      controls: 'tab\tnewline\nquote"backslash\\',
      long: 'x'.repeat(100_000),
    };
    expect(await stored(entries)).toEqual(entries);
  });

  it('of a text map come back complete, in the order of their keys', async () => {
    const keys = Array.from({ length: 10_000 }, (_, index) => `key-${index}`);
    const values = await stored(Object.fromEntries(keys.map((key) => [key, `value of ${key}`])));
    expect(Object.keys(values as object)).toEqual(keys.toSorted());
    expect(values).toMatchObject({ 'key-0': 'value of key-0', 'key-9999': 'value of key-9999' });
  });

  const MIN_INT64 = -(2n ** 63n);
  const MAX_INT64 = 2n ** 63n - 1n;
  /** Daml's first and last time: 0001-01-01T00:00:00Z and 9999-12-31T23:59:59.999999Z. */
  const MIN_TIME = -62_135_596_800_000_000n;
  const MAX_TIME = 253_402_300_799_999_999n;

  const both = (command: Command) => change(command, { actAs: [sides.user, sides.provider] });

  it.each([
    [MIN_INT64, MIN_TIME],
    [MAX_INT64, MAX_TIME],
    [0n, 0n],
    [-1n, 1n],
    [9_007_199_254_740_993n, 1_700_000_000_123_456n],
  ])('of types int64 and timestamp come back exactly: %s, %s', async (licenseNum, expiresAt) => {
    const commands = both(createLicenseContract(sides, licenseNum, expiresAt));
    const created = createdOf(await transact(ledger, commands), LICENSE);
    expect(readRecord(created.createArguments)).toMatchObject({ licenseNum, expiresAt });
  });

  it.each([MIN_TIME - 1n, MAX_TIME + 1n])('of type timestamp have no %s', async (expiresAt) => {
    const commands = both(createLicenseContract(sides, 1n, expiresAt));
    expect((await refusalOf(transact(ledger, commands))).status).toBe('INVALID_ARGUMENT');
  });

  it('of type text have no NUL', async () => {
    const commands = asUser(createRequest(sides, { nul: 'a\0b' }));
    expect((await refusalOf(transact(ledger, commands))).status).toBe('INVALID_ARGUMENT');
  });

  it('of a text map have each key once', async () => {
    const twice = textMap({ key: 'first' });
    const entries = twice.sum?.$case === 'textMap' ? twice.sum.value.entries : [];
    const commands = asUser(
      create(
        REQUEST,
        record({
          provider: party(sides.provider),
          user: party(sides.user),
          meta: recordValue({
            values: { sum: { $case: 'textMap', value: { entries: [...entries, ...entries] } } },
          }),
        }),
      ),
    );
    expect((await refusalOf(transact(ledger, commands))).status).toBe('INVALID_ARGUMENT');
  });

  it('are not converted: an int64 is no timestamp', async () => {
    const argument = record({
      provider: party(sides.provider),
      user: party(sides.user),
      expiresAt: int64(0n),
      licenseNum: timestamp(0n),
      params: recordValue({ meta: recordValue({ values: textMap({}) }) }),
    });
    expect((await refusalOf(transact(ledger, both(create(LICENSE, argument))))).reason).toBe(
      'COMMAND_PREPROCESSING_FAILED',
    );
  });
});

describe('an offset', () => {
  it('rises with every transaction and is never used twice', async () => {
    const begin = await ledgerEnd(ledger);
    const all = await Promise.all(
      Array.from({ length: 10 }, () => transact(ledger, asUser(createRequest(sides)))),
    );
    const offsets = all.map(({ offset }) => offset);
    expect(new Set(offsets).size).toBe(10);
    expect(offsets.every((offset) => offset > begin)).toBe(true);
    const highest = offsets.toSorted((a, b) => Number(b - a))[0]!;
    expect(await ledgerEnd(ledger)).toBeGreaterThanOrEqual(highest);
  });
});
