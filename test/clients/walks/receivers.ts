import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import express from 'express';
import Fastify from 'fastify';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';

/*
 * Receivers of webhooks, written as the documentation of frameworks and libraries shows. There is a path for each
 * library. A line on standard input contains the secret for one path. A delivery that cannot be verified is refused.
 */

type Headers = Readonly<Record<string, string>>;

const LIBRARIES = {
  standardwebhooks: (secret: string, body: string, headers: Headers) =>
    new StandardWebhook(secret).verify(body, headers),
  svix: (secret: string, body: string, headers: Headers) =>
    new SvixWebhook(secret).verify(body, headers),
};
type Library = keyof typeof LIBRARIES;
const NAMES = Object.keys(LIBRARIES) as readonly Library[];

const secrets = new Map<string, string>();

function isGenuine(path: string, library: Library, body: string, headers: unknown): boolean {
  try {
    LIBRARIES[library](secrets.get(path) ?? '', body, headers as Headers);
    return true;
  } catch {
    return false;
  }
}

const app = express();
for (const library of NAMES) {
  const path = `/express/${library}`;
  app.post(path, express.raw({ type: 'application/json' }), (request, response) => {
    const isOurs = isGenuine(path, library, (request.body as Buffer).toString(), request.headers);
    response.status(isOurs ? 204 : 400).end();
  });
}

const fastify = Fastify();
fastify.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) =>
  done(null, body),
);
for (const library of NAMES) {
  const path = `/fastify/${library}`;
  fastify.post(path, async (request, reply) => {
    const isOurs = isGenuine(path, library, request.body as string, request.headers);
    return reply.code(isOurs ? 204 : 400).send();
  });
}

const plain = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    const path = request.url ?? '';
    const library = NAMES.find((name) => path === `/node/${name}`) ?? 'svix';
    const isOurs = isGenuine(path, library, Buffer.concat(parts).toString(), request.headers);
    response.writeHead(isOurs ? 204 : 400).end();
  });
});

const portOf = (address: unknown): number => (address as AddressInfo).port;
const ofExpress = await new Promise<number>((resolve) => {
  const server = app.listen(0, '127.0.0.1', () => resolve(portOf(server.address())));
});
await fastify.listen({ port: 0, host: '127.0.0.1' });
const ofPlain = await new Promise<number>((resolve) => {
  plain.listen(0, '127.0.0.1', () => resolve(portOf(plain.address())));
});
const ports = { express: ofExpress, fastify: portOf(fastify.server.address()), node: ofPlain };
console.log(JSON.stringify(ports));
for await (const line of createInterface({ input: process.stdin })) {
  const { path, secret } = JSON.parse(line) as { readonly path: string; readonly secret: string };
  secrets.set(path, secret);
}
