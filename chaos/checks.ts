import type { Broken } from './broken.ts';
import type { Caller } from './caller.ts';
import { checkDesk } from './desk.ts';
import { askDoctor } from './doctor.ts';
import type { LicenseEvidence } from './fates.ts';
import type { Inbox } from './inbox.ts';
import { checkEvents, checkInbox } from './inbox.ts';
import type { Keeper } from './keeper.ts';
import type { LedgerControl } from './ledger-control.ts';
import type { Load } from './load.ts';
import type { Records } from './records.ts';
import { contentOf, isGood } from './records.ts';
import { rowsOf } from './rows.ts';
import type { World } from './world.ts';

/** The maximum number of answered commands that are repeated at the end of the run. */
const ASKED_AGAIN_MAX = 40;

/** Finds command IDs for which the ledger has more than one update. */
const TWICE = `
  select command_id, count(*)::int as updates from ledger_update
  where command_id <> '' group by command_id having count(*) > 1 limit 20`;

/** Finds changes that were refused although their effect is on the ledger. */
const REFUSED_WITH_EFFECT = `
  select c.command_id, c.state from change c join ledger_update u on u.command_id = c.command_id
  where c.state in ('rejected', 'failed', 'cancelled') limit 20`;

/** Finds changes that are recorded as successful although they have no effect on the ledger. */
const SUCCEEDED_WITHOUT_EFFECT = `
  select c.command_id from change c
  where c.state = 'succeeded' and c.participant = 'app-provider'
    and not exists (select from ledger_update u where u.command_id = c.command_id) limit 20`;

const OPEN = `
  select command_id, state, waiting_for::text from change where finished_at is null limit 20`;

/** Checks the promises that must be kept at any moment, even during faults. */
export async function checkAlways(databaseUrl: string): Promise<Broken[]> {
  const found = await Promise.all(
    (
      [
        ['at most one effect', TWICE],
        ['no effect of what was refused', REFUSED_WITH_EFFECT],
        ['an effect of all that succeeded', SUCCEEDED_WITHOUT_EFFECT],
      ] as const
    ).map(async ([promise, sql]) => ({ promise, rows: await rowsOf(databaseUrl, sql) })),
  );
  return found
    .filter(({ rows }) => rows.length > 0)
    .map(({ promise, rows }) => ({ promise, evidence: JSON.stringify(rows) }));
}

/** Returns the operations that have not ended. */
export const openOperations = (
  databaseUrl: string,
): Promise<{ readonly command_id: string; readonly state: string }[]> => rowsOf(databaseUrl, OPEN);

function checkAnswered(records: Records): Broken[] {
  const waiting = records.all.filter(({ answer }) => answer === null);
  if (waiting.length === 0) return [];
  const ids = waiting.map(({ commandId }) => commandId).join(', ');
  return [{ promise: 'every operation ends, and its caller hears how', evidence: ids }];
}

/** Compares each install with the answers that its callers got. */
async function checkInstalls(caller: Caller, load: Load): Promise<Broken[]> {
  const broken: Broken[] = [];
  for (const [install, created] of load.created) {
    if (load.cancelled.has(install)) continue;
    const { status, body } = await caller.get('provider', `/app-installs/${install}`);
    if (status !== 200 || body.numLicensesCreated !== created) {
      broken.push({
        promise: 'as many licences as were answered',
        evidence: `${install}: ${created} answered, ${status} ${JSON.stringify(body)}`,
      });
    }
  }
  return broken;
}

/** Repeats commands, and checks that the answers are those that were recorded. */
async function checkReplays(caller: Caller, records: Records): Promise<Broken[]> {
  const good = records.all.filter(isGood);
  const step = Math.max(1, Math.floor(good.length / ASKED_AGAIN_MAX));
  const broken: Broken[] = [];
  for (const { who, path, body, commandId, answer } of good.filter((_one, n) => n % step === 0)) {
    const again = await caller.operate(who, path, body, commandId);
    const now = contentOf(again.body);
    if (again.status === answer?.status && now === answer.body) continue;
    broken.push({
      promise: 'the same answer to the same command',
      evidence: `${commandId}: ${answer?.status} ${answer?.body}, then ${again.status} ${now}`,
    });
  }
  return broken;
}

export interface Ended {
  readonly world: World;
  readonly caller: Caller;
  readonly records: Records;
  readonly load: Load;
  readonly control: LedgerControl;
  readonly inbox: Inbox;
  readonly keeper: Keeper;
  readonly licenses: readonly LicenseEvidence[];
  /** The prefix of every command ID of the run. */
  readonly prefix: string;
}

/** Checks the promises that must be kept after the faults have ended. */
export async function checkAtEnd(ended: Ended): Promise<Broken[]> {
  const { world, caller, records, load, control, inbox, keeper, licenses, prefix } = ended;
  const { databaseUrl } = world;
  const open = await openOperations(databaseUrl);
  const stuck = open.map((row) => ({
    promise: 'in the end, no operation is neither done nor refused',
    evidence: JSON.stringify(row),
  }));
  return [
    ...checkAnswered(records),
    ...stuck,
    ...(await checkAlways(databaseUrl)),
    ...load.fates.judge(licenses, keeper.version),
    ...(await checkDesk(databaseUrl, prefix)),
    ...(await checkEvents(databaseUrl)),
    ...(await checkInbox(inbox, databaseUrl)),
    ...(await checkInstalls(caller, load)),
    ...(await checkReplays(caller, records)),
    ...(await askDoctor(world, control)),
  ];
}
