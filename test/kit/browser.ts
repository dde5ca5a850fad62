import { createOutgoingHttp } from '../../src/auth/outgoing-fetch.ts';
import { PATIENCE_MS } from './patience.ts';

/** An answer; redirects are not followed. */
export interface Page {
  readonly status: number;
  readonly headers: Headers;
  /** The header `Location`, as an absolute address. */
  readonly location: string | null;
  readonly setCookies: readonly string[];
  readonly text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests state what they expect of it
  json(): any;
}

export interface RequestOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * The part of a browser that a login needs: it keeps cookies by host and ignores ports, as browsers do, and resolves
 * `*.localhost`.
 */
export interface Browser extends AsyncDisposable {
  /** Returns the cookies of the URL's host. */
  cookies(url: string): Map<string, string>;
  send(method: string, url: string, options?: RequestOptions): Promise<Page>;
  get(url: string, options?: RequestOptions): Promise<Page>;
  post(url: string, options?: RequestOptions): Promise<Page>;
  /** Requests a page and follows redirects, at most ten. */
  visit(url: string, options?: RequestOptions): Promise<Page & { readonly url: string }>;
  /** Submits a form of a page with these fields. */
  submit(url: string, fields: Readonly<Record<string, string>>): Promise<Page>;
}

function store(jar: Map<string, string>, line: string): void {
  const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
  const [name = '', value = ''] = pair.split(/=(.*)/su);
  const isOver = attributes.some((attribute) => /^max-age=0$/iu.test(attribute));
  if (isOver) jar.delete(name);
  else jar.set(name, value);
}

export function openBrowser(): Browser {
  const http = createOutgoingHttp({ timeoutMs: PATIENCE_MS });
  const jars = new Map<string, Map<string, string>>();
  const cookies = (url: string): Map<string, string> => {
    const { hostname } = new URL(url);
    const jar = jars.get(hostname) ?? new Map<string, string>();
    jars.set(hostname, jar);
    return jar;
  };
  const send = async (
    method: string,
    url: string,
    { headers = {}, body }: RequestOptions = {},
  ): Promise<Page> => {
    const jar = cookies(url);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await http.fetch(url, {
      method,
      redirect: 'manual',
      headers: { ...(cookie === '' ? {} : { cookie }), ...headers },
      ...(body === undefined ? {} : { body }),
    });
    const setCookies = answer.headers.getSetCookie();
    for (const line of setCookies) store(jar, line);
    const location = answer.headers.get('location');
    const text = await answer.text();
    return {
      status: answer.status,
      headers: answer.headers,
      location: location === null ? null : new URL(location, url).href,
      setCookies,
      text,
      json: () => JSON.parse(text) as unknown,
    };
  };
  return {
    cookies,
    send,
    get: (url, options) => send('GET', url, options),
    post: (url, options) => send('POST', url, options),
    submit: (url, fields) =>
      send('POST', url, {
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams(fields).toString(),
      }),
    async visit(url, options) {
      let at = url;
      for (let steps = 0; ; steps += 1) {
        const page = await send('GET', at, options);
        if (page.location === null || steps === 10) return { ...page, url: at };
        at = page.location;
      }
    },
    [Symbol.asyncDispose]: () => http.close(),
  };
}
