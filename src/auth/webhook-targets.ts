import { LIMITS } from '../domain/limits.ts';
import type { AddressPolicy } from './address-policy.ts';
import type { ResolveName } from './names.ts';
import { NameUnresolvedError, boundedNames } from './names.ts';
import { AddressNotAllowedError, addressesOf, createOutgoingHttp } from './outgoing-fetch.ts';

export interface WebhookTargetsOptions {
  /** Where targets may be besides public addresses. */
  readonly policy: AddressPolicy;
  /** False: https alone, except where the policy lists the address. */
  readonly allowsHttp: boolean;
  readonly timeoutMs: number;
  readonly bodyBytesMax: number;
  /** How names are looked up; the system's, no longer than is good, unless told. */
  readonly names?: ResolveName;
}

/** Requests to addresses that parties have named. */
export interface WebhookTargets {
  /** Why nothing may be sent there, or `null`. Connections are judged again when they are made: names change. */
  defectOf(url: URL): Promise<string | null>;
  /** Rejects when there is no answer, in words for the party that named the target. Follows no redirect. */
  post(
    url: string,
    headers: Readonly<Record<string, string>>,
    body: string,
    signal: AbortSignal,
  ): Promise<{ readonly status: number; readonly retryAfterMs: number | null }>;
  close(): Promise<void>;
}

const causesOf = (error: unknown): Error[] =>
  error instanceof Error ? [error, ...causesOf(error.cause)] : [];

/** The words of the innermost cause: the library's own say only that it failed. */
function wordsOf(error: unknown, timeoutMs: number): string {
  const causes = causesOf(error);
  if (causes.some(({ name }) => name === 'TimeoutError')) return `no answer within ${timeoutMs} ms`;
  return causes.at(-1)?.message ?? String(error);
}

const SECONDS = /^\d{1,7}$/u;

export function createWebhookTargets(options: WebhookTargetsOptions): WebhookTargets {
  const { policy, allowsHttp, timeoutMs, bodyBytesMax, names = boundedNames() } = options;
  // As many as there are tries: one party's slow targets at a host must not use up the time of another's there.
  const connections = LIMITS.webhookTriesOfAllMax;
  const http = createOutgoingHttp({ policy, timeoutMs, bodyBytesMax, connections, names });
  return {
    async defectOf(url) {
      if (url.protocol !== 'https:' && !(allowsHttp && url.protocol === 'http:')) {
        return allowsHttp ? 'it is neither https nor http' : 'it is not https';
      }
      const host = url.hostname.replace(/^\[|\]$/gu, '');
      const addresses = await addressesOf(host, names).catch((error: unknown) =>
        error instanceof NameUnresolvedError ? error.message : [],
      );
      if (typeof addresses === 'string') return addresses;
      if (addresses.length === 0) return `${host} has no address`;
      const isAllowed = addresses.some((address) => policy.allows(host, address));
      return isAllowed ? null : new AddressNotAllowedError(host).message;
    },
    async post(url, headers, body, signal) {
      try {
        const init = {
          method: 'POST',
          headers: { ...headers },
          body,
          redirect: 'manual',
          signal,
        } as const;
        const response = await http.fetch(url, init);
        const after = response.headers.get('retry-after')?.trim() ?? '';
        // It has been taken, whatever else is said. Read to its end, as far as that is bearable, to keep the connection.
        await response.arrayBuffer().catch(() => undefined);
        return {
          status: response.status,
          retryAfterMs: SECONDS.test(after) ? Number(after) * 1_000 : null,
        };
      } catch (error) {
        throw new Error(wordsOf(error, timeoutMs), { cause: error });
      }
    },
    close: () => http.close(),
  };
}
