import type { BrowserContext, BrowserContextOptions, Page, Request } from 'playwright-core';
import { launchChromium } from '../../kit/chromium.ts';
import { PATIENCE_MS } from '../../kit/patience.ts';
import type { World } from '../../e2e/kit/world.ts';
import { startWorld } from '../../e2e/kit/world.ts';

/*
 * People, each with a separate browser, on a whole Tenure with LocalNet. Nothing between browser and ledger is
 * simulated.
 */

const LOGINS = {
  provider: ['AppProvider', 'app-provider'],
  operator: ['AppProvider', 'operator'],
  user: ['AppUser-app-provider-backend-oidc', 'app-user'],
  'user-operator': ['AppUser-app-provider-backend-oidc', 'operator'],
} as const;

export type Who = keyof typeof LOGINS;

/** The public demo password of LocalNet. */
const PASSWORD = 'abc123';

/**
 * A person's browser, with the errors that occurred in it: errors of scripts, reports of the content security policy,
 * and requests to other origins.
 */
export interface Person extends AsyncDisposable {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly findings: readonly string[];
  /** Opens an address of the web application through its router, and waits until the page is complete. */
  open(address: string): Promise<Page>;
}

export interface PersonOptions extends BrowserContextOptions {
  /**
   * The origin that the person opens after signing in. The session belongs to the host of this origin. @default the
   * world's own
   */
  readonly origin?: string;
}

export interface WebWorld extends AsyncDisposable {
  readonly world: World;
  /** The address that people open in the browser. */
  readonly origin: string;
  /** @returns a new browser in which this person has signed in; with null, a browser in which no one has signed in */
  person(who: Who | null, options?: PersonOptions): Promise<Person>;
}

/**
 * Chromium reports each request that was refused as an error of the page. The tests decide which refusals are expected.
 */
const IS_ANSWER = /^Failed to load resource: the server responded with a status of [45]\d\d/u;

const REPORT_VIOLATIONS = `
addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) =>
  console.error('CSP', violatedDirective, blockedURI, sample));
`;

function watch(page: Page, origin: string, findings: string[]): void {
  count(page);
  page.on('pageerror', ({ message }) => findings.push(`error of a script: ${message}`));
  page.on('console', (message) => {
    const isProblem = message.type() === 'error' || message.type() === 'warning';
    if (isProblem && !IS_ANSWER.test(message.text())) findings.push(`console: ${message.text()}`);
  });
  page.on('request', (request) => {
    if (!page.url().startsWith(`${origin}/ui`)) return;
    const isOurs = request.url().startsWith(origin) || request.isNavigationRequest();
    if (!isOurs) findings.push(`asked elsewhere: ${request.url()}`);
  });
}

/** Signs in by name, which is sufficient in mode shared-secret. */
async function signInByName(page: Page, origin: string, who: Who): Promise<void> {
  await page.goto(`${origin}/ui/`);
  await page.getByLabel('Name').fill(LOGINS[who][1]);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(`${origin}/ui/**`);
  await page.getByRole('navigation', { name: 'Pages' }).waitFor();
}

export async function signIn(page: Page, origin: string, who: Who): Promise<void> {
  const [registration, username] = LOGINS[who];
  await page.goto(`${origin}/oauth2/authorization/${registration}?returnTo=%2Fui%2F`);
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(`${origin}/ui/**`);
}

/** The requests of each page that are open, without the event stream, which stays open as long as the page. */
const underWay = new WeakMap<Page, Set<Request>>();

function count(page: Page): void {
  const open = new Set<Request>();
  underWay.set(page, open);
  page.on('request', (request) => {
    // When a page navigates, the browser cancels the open requests of the previous document.
    if (request.isNavigationRequest() && request.frame() === page.mainFrame()) open.clear();
    if (new URL(request.url()).pathname !== '/events') open.add(request);
  });
  page.on('requestfinished', (request) => open.delete(request));
  page.on('requestfailed', (request) => open.delete(request));
}

/**
 * JavaScript that returns whether the page is complete. The promise resolves after the page has drawn the answers and
 * sent the requests that follow from them.
 */
const IS_SHOWN = `new Promise((resolve) => {
  const look = () => resolve(
    self.__TSR_ROUTER__?.state.status === 'idle' &&
    document.querySelector('h1') !== null &&
    document.querySelector('[aria-label="Loading"]') === null);
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(look)));
})`;

async function isShown(page: Page): Promise<boolean> {
  try {
    return await page.evaluate<boolean>(IS_SHOWN);
  } catch (error) {
    // The page has loaded another document while it was checked.
    if (/context was destroyed|navigat/iu.test(String(error))) return false;
    throw error;
  }
}

/** Waits until the page has no open request and has drawn all answers. */
export async function settled(page: Page): Promise<void> {
  const open = underWay.get(page) ?? new Set<Request>();
  const deadlineMs = Date.now() + PATIENCE_MS;
  for (let quiet = 0; quiet < 2;) {
    if (Date.now() > deadlineMs) {
      const left = [...open].map((request) => request.url()).join(' ');
      throw new Error(`${page.url()} is not shown yet; it waits for: ${left}`);
    }
    const wasOpen = open.size > 0;
    const shown = await isShown(page);
    quiet = shown && !wasOpen && open.size === 0 ? quiet + 1 : 0;
  }
}

export async function startWebWorld(
  environment: Readonly<Record<string, string>> = {},
): Promise<WebWorld> {
  const [world, browser] = await Promise.all([startWorld(environment), launchChromium()]);
  const origin = `http://localhost:${new URL(world.tenure.state.apiUrl).port}`;
  return {
    world,
    origin,
    async person(who, { origin: at = origin, ...options } = {}) {
      const context = await browser.newContext(options);
      context.setDefaultTimeout(PATIENCE_MS);
      await context.addInitScript(REPORT_VIOLATIONS);
      const findings: string[] = [];
      context.on('page', (opened) => watch(opened, at, findings));
      const page = await context.newPage();
      const isByName = world.tenure.state.localnet?.sharedSecret !== null;
      if (who !== null) await (isByName ? signInByName : signIn)(page, origin, who);
      return {
        page,
        context,
        findings,
        async open(address) {
          await page.goto(`${at}/ui${address}`);
          await settled(page);
          return page;
        },
        [Symbol.asyncDispose]: () => context.close(),
      };
    },
    async [Symbol.asyncDispose]() {
      await browser.close();
      await world[Symbol.asyncDispose]();
    },
  };
}
