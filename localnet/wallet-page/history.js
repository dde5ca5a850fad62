import { amountText, byId, partyText, setText, showAge, showList } from './show.js';

/* The wallet's received and sent payments, newest first, from the validator. */

/**
 * @typedef {{ party: string, amount: string }} PartyAndAmount
 * @typedef {{
 *   transaction_type: 'transfer' | 'balance_change' | 'notification' | 'unknown',
 *   transaction_subtype: { choice: string },
 *   event_id: string,
 *   date: string,
 *   sender?: PartyAndAmount,
 *   receivers?: PartyAndAmount[],
 *   description?: string,
 *   details?: string,
 * }} Transaction
 */

export const HISTORY_PAGE_SIZE = 20;

const KINDS = {
  transfer: 'Transfer',
  balance_change: 'Balance change',
  notification: 'Notification',
  unknown: 'Unknown event',
};

/** @type {Readonly<Record<string, string>>} */
const CHOICES = {
  AmuletRules_DevNet_Tap: 'Tap',
  AmuletRules_Mint: 'Mint',
  AmuletRules_Transfer: 'Transfer',
  LockedAmulet_Unlock: 'Unlocked',
  AllocationFactory_Allocate: 'Set aside for a payment',
  Allocation_ExecuteTransfer: 'Payment settled',
  Allocation_Withdraw: 'Payment withdrawn',
  Allocation_Cancel: 'Payment cancelled',
};

/** @param {Transaction} transaction @param {string} party */
function amountsOf({ transaction_type, sender, receivers = [] }, party) {
  if (transaction_type === 'notification' || transaction_type === 'unknown') return [];
  const own = [...(sender === undefined ? [] : [sender]), ...receivers].filter(
    (one) => one.party === party,
  );
  return own.map(({ amount }) =>
    amount.startsWith('-') ? `−${amountText(amount.slice(1))}` : `+${amountText(amount)}`,
  );
}

/** @param {Transaction} transaction @param {string} party */
function otherOf({ sender, receivers = [] }, party) {
  const others = sender?.party === party ? receivers.map((one) => one.party) : [sender?.party];
  return others.filter((other) => other !== undefined && other !== party);
}

/** @param {HTMLElement} row @param {Transaction} transaction @param {{ party: string, nowMs: number }} at */
function showRow(row, transaction, { party, nowMs }) {
  const [kind, other, amount, since] = row.children;
  const words = CHOICES[transaction.transaction_subtype.choice];
  const name = KINDS[transaction.transaction_type] ?? KINDS.unknown;
  if (kind !== undefined) setText(kind, words === undefined ? name : `${name} · ${words}`);
  if (other !== undefined) {
    setText(
      other,
      otherOf(transaction, party)
        .map((one) => partyText(one ?? ''))
        .join(', '),
    );
  }
  if (amount !== undefined) setText(amount, amountsOf(transaction, party).join(', '));
  if (since instanceof HTMLElement) showAge(since, transaction.date, nowMs);
}

/**
 * @param {readonly Transaction[]} transactions
 * @param {{ party: string, nowMs: number }} at
 */
export function showHistory(transactions, at) {
  byId('tx-empty').hidden = transactions.length > 0;
  byId('tx-frame').hidden = transactions.length === 0;
  showList(byId('tx-rows'), transactions, {
    key: ({ event_id }) => event_id,
    make: ({ transaction_type }) => {
      const row = document.createElement('tr');
      row.className = `tx-row tx-row-${transaction_type}`;
      for (const name of ['type', 'receiver', 'balance-change', 'date']) {
        const cell = document.createElement('td');
        cell.className = `tx-row-cell-${name}${name === 'balance-change' ? ' number' : ''}`;
        row.append(cell);
      }
      return row;
    },
    update: (row, transaction) => showRow(row, transaction, at),
  });
}
