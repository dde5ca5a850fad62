import {
  appendFileSync,
  mkdtempSync,
  chmodSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { LedgerNetworkOptions } from '../../../localnet/ledger/ledger-network.ts';
import { changeKey } from '../../../localnet/ledger/update.ts';
import { PARTICIPANT_NAMES } from '../../../localnet/ports.ts';
import { create, exercise } from './interpreting.ts';
import { ShopNetwork } from './network.ts';

let dataDir: string;
let journal: string;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'localnet-journal-'));
  journal = join(dataDir, 'journal.jsonl');
});
afterEach(() => rmSync(dataDir, { recursive: true }));

const open = (options: LedgerNetworkOptions = {}) => ShopNetwork.open({ dataDir, ...options });

/** Returns everything that must be the same after a restart, in a form that can be compared. */
function everything({ network }: ShopNetwork) {
  const { state } = network.store;
  const stripped = (value: unknown): unknown =>
    JSON.parse(
      JSON.stringify(value, (key, item: unknown) => {
        if (typeof item === 'bigint') return `${item}n`;
        if (item instanceof Map) return [...(item as Map<unknown, unknown>)];
        if (item instanceof Set) return [...(item as Set<unknown>)];
        // Definitions contain functions, so they are compared by their names.
        return key === 'template' ? (item as { name: unknown }).name : item;
      }),
    );
  return stripped({
    networkId: state.networkId,
    recordTime: state.recordTime,
    active: [...state.active.values()],
    hosts: state.hosts,
    packages: state.packages,
    kept: state.kept,
    participants: PARTICIPANT_NAMES.map((name) => {
      const { updates, completions, contracts, active, users, ledgerEnd, prunedUpTo, hosted } =
        state.participants[name];
      const { partyMetadata } = state.participants[name];
      const ever = Array.from({ length: state.contracts.count }, (_, number) =>
        contracts.get(state.contracts.contract(number).contractId),
      );
      const acceptedChanges = [...completions].map(({ submitter }) =>
        state.participants[name].acceptedChange(changeKey(submitter)),
      );
      return {
        updates: [...updates],
        completions: [...completions],
        contracts: ever,
        active: [...active.values()],
        users,
        ledgerEnd,
        prunedUpTo,
        hosted,
        acceptedChanges,
        partyMetadata,
      };
    }),
  });
}

async function liveALittle(shop: ShopNetwork): Promise<void> {
  const offerId = await shop.offer({ workflowId: 'opening' });
  const buyNow = { buyer: shop.buyer, dueAt: '9999-01-01T00:00:00Z', note: 'ünïcödé "quoted" \n' };
  await shop.transact(shop.user, shop.buyer, exercise('Offer', offerId, 'BuyNow', buyNow));
  await shop.transact(
    shop.provider,
    shop.seller,
    exercise('Priced', await shop.offer(), 'Priced_Total'),
  );
  await shop.transact(shop.provider, shop.seller, exercise('Offer', await shop.offer(), 'Archive'));
  const twice = { commandId: 'twice', deduplication: { kind: 'offset', offset: 0n } } as const;
  await shop.offer(twice);
  await expect(shop.offer(twice)).rejects.toMatchObject({ code: 'DUPLICATE_COMMAND' });
  const { users, parties } = shop.provider;
  users.create({ id: 'anna', annotations: { team: 'shop' } }, [
    { kind: 'canReadAs', party: shop.seller },
  ]);
  users.grant('anna', [{ kind: 'participantAdmin' }]);
  users.create({ id: 'gone' }, []);
  users.delete('gone');
  parties.updateAnnotations(shop.seller, { shop: 'open' });
  shop.network.keep('a key', '{"kty":"RSA"}');
}

describe('a restart', () => {
  test('brings everything back', async () => {
    const first = await open();
    await liveALittle(first);
    const before = everything(first);
    await first.network.close();
    await using second = await open();
    expect(everything(second)).toEqual(before);
    expect(second.network.kept('a key')).toBe('{"kty":"RSA"}');
    await expect(second.offer({ commandId: 'twice' })).rejects.toMatchObject({
      code: 'DUPLICATE_COMMAND',
    });
  });

  test('brings back what is pruned as pruned', async () => {
    const options = { maxDeduplicationDurationMs: 1000, staticTime: '2030-01-01T00:00:00Z' };
    const first = await open(options);
    await liveALittle(first);
    const upTo = first.provider.state.updates.at(-3)!.offset;
    expect(() => first.provider.prune(upTo)).toThrow(/deduplication window/);
    first.network.setTime(first.network.nowMicros() + 2_000_000n);
    first.provider.prune(upTo);
    await first.offer();
    expect(first.provider.state.prunedUpTo).toBe(upTo);
    const before = everything(first);
    await first.network.close();
    await using second = await open(options);
    expect(everything(second)).toEqual(before);
  });

  test('continues time that stands still from where it was set', async () => {
    const first = await open({ staticTime: '2030-01-01T00:00:00Z' });
    first.network.setTime(first.network.nowMicros() + 86_400_000_000n);
    const travelled = first.network.nowMicros();
    await first.offer();
    await first.network.close();
    await expect(open()).rejects.toThrow(/later than its clock/);
    await using second = await open({ staticTime: '2030-01-01T00:00:00Z' });
    expect(second.network.nowMicros()).toBe(travelled);
    expect(() => second.network.setTime(travelled - 1n)).toThrow(/backwards/);
  });

  test('finishes what had been sequenced and not decided with a refusal', async () => {
    const first = await open({ latencyMs: 60_000 });
    const payload = { seller: first.seller, readers: [], price: '1' };
    const submission = first.submission(first.provider, first.seller, create('Offer', payload), {
      commandId: 'undecided',
    });
    await first.provider.submit(submission);
    await first.network.close();
    await using second = await open();
    const completion = second.provider.state.completions.at(-1)!;
    expect(completion.submitter).toMatchObject({
      commandId: 'undecided',
      submissionId: submission.submissionId,
    });
    expect(completion.rejection).toMatchObject({
      code: 'MEDIATOR_SAYS_TX_TIMED_OUT',
      definiteAnswer: false,
    });
    await expect(second.offer({ commandId: 'undecided' })).resolves.toMatch(/^00/);
  });
});

describe('the file', () => {
  test('has the record before anybody has the answer', async () => {
    await using shop = await open();
    const { updateId } = await shop.transact(
      shop.provider,
      shop.seller,
      create('Offer', { seller: shop.seller, readers: [], price: '1' }),
    );
    expect(readFileSync(journal, 'utf8')).toContain(updateId);
  });

  test.each([1, 10, 200])(
    'may lose the last %i bytes of a line that was being written',
    async (lost) => {
      const first = await open();
      await first.offer();
      const before = everything(first);
      await first.offer();
      await first.network.close();
      truncateSync(journal, readFileSync(journal).length - lost);
      const second = await open();
      expect(everything(second)).toEqual(before);
      await second.offer();
      const after = everything(second);
      await second.network.close();
      await using third = await open();
      expect(everything(third)).toEqual(after);
    },
  );

  test('that is damaged in the middle is refused with the line', async () => {
    await (await open()).network.close();
    const lines = readFileSync(journal, 'utf8').split('\n');
    writeFileSync(journal, [...lines.slice(0, 2), '{"kind":', ...lines.slice(2)].join('\n'));
    await expect(open()).rejects.toThrow(/cannot be read at line 3/);
  });

  test('of another network, of another format or of something else is refused', async () => {
    await (await open()).network.close();
    await expect(open({ partyHint: 'other-hint-2' })).rejects.toThrow(
      /party hint quickstart-tenure-1/,
    );
    writeFileSync(
      journal,
      '{"kind":"genesis","format":2,"networkId":"x","partyHint":"quickstart-tenure-1"}\n',
    );
    await expect(open()).rejects.toThrow(/format 2/);
    writeFileSync(journal, '{"kind":"kept","name":"a","text":"b"}\n');
    await expect(open()).rejects.toThrow(/genesis/);
    appendFileSync(journal, 'no journal at all\n');
    await expect(open()).rejects.toThrow(/line 1/);
  });

  test('belongs to one process at a time, and is free again when that is over', async () => {
    const first = await open();
    await expect(open()).rejects.toThrow(/in use/);
    await first.network.close();
    await using second = await open();
    expect(second.provider.ledgerEnd()).toBeGreaterThan(0n);
  });
});

test('is readable by its owner alone, also one of an earlier version', async () => {
  writeFileSync(journal, '');
  chmodSync(journal, 0o644);
  await using _network = await open();
  expect(statSync(journal).mode & 0o777).toBe(0o600);
});
