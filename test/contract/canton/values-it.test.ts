import { describe, expect, test } from 'vitest';
import type { Command } from '../../../proto/gen/com/daml/ledger/api/v2/commands.ts';
import type {
  Identifier,
  Record as LfRecord,
  Value,
} from '../../../proto/gen/com/daml/ledger/api/v2/value.ts';
import { forFile } from '../../kit/for-file.ts';
import { change } from '../kit/commands.ts';
import { USER_ADMIN } from '../kit/identities.ts';
import { archive, create, exercise } from '../kit/licensing.ts';
import { openNetwork } from '../kit/network.ts';
import { refusalOf } from '../kit/refusal.ts';
import { transact } from '../kit/steps.ts';
import { createdIn } from '../kit/streams.ts';
import { inSuites, suitesPackage } from '../kit/suites-package.ts';
import { contractId, int64, party, record, recordValue, text, variant } from '../kit/values.ts';

/*
 * Cases of DeeplyNestedValueIT, ContractIdIT and WronglyTypedContractIdIT.
 */

const network = await forFile(openNetwork({ extraPackages: [suitesPackage] }));
const ledger = network.as(USER_ADMIN);
const owner = await network.party('owner', USER_ADMIN);

const HANDLER = inSuites('Handler');
const NESTED = inSuites('Nested');
const CONTRACT_REF = inSuites('ContractRef');
const DUMMY = inSuites('Dummy');

const submit = (...commands: readonly Command[]) =>
  transact(ledger, change(commands, { actAs: [owner] }));

async function newContract(templateId: Identifier, fields: LfRecord): Promise<string> {
  const [created] = createdIn(await submit(create(templateId, fields)));
  return created!.contractId;
}

const createAnd = (
  templateId: Identifier,
  createArguments: LfRecord,
  choice: string,
  choiceArgument: Value,
): Command => ({
  command: {
    $case: 'createAndExercise',
    value: { templateId, createArguments, choice, choiceArgument },
  },
});

/** Returns a natural number, encoded as a value whose depth is that number. */
function nat(i: number): Value {
  let value = variant('Z', { sum: { $case: 'unit', value: {} } });
  for (let depth = 0; depth < i; depth += 1) value = variant('S', value);
  return value;
}

describe('DeeplyNestedValueIT', () => {
  const PREPROCESSING = 'COMMAND_PREPROCESSING_FAILED';
  const nested = (i: number) => record({ party: party(owner), i: int64(BigInt(i)), n: nat(i) });
  const self = () => record({ party: party(owner) });
  const i = (of: number) => recordValue({ i: int64(BigInt(of)) });

  const routes: readonly (readonly [string, string, (nesting: number) => Promise<unknown>])[] = [
    ['CreateCommand', PREPROCESSING, (nesting) => submit(create(NESTED, nested(nesting - 2)))],
    [
      'ExerciseCommand',
      PREPROCESSING,
      async (nesting) =>
        submit(
          exercise(
            HANDLER,
            await newContract(HANDLER, self()),
            'Destruct',
            recordValue({ n: nat(nesting - 2) }),
          ),
        ),
    ],
    [
      'CreateArgumentInCreateAndExerciseCommand',
      PREPROCESSING,
      (nesting) => submit(createAnd(NESTED, nested(nesting - 2), 'Archive', recordValue({}))),
    ],
    [
      'ChoiceArgumentInCreateAndExerciseCommand',
      PREPROCESSING,
      (nesting) =>
        submit(createAnd(HANDLER, self(), 'Destruct', recordValue({ n: nat(nesting - 2) }))),
    ],
    [
      'ExerciseArgument',
      'VALUE_NESTING',
      (nesting) => submit(createAnd(HANDLER, self(), 'ConstructThenDestruct', i(nesting - 2))),
    ],
    [
      'ExerciseOutput',
      'VALUE_NESTING',
      (nesting) => submit(createAnd(HANDLER, self(), 'Construct', i(nesting - 1))),
    ],
    [
      'CreateArgument',
      'VALUE_NESTING',
      (nesting) => submit(createAnd(HANDLER, self(), 'Create', i(nesting - 2))),
    ],
  ];

  const cases = [46, 100, 101, 110, 200].flatMap((nesting) =>
    routes.map(([name, code, route]) => {
      const isTaken = nesting <= 100;
      const id = `${isTaken ? 'Accept' : 'Reject'}${name}${nesting}`;
      return [
        `DeeplyNestedValueIT ${id}: ${nesting} levels`,
        isTaken,
        code,
        nesting,
        route,
      ] as const;
    }),
  );

  test.each(cases)('%s', async (_title, isTaken, code, nesting, route) => {
    if (isTaken) {
      await route(nesting);
      return;
    }
    const refusal = await refusalOf(route(nesting));
    expect(refusal.reason, refusal.message).toBe(code);
    expect(refusal.metadata['definite_answer']).toBe('false');
  });
});

describe('ContractIdIT', () => {
  const bytes = (count: number) =>
    Array.from({ length: count }, (_, byte) => byte.toString(16).padStart(2, '0')).join('');
  const ids = [
    ['RejectNonSuffixedV1Cid', bytes(33), false],
    ['AcceptSuffixedV1Cid', bytes(49), true],
  ] as const;

  const ref = (cid: string) => record({ owner: party(owner), ref: contractId(cid) });
  const newRef = (cid: string) => recordValue({ newRef: contractId(cid) });
  const dummy = () => newContract(DUMMY, record({ operator: party(owner) }));

  const places: readonly (readonly [string, (example: string) => Promise<unknown>])[] = [
    ['CreatePayload', (example) => submit(create(CONTRACT_REF, ref(example)))],
    [
      'ExerciseTarget',
      async (example) => submit(exercise(CONTRACT_REF, example, 'Change', newRef(await dummy()))),
    ],
    [
      'ChoiceArgument',
      async (example) => {
        const target = await newContract(CONTRACT_REF, ref(await dummy()));
        return submit(exercise(CONTRACT_REF, target, 'Change', newRef(example)));
      },
    ],
    [
      'CreateAndExercisePayload',
      async (example) =>
        submit(createAnd(CONTRACT_REF, ref(example), 'Change', newRef(await dummy()))),
    ],
    [
      'CreateAndExerciseChoiceArgument',
      async (example) =>
        submit(createAnd(CONTRACT_REF, ref(await dummy()), 'Change', newRef(example))),
    ],
  ];

  const cases = ids.flatMap(([id, example, isTaken]) =>
    places.map(
      ([place, use]) => [`ContractIdIT ${id}${place}`, place, example, isTaken, use] as const,
    ),
  );

  test.each(cases)('%s', async (_title, place, example, isTaken, use) => {
    if (isTaken && place !== 'ExerciseTarget') {
      await use(example);
      return;
    }
    const refusal = await refusalOf(use(example));
    if (isTaken) {
      expect(refusal.reason).toBe('CONTRACT_NOT_FOUND');
      return;
    }
    expect(refusal).toMatchObject({
      status: 'INVALID_ARGUMENT',
      reason: 'COMMAND_PREPROCESSING_FAILED',
    });
    expect(refusal.message).toContain(
      `Illegal Contract ID "${example}", non-suffixed V1 Contract IDs are forbidden`,
    );
  });
});

describe('WronglyTypedContractIdIT', () => {
  const WITH_PARAM = inSuites('DummyWithParam');
  const wrongly = (cid: string) =>
    exercise(WITH_PARAM, cid, 'DummyChoice2', recordValue({ str: text('txt') }));
  const newDummy = () => newContract(DUMMY, record({ operator: party(owner) }));

  test('WronglyTypedContractIdIT WTExerciseFails: names the contract and both types', async () => {
    const cid = await newDummy();
    const refusal = await refusalOf(submit(wrongly(cid)));
    expect(refusal.reason).toBe('WRONGLY_TYPED_CONTRACT');
    expect(refusal.message).toContain('wrongly typed contract id');
    expect(refusal.resources.map(({ type }) => type)).toEqual([
      'CONTRACT_ID',
      'TEMPLATE_ID',
      'TEMPLATE_ID',
    ]);
    expect(refusal.resources.map(({ name }) => name.replace(/^[0-9a-f]{64}:/, ''))).toEqual([
      cid,
      'Suites:DummyWithParam',
      'Suites:Dummy',
    ]);
  });

  test('WronglyTypedContractIdIT WTMultipleExerciseFails: also after a right one', async () => {
    const cid = await newDummy();
    const clone = exercise(DUMMY, cid, 'DummyNonConsuming', recordValue({}));
    const refusal = await refusalOf(submit(clone, wrongly(cid)));
    expect(refusal.reason).toBe('WRONGLY_TYPED_CONTRACT');
    await submit(archive(DUMMY, cid));
  });
});

describe('a contract that forgets its bounds', () => {
  test('is refused before it commits anything, and everything is still read', async () => {
    const cid = await newContract(HANDLER, record({ party: party(owner) }));
    const overflow = exercise(HANDLER, cid, 'Overflow', recordValue({ i: int64(2n ** 63n - 1n) }));
    const refusal = await refusalOf(submit(overflow));
    expect(refusal.reason).toBe('DAML_INTERPRETATION_ERROR');
    await submit(archive(HANDLER, cid));
  });
});
