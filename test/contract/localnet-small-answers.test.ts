import { randomUUID } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import { DisclosedContract } from '../../proto/gen/com/daml/ledger/api/v2/commands.ts';
import { change } from './kit/commands.ts';
import { expectRefused, openSuite } from './kit/conformance.ts';
import { preparation } from './kit/external-party.ts';
import { Control } from './kit/faults.ts';
import { ACS_DELTA, eventsOf, transactions } from './kit/formats.ts';
import { archive, createRequest, REQUEST } from './kit/licensing.ts';
import { refusalOf } from './kit/refusal.ts';
import { transact } from './kit/steps.ts';
import { createdIn } from './kit/streams.ts';
import { selfSignedToken } from './kit/tokens.ts';

/*
 * Answers of LocalNet that formerly differed from those of a real participant, according to Canton's sources. Each of
 * these differences has misled clients.
 */

const { network, ledger, party } = await openSuite();
const control = new Control(network);
afterEach(() => control.clear());

// Modelled on Canton's StoreBackedCommandInterpreter.considerDisclosedContractsSynchronizerId.
test('disclosed contracts that are used name one synchronizer, which is the one that is asked for', async () => {
  const { synchronizerId } = network.localnet;
  const owner = await party();
  const format = transactions(ACS_DELTA, eventsOf([owner], { blobs: true }));
  const disclosed = async (of: string) => {
    const own = createRequest({ user: owner, provider: owner });
    const [created] = createdIn(await transact(ledger, change(own, { actAs: [owner] }), format));
    const { contractId, templateId, createdEventBlob } = created!;
    const parts = { contractId, templateId, createdEventBlob, synchronizerId: of };
    return DisclosedContract.fromPartial(parts);
  };
  const [here, there] = [await disclosed(synchronizerId), await disclosed('other::1220ab')];
  const use = (of: readonly DisclosedContract[], prescribed = '', used = of) => {
    const [first, ...more] = used.map(({ contractId }) => archive(REQUEST, contractId));
    const commands = change(first!, { actAs: [owner], disclosed: of });
    commands.commands.push(...more);
    return transact(ledger, { ...commands, synchronizerId: prescribed });
  };
  const several = 'DISCLOSED_CONTRACTS_SYNCHRONIZER_ID_MISMATCH';
  await expectRefused(use([here, there]), several, 'other::1220ab');
  const another = 'PRESCRIBED_SYNCHRONIZER_ID_MISMATCH';
  await expectRefused(use([there], synchronizerId), another, 'other::1220ab');
  await expectRefused(use([there]), 'INVALID_PRESCRIBED_SYNCHRONIZER_ID', 'other::1220ab');
  // Disclosed contracts that no command uses are not checked.
  await use([here, there], synchronizerId, [here]);
});

test('a fault changes nothing for a submission that is prepared, unless it names it', async () => {
  const who = await party();
  const command = createRequest({ user: who, provider: who });
  await control.fault({ kind: 'drop-before', how: 'reset', where: { commandId: 'named-*' } });
  const { preparedTransactionHash } = await ledger.interactive.prepareSubmission(
    preparation(who, command),
  );
  expect(preparedTransactionHash).toHaveLength(32);
  const named = preparation(who, command, { commandId: `named-${randomUUID()}` });
  expect(await refusalOf(ledger.interactive.prepareSubmission(named))).toMatchObject({
    status: 'UNAVAILABLE',
  });
});

// Modelled on Canton's AdminServiceCallAuthTests.
test('a token whose user name cannot be one is an invalid argument', async () => {
  const bearing = (userId: string) => network.bearing('sv', () => selfSignedToken({ userId }));
  for (const userId of ['two words', 'x'.repeat(129)]) {
    const { userAdmin } = bearing(userId);
    await expectRefused(userAdmin.getUser({}), 'INVALID_ARGUMENT', 'does not match regex');
  }
  const nobody = await refusalOf(bearing('').userAdmin.getUser({}));
  expect(nobody.status).toBe('UNAUTHENTICATED');
});

test('faults are removed whatever the content type of the request says', async () => {
  for (const type of ['application/json', 'text/plain', 'application/xml']) {
    await control.fault({ kind: 'duplicate' });
    const answer = await control.ask('/faults', {
      method: 'DELETE',
      headers: { 'content-type': type },
    });
    expect([type, answer.status, answer.json]).toEqual([type, 200, { removed: 1 }]);
  }
  const asked = { method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'x' };
  expect((await control.ask('/faults', asked)).status).toBe(415);
});
