import { askValidator, SignedOut } from './ask-validator.js';
import { HISTORY_PAGE_SIZE, showHistory } from './history.js';
import { showHoldings } from './holdings.js';
import { SignInError } from './kept.js';
import { NameSignIn } from './name-sign-in.js';
import { isLess, plainWords, tooLittle } from './plain-words.js';
import { SignIn } from './sign-in.js';
import {
  amountText,
  byId,
  confirmed,
  part,
  partyText,
  setText,
  showList,
  showTime,
  toast,
} from './show.js';

/**
 * @typedef {{ template_id: string, contract_id: string, payload: any, created_at: string }} Contract
 * @typedef {{ contract: Contract, legId: string, leg: any, settlement: any }} Leg
 */

/** The page's copy of the wallet's data. */
const state = {
  party: '',
  /** The balance, without amounts that are allocated to payments. */
  balance: '0',
  /** How far ledger time is ahead of the browser's, or a fixed instant if the ledger's time stands still. */
  clock: /** @type {{ fixedMs?: number, skewMs: number }} */ ({ skewMs: 0 }),
  /** @type {Leg[]} */
  requests: [],
  /** @type {Leg[]} */
  allocations: [],
  /**
   * IDs of contracts for which an action is in progress. Their buttons are disabled.
   * @type {Set<string>}
   */
  busy: new Set(),
};

const POLL_MS = 4_000;
const REASON = 'splice.lfdecentralizedtrust.org/reason';

const ledgerNowMs = () => state.clock.fixedMs ?? Date.now() + state.clock.skewMs;

/** @type {SignIn | NameSignIn} */
let session;

/**
 * @param {string} path
 * @param {unknown} [body]
 */
const validator = (path, body) => askValidator(session, path, body);

const VIEWS = ['loading', 'signed-out', 'no-wallet', 'overview', 'payments'];

/** @param {string} view */
function showView(view) {
  for (const id of VIEWS) byId(id).hidden = id !== view;
  byId('nav').hidden = !isOpen();
  byId('who').hidden = view === 'loading' || view === 'signed-out';
}

const isOpen = () => !byId('overview').hidden || !byId('payments').hidden;
const isInUse = () => isOpen() && document.visibilityState === 'visible';

const isPayments = () => location.pathname.replaceAll('/', '') === 'allocations';

function showRoute() {
  showView(isPayments() ? 'payments' : 'overview');
  document.title = `${isPayments() ? 'Payments' : 'Wallet'} · LocalNet`;
  for (const link of document.querySelectorAll('nav a')) {
    if ((link.getAttribute('href') === '/allocations') === isPayments()) {
      link.setAttribute('aria-current', 'page');
    } else link.removeAttribute('aria-current');
  }
}

/** @param {string} [why] */
function showSignedOut(why) {
  if (why) setText(byId('signed-out-text'), why);
  showView('signed-out');
}

/** @param {any} balance */
function showBalance(balance) {
  state.balance = balance.effective_unlocked_qty;
  setText(byId('balance'), amountText(balance.effective_unlocked_qty));
  const locked = amountText(balance.effective_locked_qty);
  setText(byId('locked'), locked === '0' ? '' : `and ${locked} set aside for payments`);
}

/** @param {string} id */
function fromTemplate(id) {
  const content = part(document, `#${id}`, HTMLTemplateElement).content.firstElementChild;
  if (content === null) throw new TypeError(`${id} is empty`);
  return /** @type {HTMLElement} */ (content.cloneNode(true));
}

/**
 * @param {HTMLElement} item
 * @param {Leg} of
 * @param {{ text: string, kind: '' | 'good' | 'bad' }} badge
 */
function showLeg(item, { leg, settlement }, badge) {
  const now = ledgerNowMs();
  const reason = leg.meta?.values?.[REASON] ?? settlement.meta?.values?.[REASON];
  setText(part(item, '.description', HTMLElement), reason || 'Payment without a description');
  const badgeElement = part(item, '.badge', HTMLElement);
  setText(badgeElement, badge.text);
  badgeElement.className = `badge ${badge.kind}`;
  setText(part(item, '.amount', HTMLElement), amountText(leg.amount));
  const other = leg.sender === state.party ? leg.receiver : leg.sender;
  const otherElement = part(item, '.other', HTMLElement);
  setText(otherElement, partyText(other));
  otherElement.title = other;
  setText(part(item, '.reference', HTMLElement), settlement.settlementRef.id);
  for (const [selector, iso] of [
    ['.allocate-before', settlement.allocateBefore],
    ['.settle-before', settlement.settleBefore],
  ]) {
    const element = item.querySelector(selector);
    if (element instanceof HTMLElement) showTime(element, iso, now);
  }
}

/** @param {Leg} request */
const isPaid = ({ settlement, legId }) =>
  state.allocations.some(
    (allocation) =>
      allocation.legId === legId &&
      allocation.settlement.executor === settlement.executor &&
      allocation.settlement.settlementRef.id === settlement.settlementRef.id,
  );

/** @param {Leg} request */
const isToPay = (request) => request.leg.sender === state.party;

/** @param {Leg} request @returns {{ text: string, kind: '' | 'good' | 'bad', isOpen: boolean }} */
function standingOf(request) {
  if (isToPay(request) && isPaid(request)) return { text: 'Accepted', kind: 'good', isOpen: false };
  const isLate = Date.parse(request.settlement.allocateBefore) <= ledgerNowMs();
  if (isLate) return { text: 'Expired', kind: 'bad', isOpen: false };
  return isToPay(request)
    ? { text: 'Waiting for you', kind: '', isOpen: true }
    : { text: 'Waiting for the payer', kind: '', isOpen: false };
}

/** @param {Leg} leg */
const legKey = ({ contract, legId }) => `${contract.contract_id}/${legId}`;

function showRequests() {
  byId('requests-empty').hidden = state.requests.length > 0;
  showList(byId('requests'), state.requests, {
    key: legKey,
    make: (request) => {
      const item = fromTemplate('request-template');
      setText(part(item, '.other-label', HTMLElement), isToPay(request) ? 'To' : 'From');
      onClick(part(item, '.accept', HTMLElement), () => accept(request));
      onClick(part(item, '.reject', HTMLElement), () => reject(request));
      return item;
    },
    update: (item, request) => {
      const standing = standingOf(request);
      showLeg(item, request, standing);
      const isBusy = state.busy.has(request.contract.contract_id);
      const accepting = part(item, '.accept', HTMLButtonElement);
      accepting.hidden = !standing.isOpen;
      accepting.disabled = isBusy;
      const rejecting = part(item, '.reject', HTMLButtonElement);
      rejecting.hidden = !isToPay(request);
      rejecting.disabled = isBusy;
    },
  });
  const waiting = state.requests.filter((request) => standingOf(request).isOpen).length;
  byId('waiting').hidden = waiting === 0;
  setText(byId('waiting'), String(waiting));
  byId('waiting').setAttribute('aria-label', `${waiting} waiting`);
}

function showAllocations() {
  byId('allocations-empty').hidden = state.allocations.length > 0;
  showList(byId('allocations'), state.allocations, {
    key: legKey,
    make: (allocation) => {
      const item = fromTemplate('allocation-template');
      onClick(part(item, '.withdraw', HTMLElement), () => withdraw(allocation));
      return item;
    },
    update: (item, allocation) => {
      const isLate = Date.parse(allocation.settlement.settleBefore) <= ledgerNowMs();
      showLeg(
        item,
        allocation,
        isLate ? { text: 'Expired', kind: 'bad' } : { text: 'Set aside', kind: 'good' },
      );
      part(item, '.withdraw', HTMLButtonElement).disabled = state.busy.has(
        allocation.contract.contract_id,
      );
    },
  });
}

/**
 * Runs one action on a contract: its buttons are disabled during the action, and the outcome is shown.
 * @param {string} contractId
 * @param {string} success
 * @param {() => Promise<unknown>} action
 */
async function act(contractId, success, action) {
  state.busy.add(contractId);
  showRequests();
  showAllocations();
  try {
    await action();
    toast('good', success);
  } catch (error) {
    tell(error);
  } finally {
    state.busy.delete(contractId);
    await refresh();
    // The element that had the focus may have been removed, so the focus moves to the main part of the page.
    if (document.activeElement === document.body) byId('main').focus();
  }
}

/** @param {string} iso microseconds since 1970, which a number can represent exactly until the year 2255 */
function microsOf(iso) {
  const fraction = /\.(\d+)Z$/.exec(iso)?.[1] ?? '';
  return (
    Math.floor(Date.parse(iso) / 1_000) * 1_000_000 + Number(fraction.padEnd(6, '0').slice(0, 6))
  );
}

/** @param {Leg} request */
async function accept({ contract, legId, leg, settlement }) {
  const { executor, settlementRef } = settlement;
  if (isLess(state.balance, leg.amount)) {
    return toast('bad', tooLittle(leg.amount, state.balance));
  }
  return act(contract.contract_id, `Set aside ${amountText(leg.amount)} Amulet`, () =>
    validator('/allocations', {
      settlement: {
        executor,
        settlement_ref: {
          id: settlementRef.id,
          ...(settlementRef.cid == null ? {} : { cid: settlementRef.cid }),
        },
        requested_at: microsOf(settlement.requestedAt),
        allocate_before: microsOf(settlement.allocateBefore),
        settle_before: microsOf(settlement.settleBefore),
        meta: settlement.meta.values,
      },
      transfer_leg_id: legId,
      transfer_leg: { receiver: leg.receiver, amount: leg.amount, meta: leg.meta.values },
    }),
  );
}

/** @param {Leg} request */
async function reject({ contract, leg }) {
  const isSure = await confirmed({
    title: 'Reject this request?',
    text: `${partyText(leg.receiver)} will have to ask you again for ${amountText(leg.amount)} Amulet.`,
    yes: 'Reject',
  });
  if (!isSure) return;
  await act(contract.contract_id, 'Request rejected', () =>
    validator(`/wallet/token-standard/allocation-requests/${contract.contract_id}/reject`, {}),
  );
}

/** @param {Leg} allocation */
async function withdraw({ contract, leg }) {
  const isSure = await confirmed({
    title: 'Withdraw this allocation?',
    text: `${amountText(leg.amount)} Amulet come back to your balance, and the payment cannot be settled.`,
    yes: 'Withdraw',
  });
  if (!isSure) return;
  await act(contract.contract_id, 'Allocation withdrawn', () =>
    validator(`/allocations/${contract.contract_id}/withdraw`, {}),
  );
}

async function tap() {
  const input = part(document, '#tap-amount', HTMLInputElement);
  const problem = byId('tap-problem');
  const amount = input.value.trim().replaceAll(',', '');
  const isAmount = /^\d{1,28}(\.\d{1,10})?$/.test(amount) && /[1-9]/.test(amount);
  problem.hidden = isAmount;
  input.setAttribute('aria-invalid', String(!isAmount));
  if (!isAmount) {
    setText(problem, 'A number above 0, with at most ten digits after the point.');
    input.focus();
    return;
  }
  const button = part(document, '#tap button', HTMLButtonElement);
  button.disabled = true;
  try {
    await validator('/wallet/tap', { amount });
    toast('good', `Received ${amountText(amount)} Amulet`);
  } catch (error) {
    tell(error);
  } finally {
    button.disabled = false;
    await refresh();
  }
}

/** @param {unknown} error */
function tell(error) {
  if (error instanceof SignedOut) showSignedOut(error.message || 'Your sign-in has ended.');
  else toast('bad', plainWords(error));
}

/** @param {HTMLElement} element @param {() => Promise<void>} action */
const onClick = (element, action) =>
  element.addEventListener('click', () => {
    action().catch(tell);
  });

/** @param {Contract} contract @returns {Leg[]} */
const legsOf = (contract) =>
  Object.entries(contract.payload.transferLegs).map(([legId, leg]) => ({
    contract,
    legId,
    leg,
    settlement: contract.payload.settlement,
  }));

/** @param {Contract} contract @returns {Leg} */
function allocatedLegOf(contract) {
  const { settlement, transferLegId, transferLeg } = contract.payload.allocation;
  return { contract, legId: transferLegId, leg: transferLeg, settlement };
}

async function readLedgerTime() {
  const { mode, now } = await (await fetch('/wallet/ledger-time')).json();
  const nowMs = Date.parse(now);
  state.clock = mode === 'static' ? { fixedMs: nowMs, skewMs: 0 } : { skewMs: nowMs - Date.now() };
}

/** Reads all data and shows it. If any of the reads fails, this throws once, so the caller reports a single failure. */
async function load() {
  const [balance, amulets, requests, allocations, { items }] = await Promise.all([
    validator('/wallet/balance'),
    validator('/wallet/amulets'),
    validator('/wallet/token-standard/allocation-requests'),
    validator('/allocations'),
    validator('/wallet/transactions', { page_size: HISTORY_PAGE_SIZE }),
    readLedgerTime(),
  ]);
  state.allocations = allocations.allocations.map((/** @type {any} */ it) =>
    allocatedLegOf(it.contract),
  );
  state.requests = requests.allocation_requests
    .flatMap((/** @type {any} */ it) => legsOf(it.contract))
    .filter(
      (/** @type {Leg} */ { leg }) => leg.sender === state.party || leg.receiver === state.party,
    );
  showBalance(balance);
  showHoldings(amulets, ledgerNowMs());
  showHistory(items, { party: state.party, nowMs: ledgerNowMs() });
  showRequests();
  showAllocations();
}

let isLost = false;

async function refresh() {
  try {
    await load();
    isLost = false;
  } catch (error) {
    if (error instanceof SignedOut) tell(error);
    else if (!isLost) {
      isLost = true;
      tell(error);
    }
  }
}

/** Shows the signed-in user's wallet, or how to get one. */
async function enter() {
  if ((await session.token()) === undefined) return showSignedOut();
  const status = await validator('/wallet/user-status');
  setText(byId('user-name'), session.name());
  if (!status.user_onboarded) return showView('no-wallet');
  state.party = status.party_id;
  part(document, '#party', HTMLInputElement).value = state.party;
  await load();
  showRoute();
}

function poll() {
  setTimeout(async () => {
    if (isInUse()) await refresh();
    poll();
  }, POLL_MS);
}

function listen() {
  onClick(byId('oidc-login-button'), () => session.begin());
  byId('name-form').addEventListener('submit', (event) => {
    event.preventDefault();
    session.begin(part(document, '#user-id-field', HTMLInputElement).value.trim()).catch(tell);
  });
  addEventListener('storage', ({ key }) => {
    if (key === session.key) onOtherTab().catch(tell);
  });
  onClick(byId('sign-out'), () => session.end());
  onClick(byId('register'), async () => {
    await validator('/register', {});
    await enter();
  });
  onClick(byId('copy-party'), async () => {
    await navigator.clipboard.writeText(state.party);
    toast('good', 'Party copied');
  });
  byId('tap').addEventListener('submit', (event) => {
    event.preventDefault();
    tap().catch(tell);
  });
  for (const link of document.querySelectorAll('a[data-route]')) {
    link.addEventListener('click', (event) => {
      if (!isOpen() || !(event instanceof MouseEvent) || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      history.pushState(null, '', link.getAttribute('href'));
      showRoute();
      byId('main').focus();
      refresh().catch(tell);
    });
  }
  addEventListener('popstate', () => {
    if (isOpen()) showRoute();
  });
  document.addEventListener('visibilitychange', () => {
    if (isInUse()) refresh().catch(tell);
  });
}

/** Handles a sign-in or a sign-out in another tab. */
async function onOtherTab() {
  if ((await session.token()) === undefined) showSignedOut('You have signed out.');
  else if (!byId('signed-out').hidden) await enter();
}

async function start() {
  const config = await (await fetch('/wallet/config.json')).json();
  const isByName = config.mode === 'shared-secret';
  session = isByName ? new NameSignIn(config) : new SignIn(config);
  byId('oidc-login-button').hidden = isByName;
  byId('name-form').hidden = !isByName;
  listen();
  try {
    await session.finish();
    await enter();
  } catch (error) {
    showSignedOut();
    tell(error);
  }
  poll();
}

start().catch((error) => {
  showSignedOut(error instanceof SignInError ? error.message : 'The wallet cannot be started.');
});
