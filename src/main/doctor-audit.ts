import type { Pool } from 'pg';
import type { Io } from '../app/ports/io.ts';
import type { Finding } from '../doctor/findings.ts';
import { well, wrong } from '../doctor/findings.ts';
import type { AuditCopy } from '../doctor/judge-restored.ts';
import { judgeRestored, keysIn, licensesIn } from '../doctor/judge-restored.ts';
import { ChainCheck } from '../doctor/judge-audit.ts';
import { errorLine } from '../domain/error-text.ts';
import { readRevivable } from '../store/validation/revived.ts';
import { withAuditChain } from '../store/evidence/audit-chain.ts';
import { MAIN_LIMITS } from './limits.ts';

export { readAuditCopy } from '../doctor/judge-restored.ts';

/**
 * The information that a person has about a restore: a copy of the audit log that was kept outside the database, as
 * the command line prints the log, and when the restored backup was made.
 */
export interface Restored {
  readonly copy?: AuditCopy;
  readonly copiedAt?: string;
}

/** Reports what the restore has undone, by the copy. Without a copy, counts the keys that it may have revived. */
export async function findRestored(
  pool: Pool,
  { copy, copiedAt }: Restored,
  io: Io,
): Promise<readonly Finding[]> {
  if (copy === undefined && copiedAt === undefined) return [];
  const acts = copy ?? [];
  const asked = { keys: keysIn(acts), licenses: licensesIn(acts), copiedAt: copiedAt ?? null };
  const findings = judgeRestored(acts, await readRevivable(pool, asked, io), copiedAt);
  if (findings.length > 0) return findings;
  return [
    well('audit', 'no key works, and no licence is valid, against the copy of the audit log'),
  ];
}

/**
 * Checks the audit log against the hash chain that the sequencer has made, and the database against a copy of the log.
 */
export async function findAudit(
  pool: Pool,
  {
    signal,
    restored = {},
  }: { readonly signal: AbortSignal; readonly restored?: Restored | undefined },
): Promise<readonly Finding[]> {
  try {
    const io = { signal, deadlineMs: MAIN_LIMITS.doctorStatementMs };
    const chain = await withAuditChain(pool, io, async (chain) => {
      const ends = await chain.ends();
      if (ends === null) {
        const todo = 'Restore the row of table audit_chain from a backup.';
        return [wrong('audit', 'the row with the ends of the audit hash chain is missing', todo)];
      }
      const check = new ChainCheck(ends);
      for await (const links of chain.links(ends.deleted)) check.follow(links);
      return check.findings(await chain.unchained());
    });
    return [...chain, ...(await findRestored(pool, restored, io))];
  } catch (error) {
    signal.throwIfAborted();
    const todo = 'Read the log of the database, and run `tenure doctor` again.';
    return [wrong('audit', `the audit log is unreadable: ${errorLine(error)}`, todo)];
  }
}
