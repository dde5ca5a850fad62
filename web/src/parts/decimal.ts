/* Adds amounts, which are decimals as text, without losing a digit. */

/** The maximum number of digits after the point on the ledger. */
const SCALE = 10;

function scaled(amount: string): bigint {
  const [whole = '0', fraction = ''] = amount.split('.');
  return BigInt(`${whole}${fraction.padEnd(SCALE, '0').slice(0, SCALE)}`);
}

/** Returns the sum of positive amounts. */
export function sumOf(amounts: readonly string[]): string {
  const sum = amounts.reduce((total, amount) => total + scaled(amount), 0n);
  const digits = String(sum).padStart(SCALE + 1, '0');
  return `${digits.slice(0, -SCALE)}.${digits.slice(-SCALE)}`;
}
