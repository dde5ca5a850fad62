import { table } from '../cli/table.ts';
import { darOf } from '../test/contract/kit/dar.ts';
import { change } from '../test/contract/kit/commands.ts';
import { USER_ADMIN } from '../test/contract/kit/identities.ts';
import { createInstall, createLicense, INSTALL } from '../test/contract/kit/licensing.ts';
import { openNetwork } from '../test/contract/kit/network.ts';
import { createdOf, transact } from '../test/contract/kit/steps.ts';
import { licensingBuild, withCode } from '../test/kit/licensing-build.ts';

/*
 * Compares how fast licences are created with two licensing packages: one that LocalNet runs natively, and a build of
 * it that the engine runs. Both ledgers are in this process, and their rounds alternate, so that other load on the
 * machine affects both in the same way.
 *
 *   node bench/engine.bench.ts [licences of a round=300] [rounds=5]
 */

const LICENCES = Number(process.argv[2] ?? 300);
const ROUNDS = Number(process.argv[3] ?? 5);
/** The number of installs. Each of them has one command in progress at a time. */
const LANES = 8;

const KINDS = ['native', 'engine'] as const;
type Kind = (typeof KINDS)[number];

async function openLedger(kind: Kind) {
  const network = await openNetwork();
  const clients = network.as(USER_ADMIN);
  if (kind === 'engine') {
    await clients.packageAdmin.uploadDarFile({ darFile: darOf(licensingBuild(withCode)) });
  }
  const sides = await network.sides();
  const actAs = [sides.user, sides.provider];
  const lane = async (licences: number) => {
    let install = createdOf(
      await transact(clients, change(createInstall(sides), { actAs })),
      INSTALL,
    );
    for (let made = 0; made < licences; made += 1) {
      const commands = change(createLicense(install.contractId), { actAs });
      install = createdOf(await transact(clients, commands), INSTALL);
    }
  };
  return {
    /**
     * Creates this number of licences. Returns how many were created per second, measured from submission to answer.
     */
    round: async (licences: number): Promise<number> => {
      const start = performance.now();
      await Promise.all(Array.from({ length: LANES }, () => lane(Math.ceil(licences / LANES))));
      return licences / ((performance.now() - start) / 1_000);
    },
    [Symbol.asyncDispose]: () => network[Symbol.asyncDispose](),
  };
}

const middle = (rates: readonly number[]): number =>
  rates.toSorted((a, b) => a - b)[Math.floor(rates.length / 2)] ?? 0;

await using native = await openLedger('native');
await using engine = await openLedger('engine');
const ledgers = { native, engine };
const rates: Record<Kind, number[]> = { native: [], engine: [] };
// The first round on each ledger is not counted, because its code has not run before.
for (let round = 0; round <= ROUNDS; round += 1) {
  for (const kind of KINDS) {
    const rate = await ledgers[kind].round(LICENCES);
    if (round > 0) rates[kind].push(rate);
  }
}
const [byNative, byEngine] = [middle(rates.native), middle(rates.engine)];
console.log(
  table(
    ['what', 'goal', 'seen'],
    [
      ['licences a second, natively', '', byNative.toFixed(0)],
      ['licences a second, by the engine', '', byEngine.toFixed(0)],
      ['by the engine, of the native rate', '> 0.50', (byEngine / byNative).toFixed(2)],
    ],
  ),
);
