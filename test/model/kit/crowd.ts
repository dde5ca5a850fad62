import assert from 'node:assert/strict';
import type { Change } from '../../../src/domain/change.ts';
import { isOpen } from '../../../src/domain/change.ts';
import { LIMITS } from '../../../src/domain/limits.ts';
import { MINUTE_MS, Stage } from './held-up.ts';

/** The number of changes that wait. It is more than two transactions can end. */
export const WAITING = 3 * LIMITS.refusedTogetherMax;

/** A lane in which many changes wait. */
export class Crowd implements AsyncDisposable {
  readonly stage: Stage;
  readonly lane: Change['lane'];
  readonly #of: 'install' | 'license';
  readonly #from: number;

  private constructor(stage: Stage, of: 'install' | 'license') {
    this.stage = stage;
    this.#of = of;
    this.lane = stage.the(of).lane;
    this.#from = this.mailbox?.nextNo ?? 1;
  }

  static async open(of: 'install' | 'license'): Promise<Crowd> {
    const stage = await Stage.open();
    stage.system.pass(MINUTE_MS);
    return new Crowd(stage, of);
  }

  async ask(operation: Change['operation'], body: Change['body'] = {}): Promise<Change> {
    const { system } = this.stage;
    return (await this.stage.ask(system.ledger.provider, operation, this.#of, body)).change;
  }

  /** Records changes that wait behind the head of the lane. */
  async fill(operation: Change['operation'], body: Change['body'] = {}): Promise<void> {
    for (let asked = 0; asked < WAITING; asked += 1) await this.ask(operation, body);
  }

  get changes(): Change[] {
    return this.stage.system.contents
      .changes()
      .map(({ change }) => change)
      .filter(({ lane, mailboxNo }) => lane === this.lane && mailboxNo >= this.#from)
      .toSorted((a, b) => a.mailboxNo - b.mailboxNo);
  }

  get mailbox() {
    return this.stage.system.contents.mailboxes().find(({ lane }) => lane === this.lane);
  }

  get ended(): number {
    return this.changes.filter(({ state }) => !isOpen(state)).length;
  }

  /**
   * Runs one transaction. Checks that it ends the changes that are next in the lane, and no more of them than its
   * limit.
   */
  async turn(transaction: () => Promise<unknown>, more = 0): Promise<void> {
    const before = this.ended;
    await transaction();
    assert(this.mailbox?.head !== null || this.ended > before, 'a turn ends something');
    assert(this.ended - before <= LIMITS.refusedTogetherMax + more, 'a turn is bounded');
    // A person may have cancelled a change that was waiting.
    const inLine = this.changes.filter(({ state }) => state !== 'cancelled');
    const lastEnded = inLine.findLastIndex(({ state }) => !isOpen(state));
    const firstOpen = inLine.findIndex(({ state }) => isOpen(state));
    assert.equal(firstOpen, lastEnded === inLine.length - 1 ? -1 : lastEnded + 1);
  }

  /**
   * Continues the lane until nothing is left to do. Each turn is a transaction of its own: if a process is killed in
   * between, another process can do the rest.
   */
  async turns(): Promise<number> {
    let turns = 0;
    while (this.mailbox?.head === null && this.mailbox.waiting > 0) {
      await this.turn(() => this.stage.system.continueLanes());
      turns += 1;
    }
    // One more turn deletes the row that names the lane.
    if (turns > 0) await this.stage.system.continueLanes();
    assert.deepEqual(this.stage.system.contents.interruptedLanes(), []);
    return turns;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stage[Symbol.asyncDispose]();
  }
}
