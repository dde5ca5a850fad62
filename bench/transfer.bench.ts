import { table } from '../cli/table.ts';
import { DAY_MICROS, Market } from '../test/contract/kit/market.ts';
import { openNetwork } from '../test/contract/kit/network.ts';
import {
  preapprove,
  transfer,
  transferResult,
  transferTerms,
  withPreapproval,
} from '../test/contract/kit/transfers.ts';

/*
 * Measures how many transfers of the token standard a LocalNet executes. Each is one submission over gRPC, with which a
 * sender pays a receiver who has approved transfers in advance.
 *
 *   node bench/transfer.bench.ts [transfers of a round=200] [rounds=5]
 */

const TRANSFERS = Number(process.argv[2] ?? 200);
const ROUNDS = Number(process.argv[3] ?? 5);
/** The number of senders. Each of them has one submission in progress at a time. */
const LANES = 8;

await using network = await openNetwork({ staticTime: '2030-01-01T00:00:00Z' });
const receiver = await Market.open(network);
const preapproval = await preapprove(receiver, (await receiver.now()) + DAY_MICROS);
const senders = await Promise.all(Array.from({ length: LANES }, () => Market.open(network)));

async function send(market: Market, transfers: number): Promise<void> {
  let inputs: readonly string[] = [await market.tap(`${transfers * 100}.0`)];
  const terms = await transferTerms(market, inputs, {
    receiver: receiver.user,
    context: withPreapproval(market, preapproval),
  });
  for (let made = 0; made < transfers; made += 1) {
    const result = transferResult(await transfer(market, { ...terms, inputs }, [preapproval]));
    if (!result.output.tag.endsWith('Completed'))
      throw new Error(`it ends as ${result.output.tag}`);
    inputs = result.senderChangeCids;
  }
}

const rates: number[] = [];
const processorMs: number[] = [];
// The first round is not counted, because its code has not run before.
for (let round = 0; round <= ROUNDS; round += 1) {
  const before = process.cpuUsage();
  const start = performance.now();
  const each = Math.ceil(TRANSFERS / LANES);
  await Promise.all(senders.map((market) => send(market, each)));
  const { user, system } = process.cpuUsage(before);
  if (round === 0) continue;
  rates.push((each * LANES) / ((performance.now() - start) / 1_000));
  processorMs.push((user + system) / 1_000 / (each * LANES));
}
const median = (of: readonly number[]): number =>
  of.toSorted((a, b) => a - b)[Math.floor(of.length / 2)] ?? 0;
console.log(
  table(
    ['what', 'seen'],
    [
      ['token transfers a second', median(rates).toFixed(0)],
      ['processor time of a transfer, client included, ms', median(processorMs).toFixed(1)],
    ],
  ),
);
