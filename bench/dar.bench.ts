import { table } from '../cli/table.ts';
import { LedgerNetwork } from '../localnet/ledger/ledger-network.ts';
import { madeDar, madeLibraries } from './dar-fill.ts';

/*
 * Measures uploads of DARs to a LocalNet. The first upload of a process is measured separately, because its code has
 * not run before.
 *
 * This file assembles the DARs. They are as large as published ones: each has 37 packages, including a main package
 * that no other DAR contains.
 */

const FURTHER = Number(process.argv[2] ?? 99);
const MIB = 1024 * 1024;

const inSeconds = (ms: number): string => (ms / 1_000).toFixed(2);

const libraries = madeLibraries();
const [first, ...further] = Array.from({ length: FURTHER + 1 }, (_, index) =>
  madeDar(`made-app-${index}`, '1.0.0', libraries),
);
if (first === undefined) throw new Error('there is no DAR');
const network = await LedgerNetwork.open();
try {
  const { packages } = network.participants['app-user'];
  const upload = async (dar: Uint8Array): Promise<number> => {
    const start = performance.now();
    await packages.uploadDar(dar);
    return performance.now() - start;
  };
  const before = process.cpuUsage();
  const processorMs = (): number => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  };
  const firstMs = await upload(first);
  const firstProcessorMs = processorMs();
  const start = performance.now();
  const taken: number[] = [];
  for (const dar of further) taken.push(await upload(dar));
  const allMs = firstMs + performance.now() - start;
  const allProcessorMs = processorMs();
  const sorted = taken.toSorted((a, b) => a - b);
  const unpacked = packages.list().reduce((sum, { size }) => sum + size, 0) / MIB;
  console.log(
    table(
      ['what', 'goal', 'seen', 'of that, processor time'],
      [
        [
          'a DAR of 37 packages, the first of a process, ms',
          '< 300',
          firstMs.toFixed(0),
          firstProcessorMs.toFixed(0),
        ],
        [`${FURTHER + 1} of them, s`, '< 6', inSeconds(allMs), inSeconds(allProcessorMs)],
        ['a further one, p50 ms', '', (sorted[Math.floor(sorted.length / 2)] ?? 0).toFixed(0), ''],
        ['bytes of all packages, MiB', '', unpacked.toFixed(1), ''],
        ['bytes of a DAR, MiB', '', (first.length / MIB).toFixed(2), ''],
      ],
    ),
  );
} finally {
  await network.close();
}
