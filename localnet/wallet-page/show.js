/* Formats values, and has small helpers for parts of the page. This file holds no state of the wallet. */

/**
 * @template {typeof HTMLElement} T
 * @param {ParentNode} root
 * @param {string} selector
 * @param {T} type
 * @returns {InstanceType<T>}
 */
export function part(root, selector, type) {
  const found = root.querySelector(selector);
  if (!(found instanceof type)) throw new TypeError(`the page has no ${selector}`);
  return /** @type {InstanceType<T>} */ (found);
}

/** @param {string} id */
export const byId = (id) => part(document, `#${id}`, HTMLElement);

/**
 * Returns `1,234.5` for `1234.5000000000`. It does not calculate with the number, so that no digit is lost.
 * @param {string} decimal
 */
export function amountText(decimal) {
  const [whole = '', fraction = ''] = decimal.split('.');
  const grouped = whole.replaceAll(/\B(?=(\d{3})+$)/g, ',');
  const digits = fraction.replace(/0+$/, '');
  return digits === '' ? grouped : `${grouped}.${digits}`;
}

/**
 * Returns a party as `app_provider_x-y-1::1220ab…9f`: its whole name, and enough of its fingerprint to tell parties
 * apart.
 * @param {string} party
 */
export function partyText(party) {
  const [name = '', fingerprint = ''] = party.split('::');
  return fingerprint.length > 14
    ? `${name}::${fingerprint.slice(0, 8)}…${fingerprint.slice(-4)}`
    : party;
}

/** @type {readonly [Intl.RelativeTimeFormatUnit, number][]} */
const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
];
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always' });
const absolute = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });
const exact = new Intl.DateTimeFormat('en', { dateStyle: 'full', timeStyle: 'long' });

/** @param {number} distanceMs */
function distanceText(distanceMs) {
  const [unit, unitMs] = UNITS.find(([, ms]) => Math.abs(distanceMs) >= ms) ?? ['second', 1_000];
  return relative.format(Math.trunc(distanceMs / unitMs), unit);
}

/**
 * Shows an instant as its distance from the ledger's present time, and as a date.
 * @param {HTMLElement} element
 * @param {string} iso
 * @param {number} nowMs
 */
export function showTime(element, iso, nowMs) {
  const atMs = Date.parse(iso);
  setText(element, `${distanceText(atMs - nowMs)} · ${absolute.format(atMs)}`);
  element.title = exact.format(atMs);
  if (element instanceof HTMLTimeElement) element.dateTime = iso;
}

/**
 * Shows an instant as its distance from the ledger's present time only, for places with little room.
 * @param {HTMLElement} element
 * @param {string} iso
 * @param {number} nowMs
 */
export function showAge(element, iso, nowMs) {
  const atMs = Date.parse(iso);
  setText(element, distanceText(atMs - nowMs));
  element.title = exact.format(atMs);
}

/**
 * Sets a text. If it is the same, nothing is changed, so that selections and screen readers are not disturbed.
 * @param {Element} element
 * @param {string} text
 */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * Updates the children of `list` so that each represents an item. An item that was in the list before keeps its
 * element, so that the element keeps the focus.
 * @template Item
 * @param {HTMLElement} list
 * @param {readonly Item[]} items
 * @param {{ key: (item: Item) => string, make: (item: Item) => HTMLElement, update: (element: HTMLElement, item: Item)
 *   => void }} how
 */
export function showList(list, items, { key, make, update }) {
  /** @type {Map<string, HTMLElement>} */
  const known = new Map();
  for (const child of list.children) {
    if (child instanceof HTMLElement) known.set(child.dataset['key'] ?? '', child);
  }
  const wanted = items.map((item) => {
    const element = known.get(key(item)) ?? make(item);
    element.dataset['key'] = key(item);
    update(element, item);
    return element;
  });
  const isSame =
    wanted.length === list.children.length &&
    wanted.every((element, index) => list.children[index] === element);
  if (!isSame) list.replaceChildren(...wanted);
}

const GOOD_MS = 5_000;
const BAD_MS = 15_000;

/**
 * @param {'good' | 'bad'} kind
 * @param {string} text
 */
export function toast(kind, text) {
  const element = document.createElement('div');
  element.className = `toast ${kind}`;
  element.setAttribute('role', kind === 'bad' ? 'alert' : 'status');
  const words = document.createElement('p');
  words.textContent = text;
  const close = document.createElement('button');
  close.type = 'button';
  close.textContent = '×';
  close.setAttribute('aria-label', 'Dismiss');
  close.addEventListener('click', () => element.remove());
  element.append(words, close);
  byId('toasts').append(element);
  setTimeout(() => element.remove(), kind === 'bad' ? BAD_MS : GOOD_MS);
}

/**
 * Asks a person to confirm an action that cannot be undone.
 * @param {{ title: string, text: string, yes: string }} question
 * @returns {Promise<boolean>}
 */
export function confirmed({ title, text, yes }) {
  const dialog = part(document, '#confirm', HTMLDialogElement);
  byId('confirm-title').textContent = title;
  byId('confirm-text').textContent = text;
  byId('confirm-yes').textContent = yes;
  dialog.returnValue = 'no';
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => resolve(dialog.returnValue === 'yes'), { once: true });
  });
}
