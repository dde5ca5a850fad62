import { describe } from 'vitest';
import { alarmCases } from './store-suite-alarms.ts';
import { bulkCases } from './store-suite-bulk.ts';
import { carryingCases } from './store-suite-carrying.ts';
import { claimCases } from './store-suite-claims.ts';
import { eagerCases } from './store-suite-eager.ts';
import { clockCases } from './store-suite-clocks.ts';
import { cursorCases } from './store-suite-cursors.ts';
import { eventCases } from './store-suite-events.ts';
import { foreignCases } from './store-suite-foreign.ts';
import { isolationCases } from './store-suite-isolation.ts';
import { judgingCases } from './store-suite-judging.ts';
import { lockCases } from './store-suite-locks.ts';
import { newsCases } from './store-suite-news.ts';
import { originCases } from './store-suite-origins.ts';
import { outboxCases } from './store-suite-outbox.ts';
import { pauseCases } from './store-suite-pauses.ts';
import { policyCases } from './store-suite-policies.ts';
import { proofCases } from './store-suite-proofs.ts';
import { projectionCases } from './store-suite-projection.ts';
import { readCases } from './store-suite-reads.ts';
import { rebuildCases } from './store-suite-rebuild.ts';
import { refusalCases } from './store-suite-refusals.ts';
import { retentionCases } from './store-suite-retention.ts';
import { saveCases } from './store-suite-saves.ts';
import { timerCases } from './store-suite-timers.ts';
import { webhookCases } from './store-suite-webhooks.ts';
import type { MakeStore } from './store-under-test.ts';

/** Tests of the behaviour that the engine requires of every store. */
export function storeSuite(makeStore: MakeStore): void {
  describe('transactions and writes', () => {
    saveCases(makeStore);
  });
  describe('what is not taken', () => {
    refusalCases(makeStore);
  });
  describe('transactions beside each other', () => {
    isolationCases(makeStore);
  });
  describe('locks and look-ups', () => {
    lockCases(makeStore);
  });
  describe('cursors, leases and projection', () => {
    cursorCases(makeStore);
  });
  describe('proofs by record time', () => {
    proofCases(makeStore);
  });
  describe('reads', () => {
    readCases(makeStore);
  });
  describe('what the ledger did', () => {
    projectionCases(makeStore);
    carryingCases(makeStore);
  });
  describe('the licence of renewals and comments', () => {
    originCases(makeStore);
  });
  describe('alarms', () => {
    alarmCases(makeStore);
  });
  describe('events', () => {
    eventCases(makeStore);
  });
  describe('timers', () => {
    timerCases(makeStore);
  });
  describe('policies', () => {
    policyCases(makeStore);
  });
  describe('news', () => {
    newsCases(makeStore);
  });
  describe('outbox', () => {
    outboxCases(makeStore);
  });
  describe('claims made together', () => {
    claimCases(makeStore);
  });
  describe('first attempts', () => {
    eagerCases(makeStore);
  });
  describe('pauses', () => {
    pauseCases(makeStore);
  });
  describe('clocks', () => {
    clockCases(makeStore);
  });
  describe('webhooks', () => {
    webhookCases(makeStore);
  });
  describe('retention', () => {
    retentionCases(makeStore);
  });
  describe('bulk acts', () => {
    bulkCases(makeStore);
    judgingCases(makeStore);
  });
  describe('rebuilds', () => {
    rebuildCases(makeStore);
  });
  describe('ledgers of others', () => {
    foreignCases(makeStore);
  });
}
