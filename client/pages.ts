import type { Call, Transport } from './transport.ts';

/* Lists are read page by page. The header `Link` with rel="next" names the next page (RFC 8288). */

const NEXT = /<([^>]*)>\s*;\s*rel="?next"?/u;

/**
 * Returns the query of the next page; `null` after the last page. Only the query is used, because proxies may change
 * the rest of the address.
 */
export function nextPage(headers: Pick<Headers, 'get'>): URLSearchParams | null {
  const link = NEXT.exec(headers.get('link') ?? '')?.[1];
  return link === undefined ? null : new URLSearchParams(link.split('?')[1]);
}

/**
 * Yields all pages of a list, and reads each when it is needed.
 *
 * @throws ProblemError, NoAnswerError; Error if a page names itself as the next one
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
