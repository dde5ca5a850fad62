import { beforeEach, describe, expect, test } from 'vitest';
import { EventFormat } from '../../../localnet/ledger/event-format.ts';
import { projectEvents, visibleCommandId } from '../../../localnet/ledger/projection.ts';
import type { TransactionShape } from '../../../localnet/ledger/projection.ts';
import { nodesOf, witnessesOf } from '../../../localnet/ledger/transaction-tree.ts';
import type { TransactionTree } from '../../../localnet/ledger/transaction-tree.ts';
import { eventsOf } from '../../../localnet/ledger/update.ts';
import type { LedgerTransaction } from '../../../localnet/ledger/update.ts';
import { Bench, create, exercise, registry } from './interpreting.ts';

const IN_A_MINUTE = '2027-01-15T08:01:00Z';

let bench: Bench;
let offerId: string;

beforeEach(() => {
  bench = new Bench();
  offerId = bench.create(['seller'], 'Offer', {
    seller: 'seller',
    readers: ['reader'],
    price: '7',
  });
});

const whoSees = (tree: TransactionTree) => {
  const witnesses = witnessesOf(tree.roots);
  return [...nodesOf(tree.roots)].map((node) => [
    node.kind === 'exercise' ? node.choice : `${node.kind} ${node.contract.template.name.entity}`,
    witnesses.get(node.nodeId)!.join(' '),
  ]);
};

describe('who sees an action', () => {
  test('stakeholders see a creation; observers see no choice that consumes nothing', () => {
    const offer = { seller: 'seller', readers: ['reader'], price: '1' };
    expect(whoSees(bench.run(['seller'], create('Offer', offer)))).toEqual([
      ['create Offer', 'reader seller'],
    ]);
    expect(
      whoSees(bench.run(['buyer'], exercise('Offer', offerId, 'Look', { actor: 'buyer' }))),
    ).toEqual([['Look', 'buyer seller']]);
  });

  test('who sees an action sees its consequences, and nobody sees more than that', () => {
    const buyNow = exercise('Offer', offerId, 'BuyNow', {
      buyer: 'buyer',
      dueAt: IN_A_MINUTE,
      note: '',
    });
    expect(whoSees(bench.run(['buyer'], buyNow))).toEqual([
      ['BuyNow', 'buyer reader seller'],
      ['create Order', 'buyer reader seller'],
      ['Settle', 'buyer reader seller'],
      ['fetch Order', 'buyer reader seller'],
      ['create Receipt', 'buyer reader seller'],
      ['Archive', 'buyer reader seller'],
    ]);
    const orderId = bench.create(['b', 's'], 'Order', {
      seller: 's',
      buyer: 'b',
      dueAt: IN_A_MINUTE,
    });
    const other = { seller: 'seller', readers: ['reader'], price: '8' };
    const both = bench.run(
      ['seller', 'b'],
      exercise('Order', orderId, 'Settle', { note: '' }),
      exercise('Offer', bench.create(['seller'], 'Offer', other), 'Archive'),
    );
    expect(whoSees(both).map(([, parties]) => parties)).toEqual([
      'b s',
      'b s',
      'b s',
      'b s',
      'reader seller',
    ]);
  });

  test('a fetch divulges its contract to those who see the choice around it', () => {
    const receiptId = bench.create(['seller'], 'Receipt', {
      seller: 'seller',
      buyer: 'friend',
      note: 'x',
    });
    const tree = bench.run(
      ['spy'],
      exercise('Offer', offerId, 'Quote', { actor: 'spy', receiptId }),
    );
    expect(whoSees(tree)).toEqual([
      ['Quote', 'seller spy'],
      ['fetch Receipt', 'seller spy'],
    ]);
  });
});

function committed(tree: TransactionTree): LedgerTransaction {
  return {
    kind: 'transaction',
    updateId: 'update',
    ledgerTime: 0n,
    recordTime: 0n,
    workflowId: '',
    submitter: {
      participant: 'app-user',
      userId: 'user',
      commandId: 'the-command',
      submissionId: 'submission',
      actAs: ['buyer'],
    },
    traceContext: { traceparent: '' },
    events: eventsOf(tree),
    offsets: { 'app-user': 1n },
    paidTrafficCost: 0n,
  };
}

const formatFor = (parties: readonly string[], anyParty = false) =>
  new EventFormat(
    {
      filtersByParty: new Map(parties.map((party) => [party, []])),
      filtersForAnyParty: anyParty ? [] : undefined,
      verbose: false,
    },
    registry,
  );

const outline = (
  tree: TransactionTree,
  shape: TransactionShape,
  parties: readonly string[],
  hosted: readonly string[],
) =>
  projectEvents(committed(tree), shape, {
    format: formatFor(parties),
    hosted: new Set(hosted),
  }).map((projected) => [
    projected.kind === 'exercised'
      ? projected.event.choice
      : `${projected.kind} ${projected.event.contract.template.name.entity}`,
    projected.selection.witnesses.join(' '),
    projected.kind === 'archived' || projected.acsDelta,
  ]);

describe('a reader is shown', () => {
  const buyNow = () =>
    bench.run(
      ['buyer'],
      exercise('Offer', offerId, 'BuyNow', { buyer: 'buyer', dueAt: IN_A_MINUTE, note: '' }),
    );

  test('as changes of its contracts: what it has a stake in and what outlives the transaction', () => {
    const tree = buyNow();
    expect(outline(tree, 'acsDelta', ['buyer'], ['buyer'])).toEqual([
      ['created Receipt', 'buyer', true],
    ]);
    expect(outline(tree, 'acsDelta', ['seller', 'reader'], ['seller', 'reader'])).toEqual([
      ['archived Offer', 'seller reader', true],
      ['created Receipt', 'seller', true],
    ]);
  });

  test('as effects: all that it witnesses, with a mark on what changes its contracts', () => {
    expect(outline(buyNow(), 'ledgerEffects', ['reader'], ['reader'])).toEqual([
      ['BuyNow', 'reader', true],
      ['created Order', 'reader', false],
      ['Settle', 'reader', false],
      ['created Receipt', 'reader', false],
      ['Archive', 'reader', false],
    ]);
  });

  test('nothing that no party of its participant has seen', () => {
    expect(outline(buyNow(), 'ledgerEffects', ['buyer'], ['somebody'])).toEqual([]);
  });

  test('with any-party filters, the parties of its participant only', () => {
    const [first] = projectEvents(committed(buyNow()), 'acsDelta', {
      format: formatFor([], true),
      hosted: new Set(['reader']),
    });
    expect(first!.selection.witnesses).toEqual(['reader']);
  });

  test('the command ID, on the submitting participant and for the submitting party alone', () => {
    const transaction = committed(buyNow());
    const asSeenBy = (parties: string[], participant: 'app-user' | 'sv') =>
      visibleCommandId(transaction, participant, {
        format: formatFor(parties),
        hosted: new Set(['buyer', 'seller']),
      });
    expect(asSeenBy(['buyer'], 'app-user')).toBe('the-command');
    expect(asSeenBy(['seller'], 'app-user')).toBe('');
    expect(asSeenBy(['buyer'], 'sv')).toBe('');
  });
});
