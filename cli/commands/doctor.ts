import { readFile } from 'node:fs/promises';
import { processEnvironment } from '../../src/main/config.ts';
import type { Finding } from '../../src/main/doctor.ts';
import { AREAS, examine, exitCodeOf } from '../../src/main/doctor.ts';
import { readAuditCopy } from '../../src/main/doctor-audit.ts';
import { complain, harmless, jsonText, lineOf } from '../output.ts';
import { progressLine } from '../progress.ts';
import { table } from '../table.ts';

export interface DoctorFlags {
  /** Whether to compare the store with the participants' records; false with `--no-replay`. */
  readonly replay: boolean;
  readonly since?: string;
  readonly auditCopy?: string;
  readonly copiedAt?: string;
  readonly deep?: boolean;
  readonly json?: boolean;
}

const COULD_NOT_LOOK = 2;

const MARKS: Readonly<Record<Finding['level'], string>> = {
  well: 'ok',
  wrong: 'WRONG',
  unseen: 'unseen',
};

/** JSON has no large integers, so offsets are written as texts. */
const plain = (_key: string, value: unknown): unknown =>
  typeof value === 'bigint' ? String(value) : value;

function printTable(findings: readonly Finding[]): void {
  const inOrder = AREAS.flatMap((area) => findings.filter((finding) => finding.area === area));
  const rows = inOrder.map(({ area, level, what }) => [MARKS[level], area, harmless(what)]);
  console.log(table(['', '', ''], rows).trim());
  const todo = inOrder.filter(({ level }) => level === 'wrong');
  if (todo.length === 0) return;
  console.log('\nWhat to do:');
  for (const finding of todo) console.log(`- ${harmless(finding.what)}\n  ${finding.todo ?? ''}`);
}

function offsetOf(text: string | undefined): bigint | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,18}$/u.test(text)) return BigInt(text);
  throw new Error(`--since ${text.slice(0, 40)} is not an offset: use a whole number`);
}

/** Returns what the caller knows of a restore. */
async function restoredOf({ auditCopy, copiedAt }: DoctorFlags) {
  const at = copiedAt === undefined ? undefined : new Date(copiedAt);
  if (at !== undefined && Number.isNaN(at.getTime())) {
    throw new Error(
      `--copied-at ${copiedAt?.slice(0, 40)} is not a time: use a form such as 2030-01-31T12:00:00Z`,
    );
  }
  const copy =
    auditCopy === undefined ? undefined : readAuditCopy(await readFile(auditCopy, 'utf8'));
  return {
    ...(copy === undefined ? {} : { copy }),
    ...(at === undefined ? {} : { copiedAt: at.toISOString() }),
  };
}

/**
 * Checks everything and prints what is wrong and what to do. Exit code 0: all is well, 1: there are findings, 2: the
 * check was not possible.
 */
export async function doctor(flags: DoctorFlags): Promise<void> {
  const stopping = new AbortController();
  const stop = (): void => stopping.abort(new Error('interrupted'));
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  const findings: Finding[] = [];
  const shown = progressLine(flags);
  try {
    const since = offsetOf(flags.since);
    const restored = await restoredOf(flags);
    await examine({
      environment: processEnvironment(),
      replay: flags.replay,
      deep: flags.deep === true,
      ...(since === undefined ? {} : { since }),
      restored,
      onFinding: (finding) => findings.push(finding),
      onProgress: (what, count) => shown.tell(`checking ${what}: ${count}`),
      signal: stopping.signal,
    });
  } catch (error) {
    shown.clear();
    complain(lineOf(error));
    process.exitCode = COULD_NOT_LOOK;
    return;
  } finally {
    process.removeListener('SIGINT', stop);
    process.removeListener('SIGTERM', stop);
  }
  shown.clear();
  if (flags.json === true) console.log(jsonText({ findings }, plain));
  else printTable(findings);
  process.exitCode = exitCodeOf(findings);
}
