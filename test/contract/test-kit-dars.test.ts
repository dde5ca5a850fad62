import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startLocalnet } from '../../kit/index.ts';
import type { Localnet } from '../../kit/index.ts';
import * as code from '../../localnet/lf/build/code.ts';
import { lfPackage } from '../../localnet/lf/build/package.ts';
import * as types from '../../localnet/lf/build/types.ts';
import { con } from '../../localnet/lf/build/types.ts';
import { darOf } from './kit/dar.ts';
import { JsonLedger } from './kit/json-ledger.ts';

/* The package `tenure-localnet` with a DAR of its user. */

const PARTIES = { alice: 'app-user', bank: 'app-provider' } as const;
const Counter = con('Main:Counter');
const field = (name: string) => code.project(Counter, name, code.variable('this'));
const counted = code.call('ADD_INT64', field('count'), code.variable('by'));
const counter = lfPackage({
  name: 'counter',
  version: '1.0.0',
  modules: {
    Main: {
      templates: {
        Counter: {
          fields: { owner: types.party, count: types.int64 },
          signatories: code.cons([field('owner')]),
          observers: code.nil,
          choices: {
            Raise: {
              fields: { by: types.int64 },
              result: types.contractId(Counter),
              controllers: code.cons([field('owner')]),
              observers: code.nil,
              update: code.letIn(
                { by: code.project(con('Main:Raise'), 'by', code.variable('argument')) },
                code.create(
                  Counter,
                  code.record(Counter, { owner: field('owner'), count: counted }),
                ),
              ),
            },
          },
        },
      },
    },
  },
});
const templateId = '#counter:Main:Counter';
const alice = (localnet: Localnet) => new JsonLedger(localnet, 'alice', 'app-user');
const countsOf = async (localnet: Localnet) =>
  (await alice(localnet).active(templateId)).map(({ createArgument }) => createArgument['count']);

test('a DAR of the user runs as it was built, from a file, on a ledger of its own', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tenure-kit-'));
  try {
    const file = join(folder, 'counter-1.0.0.dar');
    await writeFile(file, darOf([counter]));
    const options = { parties: PARTIES, dars: [file] };
    await using one = await startLocalnet(options);
    await using other = await startLocalnet(options);
    const createArguments = { owner: one.parties.alice, count: '40' };
    await alice(one).submit({ CreateCommand: { templateId, createArguments } });
    const [created] = await alice(one).active(templateId);
    const contractId = created?.contractId ?? '';
    await alice(one).exercise({ templateId, contractId }, 'Raise', { by: '2' });
    expect([await countsOf(one), await countsOf(other)]).toEqual([['42'], []]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
