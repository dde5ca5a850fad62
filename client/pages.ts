import type { Call, Transport } from './transport.ts';

/* Lists, page by page: header `Link` with rel="next" leads to the next page (RFC 8288). */

const NEXT = /<([^>]*)>\s*;\s*rel="?next"?/u;

/** Query of the next page; `null` after the last one. Proxies may change the address before it. */
export function nextPage(headers: Pick<Headers, 'get'>): URLSearchParams | null {
  const link = NEXT.exec(headers.get('link') ?? '')?.[1];
  return link === undefined ? null : new URLSearchParams(link.split('?')[1]);
}

/**
 * All pages of a list, each when it is asked for.
 *
 * @throws ProblemError, NoAnswerError; Error if a page leads to itself
 */
export async function* pagesOf(transport: Transport, first: Call): AsyncGenerator<Response, void> {
  let call = first;
  for (;;) {
    const response = await transport.call(call);
    const query = nextPage(response.headers);
    yield response;
    if (query === null) return;
    if (query.toString() === call.query?.toString()) throw new Error(`${call.path} has no end`);
    call = { ...call, query };
  }
}
