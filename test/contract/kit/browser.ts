import { PATIENCE_MS } from '../../kit/patience.ts';

/** An answer as a browser sees it: redirects are not followed. */
export interface Page {
  readonly status: number;
  readonly headers: Headers;
  readonly url: string;
  readonly text: string;
  /** The complete address to which the answer redirects; undefined without a redirect. */
  readonly location: string | undefined;
}

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
}

const REDIRECTS_MAX = 10;

/** The part of a browser that a login needs: it keeps cookies by path, follows redirects and sends forms. */
export class PlainBrowser {
  #cookies: Cookie[] = [];

  /** The cookies by name and path, so that tests can inspect them. */
  get cookies(): readonly Cookie[] {
    return this.#cookies;
  }

  forget(): void {
    this.#cookies = [];
  }

  async load(url: string, form?: Readonly<Record<string, string>>): Promise<Page> {
    const { pathname } = new URL(url);
    const cookie = this.#cookies
      .filter(({ path }) => pathname === path || pathname.startsWith(path.replace(/\/?$/, '/')))
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ');
    const answer = await fetch(url, {
      method: form === undefined ? 'GET' : 'POST',
      headers: { accept: 'text/html,*/*;q=0.8', ...(cookie === '' ? {} : { cookie }) },
      ...(form === undefined ? {} : { body: new URLSearchParams(form) }),
      redirect: 'manual',
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    for (const line of answer.headers.getSetCookie()) this.#keep(line, pathname);
    const location = answer.headers.get('location');
    return {
      status: answer.status,
      headers: answer.headers,
      url,
      text: await answer.text(),
      location: location === null ? undefined : new URL(location, url).href,
    };
  }

  /** Follows redirects within the origin. @returns the last page */
  async open(url: string, form?: Readonly<Record<string, string>>): Promise<Page> {
    let page = await this.load(url, form);
    for (let count = 0; count < REDIRECTS_MAX; count += 1) {
      if (page.location === undefined) return page;
      if (new URL(page.location).origin !== new URL(url).origin) return page;
      page = await this.load(page.location);
    }
    throw new Error(`more than ${REDIRECTS_MAX} redirects from ${url}`);
  }

  #keep(line: string, requestPath: string): void {
    const [pair = '', ...attributes] = line.split(/;\s*/);
    const [name = '', value = ''] = pair.split(/=(.*)/s);
    const attribute = (wanted: string) =>
      attributes
        .map((text) => text.split(/=(.*)/s))
        .find(([found]) => found?.toLowerCase() === wanted)?.[1];
    const path = attribute('path') ?? requestPath;
    this.#cookies = this.#cookies.filter((known) => known.name !== name || known.path !== path);
    const expires = attribute('expires');
    const isGone = value === '' || (expires !== undefined && Date.parse(expires) <= Date.now());
    if (!isGone) this.#cookies.push({ name, value, path });
  }
}
