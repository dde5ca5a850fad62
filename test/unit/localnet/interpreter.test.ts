import { beforeEach, describe, expect, test } from 'vitest';
import { isAuthentic } from '../../../localnet/ledger/contract.ts';
import { isContractId } from '../../../localnet/ledger/lf-values.ts';
import { nodesOf } from '../../../localnet/ledger/transaction-tree.ts';
import {
  Bench,
  NOW,
  create,
  exercise,
  onlyRoot,
  refusal,
  refusedAs,
  rootExercise,
} from './interpreting.ts';
import { shopPackage } from './shop-package.ts';

const IN_A_MINUTE = '2027-01-15T08:01:00Z';
const A_MINUTE_AGO = '2027-01-15T07:59:00Z';

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

describe('a create', () => {
  test('gives a contract whose ID is new, hexadecimal and commits to its terms', () => {
    const first = bench.contracts.get(offerId)!;
    const second = bench.contracts.get(
      bench.create(['seller'], 'Offer', { seller: 'seller', readers: ['reader'], price: '7' }),
    )!;
    expect(second.contractId).not.toBe(first.contractId);
    expect(isContractId(first.contractId)).toBe(true);
    expect(first.contractId).toHaveLength(138);
    expect(isAuthentic(first)).toBe(true);
    expect(isAuthentic({ ...first, payload: { seller: 'seller', readers: [], price: 7n } })).toBe(
      false,
    );
    expect(isAuthentic({ ...first, createdAt: first.createdAt + 1n })).toBe(false);
    expect(isAuthentic({ ...first, signatories: ['mallory'] })).toBe(false);
  });

  test('lists an observer that signs as a signatory only', () => {
    const id = bench.create(['s'], 'Offer', {
      seller: 's',
      readers: ['z', 's', 'a', 'z'],
      price: '1',
    });
    expect(bench.contracts.get(id)).toMatchObject({ signatories: ['s'], observers: ['a', 'z'] });
  });

  test('needs every signatory, and says who is missing from whom', () => {
    const order = { seller: 'seller', buyer: 'buyer', dueAt: IN_A_MINUTE };
    const error = refusal(() => bench.run(['buyer'], create('Order', order)));
    expect(error.code).toBe('DAML_AUTHORIZATION_ERROR');
    expect(error.text).toBe(
      `Interpretation error: Error: node NodeId(0) (${shopPackage.id}:Shop:Order) requires authorizers buyer,seller, but only buyer were given`,
    );
    expect(bench.run(['buyer', 'seller'], create('Order', order)).roots).toHaveLength(1);
  });

  test('is refused when its precondition fails', () => {
    const receipt = { seller: 'seller', buyer: 'buyer', note: 'void' };
    expect(refusedAs(() => bench.run(['seller'], create('Receipt', receipt)))).toBe(
      'TEMPLATE_PRECONDITION_VIOLATED',
    );
  });
});

describe('an exercise', () => {
  test('runs with the authority of signatories and controllers, and numbers its nodes in order', () => {
    const tree = bench.run(
      ['buyer'],
      exercise('Offer', offerId, 'BuyNow', { buyer: 'buyer', dueAt: IN_A_MINUTE, note: 'paid' }),
    );
    const outline = [...nodesOf(tree.roots)].map((node) => [
      node.nodeId,
      node.kind,
      node.kind === 'exercise' ? node.choice : node.contract.template.name.entity,
    ]);
    expect(outline).toEqual([
      [0, 'exercise', 'BuyNow'],
      [1, 'create', 'Order'],
      [2, 'exercise', 'Settle'],
      [3, 'fetch', 'Order'],
      [4, 'create', 'Receipt'],
      [5, 'exercise', 'Archive'],
    ]);
    const root = rootExercise(tree);
    expect(root.lastDescendantNodeId).toBe(5);
    const [, settle] = root.children;
    expect(settle).toMatchObject({ consuming: false, lastDescendantNodeId: 5, actors: ['buyer'] });
    expect(root.result).toBe(settle!.kind === 'exercise' ? settle!.result : undefined);
    expect([...tree.inputs.keys()]).toEqual([offerId]);
    expect([...tree.consumed]).toEqual([offerId]);
  });

  test('needs every controller', () => {
    const error = refusal(() =>
      bench.run(['reader'], exercise('Offer', offerId, 'Look', { actor: 'buyer' })),
    );
    expect(error.code).toBe('DAML_AUTHORIZATION_ERROR');
    expect(error.text).toContain('requires authorizers buyer, but only reader were given');
  });

  test('that consumes nothing leaves its contract an unconsumed input', () => {
    const tree = bench.run(['reader'], exercise('Offer', offerId, 'Look', { actor: 'reader' }));
    expect(rootExercise(tree)).toMatchObject({ consuming: false, result: 7n, children: [] });
    expect([...tree.inputs.keys()]).toEqual([offerId]);
    expect(tree.consumed.size).toBe(0);
  });

  test('of an interface’s choice runs the template’s body on the view', () => {
    const tree = bench.run(['seller'], exercise('Priced', offerId, 'Priced_Total'));
    expect(rootExercise(tree)).toMatchObject({
      choice: 'Priced_Total',
      interfaceName: { packageName: 'shop', module: 'Shop', entity: 'Priced' },
      result: 14n,
    });
  });

  test('on a contract that is not there is refused with its ID', () => {
    const unknown = `00${'ab'.repeat(32)}ca12`;
    const error = refusal(() =>
      bench.run(['seller'], exercise('Offer', unknown, 'Look', { actor: 'seller' })),
    );
    expect(error.code).toBe('CONTRACT_NOT_FOUND');
    expect(error.resources).toEqual([{ type: 'CONTRACT_ID', name: unknown }]);
  });

  test('on a contract of another template, or without the interface, is refused', () => {
    const receiptId = bench.create(['s'], 'Receipt', { seller: 's', buyer: 'b', note: '' });
    expect(
      refusedAs(() => bench.run(['s'], exercise('Offer', receiptId, 'Look', { actor: 's' }))),
    ).toBe('WRONGLY_TYPED_CONTRACT');
    expect(refusedAs(() => bench.run(['s'], exercise('Priced', receiptId, 'Priced_Total')))).toBe(
      'CONTRACT_DOES_NOT_IMPLEMENT_INTERFACE',
    );
  });
});

describe('archiving', () => {
  test('is a choice of all signatories together', () => {
    const orderId = bench.create(['b', 's'], 'Order', {
      seller: 's',
      buyer: 'b',
      dueAt: IN_A_MINUTE,
    });
    expect(refusedAs(() => bench.run(['s'], exercise('Order', orderId, 'Archive')))).toBe(
      'DAML_AUTHORIZATION_ERROR',
    );
    const tree = bench.run(['s', 'b'], exercise('Order', orderId, 'Archive'));
    expect(rootExercise(tree)).toMatchObject({ consuming: true, result: {}, children: [] });
  });

  test('twice in one transaction finds the contract inactive, by commands as by choices', () => {
    const byCommands = refusal(() =>
      bench.run(
        ['seller'],
        exercise('Offer', offerId, 'Archive'),
        exercise('Offer', offerId, 'Archive'),
      ),
    );
    expect(byCommands.code).toBe('CONTRACT_NOT_ACTIVE');
    expect(byCommands.resources).toEqual([
      { type: 'TEMPLATE_ID', name: `${shopPackage.id}:Shop:Offer` },
      { type: 'CONTRACT_ID', name: offerId },
    ]);
    expect(
      refusedAs(() => bench.run(['seller'], exercise('Offer', offerId, 'WithdrawTwice'))),
    ).toBe('CONTRACT_NOT_ACTIVE');
  });
});

describe('a failing check', () => {
  const insist = (left: string, right: string) => () =>
    bench.run(['seller'], exercise('Offer', offerId, 'Insist', { left, right }));

  test('of a requirement is an assertion with its description', () => {
    const error = refusal(insist('0', '1'));
    expect(error.code).toBe('DAML_FAILURE');
    expect(error.metadata['error_id']).toBe(
      'UNHANDLED_EXCEPTION/DA.Exception.AssertionFailed:AssertionFailed',
    );
    expect(error.text).toContain("The requirement 'Left is positive' was not met.");
    expect(error.metadata['exercise_trace']).toContain(
      `Shop:Offer:Insist on contract ${offerId.slice(0, 10)}`,
    );
  });

  test('of an equality shows both sides', () => {
    expect(refusal(insist('1', '2')).text).toContain('Failure, expected 1 == 2');
  });

  test('that the contract throws itself keeps its own ID and metadata', () => {
    const { metadata } = refusal(insist('1', '1'));
    expect(metadata).toMatchObject({ error_id: 'shop.example.org/insisted', shop: 'closed' });
  });

  test.each([
    ['Settle', A_MINUTE_AGO, 'stdlib.daml.com/deadline-exceeded', 'at or past'],
    ['Lapse', IN_A_MINUTE, 'stdlib.daml.com/deadline-not-exceeded', 'strictly before'],
  ])('of a deadline in %s tells which and when', (choice, dueAt, errorId, relation) => {
    const orderId = bench.create(['b', 's'], 'Order', { seller: 's', buyer: 'b', dueAt });
    const argument = choice === 'Settle' ? { note: '' } : {};
    const error = refusal(() =>
      bench.run(['b', 's'], exercise('Order', orderId, choice, argument)),
    );
    expect(error.metadata['error_id']).toBe(errorId);
    expect(error.text).toContain(`Ledger time is ${relation} deadline 'dueAt' at ${dueAt}`);
  });

  test.each([
    ['within, until the instant itself', -1n, undefined],
    ['over, from the instant on', 0n, 'DAML_FAILURE'],
  ])('of a deadline holds: %s', (_when, sinceDue, expected) => {
    const orderId = bench.create(['b', 's'], 'Order', {
      seller: 's',
      buyer: 'b',
      dueAt: IN_A_MINUTE,
    });
    bench.now = NOW + 60_000_000n + sinceDue;
    const settle = () => bench.run(['b'], exercise('Order', orderId, 'Settle', { note: '' }));
    if (expected === undefined) expect(onlyRoot(settle()).kind).toBe('exercise');
    else expect(refusedAs(settle)).toBe(expected);
  });
});

describe('values of commands are read before anything runs', () => {
  test('so a bad argument is told before a missing contract', () => {
    const unknown = `00${'cd'.repeat(32)}ca12`;
    expect(
      refusedAs(() => bench.run(['x'], exercise('Offer', unknown, 'Look', { actor: 7 }))),
    ).toBe('COMMAND_PREPROCESSING_FAILED');
    expect(refusedAs(() => bench.run(['x'], exercise('Offer', unknown, 'Nothing')))).toBe(
      'COMMAND_PREPROCESSING_FAILED',
    );
    expect(
      refusedAs(() =>
        bench.run(['x'], exercise('Offer', unknown.slice(0, 66), 'Look', { actor: 'x' })),
      ),
    ).toBe('COMMAND_PREPROCESSING_FAILED');
  });

  test('and types that nobody knows are told first of all', () => {
    const command = create('Offer', {});
    expect(
      refusedAs(() =>
        bench.run(['x'], {
          ...command,
          templateId: { packageId: '#nope', module: 'Shop', entity: 'Offer' },
        }),
      ),
    ).toBe('PACKAGE_NOT_FOUND');
    expect(refusedAs(() => bench.run(['x'], create('Nope', {})))).toBe(
      'COMMAND_PREPROCESSING_FAILED',
    );
    expect(refusedAs(() => bench.run(['x'], create('Priced', {})))).toBe(
      'COMMAND_PREPROCESSING_FAILED',
    );
  });
});
