import { describe, expect, test } from 'vitest';
import * as lf from '../../localnet/lf/build/code.ts';
import { block, call, int64, pure, variable } from '../../localnet/lf/build/code.ts';
import type { Code } from '../../localnet/lf/build/code.ts';
import { lfPackage } from '../../localnet/lf/build/package.ts';
import type { DataSource, TemplateSource } from '../../localnet/lf/build/package.ts';
import * as types from '../../localnet/lf/build/types.ts';
import { con } from '../../localnet/lf/build/types.ts';
import { forFile } from '../kit/for-file.ts';
import { change } from './kit/commands.ts';
import { darOf } from './kit/dar.ts';
import { http } from './kit/http.ts';
import { PROVIDER_ADMIN, USER_ADMIN } from './kit/identities.ts';
import { create, exercise } from './kit/licensing.ts';
import { openNetwork } from './kit/network.ts';
import { refusalOf } from './kit/refusal.ts';
import { createdOf, newRequest, transact } from './kit/steps.ts';
import { none, party as lfParty, record, recordValue } from './kit/values.ts';

/*
 * Contracts that loop or allocate without end, submitted over gRPC: the participant refuses each of them within limits
 * of time and memory, and other submissions succeed.
 */

/**
 * The maximum processor time of one submission: 5 s, which is the meter's limit, and the time that a slow machine needs
 * for everything else.
 */
const PROCESSOR_MS_MAX = 10_000;
/** The maximum memory: 1 GB, which is the meter's limit, and the memory that the process needs for everything else. */
const MEMORY_BYTES_MAX = 1_600_000_000;

const Trap = con('Main:Trap');
const here = variable('this');
const owner = lf.project(Trap, 'owner', here);
const x = variable('x');
const again = (name: string, of: Code) => lf.apply(lf.value(con(`Main:${name}`)), of);
const made = lf.create(Trap, lf.record(Trap, { owner: x }));

/** Functions that recurse without end. */
const ENDLESS: Readonly<Record<string, Code>> = {
  loop: again('loop', x),
  recurse: call('ADD_INT64', int64(1n), again('recurse', x)),
  grow: again('grow', lf.cons([int64(1n)], x)),
  double: again('double', call('APPEND_TEXT', x, x)),
  createAll: block({ made }, again('createAll', x)),
  traceAll: again('traceAll', call('TRACE', lf.text('again'), x)),
  fetchAll: block({ fetched: lf.fetch(Trap, x) }, again('fetchAll', x)),
};
/** Returns an update that first evaluates a call of the function. */
const after = (name: string, of: Code) => lf.letIn({ found: again(name, of) }, pure(lf.unitValue));

const UPDATES: Readonly<Record<string, Code>> = {
  // The contract code cannot catch the error of an exceeded limit as an exception.
  Loop: lf.located(lf.tryCatch(after('loop', int64(1n)), 'e', lf.some(pure(lf.unitValue))), 6),
  Recurse: after('recurse', int64(1n)),
  Grow: after('grow', lf.nil),
  Double: after('double', lf.text('ab')),
  CreateAll: again('createAll', owner),
  TraceAll: after('traceAll', int64(1n)),
  FetchAll: again('fetchAll', variable('self')),
  Nest: lf.exercise(Trap, 'Nest', variable('self'), lf.record(con('Main:Nest'), {})),
};

const trap: TemplateSource = {
  fields: { owner: types.party },
  signatories: lf.cons([owner]),
  observers: lf.nil,
  choices: Object.fromEntries(
    Object.entries(UPDATES).map(([name, update]) => [
      name,
      {
        result: types.unit,
        isConsuming: false,
        controllers: lf.cons([owner]),
        observers: lf.nil,
        update,
      },
    ]),
  ),
};
const traps = lfPackage({
  name: 'traps',
  version: '1.0.0',
  modules: {
    Main: {
      templates: { Trap: trap },
      definitions: Object.fromEntries(
        Object.entries(ENDLESS).map(([name, body]) => [
          name,
          { type: types.unit, body: lf.lambda(['x'], body) },
        ]),
      ),
    },
  },
});

const told: Readonly<Record<string, unknown>>[] = [];
const network = await forFile(openNetwork({ log: (line) => void told.push(line) }));
const sides = await network.sides();
const user = network.as(USER_ADMIN);
const upload = (made: ReturnType<typeof lfPackage>) =>
  user.packageAdmin.uploadDarFile({ darFile: darOf([made]) });
const named = (packageId: string, entityName: string) => ({
  packageId,
  moduleName: 'Main',
  entityName,
});
const submit = (command: Parameters<typeof change>[0]) =>
  transact(user, change(command, { actAs: [sides.user] }));

const used = () => {
  const { user: inCode, system } = process.threadCpuUsage();
  return { ms: (inCode + system) / 1000, bytes: process.resourceUsage().maxRSS * 1024 };
};

/** Returns the answer. Fails if time or memory exceed their limits before it arrives. */
async function withinBounds<T>(act: () => Promise<T>): Promise<T> {
  const before = used();
  const answer = await act();
  const after = used();
  expect(after.ms - before.ms).toBeLessThan(PROCESSOR_MS_MAX);
  expect(after.bytes - before.bytes).toBeLessThan(MEMORY_BYTES_MAX);
  return answer;
}

describe('a choice without end is refused, and others continue:', async () => {
  await upload(traps);
  const Type = named(traps.id, 'Trap');
  const { contractId } = createdOf(
    await submit(create(Type, record({ owner: lfParty(sides.user) }))),
    Type,
  );
  const others = await network.party('other', PROVIDER_ADMIN);

  test.each([
    ['Loop', 'INTERPRETATION_TIME_EXCEEDED'],
    ['Recurse', 'INTERPRETATION_TIME_EXCEEDED'],
    ['Grow', 'INTERPRETATION_TIME_EXCEEDED'],
    ['Double', 'DAML_INTERPRETATION_ERROR'],
    ['CreateAll', 'INTERPRETATION_TIME_EXCEEDED'],
    ['TraceAll', 'INTERPRETATION_TIME_EXCEEDED'],
    ['FetchAll', 'INTERPRETATION_TIME_EXCEEDED'],
    ['Nest', 'DAML_INTERPRETATION_ERROR'],
  ])('%s', async (choice, code) => {
    const [refusal, beside] = await withinBounds(() =>
      Promise.all([
        refusalOf(submit(exercise(Type, contractId, choice, recordValue({})))),
        newRequest(network.as(PROVIDER_ADMIN), { user: others, provider: others }),
      ]),
    );
    expect([refusal.reason, beside.contractId]).toEqual([code, expect.stringMatching(/^00/)]);
    expect((await newRequest(user, sides)).contractId).toMatch(/^00/);
  });
});

test('messages of contracts are in the log, and a submission has a bounded number of them', () => {
  const messages = told.filter(({ surface, places }) => surface === 'contracts' && !places);
  expect(messages[0]).toEqual({ surface: 'contracts', level: 'debug', message: 'again' });
  expect(messages.length).toBeLessThanOrEqual(2_000);
});

test('the log has the error of a failed submission, with the places of its code', () => {
  const line = told.find(({ places }) => places);
  expect(line).toEqual({
    surface: 'contracts',
    level: 'debug',
    message: expect.stringMatching(/^INTERPRETATION_TIME_EXCEEDED: /u) as string,
    places: ['at Trap.Loop (Main:7)'],
  });
});

test('a template of a type with more parts than there are atoms is created, read and described', async () => {
  const LEVELS = 200;
  const level = (at: number): readonly [string, DataSource] => {
    const below = at + 1 === LEVELS ? types.int64 : con(`Main:L${at + 1}`);
    return [`L${at}`, { record: { left: below, right: below } }];
  };
  const Wide = con('Main:Wide');
  const wide = lfPackage({
    name: 'wide',
    version: '1.0.0',
    modules: {
      Main: {
        data: Object.fromEntries(Array.from({ length: LEVELS }, (_, at) => level(at))),
        templates: {
          Wide: {
            fields: { owner: types.party, parts: types.optional(con('Main:L0')) },
            signatories: lf.cons([lf.project(Wide, 'owner', here)]),
            observers: lf.nil,
          },
        },
      },
    },
  });
  const Type = named(wide.id, 'Wide');
  const fields = record({ owner: lfParty(sides.user), parts: none });
  const [created, refusal, described] = await withinBounds(async () => {
    await upload(wide);
    const partly = record({ owner: lfParty(sides.user), parts: recordValue({}) });
    return [
      createdOf(await submit(create(Type, fields)), Type),
      await refusalOf(submit(create(Type, partly))),
      await http(network, `${network.localnet.urls.network}/control/packages/wide`),
    ] as const;
  });
  // A participant omits empty fields at the end of a record.
  expect(created.createArguments?.fields.map(({ label }) => label)).toEqual(['owner']);
  expect(refusal.reason).toBe('COMMAND_PREPROCESSING_FAILED');
  expect(described.status).toBe(200);
});
