import { readFile } from 'node:fs/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PROBLEMS, fail } from '../../../domain/problems.ts';
import type { ProblemCode } from '../../../domain/problems.ts';
import { PROBLEM_PAGES, problemPath } from '../../kit/problem.ts';
import { placeOf } from '../../kit/request-context.ts';
import type { HttpApp } from '../../kit/request-context.ts';

/*
 * The pages to which the `type` of a problem leads: one page for each code, with its row of docs/ERRORS.md. They need
 * no token. They do not need the web application either, which shows all codes to callers who have signed in.
 */

const DOCUMENT = new URL('../../../../docs/ERRORS.md', import.meta.url);

const POLICY = [
  `default-src 'none'`,
  `form-action 'none'`,
  `base-uri 'none'`,
  `frame-ancestors 'none'`,
].join('; ');

/** A row of the table of codes: `| `CODE` | status | meaning | advice |`. */
const ROW = /^\| `([A-Z_]+)` \| \d{3} \| (.+) \| (.+) \|$/gmu;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

/** Converts the Markdown of one cell: code is marked up, and a link becomes its text. */
const cellHtml = (text: string): string =>
  text
    .replaceAll(/[&<>"]/gu, (sign) => ENTITIES[sign] ?? sign)
    .replaceAll(/\[([^\]]+)\]\([^)]*\)/gu, '$1')
    .replaceAll(/`([^`]+)`/gu, '<code>$1</code>');

function pageHtml(code: ProblemCode, means: string, advice: string): string {
  const { title, status, retryable } = PROBLEMS[code];
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${code} - Tenure</title></head>
<body>
<main>
<h1>${cellHtml(title)}</h1>
<p><code>${code}</code>, HTTP ${status}. ${
    retryable ? 'The same call may work later.' : 'The same call fails again.'
  }</p>
<h2>Meaning</h2>
<p>${cellHtml(means)}</p>
<h2>What to do</h2>
<p>${cellHtml(advice)}</p>
</main>
</body>
</html>
`;
}

/** Returns the pages by their addresses. */
async function readPages(): Promise<ReadonlyMap<string, string>> {
  const rows = (await readFile(DOCUMENT, 'utf8')).matchAll(ROW);
  return new Map(
    [...rows].map(([, code = '', means = '', advice = '']) => [
      problemPath(code as ProblemCode),
      pageHtml(code as ProblemCode, means, advice),
    ]),
  );
}

/** Registers the pages. The document is read for the first visitor, and again for the next one if that read fails. */
export function registerProblemPages(app: HttpApp): void {
  let known: ReadonlyMap<string, string> | null = null;
  app.get(
    `${PROBLEM_PAGES}/:name`,
    { schema: { hide: true } },
    async (request: FastifyRequest, reply: FastifyReply) => {
      const { name } = request.params as { readonly name: string };
      const pages = (known ??= await readPages());
      const html =
        pages.get(`${PROBLEM_PAGES}/${name}`) ??
        fail('ROUTE_NOT_FOUND', `there is no ${placeOf(request).instance}`);
      return reply
        .type('text/html; charset=utf-8')
        .header('content-security-policy', POLICY)
        .send(html);
    },
  );
}
