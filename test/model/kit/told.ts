import type { AsyncCommand } from 'fast-check';
import type { LicensingModel } from './licensing-model.ts';
import type { RealWorld } from './real-world.ts';

/**
 * Returns one of the elements. Every number chooses one, however many elements there are, because fast-check may shrink
 * the list.
 */
export const among = <T>(all: readonly T[], choice: number): T | undefined =>
  all.length === 0 ? undefined : all[choice % all.length];

export const HOUR_MS = 3_600_000;
/** The time that passes between two commands, so that no two events happen at the same instant. */
const MOMENT_MS = 1_000;

/** A command that, after it has run, describes on what it acted. */
export abstract class Told implements AsyncCommand<LicensingModel, RealWorld> {
  #told = '';
  protected tell(text: string): void {
    this.#told = text;
  }
  toString(): string {
    return this.#told === '' ? this.constructor.name : this.#told;
  }
  check(_model: Readonly<LicensingModel>): boolean {
    return true;
  }
  async run(model: LicensingModel, real: RealWorld): Promise<void> {
    real.system.pass(MOMENT_MS);
    model.nowMs = real.system.nowMs;
    await this.act(model, real);
    model.nowMs = real.system.nowMs;
    real.expectSame(model);
  }
  protected abstract act(model: LicensingModel, real: RealWorld): Promise<void>;
}
