import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** nginx in front of Tenure, configured as Tenure's users do it: it compresses bodies and decodes paths. */
export interface Proxy extends AsyncDisposable {
  readonly url: string;
}

const READY_MS = 10_000;

const configOf = (folder: string, port: number, target: string): string => `
daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
error_log stderr;
events { worker_connections 256; }
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  gzip on;
  gzip_proxied any;
  gzip_min_length 1;
  gzip_types application/json application/problem+json text/plain;
  server {
    listen 127.0.0.1:${port};
    location / {
      # With a path, nginx decodes the request's path and encodes it anew.
      proxy_pass ${target}/;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Accept-Encoding "";
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $remote_addr;
      proxy_set_header X-Forwarded-Proto $scheme;
      proxy_set_header X-Forwarded-Host $http_host;
    }
  }
}
`;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Returns the nginx program, or `null` if it is not installed. */
export function nginxProgram(): string | null {
  const found = ['nginx', '/usr/sbin/nginx'].find((name) => {
    try {
      execFileSync(name, ['-v'], { stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  });
  return found ?? null;
}

export async function startProxy(program: string, target: string): Promise<Proxy> {
  const folder = await mkdtemp(join(tmpdir(), 'tenure-nginx-'));
  const port = await freePort();
  const config = join(folder, 'nginx.conf');
  await writeFile(config, configOf(folder, port, target));
  const child = spawn(program, ['-p', folder, '-c', config], { stdio: 'inherit' });
  const exited = once(child, 'exit');
  const url = `http://127.0.0.1:${port}`;
  const untilMs = Date.now() + READY_MS;
  while (
    !(await fetch(`${url}/livez`).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    if (child.exitCode !== null || Date.now() > untilMs) throw new Error('nginx did not start');
    await sleep(50);
  }
  return {
    url,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
