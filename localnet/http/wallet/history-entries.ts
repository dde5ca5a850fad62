import { typeText } from '../../ledger/contract.ts';
import type { Contract } from '../../ledger/contract.ts';
import { decimalOf, unitsOf } from '../../ledger/decimal.ts';
import type { TypeName } from '../../ledger/lf-types.ts';
import { timestampText } from '../../ledger/lf-values.ts';
import type { SeenTransaction } from '../../ledger/participant.ts';
import type { CreatedEvent, ExercisedEvent, LedgerEvent } from '../../ledger/update.ts';

/*
 * Computes a transaction's effect on a party's coins. Each entry represents an exercise that moved coins. Its amounts
 * are sums over the coins that the exercise created and archived, as far as the party sees them.
 */

interface PartyAndAmount {
  readonly party: string;
  /** A decimal, which is negative if coins left the party. */
  readonly amount: string;
}

interface Entry {
  readonly transaction_subtype: {
    readonly template_id: string;
    readonly choice: string;
    readonly interface_id?: string;
  };
  /** `#<update ID>:<node ID>` */
  readonly event_id: string;
  /** Ledger time of the transaction. */
  readonly date: string;
  readonly transfer_instruction_cid?: string;
}

/** Coins that the party got without a payment by another party: tapped, unlocked or returned coins. */
export interface BalanceChange extends Entry {
  readonly transaction_type: 'balance_change';
  /** Contains exactly one party. */
  readonly receivers: readonly PartyAndAmount[];
  readonly amulet_price: string;
}

/** Coins that a party paid to others, or that were locked. */
export interface Transfer extends Entry {
  readonly transaction_type: 'transfer';
  readonly provider: string;
  readonly sender: PartyAndAmount;
  readonly receivers: readonly PartyAndAmount[];
  readonly holding_fees: string;
  readonly amulet_price: string;
  readonly app_rewards_used: string;
  readonly validator_rewards_used: string;
  readonly sv_rewards_used: string;
  readonly transfer_instruction_receiver?: string;
  readonly transfer_instruction_amount?: string;
  readonly description?: string;
}

export type HistoryItem = BalanceChange | Transfer;

/**
 * The party that reads its history, and a function that returns the package ID for a package name on its participant.
 */
export interface Reader {
  readonly party: string;
  readonly packageIdOf: (packageName: string) => string;
}

const NONE = '0.0000000000';
const REASON_KEY = 'splice.lfdecentralizedtrust.org/reason';

const textOf = (units: bigint): string => decimalOf(units) ?? NONE;

/* The parts of arguments, results and payloads that this file reads. */

interface CreateSummary {
  readonly amuletSum: { readonly amulet: string; readonly amuletPrice: string };
}
interface TransferArgument {
  readonly transfer: {
    readonly sender: string;
    readonly provider: string;
    readonly outputs: readonly {
      readonly receiver: string;
      readonly amount: string;
      readonly lock: unknown;
    }[];
  };
}
/** The result of a transfer. If it contains a summary, the price is in the summary. */
interface TransferResult {
  readonly amuletPrice?: string;
  readonly summary?: { readonly amuletPrice: string };
}
interface Instruction {
  readonly transfer: {
    readonly sender: string;
    readonly receiver: string;
    readonly amount: string;
    readonly meta: { readonly values: ReadonlyMap<string, string> };
  };
}
interface InstructionResult {
  readonly output: { readonly value?: { readonly transferInstructionCid?: string } | null };
}
interface Amulet {
  readonly owner: string;
  readonly amount: { readonly initialAmount: string };
}

const isAmulet = ({ packageName, entity }: TypeName): boolean =>
  packageName === 'splice-amulet' && entity === 'Amulet';

/** The part of a transaction that the reader sees, as a tree. */
class SeenTree {
  readonly party: string;
  readonly #reader: Reader;
  readonly #transaction: SeenTransaction;
  readonly #visible: readonly LedgerEvent[];

  constructor(transaction: SeenTransaction, reader: Reader) {
    this.party = reader.party;
    this.#reader = reader;
    this.#transaction = transaction;
    this.#visible = transaction.events.filter(({ witnesses }) => witnesses.includes(this.party));
  }

  /** Returns the topmost visible events of the nodes from `first` to `last`, without their descendants. */
  *top(first = 0, last = Number.MAX_SAFE_INTEGER): Generator<LedgerEvent> {
    let next = first;
    for (const event of this.#visible) {
      if (event.nodeId < next || event.nodeId > last) continue;
      yield event;
      next = event.kind === 'exercised' ? event.lastDescendantNodeId + 1 : event.nodeId + 1;
    }
  }

  below({ nodeId, lastDescendantNodeId }: ExercisedEvent): Generator<LedgerEvent> {
    return this.top(nodeId + 1, lastDescendantNodeId);
  }

  /** Returns the coin with this ID, if the transaction created it. */
  madeAmulet(contractId: string): Amulet | undefined {
    const made = this.#visible.find(
      ({ kind, contract }) => kind === 'created' && contract.contractId === contractId,
    );
    return made?.contract.payload as Amulet | undefined;
  }

  /** Returns by how much an exercise changed a party's unlocked coins, in units. */
  changeBy({ nodeId, lastDescendantNodeId }: ExercisedEvent, party: string): bigint {
    let units = 0n;
    for (const event of this.#visible) {
      if (event.nodeId <= nodeId || event.nodeId > lastDescendantNodeId) continue;
      if (!isAmulet(event.contract.template.name)) continue;
      const { owner, amount } = event.contract.payload as Amulet;
      if (owner !== party) continue;
      if (event.kind === 'created') units += unitsOf(amount.initialAmount);
      else if (event.consuming) units -= unitsOf(amount.initialAmount);
    }
    return units;
  }

  entryOf(event: ExercisedEvent): Entry {
    const { contract, choice, interfaceName } = event;
    return {
      transaction_subtype: {
        template_id: typeText(contract.packageId, contract.template.name),
        choice,
        ...(interfaceName === undefined ? {} : { interface_id: this.#idOf(interfaceName) }),
      },
      ...this.#placeOf(event.nodeId),
    };
  }

  /** Returns the entry for an exercise that the party does not see, and of which it sees only the created contracts. */
  unseenEntryOf({ nodeId, contract }: CreatedEvent, factory: TypeName, by: TypeName): Entry {
    return {
      transaction_subtype: {
        template_id: typeText(contract.packageId, factory),
        choice: 'TransferFactory_Transfer',
        interface_id: this.#idOf(by),
      },
      ...this.#placeOf(nodeId),
    };
  }

  #idOf(name: TypeName): string {
    return typeText(this.#reader.packageIdOf(name.packageName), name);
  }

  #placeOf(nodeId: number) {
    const { updateId, ledgerTime } = this.#transaction;
    return { event_id: `#${updateId}:${nodeId}`, date: timestampText(ledgerTime) };
  }
}

type Parse = (tree: SeenTree, event: ExercisedEvent) => readonly HistoryItem[];

/** Parses an exercise whose result names the one coin that it created. */
const gained: Parse = (tree, event) => {
  const { amulet, amuletPrice } = (event.result as CreateSummary).amuletSum;
  const made = tree.madeAmulet(amulet);
  if (made === undefined) return [];
  return [
    {
      transaction_type: 'balance_change',
      ...tree.entryOf(event),
      receivers: [{ party: made.owner, amount: made.amount.initialAmount }],
      amulet_price: amuletPrice,
    },
  ];
};

/** Fields that are empty because LocalNet has no rewards and no holding fees. */
const NO_REWARDS = {
  holding_fees: NONE,
  app_rewards_used: NONE,
  validator_rewards_used: NONE,
  sv_rewards_used: NONE,
} as const;

/** Parses a transfer. Coins that are locked for a receiver count as paid by the sender, but not yet as received. */
const transferred: Parse = (tree, event) => {
  const { sender, provider, outputs } = (event.argument as TransferArgument).transfer;
  const received = new Map<string, bigint>();
  for (const { receiver, amount, lock } of outputs) {
    if (receiver === sender) continue;
    const units = lock === null ? unitsOf(amount) : 0n;
    received.set(receiver, (received.get(receiver) ?? 0n) + units);
  }
  const { amuletPrice, summary } = event.result as TransferResult;
  return [
    {
      transaction_type: 'transfer',
      ...tree.entryOf(event),
      provider,
      sender: { party: sender, amount: textOf(tree.changeBy(event, sender)) },
      receivers: Array.from(received, ([party, units]) => ({ party, amount: textOf(units) })),
      amulet_price: summary?.amuletPrice ?? amuletPrice ?? NONE,
      ...NO_REWARDS,
    },
  ];
};

/** Returns the transfer below an exercise, including the coins that the exercise unlocked first. */
function transferBelow(tree: SeenTree, event: ExercisedEvent): readonly Transfer[] {
  const items = [...parsed(tree, tree.below(event))];
  const gains = new Map<string, bigint>();
  for (const item of items) {
    if (item.transaction_type !== 'balance_change') continue;
    for (const { party, amount } of item.receivers) {
      gains.set(party, (gains.get(party) ?? 0n) + unitsOf(amount));
    }
  }
  const net = ({ party, amount }: PartyAndAmount): PartyAndAmount => ({
    party,
    amount: textOf(unitsOf(amount) + (gains.get(party) ?? 0n)),
  });
  return items
    .filter((item) => item.transaction_type === 'transfer')
    .map((transfer) => ({
      ...transfer,
      ...tree.entryOf(event),
      sender: net(transfer.sender),
      receivers: transfer.receivers.map(net),
    }));
}

const instructionOf = ({ transfer }: Instruction, contractId: string) => {
  const description = transfer.meta.values.get(REASON_KEY) ?? '';
  return {
    transfer_instruction_receiver: transfer.receiver,
    transfer_instruction_amount: transfer.amount,
    transfer_instruction_cid: contractId,
    ...(description === '' ? {} : { description }),
  };
};

/**
 * Parses an exercise that offers a transfer to a receiver. If the transfer completes at once, the events below the
 * exercise are parsed instead.
 */
const instructed: Parse = (tree, event) => {
  const transferInstructionCid = (event.result as InstructionResult).output.value
    ?.transferInstructionCid;
  if (transferInstructionCid === undefined) return [...parsed(tree, tree.below(event))];
  const instruction = instructionOf(event.argument as Instruction, transferInstructionCid);
  return transferBelow(tree, event).map((transfer) => ({ ...transfer, ...instruction }));
};

const accepted: Parse = (tree, event) =>
  transferBelow(tree, event).map((transfer) => ({
    ...transfer,
    transfer_instruction_cid: event.contract.contractId,
  }));

/**
 * Parses the return of coins to the sender. The receiver has lost nothing, but its history shows that the transfer has
 * ended.
 */
const returned: Parse = (tree, event) => {
  const change = [...parsed(tree, tree.below(event))].find(
    ({ transaction_type, receivers }) =>
      transaction_type === 'balance_change' && receivers.some(({ party }) => party === tree.party),
  );
  return [
    {
      transaction_type: 'balance_change',
      ...tree.entryOf(event),
      receivers: change?.receivers ?? [{ party: tree.party, amount: NONE }],
      amulet_price: change?.amulet_price ?? NONE,
      transfer_instruction_cid: event.contract.contractId,
    },
  ];
};

/**
 * The parsers of choices that appear in a wallet's history. For any other choice, the events below its exercise are
 * parsed.
 */
const PARSES: Readonly<Record<string, Parse>> = {
  AmuletRules_DevNet_Tap: gained,
  AmuletRules_Mint: gained,
  AmuletRules_Transfer: transferred,
  LockedAmulet_Unlock: gained,
  LockedAmulet_OwnerExpireLock: gained,
  TransferFactory_Transfer: instructed,
  TransferInstruction_Accept: accepted,
  TransferInstruction_Withdraw: returned,
  TransferInstruction_Reject: returned,
};

function* parsed(tree: SeenTree, events: Iterable<LedgerEvent>): Generator<HistoryItem> {
  for (const event of events) {
    if (event.kind === 'created') {
      yield* offered(tree, event);
      continue;
    }
    const parse = PARSES[event.choice];
    if (parse === undefined) yield* parsed(tree, tree.below(event));
    else yield* parse(tree, event);
  }
}

/** The interface through which transfers are requested, and the DSO party's template that implements it. */
const TRANSFER_FACTORY = {
  packageName: 'splice-api-token-transfer-instruction-v1',
  module: 'Splice.Api.Token.TransferInstructionV1',
  entity: 'TransferFactory',
} as const;
const factoryOf = ({ template }: Contract): TypeName => ({
  packageName: template.name.packageName,
  module: 'Splice.ExternalPartyAmuletRules',
  entity: 'ExternalPartyAmuletRules',
});

/**
 * Yields the entry of an offered transfer for its receiver, who sees only that the transfer exists. No coins have moved
 * to the receiver yet.
 */
function* offered(tree: SeenTree, event: CreatedEvent): Generator<Transfer> {
  const { template, payload, contractId } = event.contract;
  if (template.name.entity !== 'AmuletTransferInstruction') return;
  const instruction = payload as Instruction;
  const { sender, receiver } = instruction.transfer;
  if (receiver !== tree.party) return;
  yield {
    transaction_type: 'transfer',
    ...tree.unseenEntryOf(event, factoryOf(event.contract), TRANSFER_FACTORY),
    provider: sender,
    sender: { party: sender, amount: NONE },
    receivers: [{ party: receiver, amount: NONE }],
    amulet_price: NONE,
    ...NO_REWARDS,
    ...instructionOf(instruction, contractId),
  };
}

const concerns = (item: HistoryItem, party: string): boolean =>
  (item.transaction_type === 'transfer' && item.sender.party === party) ||
  item.receivers.some((receiver) => receiver.party === party);

/** Returns a transaction's history entries for a party, in order of execution. */
export const entriesOf = (transaction: SeenTransaction, reader: Reader): readonly HistoryItem[] => {
  const tree = new SeenTree(transaction, reader);
  return [...parsed(tree, tree.top())].filter((item) => concerns(item, reader.party));
};
