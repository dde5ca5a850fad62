import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Finding } from '../src/main/doctor.ts';
import { examine } from '../src/main/doctor.ts';
import type { Broken } from './broken.ts';
import type { LedgerControl } from './ledger-control.ts';
import type { World } from './world.ts';
import { NODE_FLAGS } from '../src/main/node-flags.ts';

/*
 * Runs the checks of `tenure doctor` during a chaos run. While faults are active, only the rules that must hold at any
 * moment are checked; at the end, everything.
 */

const EVIDENCE_CHARS_MAX = 2_000;
const DOCTOR_MS = 120_000;
const CLI = fileURLToPath(new URL('../cli/main.ts', import.meta.url));
const PROMISE = '`tenure doctor` finds everything well';

/** A finding as read from JSON, in which offsets are strings. */
interface ToldFinding extends Pick<Finding, 'area' | 'level' | 'what'> {
  readonly violation?: {
    readonly invariant: string;
    readonly subjects: { readonly stream?: string; readonly offset?: string };
  };
}

const plain = (_name: string, value: unknown): unknown =>
  typeof value === 'bigint' ? String(value) : value;

const brokenBy = (finding: ToldFinding): Broken => ({
  promise: PROMISE,
  evidence: JSON.stringify(finding).slice(0, EVIDENCE_CHARS_MAX),
});

/** Returns whether one of LocalNet's faults has withheld the missing completion. If so, no process has missed it. */
function isOfLedger({ violation }: ToldFinding, control: LedgerControl): boolean {
  const { stream, offset } = violation?.subjects ?? {};
  return (
    violation?.invariant === 'I7' &&
    stream?.startsWith('completions:') === true &&
    offset !== undefined &&
    control.hasWithheld(stream, offset)
  );
}

const isAboutCompletion = ({ violation }: ToldFinding): boolean =>
  violation?.invariant === 'I7' && violation.subjects.stream?.startsWith('completions:') === true;

/**
 * Checks the invariants, which must hold at any moment of a running system, and reads the ledger again if it answers.
 * During a chaos run, missing processes, late streams and unreachable queues are expected, so they are not reported.
 */
export async function examineLive(
  world: Pick<World, 'environment'>,
  control: LedgerControl,
  signal: AbortSignal,
): Promise<Broken[]> {
  const findings: Finding[] = [];
  await examine({
    environment: await world.environment(),
    replay: true,
    deep: false,
    onFinding: (finding) => findings.push(finding),
    onProgress: () => undefined,
    signal,
  });
  const told = findings
    .filter(({ violation }) => violation !== undefined)
    .map((finding) => JSON.parse(JSON.stringify(finding, plain)) as ToldFinding);
  if (told.length === 0) return [];
  // If LocalNet's list of withheld completions cannot be read, a missing completion is not reported yet. If it is
  // really missing, the next check finds it too.
  const isKnown = await control.noteWithheld().then(
    () => true,
    () => false,
  );
  return told
    .filter((finding) => isKnown || !isAboutCompletion(finding))
    .filter((finding) => !isOfLedger(finding, control))
    .map(brokenBy);
}

/** Runs `tenure doctor` in a process of its own, after the system has recovered from all faults. */
export async function askDoctor(world: World, control: LedgerControl): Promise<Broken[]> {
  const child = spawn(process.execPath, [...NODE_FLAGS, CLI, 'doctor', '--json'], {
    cwd: world.folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...(await world.environment()), TENURE_LOG_LEVEL: 'error' },
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), DOCTOR_MS);
  const [said, complaints] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ]);
  clearTimeout(timer);
  const wrong = wrongIn(said);
  const isSaid = wrong !== null && child.exitCode === (wrong.length === 0 ? 0 : 1);
  if (!isSaid) {
    const evidence = `it ended with ${child.exitCode}: ${complaints || said}`;
    return [{ promise: PROMISE, evidence: evidence.slice(0, EVIDENCE_CHARS_MAX) }];
  }
  return wrong.filter((finding) => !isOfLedger(finding, control)).map(brokenBy);
}

/** Returns the findings of level `wrong`; `null` if the command has printed no findings. */
function wrongIn(said: string): ToldFinding[] | null {
  if (!said.startsWith('{')) return null;
  const { findings } = JSON.parse(said) as { readonly findings: readonly ToldFinding[] };
  return findings.filter(({ level }) => level === 'wrong');
}
