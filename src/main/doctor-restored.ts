import type { Pool } from 'pg';
import type { Io } from '../app/ports/io.ts';
import type { Finding } from '../doctor/findings.ts';
import { well } from '../doctor/findings.ts';
import type { AuditCopy } from '../doctor/judge-restored.ts';
import { judgeRestored, keysIn, licensesIn } from '../doctor/judge-restored.ts';
import { readRevivable } from '../store/evidence/revived.ts';

/**
 * Compares the database with a copy of the audit log that was kept outside it, as the command line prints the log.
 *
 * @param copiedAt when the backup was made that was restored; without a copy, keys that it may have revived are counted
 */
export async function findRestored(
  pool: Pool,
  { copy, copiedAt }: { readonly copy?: AuditCopy; readonly copiedAt?: string },
  io: Io,
): Promise<readonly Finding[]> {
  if (copy === undefined && copiedAt === undefined) return [];
  const acts = copy ?? [];
  const asked = { keys: keysIn(acts), licenses: licensesIn(acts), copiedAt: copiedAt ?? null };
  const findings = judgeRestored(acts, await readRevivable(pool, asked, io), copiedAt);
  const compared = 'every key and suspension of the copy of the audit log is as the copy says';
  return findings.length === 0 ? [well('audit', compared)] : findings;
}
