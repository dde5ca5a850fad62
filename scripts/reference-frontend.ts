import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { extname, join, normalize, resolve } from 'node:path';
import { parseArgs } from 'node:util';

/*
 * Serves a build of the reference application's frontend, and forwards its calls to Tenure as the reference's nginx
 * does. See docs/COMPATIBILITY.md. This is for demonstrations only: it uses HTTP without TLS, and stores nothing.
 */

const { values: options } = parseArgs({
  options: {
    dist: { type: 'string', default: 'dist' },
    port: { type: 'string', default: '3000' },
    backend: { type: 'string', default: 'http://127.0.0.1:8080' },
    /**
     * A folder with Bootstrap's `dist`. The page loads Bootstrap from this folder instead of from its usual address.
     */
    bootstrap: { type: 'string' },
  },
});

const HOST = 'app-provider.localhost';
const dist = resolve(options.dist);
const backend = new URL(options.backend);

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
};

const BOOTSTRAP = /https:\/\/cdn\.jsdelivr\.net\/npm\/bootstrap@[\d.]+\/dist\//g;
const BOOTSTRAP_PATH = '/bootstrap/';

/** Returns the path of a request to the backend; undefined if the request is for a file of the frontend. */
function backendPath(url: string): string | undefined {
  if (url.startsWith('/api/')) return url.slice('/api'.length);
  if (/^\/login\/shared-secret(?=[/?]|$)/.test(url))
    return `/login${url.slice('/login/shared-secret'.length)}`;
  return /^\/(login\/oauth2|oauth2\/)/.test(url) ? url : undefined;
}

/**
 * Returns the headers that the frontend's nginx would set: `Host` names the backend, and additional headers contain the
 * browser's values.
 */
function forwarded(from: IncomingMessage): OutgoingHttpHeaders {
  const { host = '', 'x-forwarded-for': before, connection: _connection, ...kept } = from.headers;
  const address = from.socket.remoteAddress ?? '';
  return {
    ...kept,
    host: backend.host,
    'x-real-ip': address,
    'x-forwarded-host': host,
    'x-forwarded-for': before === undefined ? address : `${String(before)}, ${address}`,
    'x-forwarded-proto': 'http',
    'x-forwarded-port': options.port,
  };
}

function passOn(from: IncomingMessage, to: ServerResponse, path: string): void {
  const sent = request(
    {
      hostname: backend.hostname,
      port: backend.port,
      path,
      method: from.method,
      headers: forwarded(from),
    },
    (answer) => {
      to.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(to);
    },
  );
  sent.on('error', (error) => {
    if (to.headersSent) to.destroy(error);
    else to.writeHead(502, { 'content-type': 'text/plain' }).end(`the backend: ${error.message}\n`);
  });
  to.on('close', () => sent.destroy());
  from.pipe(sent);
}

async function fileAt(folder: string, path: string): Promise<string | undefined> {
  const file = normalize(join(folder, path));
  if (!file.startsWith(folder)) return undefined;
  const found = await stat(file).catch(() => undefined);
  return found?.isFile() === true ? file : undefined;
}

/** Answers with a file. For other paths, answers with the page itself, which handles them in the browser. */
async function answerFile(to: ServerResponse, path: string): Promise<void> {
  const isBootstrap = options.bootstrap !== undefined && path.startsWith(BOOTSTRAP_PATH);
  const file = isBootstrap
    ? await fileAt(resolve(options.bootstrap ?? ''), path.slice(BOOTSTRAP_PATH.length))
    : await fileAt(dist, path);
  if (file !== undefined && !file.endsWith('.html')) {
    to.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' });
    createReadStream(file).pipe(to);
    return;
  }
  const html = await readFile(join(dist, 'index.html'), 'utf8');
  const shown = options.bootstrap === undefined ? html : html.replaceAll(BOOTSTRAP, BOOTSTRAP_PATH);
  to.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(shown);
}

const server = createServer((from, to) => {
  const { url = '/', headers } = from;
  const [name, port] = (headers.host ?? '').split(':');
  if (name === 'localhost') {
    to.writeHead(301, {
      location: `http://${HOST}${port === undefined ? '' : `:${port}`}${url}`,
    }).end();
    return;
  }
  const path = backendPath(url);
  if (path !== undefined) {
    passOn(from, to, path);
    return;
  }
  answerFile(to, decodeURIComponent(new URL(url, `http://${HOST}`).pathname)).catch(
    (error: unknown) => {
      if (!to.headersSent) to.writeHead(500, { 'content-type': 'text/plain' });
      to.end(`${String(error)}\n`);
    },
  );
});

await stat(join(dist, 'index.html'));
server.listen(Number(options.port), '127.0.0.1', () =>
  process.stdout.write(
    `the reference's frontend: http://${HOST}:${options.port}, in front of ${backend.href}\n`,
  ),
);
