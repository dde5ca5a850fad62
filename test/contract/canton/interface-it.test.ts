import { describe, expect, test } from 'vitest';
import type { CreatedEvent } from '../../../proto/gen/com/daml/ledger/api/v2/event.ts';
import type { Transaction } from '../../../proto/gen/com/daml/ledger/api/v2/transaction.ts';
import { ledgerEnd } from '../kit/commands.ts';
import { expectRefused } from '../kit/conformance.ts';
import { LEDGER_EFFECTS } from '../kit/formats.ts';
import { archive, exercise } from '../kit/licensing.ts';
import { activeContracts } from '../kit/steps.ts';
import { archivedIn, exercisedIn } from '../kit/streams.ts';
import { party as partyValue, readRecord, readValue, recordValue } from '../kit/values.ts';
import {
  I,
  I2,
  asking,
  created,
  entityOf,
  iface,
  named,
  openViews,
  template,
  viewsOf,
} from '../kit/views.ts';
import { inViews } from '../kit/views-package.ts';

/* Modelled on the public conformance suites InterfaceSubscriptionsIT and InterfaceIT. */

const { ledger, party, seen, by, createOne, numbered, ofTwo, four } = await openViews();

/**
 * Checks what is returned for the first three contracts of `four`: all have their arguments; two have their views, and
 * the view of one fails.
 */
function expectViews(events: readonly CreatedEvent[], ids: readonly string[], who: string): void {
  expect(events.map(({ contractId }) => contractId)).toEqual(ids.slice(0, 3));
  expect(events.map(viewsOf)).toEqual([
    [[0, 'I', { owner: who, a: 1n, b: true }]],
    [[0, 'I', { owner: who, a: 2n, b: false }]],
    [[9, 'I', undefined]],
  ]);
  expect(events.map(({ createArguments }) => readRecord(createArguments))).toEqual([
    { p: who, a: 1n },
    { p: who, a: 2n },
    { p: who, a: 3n },
  ]);
}

describe('InterfaceSubscriptionsIT', () => {
  const byTemplateAndInterface = (who: string, hasView = true) =>
    asking([[who, [template({ id: named('T1') }), iface({ id: I, hasView })]]]);

  test('InterfaceSubscriptionsIT ISTransactionsBasic: views come, and a view that fails says so', async () => {
    const who = await party();
    const { begin, ids, archiveAll } = await four(who);
    await archiveAll();
    const all = await seen(byTemplateAndInterface(who), begin);
    expectViews(created(all), ids, who);
    const implemented = (of: readonly Transaction[]) =>
      of.flatMap(archivedIn).map((it) => it.implementedInterfaces.map((id) => id.entityName));
    expect(implemented(all)).toEqual([['I'], ['I'], ['I']]);
    const without = await seen(byTemplateAndInterface(who, false), begin);
    expect(created(without).map(viewsOf)).toEqual([[], [], []]);
    expect(implemented(without)).toEqual([[], [], []]);
  });

  test('InterfaceSubscriptionsIT ISTransactionLedgerEffectsBasic: exercises name the interfaces too', async () => {
    const who = await party();
    const { begin, ids, archiveAll } = await four(who);
    await by(who, exercise(named('T2'), ids[1]!, 'ChoiceT2', recordValue({})));
    await by(who, exercise(I, ids[1]!, 'ChoiceI', recordValue({})));
    await archiveAll();
    const all = await seen(byTemplateAndInterface(who), begin, LEDGER_EFFECTS);
    expectViews(created(all), ids, who);
    const implemented = (of: readonly Transaction[]) =>
      of.flatMap(exercisedIn).map((it) => it.implementedInterfaces.map((id) => id.entityName));
    expect(implemented(all)).toEqual([['I'], ['I'], ['I'], ['I'], ['I']]);
    const without = await seen(byTemplateAndInterface(who, false), begin, LEDGER_EFFECTS);
    expect(created(without).map(viewsOf)).toEqual([[], [], []]);
    expect(implemented(without)).toEqual([[], [], [], [], []]);
  });

  test('InterfaceSubscriptionsIT ISAcsBasic: so do active contracts', async () => {
    const who = await party();
    const { ids } = await four(who);
    const active = await activeContracts(ledger, byTemplateAndInterface(who));
    expectViews(
      active.map(({ createdEvent }) => createdEvent!),
      ids,
      who,
    );
  });

  test('InterfaceSubscriptionsIT ISMultipleWitness: each party gets the views that it asks for', async () => {
    const [one, two] = [await party(), await party()];
    const begin = await ledgerEnd(ledger);
    const id = await ofTwo(one, two);
    const merged = created(
      await seen(
        asking(
          [
            [one, [iface({ id: I })]],
            [two, [iface({ id: I2 })]],
          ],
          false,
        ),
        begin,
      ),
    );
    expect(merged.map(({ contractId }) => contractId)).toEqual([id]);
    // Without labels, the values are in the order of the record's fields.
    expect(viewsOf(merged[0]!)).toEqual([
      [0, 'I', [one, 6n, true]],
      [0, 'I2', [7n]],
    ]);
    const [alone] = created(await seen(asking([[one, [iface({ id: I })]]]), begin));
    expect(viewsOf(alone!)).toEqual([[0, 'I', { owner: one, a: 6n, b: true }]]);
  });

  test('InterfaceSubscriptionsIT ISMultipleViews: one event has the views of two interfaces', async () => {
    const who = await party();
    const begin = await ledgerEnd(ledger);
    const id = await numbered(who, 'T5', 31_337n);
    await by(who, archive(named('T5'), id));
    const all = await seen(asking([[who, [iface({ id: I }), iface({ id: I2 })]]]), begin);
    expect(all).toHaveLength(2);
    expect(viewsOf(created(all)[0]!)).toEqual([
      [0, 'I', { owner: who, a: 31_337n, b: true }],
      [0, 'I2', { c: 1n }],
    ]);
    const [archived] = archivedIn(all[1]!);
    expect(archived!.implementedInterfaces.map((it) => it.entityName).toSorted()).toEqual([
      'I',
      'I2',
    ]);
  });

  test('InterfaceSubscriptionsIT ISTransactionsIrrelevantTransactions: an interface that nothing has', async () => {
    const who = await party();
    const begin = await ledgerEnd(ledger);
    await numbered(who, 'T4', 4n);
    expect(await seen(asking([[who, [iface({ id: named('INoTemplate') })]]]), begin)).toEqual([]);
  });

  test('InterfaceSubscriptionsIT ISTransactionsDuplicateInterfaceFilters: a view is wanted if one filter wants it', async () => {
    const who = await party();
    const { begin, ids } = await four(who);
    const twice = [
      template({ id: named('T1') }),
      iface({ id: I, hasView: false }),
      iface({ id: I, hasView: true }),
    ];
    const events = created(await seen(asking([[who, twice]], false), begin));
    expect(events.map(({ contractId }) => contractId)).toEqual(ids.slice(0, 3));
    // The stream is not verbose, so there are no labels.
    expect(viewsOf(events[1]!)).toEqual([[0, 'I', [who, 2n, false]]]);
  });

  test('InterfaceSubscriptionsIT ISTransactionsDuplicateTemplateFilters: a template may be named twice', async () => {
    const who = await party();
    const { begin, ids } = await four(who);
    const T1 = template({ id: named('T1') });
    const events = created(await seen(asking([[who, [T1, T1, iface({ id: I })]]]), begin));
    expectViews(events, ids, who);
  });

  test('InterfaceSubscriptionsIT ISTransactionsNoIncludedView: arguments come without a view', async () => {
    const who = await party();
    const { begin, ids } = await four(who);
    const events = created(await seen(byTemplateAndInterface(who, false), begin));
    expect(events.map(({ contractId }) => contractId)).toEqual(ids.slice(0, 3));
    expect(events.flatMap(viewsOf)).toEqual([]);
    expect(events.map(({ createArguments }) => readRecord(createArguments))).toHaveLength(3);
    expect(entityOf(events[0]!)).toBe('T1');
  });

  test('InterfaceSubscriptionsIT ISTransactionsEquivalentFilters: an interface is all of its templates', async () => {
    const who = await party();
    const { begin } = await four(who);
    const templates = ['T1', 'T2', 'T3'].map((entity) => template({ id: named(entity) }));
    const byInterface = await seen(asking([[who, [iface({ id: I })]]]), begin);
    const byTemplates = await seen(asking([[who, templates]]), begin);
    const byBoth = await seen(asking([[who, [...templates, iface({ id: I })]]]), begin);
    const ids = (all: readonly Transaction[]) => all.map(({ updateId }) => updateId);
    expect(byInterface).toHaveLength(3);
    expect(ids(byInterface)).toEqual(ids(byTemplates));
    const plain = (all: readonly Transaction[]) =>
      created(all).map((event) => ({ ...event, interfaceViews: [] }));
    expect(plain(byTemplates)).toEqual(plain(byBoth));
    expect(created(byInterface).map(viewsOf)).toEqual(created(byBoth).map(viewsOf));
  });

  test('InterfaceSubscriptionsIT ISTransactionsUnknownTemplateOrInterface: what does not exist is refused', async () => {
    const who = await party();
    const [nothing, nowhere] = [named('TemplateDoesNotExist'), named('InterfaceDoesNotExist')];
    await expectRefused(
      seen(asking([[who, [template({ id: nothing })]]]), 0n),
      'NO_TEMPLATES_FOR_PACKAGE_NAME_AND_QUALIFIED_NAME',
      'TemplateDoesNotExist',
    );
    await expectRefused(
      seen(asking([[who, [iface({ id: nowhere })]]]), 0n),
      'NO_INTERFACE_FOR_PACKAGE_NAME_AND_QUALIFIED_NAME',
      'InterfaceDoesNotExist',
    );
  });

  test('InterfaceSubscriptionsIT ISTransactionsMultipleParties: two parties see one contract alike', async () => {
    const [one, two] = [await party(), await party()];
    const begin = await ledgerEnd(ledger);
    await ofTwo(one, two);
    const of = async (who: string, hasView: boolean, strips: boolean) =>
      created(await seen(asking([[who, [iface({ id: I, hasView })]]]), begin)).map((event) => ({
        ...event,
        witnessParties: [],
        ...(strips ? { interfaceViews: [] } : {}),
      }));
    expect(await of(one, true, false)).toHaveLength(1);
    expect(await of(one, true, false)).toEqual(await of(two, true, false));
    expect(await of(one, false, false)).toEqual(await of(two, false, false));
    expect(await of(one, true, true)).toEqual(await of(two, false, false));
  });
});

describe('InterfaceIT', () => {
  const T = inViews('Interface')('T');
  const [FIRST, SECOND] = [inViews('Interface1')('I'), inViews('Interface2')('I')];
  const made = async () => {
    const owner = await party();
    return { owner, id: await createOne(owner, T, { owner: partyValue(owner) }) };
  };

  test.each([
    ['ExerciseTemplateSuccess', T, undefined, 'Interface.T'],
    ['ExerciseInterfaceSuccess', FIRST, 'Interface1', 'Interface1.I'],
  ])(
    'InterfaceIT %s: the choice is of whom the command names',
    async (_id, target, module, result) => {
      const { owner, id } = await made();
      const transaction = await by(owner, exercise(target, id, 'MyArchive', recordValue({})));
      const exercised = exercisedIn(transaction);
      expect(exercised).toHaveLength(1);
      expect(exercised[0]!.interfaceId?.moduleName).toBe(module);
      expect(readValue(exercised[0]!.exerciseResult)).toBe(result);
    },
  );

  test.each([
    ['ExerciseInterfaceByTemplateFail', T],
    ['ExerciseInterfaceByRequiringFail', SECOND],
  ])('InterfaceIT %s: nobody has the choice of another interface', async (_id, target) => {
    const { owner, id } = await made();
    const { metadata } = await expectRefused(
      by(owner, exercise(target, id, 'ChoiceI1', recordValue({}))),
      'COMMAND_PREPROCESSING_FAILED',
      'unknown choice ChoiceI1',
    );
    expect(metadata['definite_answer']).toBe('false');
  });
});
