import { amountText, byId, setText, showAge, showList } from './show.js';

/**
 * @typedef {{ contract: { contract: { contract_id: string, created_at: string } }, effective_amount: string }} Position
 */

const HOLDINGS_SHOWN_MAX = 50;

/**
 * @param {{ amulets: Position[], locked_amulets: Position[] }} positions
 * @param {number} nowMs
 */
export function showHoldings({ amulets, locked_amulets }, nowMs) {
  const all = [
    ...amulets.map((position) => ({ position, state: 'Available' })),
    ...locked_amulets.map((position) => ({ position, state: 'Set aside' })),
  ].toSorted((a, b) => createdAt(b.position).localeCompare(createdAt(a.position)));
  byId('holdings-empty').hidden = all.length > 0;
  byId('holdings-frame').hidden = all.length === 0;
  const more = byId('holdings-more');
  more.hidden = all.length <= HOLDINGS_SHOWN_MAX;
  setText(more, `and ${all.length - HOLDINGS_SHOWN_MAX} older ones`);
  showList(byId('holdings'), all.slice(0, HOLDINGS_SHOWN_MAX), {
    key: ({ position }) => position.contract.contract.contract_id,
    make: () => {
      const row = document.createElement('tr');
      row.append(...['number', '', ''].map(cell));
      return row;
    },
    update: (row, { position, state: standing }) => {
      const [amount, state, since] = row.children;
      if (amount !== undefined) setText(amount, amountText(position.effective_amount));
      if (state !== undefined) setText(state, standing);
      if (since instanceof HTMLElement) showAge(since, createdAt(position), nowMs);
    },
  });
}

/** @param {string} className */
function cell(className) {
  const element = document.createElement('td');
  element.className = className;
  return element;
}

/** @param {Position} position */
const createdAt = (position) => position.contract.contract.created_at;
