import type { Finding } from './judge.ts';
import type { History } from './history.ts';

/** The outcome of one history, as JSON. */
export interface Outcome {
  readonly seed: number;
  readonly digest: string;
  readonly findings: readonly Finding[];
  readonly injected: Readonly<Record<string, number>>;
  readonly counts: Readonly<Record<string, number>>;
}

export const outcomeOf = ({ seed, digest, findings, injected, counts }: History): Outcome => ({
  seed,
  digest,
  findings,
  injected: Object.fromEntries(injected),
  counts,
});

/** Adds up the outcomes of many histories. */
export class Report {
  readonly injected = new Map<string, number>();
  readonly counts = new Map<string, number>();
  readonly failed: Outcome[] = [];
  seeds = 0;
  realMs = 0;

  add(outcome: Outcome): void {
    this.seeds += 1;
    addAll(this.injected, outcome.injected);
    addAll(this.counts, outcome.counts);
    if (outcome.findings.length > 0) this.failed.push(outcome);
  }

  /**
   * Returns the number of findings of each kind. The kind of a finding is the text before its colon; the text after it
   * names the place or the code.
   */
  byKind(): ReadonlyMap<string, number> {
    const kinds = new Map<string, number>();
    for (const [name, count] of this.injected) {
      const kind = name.split(':')[0] ?? name;
      kinds.set(kind, (kinds.get(kind) ?? 0) + count);
    }
    return kinds;
  }

  toJson(): string {
    const { seeds, realMs, failed } = this;
    const faults = Object.fromEntries([...this.injected].toSorted(byName));
    const counts = Object.fromEntries([...this.counts].toSorted(byName));
    return `${JSON.stringify({ seeds, realMs: Math.round(realMs), counts, faults, failed }, null, 2)}\n`;
  }

  toMarkdown(): string {
    const count = (name: string): string => (this.counts.get(name) ?? 0).toLocaleString('en');
    const hours = ((this.counts.get('virtualMs') ?? 0) / 3_600_000).toFixed(1);
    const seconds = Math.round(this.realMs / 1_000);
    const kinds = [...this.byKind()].toSorted(byName);
    const total = kinds.reduce((sum, [, n]) => sum + n, 0);
    return [
      `${this.seeds.toLocaleString('en')} histories in ${seconds} s: ${hours} hours of virtual time, ` +
        `${count('asked')} operations asked for, ${count('attempts')} attempts, ` +
        `${count('transactions')} transactions on the ledger; ${count('byPolicy')} operations were a policy's, ` +
        `${count('retried')} done again by a person.`,
      '',
      `Ends: ${count('succeeded')} succeeded, ${count('rejected')} rejected, ${count('failed')} failed, ` +
        `${count('in-doubt')} left in doubt. Histories with a finding: ${this.failed.length}.`,
      '',
      `| What went wrong (${total.toLocaleString('en')} times) | Times |`,
      '| --- | ---: |',
      ...kinds.map(([kind, times]) => `| ${kind} | ${times.toLocaleString('en')} |`),
      '',
    ].join('\n');
  }
}

const byName = ([a]: readonly [string, number], [b]: readonly [string, number]): number =>
  a.localeCompare(b);

function addAll(sums: Map<string, number>, more: Readonly<Record<string, number>>): void {
  for (const [name, count] of Object.entries(more)) sums.set(name, (sums.get(name) ?? 0) + count);
}
