import assert from 'node:assert/strict';
import { SDK, signTransactionHash } from '@canton-network/wallet-sdk';

/* The examples of the SDK's documentation as steps that follow one another. Each walk has its own parties. */

const AUDIENCE = 'https://canton.network.global';
const quiet = { log: () => undefined };

/** @param {{urls: any}} network */
export async function createSdk(network) {
  const { json, validator } = network.urls.participants['app-user'];
  const auth = {
    method: 'self_signed',
    issuer: 'unsafe-auth',
    credentials: {
      clientId: 'ledger-api-user',
      clientSecret: 'unsafe',
      audience: AUDIENCE,
      scope: '',
    },
  };
  const validatorUrl = new URL(`${validator}/api/validator`);
  const registryUrl = new URL(`${validatorUrl.href}/v0/scan-proxy`);
  const scanApiUrl = new URL(`${network.urls.network}/api/scan`);
  const websocketURL = new URL(json.replace(/^http/, 'ws'));
  const sdk = await SDK.create({
    auth,
    logAdapter: quiet,
    ledgerClientUrl: new URL(json),
    token: { validatorUrl, registries: [registryUrl], auth },
    amulet: { validatorUrl, scanApiUrl, auth, registryUrl },
    asset: { registries: [registryUrl], auth },
    events: { websocketURL, auth },
  });
  return { sdk, registryUrl };
}

const unitsOf = (amount) => Math.round(Number(amount) * 1e4);

/** One walk through the steps: a network with its SDK, and the results of earlier steps. */
export class Walk {
  constructor(network, name) {
    this.network = network;
    this.name = name;
  }

  async connect() {
    Object.assign(this, await createSdk(this.network));
    assert.ok(this.sdk.ledger);
  }

  /** Allocates a party that signs for itself. */
  async external(hint) {
    const keys = this.sdk.keys.generate();
    const { partyId } = await this.sdk.party.external
      .create(keys.publicKey, { partyHint: `${this.name}-${hint}` })
      .sign(keys.privateKey)
      .execute();
    assert.equal(partyId.split('::')[1], await this.sdk.keys.fingerprint(keys.publicKey));
    return { partyId, keys };
  }

  /** Prepares, signs and executes commands. */
  submit({ partyId, keys }, [commands, disclosedContracts = []]) {
    return this.sdk.ledger
      .prepare({ partyId, commands, disclosedContracts })
      .sign(keys.privateKey)
      .execute({ partyId });
  }

  async holdings({ partyId }, expected) {
    const utxos = await this.sdk.token.utxos.list({ partyId });
    const sum = utxos.reduce((total, { interfaceViewValue: v }) => total + unitsOf(v.amount), 0);
    assert.equal(sum, unitsOf(expected));
    return utxos;
  }

  async externalParties() {
    this.alice = await this.external('alice');
    this.bob = await this.external('bob');
  }

  async internalParty() {
    this.carol = {
      partyId: await this.sdk.party.internal.allocate({ partyHint: `${this.name}-carol` }),
    };
    const again = await this.sdk.party.internal.allocate({ partyHint: `${this.name}-carol` });
    assert.equal(again, this.carol.partyId);
  }

  async listParties() {
    const parties = await this.sdk.party.list();
    for (const { partyId } of [this.alice, this.bob, this.carol])
      assert.ok(parties.includes(partyId));
  }

  async tap() {
    await this.submit(this.alice, await this.sdk.amulet.tap(this.alice.partyId, '10000'));
    await this.holdings(this.alice, '10000');
  }

  async tapInternal() {
    const { partyId } = this.carol;
    const { updateId } = await this.sdk.amulet.tapInternal('500', { partyId });
    assert.ok(updateId);
    await this.holdings(this.carol, '500');
  }

  transfer(amount, { from = this.alice, to = this.bob } = {}) {
    return this.sdk.token.transfer.create({
      sender: from.partyId,
      recipient: to.partyId,
      amount,
      instrumentId: 'Amulet',
      registryUrl: this.registryUrl,
      memo: `from ${this.name}`,
    });
  }

  /** Offers a transfer. @returns the instruction, which waits for the receiver */
  async offer(amount) {
    await this.submit(this.alice, await this.transfer(amount));
    const pending = await this.sdk.token.transfer.pending(this.bob.partyId);
    assert.equal(pending.length, 1);
    assert.equal(unitsOf(pending[0].interfaceViewValue.transfer.amount), unitsOf(amount));
    return { transferInstructionCid: pending[0].contractId, registryUrl: this.registryUrl };
  }

  async offerAndAccept() {
    const instruction = await this.offer('100');
    await this.submit(this.bob, await this.sdk.token.transfer.accept(instruction));
    await this.holdings(this.alice, '9900');
    await this.holdings(this.bob, '100');
  }

  async offerAndReject() {
    const instruction = await this.offer('50');
    await this.holdings(this.alice, '9850');
    await this.submit(this.bob, await this.sdk.token.transfer.reject(instruction));
    await this.holdings(this.alice, '9900');
  }

  async offerAndWithdraw() {
    const instruction = await this.offer('60');
    await this.submit(this.alice, await this.sdk.token.transfer.withdraw(instruction));
    await this.holdings(this.alice, '9900');
    assert.deepEqual(await this.sdk.token.transfer.pending(this.bob.partyId), []);
  }

  async history() {
    const { transactions } = await this.sdk.token.holdings({ partyId: this.bob.partyId });
    assert.ok(transactions.length >= 1);
    const { updateId } = transactions[0];
    const one = await this.sdk.token.transactionsById({ updateId, partyId: this.bob.partyId });
    assert.equal(one.updateId, updateId);
  }

  async preapprove() {
    await this.sdk.amulet.tapInternal('1000');
    const receiver = this.bob.partyId;
    const command = await this.sdk.amulet.preapproval.command.create({ parties: { receiver } });
    await this.submit(this.bob, [command]);
    this.preapproval = await this.sdk.amulet.preapproval.fetchStatus(receiver, { intervalMs: 200 });
    assert.ok(this.preapproval.expiresAt > new Date());
  }

  async sendToPreapproved() {
    await this.submit(this.alice, await this.transfer('200'));
    assert.deepEqual(await this.sdk.token.transfer.pending(this.bob.partyId), []);
    await this.holdings(this.bob, '300');
  }

  async renewPreapproval() {
    const receiver = this.bob.partyId;
    const expiresAt = new Date(this.preapproval.expiresAt.getTime() + 2 * 86_400_000);
    await this.sdk.amulet.preapproval.renew({ parties: { receiver }, expiresAt });
    const { contractId: oldCid } = this.preapproval;
    const renewed = await this.sdk.amulet.preapproval.fetchStatus(receiver, { oldCid });
    assert.deepEqual(renewed.expiresAt, expiresAt);
  }

  async cancelPreapproval() {
    const receiver = this.bob.partyId;
    const cancel = await this.sdk.amulet.preapproval.command.cancel({ parties: { receiver } });
    await this.submit(this.bob, cancel);
    const options = { cancelled: true, timeoutMs: 5_000, intervalMs: 200 };
    assert.equal(await this.sdk.amulet.preapproval.fetchStatus(receiver, options), null);
  }

  /** Allocates coins for a payment from one party to another. The second party settles it. */
  async allocate(sender, receiver, amount) {
    const asset = await this.sdk.asset.find('Amulet', this.registryUrl);
    const now = Date.now();
    const at = (ms) => new Date(now + ms).toISOString();
    return this.sdk.token.allocation.instruction.create({
      allocationSpecification: {
        settlement: {
          executor: receiver.partyId,
          settlementRef: { id: `${this.name}-${amount}`, cid: null },
          requestedAt: at(-60_000),
          allocateBefore: at(600_000),
          settleBefore: at(1_200_000),
          meta: { values: {} },
        },
        transferLegId: 'leg',
        transferLeg: {
          sender: sender.partyId,
          receiver: receiver.partyId,
          amount,
          instrumentId: { admin: asset.admin, id: asset.id },
          meta: { values: {} },
        },
      },
      asset,
    });
  }

  async pendingAllocation(partyId) {
    const [allocation, ...others] = await this.sdk.token.allocation.pending(partyId);
    assert.equal(others.length, 0);
    const asset = await this.sdk.asset.find('Amulet', this.registryUrl);
    return { allocationCid: allocation.contractId, asset };
  }

  async allocateAndWithdraw() {
    await this.submit(this.alice, await this.allocate(this.alice, this.bob, '30'));
    const allocation = await this.pendingAllocation(this.bob.partyId);
    await this.submit(this.alice, await this.sdk.token.allocation.withdraw(allocation));
    assert.deepEqual(await this.sdk.token.allocation.pending(this.bob.partyId), []);
    assert.deepEqual(await this.sdk.token.allocation.request.pending(this.alice.partyId), []);
  }

  /**
   * The sender, the receiver and the executor settle together. This is possible in a single submission, because one
   * participant hosts them.
   */
  async allocateAndExecute() {
    const dave = { partyId: await this.sdk.party.internal.allocate() };
    const submit = ([command, disclosedContracts], ...parties) =>
      this.sdk.ledger.internal.submit({
        commands: [command],
        disclosedContracts,
        actAs: parties.map(({ partyId }) => partyId),
      });
    await submit(await this.allocate(this.carol, dave, '40'), this.carol);
    const allocation = await this.pendingAllocation(dave.partyId);
    const execute = await this.sdk.token.allocation.execute(allocation);
    await submit(execute, this.carol, dave);
    await this.holdings(dave, '40');
  }

  /** A prepared transaction can be decoded, hashed and signed in another place. */
  async signOffline() {
    const { partyId, keys } = this.alice;
    const [commands, disclosedContracts] = await this.sdk.amulet.tap(partyId, '7');
    const prepared = this.sdk.ledger.prepare({ partyId, commands, disclosedContracts });
    const { response } = await prepared.toJSON();
    const decoded = await prepared.decode();
    const hash = await SDK.createOffline({ logAdapter: quiet }).utils.hash.preparedTransaction(
      decoded,
    );
    assert.equal(hash.toBase64(), response.preparedTransactionHash);
    const signature = signTransactionHash(response.preparedTransactionHash, keys.privateKey);
    const signed = this.sdk.ledger.fromSignature(response, signature);
    const { updateId } = await this.sdk.ledger.execute(signed, { partyId });
    assert.ok(updateId);
  }

  async mergeHoldings() {
    const before = await this.sdk.token.utxos.list({ partyId: this.alice.partyId });
    assert.ok(before.length > 1);
    const [commands, disclosed] = await this.sdk.token.utxos.merge({ partyId: this.alice.partyId });
    for (const command of commands) await this.submit(this.alice, [command, disclosed]);
    assert.equal((await this.sdk.token.utxos.list({ partyId: this.alice.partyId })).length, 1);
  }

  async users() {
    const userId = `${this.name}-user`;
    const { partyId } = this.carol;
    const made = await this.sdk.user.create({
      userId,
      primaryParty: partyId,
      userRights: { actAs: [partyId] },
    });
    assert.equal(made.id, userId);
    const { users } = await this.sdk.user.list();
    assert.ok(users.some(({ id }) => id === userId));
  }

  async traffic() {
    const { traffic_status } = await this.sdk.amulet.traffic.status();
    assert.ok(traffic_status.actual.total_consumed > 0);
  }

  async featuredApp() {
    const options = { maxRetries: 1, delayMs: 1 };
    const { partyId } = this.carol;
    assert.equal(await this.sdk.amulet.featuredApp.rights({ partyId, ...options }), undefined);
  }

  async events() {
    const { partyId } = this.bob;
    const updates = this.sdk.events.updates({
      partyId,
      interfaceIds: ['#splice-api-token-holding-v1:Splice.Api.Token.HoldingV1:Holding'],
    });
    for await (const update of updates) {
      assert.ok(update);
      break;
    }
  }

  async activeContracts() {
    const contracts = await this.sdk.ledger.acsReader.readJsContracts({
      parties: [this.bob.partyId],
      templateIds: ['#splice-amulet:Splice.Amulet:Amulet'],
      filterByParty: true,
    });
    assert.ok(contracts.every(({ contractId }) => contractId.startsWith('00')));
    assert.ok(contracts.length > 0);
  }
}
