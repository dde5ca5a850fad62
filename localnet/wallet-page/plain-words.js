import { amountText } from './show.js';

/* Converts error messages to words for the person who uses the page. */

/** @type {readonly (readonly [RegExp, string])[]} */
const WORDS = [
  [
    /InsufficientFunds|insufficient funds|at least one (input|holding)/i,
    'You have not enough Amulet for this. Get coins from the faucet, then try again.',
  ],
  [
    /CONTRACT_NOT_(FOUND|ACTIVE)|INACTIVE_CONTRACTS|could not be found|' not found\./i,
    'This is not there any more: it was paid, withdrawn or replaced meanwhile. The page shows what there is now.',
  ],
  [/LOCKED_CONTRACTS/i, 'Another payment of yours is under way. Try again when it is done.'],
  [/deadline|allocateBefore|settleBefore/i, 'It is too late for this: its deadline has passed.'],
];

/**
 * @param {unknown} error
 * @returns {string}
 */
export function plainWords(error) {
  if (error instanceof TypeError) return 'The wallet does not answer. Is LocalNet still running?';
  const text = error instanceof Error ? error.message : String(error);
  for (const [pattern, words] of WORDS) if (pattern.test(text)) return words;
  return text;
}

/**
 * Compares decimals as texts, because calculating with them would lose digits.
 * @param {string} left @param {string} right decimals above or equal to zero
 */
export function isLess(left, right) {
  const [wholeL = '', fractionL = ''] = left.split('.');
  const [wholeR = '', fractionR = ''] = right.split('.');
  const width = Math.max(wholeL.length, wholeR.length);
  const padded = (/** @type {string} */ whole, /** @type {string} */ fraction) =>
    whole.padStart(width, '0') + fraction.padEnd(10, '0');
  return padded(wholeL, fractionL) < padded(wholeR, fractionR);
}

/** @param {string} asked @param {string} balance */
export const tooLittle = (asked, balance) =>
  `This payment is ${amountText(asked)} Amulet, and you have ${amountText(balance)}. Get coins from the faucet, then accept it.`;
