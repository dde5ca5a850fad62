import type { Io } from './io.ts';

/** Lanes that hold more than what must happen one after the other. */
export interface Lanes {
  /**
   * Parts some of what an earlier version has put into one lane: each licence gets a lane of its own, and each renewal
   * the lane of its licence. Only lanes are touched in which nothing is under way, and only while no process of an
   * earlier version runs, which would go on finding the lane by the licence's number.
   *
   * @returns how many lifecycles have another lane now
   */
  part(io: Io): Promise<number>;
}
