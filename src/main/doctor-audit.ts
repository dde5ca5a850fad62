import type { Pool } from 'pg';
import type { Finding } from '../doctor/findings.ts';
import { wrong } from '../doctor/findings.ts';
import { ChainCheck } from '../doctor/judge-audit.ts';
import { errorLine } from '../domain/error-text.ts';
import { withAuditChain } from '../store/evidence/audit-chain.ts';
import { MAIN_LIMITS } from './limits.ts';

/** Checks the audit log against the hash chain that the sequencer has made. */
export async function findAudit(pool: Pool, signal: AbortSignal): Promise<readonly Finding[]> {
  try {
    const io = { signal, deadlineMs: MAIN_LIMITS.doctorStatementMs };
    return await withAuditChain(pool, io, async (chain) => {
      const ends = await chain.ends();
      if (ends === null) {
        const todo = 'Restore the row of table audit_chain from a backup.';
        return [wrong('audit', 'the row with the ends of the audit hash chain is missing', todo)];
      }
      const check = new ChainCheck(ends);
      for await (const links of chain.links(ends.deleted)) check.follow(links);
      return check.findings(await chain.unchained());
    });
  } catch (error) {
    signal.throwIfAborted();
    const todo = 'Read the log of the database, and run `tenure doctor` again.';
    return [wrong('audit', `the audit log is unreadable: ${errorLine(error)}`, todo)];
  }
}
