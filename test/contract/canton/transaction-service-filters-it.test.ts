import { describe, expect, test } from 'vitest';
import type { CreatedEvent } from '../../../proto/gen/com/daml/ledger/api/v2/event.ts';
import type { EventFormat } from '../../../proto/gen/com/daml/ledger/api/v2/transaction_filter.ts';
import { ledgerEnd } from '../kit/commands.ts';
import { ACS_DELTA, LEDGER_EFFECTS } from '../kit/formats.ts';
import { archive, exercise } from '../kit/licensing.ts';
import { activeContracts } from '../kit/steps.ts';
import { exercisedIn } from '../kit/streams.ts';
import { inSuites } from '../kit/suites-package.ts';
import { party as partyValue, recordValue, text } from '../kit/values.ts';
import {
  I2,
  asking,
  created,
  entityOf,
  iface,
  named,
  openViews,
  template,
  viewsOf,
  wildcard,
} from '../kit/views.ts';

/* Modelled on the public conformance suite TransactionServiceFiltersIT. */

const { ledger, party, seen, by, createOne, numbered, ofTwo } = await openViews();

describe('TransactionServiceFiltersIT', () => {
  const templates = (hasBlob: boolean) =>
    ['T3', 'T5'].map((entity) => template({ id: named(entity), hasBlob }));

  /** Creates `T5`, `T6`, `T3` and `T4`, in this order. */
  async function mixed(who: string) {
    const begin = await ledgerEnd(ledger);
    const ids = [
      await numbered(who, 'T5', 1n),
      await ofTwo(who, who),
      await numbered(who, 'T3', 2n),
      await numbered(who, 'T4', 4n),
    ];
    return { begin, ids };
  }

  /** Returns the events that each kind of request yields: transactions in both shapes, and active contracts. */
  async function waysOf(format: EventFormat, begin: bigint): Promise<CreatedEvent[][]> {
    const active = await activeContracts(ledger, format);
    return [
      created(await seen(format, begin)),
      created(await seen(format, begin, LEDGER_EFFECTS)),
      active.map(({ createdEvent }) => createdEvent!),
    ];
  }

  for (const [id, templatesHaveBlob, interfacesHaveBlob] of [
    ['TSFInterfaceTemplatePlainFilters', false, false],
    ['TSFInterfaceTemplateFiltersWithEventBlobs', true, false],
    ['TSFInterfaceWithEventBlobsTemplatePlainFilters', false, true],
    ['TSFInterfaceWithEventBlobsTemplateFiltersWithEventBlobs', true, true],
  ] as const) {
    test(`TransactionServiceFiltersIT ${id}: filters add up, whoever's they are`, async () => {
      const who = await party();
      const { begin, ids } = await mixed(who);
      const others = new Set(
        (await waysOf(asking([[undefined, [wildcard()]]]), 0n))[2]!.flatMap(({ contractId }) =>
          ids.includes(contractId) ? [] : [contractId],
        ),
      );
      const byTemplates = templates(templatesHaveBlob);
      const byInterface = [iface({ id: I2, hasBlob: interfacesHaveBlob })];
      for (const format of [
        asking([
          [who, byTemplates],
          [who, byInterface],
        ]),
        asking([
          [undefined, byTemplates],
          [undefined, byInterface],
        ]),
        asking([
          [who, byTemplates],
          [undefined, byInterface],
        ]),
        asking([
          [undefined, byTemplates],
          [who, byInterface],
        ]),
      ]) {
        for (const all of await waysOf(format, begin)) {
          // Filters for any party also match active contracts of other cases, so those are left out.
          const events = all.filter(({ contractId }) => !others.has(contractId));
          expect(events.map(({ contractId }) => contractId)).toEqual(ids.slice(0, 3));
          expect(events.map((event) => viewsOf(event).length)).toEqual([1, 1, 0]);
          expect(events.every(({ createArguments }) => createArguments !== undefined)).toBe(true);
          expect(events.map(({ createdEventBlob }) => createdEventBlob.length > 0)).toEqual([
            templatesHaveBlob || interfacesHaveBlob,
            interfacesHaveBlob,
            templatesHaveBlob,
          ]);
        }
      }
    });
  }

  test('TransactionServiceFiltersIT TSFTemplateWildcardFiltersWithEventBlobs: everything comes with its blob', async () => {
    const who = await party();
    const { begin, ids } = await mixed(who);
    for (const events of await waysOf(asking([[who, [wildcard(true)]]]), begin)) {
      expect(events.map(({ contractId }) => contractId)).toEqual(ids);
      expect(events.every(({ createdEventBlob }) => createdEventBlob.length > 0)).toBe(true);
    }
  });

  test('TransactionServiceFiltersIT TSFExercisedTemplateFilters: exercises are filtered by template', async () => {
    const [one, two] = [await party(), await party()];
    const begin = await ledgerEnd(ledger);
    const [DUMMY, WITH_PARAM] = [inSuites('Dummy'), inSuites('DummyWithParam')];
    const dummyOf = (who: string) => createOne(who, DUMMY, { operator: partyValue(who) });
    const [first, second] = [await dummyOf(one), await dummyOf(two)];
    const withParam = await createOne(one, WITH_PARAM, { operator: partyValue(one) });
    await by(one, exercise(DUMMY, first, 'DummyNonConsuming', recordValue({})));
    await by(two, exercise(DUMMY, second, 'DummyNonConsuming', recordValue({})));
    await by(one, exercise(WITH_PARAM, withParam, 'DummyChoice2', recordValue({ str: text('') })));
    await by(one, archive(DUMMY, first));
    await by(two, archive(DUMMY, second));
    for (const [who, count] of [
      [one, 2],
      [undefined, 4],
    ] as const) {
      const format = asking([[who, [template({ id: DUMMY })]]]);
      const exercised = (await seen(format, begin, LEDGER_EFFECTS)).flatMap(exercisedIn);
      expect(exercised.map(entityOf)).toEqual(Array.from({ length: count }, () => 'Dummy'));
    }
  });

  for (const [id, shape] of [
    ['TransactionAcsDeltaWildcardFilters', ACS_DELTA],
    ['TransactionLedgerEffectsWildcardFilters', LEDGER_EFFECTS],
  ] as const) {
    test(`TransactionServiceFiltersIT ${id}: creations have their arguments`, async () => {
      const who = await party();
      const { begin } = await mixed(who);
      for (const asker of [who, undefined]) {
        const events = created(await seen(asking([[asker, [wildcard()]]]), begin, shape));
        expect(events).toHaveLength(4);
        expect(events.every(({ createArguments }) => createArguments !== undefined)).toBe(true);
      }
    });
  }
});
