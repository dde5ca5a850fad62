import { userInfo } from 'node:os';
import { askForRebuild } from '../../src/main/rebuild-request.ts';
import type { JsonRecord } from '../../src/domain/json.ts';
import { databaseAddress } from '../database-address.ts';
import { harmless, jsonText } from '../output.ts';
import { whileWaiting } from '../progress.ts';

export interface RebuildFlags {
  /** Whether to carry out the rebuild. Without this flag only the report is stored. */
  readonly yes?: boolean;
  readonly json?: boolean;
  /** The longest wait, in seconds. */
  readonly wait?: string;
}

const WAIT_S = 600;

function waitMsOf(text: string | undefined): number {
  const seconds = text === undefined ? WAIT_S : Number(text);
  if (Number.isInteger(seconds) && seconds >= 1 && seconds <= 3_600) return seconds * 1_000;
  throw new Error(`--wait ${String(text).slice(0, 20)} is not a number of seconds from 1 to 3600`);
}

const part = (report: JsonRecord, name: string): JsonRecord => (report[name] ?? {}) as JsonRecord;

/** Returns a member of the report, or `?` because a report of another version may lack members. */
const count = (of: JsonRecord, name: string): string => {
  const value = of[name];
  return typeof value === 'number' || typeof value === 'string' ? String(value) : '?';
};

function told(report: JsonRecord, isDone: boolean): string[] {
  const contracts = part(report, 'contracts');
  const lifecycles = part(report, 'lifecycles');
  const changes = part(report, 'changes');
  const verb = isDone ? 'was' : 'would be';
  const goneIds = (lifecycles['goneIds'] ?? []) as readonly string[];
  return [
    `The projection ${verb} made to agree with the ledger as of offset ${count(report, 'offset')}.`,
    ...(report['pruned'] === true
      ? ['The ledger updates before this offset were pruned, so the history between is unknown.']
      : []),
    `contracts: ${count(contracts, 'active')} active; ${count(contracts, 'added')} added, ` +
      `${count(contracts, 'corrected')} corrected, ${count(contracts, 'ended')} ended without a known update`,
    `lifecycles: ${count(lifecycles, 'begun')} begun, ${count(lifecycles, 'corrected')} corrected, ` +
      `${count(lifecycles, 'gone')} gone`,
    ...goneIds.map((id) => `  gone: ${id}`),
    `open operations: ${count(changes, 'open')}; ${count(changes, 'settledUnseen')} succeeded without a result, ` +
      `${count(changes, 'inDoubt')} need a decision by an operator`,
    ...Object.keys(part(report, 'streams')).map((stream) => {
      const move = part(part(report, 'streams'), stream);
      return `${stream}: from ${count(move, 'from')} to ${count(move, 'to')}`;
    }),
  ];
}

/** Makes the projection agree with the ledger. Without `--yes`, only prints what that would change. */
export async function rebuild(flags: RebuildFlags): Promise<void> {
  const isDone = flags.yes === true;
  const asked = askForRebuild({
    databaseUrl: await databaseAddress(),
    isDryRun: !isDone,
    by: userInfo().username,
    waitMs: waitMsOf(flags.wait),
  });
  const report = await whileWaiting('waiting for the projector', asked, flags);
  if (flags.json === true) return console.log(jsonText({ isDone, ...report }));
  console.log(told(report, isDone).map(harmless).join('\n'));
  if (!isDone) console.log('\nNothing was changed. To rebuild: tenure projection rebuild --yes');
  return undefined;
}
