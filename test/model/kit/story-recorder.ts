import { NEWEST_MODEL } from '../../../src/app/licensing/model.ts';
import assert from 'node:assert/strict';
import { actionEvent, actionOf } from '../../../src/app/engine/lanes/allowed.ts';
import type { Change } from '../../../src/domain/change.ts';
import type { HistoryEntry, Lifecycle } from '../../../src/domain/lifecycle.ts';
import type { Commit } from '../../sim/memory/server.ts';
import type { HistoryRow } from '../../sim/memory/rows.ts';
import type { Happening, StoryStep } from './life-story.ts';
import { Telling } from './life-story.ts';
import { QuietSystem } from './quiet-system.ts';
import type { QuietOptions } from './quiet-system.ts';

const partOf = ({
  id,
  commandId,
  operation,
  lifecycleId,
  callerParty,
  callerSubject,
}: Change): Extract<Happening, { change: unknown }>['change'] => ({
  id,
  commandId,
  operation,
  lifecycleId,
  callerParty,
  callerSubject,
});

const rowsOf = <Row>(commit: Commit, table: string): Row[] =>
  commit.changes.filter((change) => change.table === table).map(({ after }) => after as Row);

/**
 * Removes who ended the lifecycle and why, because these are known only for Tenure's own changes. A story has changes
 * and facts of the ledger as separate steps.
 */
const asLedgerSays = (line: HistoryEntry): HistoryEntry => {
  const { endedBy: _by, policy: _policy, reason: _reason, ...detail } = line.detail;
  return line.kind.startsWith('ledger.') ? { ...line, detail } : line;
};

/**
 * Records the steps of the lifecycles of a running system from its committed rows: facts of the ledger, requests and
 * results.
 */
export class StoryRecorder implements AsyncDisposable {
  readonly system: QuietSystem;
  readonly steps: StoryStep[] = [];
  readonly #telling: Telling;

  private constructor(system: QuietSystem) {
    this.system = system;
    this.#telling = new Telling([system.ledger.provider]);
  }

  static async open(options: QuietOptions = {}): Promise<StoryRecorder> {
    const holder: { recorder?: StoryRecorder } = {};
    const onCommit = (commit: Commit) => holder.recorder?.onCommit(commit);
    const system = await QuietSystem.open({ ...options, onCommit });
    holder.recorder = new StoryRecorder(system);
    return holder.recorder;
  }

  onCommit(commit: Commit): void {
    const lines = rowsOf<HistoryRow>(commit, 'history').map(({ entry }) => entry);
    const happenings = [
      ...(this.system.applying?.transactions ?? []).map((transaction) => ({ transaction })),
      ...lines.filter(({ commandId }) => commandId !== null).map((line) => this.#ofChange(line)),
    ];
    const made = happenings.map((happening) => {
      const step = { ...happening, ...this.#telling.tell(happening) };
      this.steps.push(step);
      return step;
    });
    // If the recorded steps differ from the stored ones, the recording does not describe this system.
    const told = made.flatMap(({ history }) => history);
    const key = ({ lifecycleId, seq }: HistoryEntry) => `${lifecycleId} ${String(seq).padStart(6)}`;
    const inOrder = (all: HistoryEntry[]) => all.sort((a, b) => key(a).localeCompare(key(b)));
    assert.deepEqual(inOrder(told.map(asLedgerSays)), inOrder(lines.map(asLedgerSays)));
    for (const stored of rowsOf<Lifecycle>(commit, 'lifecycle')) {
      assert.deepEqual(this.#telling.lifecycle(stored.id), stored);
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.system[Symbol.asyncDispose]();
  }

  #ofChange(line: HistoryEntry): Happening {
    const { contents, ledger } = this.system;
    const change = contents
      .changes()
      .map((row) => row.change)
      .find(({ commandId }) => commandId === line.commandId)!;
    // The line also contains members of the change itself. They do not belong to the detail.
    const { operation: _operation, subject: _subject, ...detail } = line.detail;
    const common = { change: partOf(change), at: line.at, detail };
    if (line.kind.startsWith('command.')) {
      return { ...common, event: { type: line.kind, changeId: change.id } };
    }
    const lifecycle = this.#telling.lifecycle(line.lifecycleId)!;
    const nowMs = ledger.ledgerClock.nowMs();
    const certainMs = ledger.ledgerClock.certainMs();
    const { action } = NEWEST_MODEL.operation(change.operation);
    const event = actionEvent(actionOf(NEWEST_MODEL, lifecycle, action ?? ''), change.id, {
      nowMs,
      certainMs,
      around: this.#telling
        .lifecyclesIn(change.lane)
        .filter(({ originId }) => originId === lifecycle.id),
      body: change.body,
    });
    return { ...common, event };
  }
}
