import { describe } from 'vitest';
import { cursorCases } from './store-suite-cursors.ts';
import { lockCases } from './store-suite-locks.ts';
import { outboxCases } from './store-suite-outbox.ts';
import { readCases } from './store-suite-reads.ts';
import { saveCases } from './store-suite-saves.ts';
import type { MakeStore } from './store-under-test.ts';

/** What the core relies on in every store, whatever it is made of. */
export function storeSuite(makeStore: MakeStore): void {
  describe('transactions and writes', () => {
    saveCases(makeStore);
  });
  describe('locks and look-ups', () => {
    lockCases(makeStore);
  });
  describe('cursors, leases and projection', () => {
    cursorCases(makeStore);
  });
  describe('reads', () => {
    readCases(makeStore);
  });
  describe('outbox', () => {
    outboxCases(makeStore);
  });
}
