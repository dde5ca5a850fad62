import { AUTH_LIMITS } from './limits.ts';
import { LIMITS } from '../domain/limits.ts';
import { fail } from '../domain/problems.ts';
import type { AddressPolicy } from './address-policy.ts';
import type { ResolveName } from './names.ts';
import {
  NameUnresolvedError,
  NamesBusyError,
  boundedNames,
  dnsNames,
  namesPerAsker,
} from './names.ts';
import { AddressNotAllowedError, addressesOf, createOutgoingHttp } from './outgoing-fetch.ts';

export interface WebhookTargetsOptions {
  /** Where targets may be besides public addresses. */
  readonly policy: AddressPolicy;
  /** False: https alone, except where the policy lists the address. */
  readonly allowsHttp: boolean;
  readonly timeoutMs: number;
  readonly bodyBytesMax: number;
  /** How names are looked up, by this at most so many at a time and no longer than is good. @default `dnsNames` */
  readonly names?: ResolveName;
}

/** Requests to addresses that parties have named. */
export interface WebhookTargets {
  /**
   * Why nothing may be sent there, or `null`. Connections are judged again when they are made: names change.
   *
   * @param asker who wants to know: each may have a few looked at at a time
   * @throws ProblemError when too many are
   */
  defectOf(url: URL, asker: string): Promise<string | null>;
  /**
   * Rejects when there is no answer, in words for the party that named the target. Follows no redirect.
   *
   * @returns `null` when it could not be tried now, for no reason of the target's
   */
  post(
    url: string,
    headers: Readonly<Record<string, string>>,
    body: string,
    signal: AbortSignal,
  ): Promise<{ readonly status: number; readonly retryAfterMs: number | null } | null>;
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
  const { policy, allowsHttp, timeoutMs, bodyBytesMax, names = dnsNames() } = options;
  // As many as there are tries: one party's slow targets at a host must not use up the time of another's there.
  const connections = LIMITS.webhookTriesOfAllMax;
  // Those who ask about targets take no place from those that deliver.
  const asked = namesPerAsker(boundedNames(names));
  const http = createOutgoingHttp({
    policy,
    timeoutMs,
    bodyBytesMax,
    connections,
    names: boundedNames(names, AUTH_LIMITS.nameLookupMs, connections),
  });
  return {
    async defectOf(url, asker) {
      if (url.protocol !== 'https:' && !(allowsHttp && url.protocol === 'http:')) {
        return allowsHttp ? 'it is neither https nor http' : 'it is not https';
      }
      const host = url.hostname.replace(/^\[|\]$/gu, '');
      const addresses = await addressesOf(host, (name) => asked(asker, name)).catch(
        (error: unknown) => {
          if (error instanceof NamesBusyError) return fail('RATE_LIMITED', error.message);
          return error instanceof NameUnresolvedError ? error.message : [];
        },
      );
      if (typeof addresses === 'string') return addresses;
      // One message for hosts without an address too: two would tell which names of the network exist.
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
        // It has been taken, whatever else is said. Read to its end, as far as that is bearable, to keep the
        // connection.
        await response.arrayBuffer().catch(() => undefined);
        return {
          status: response.status,
          retryAfterMs: SECONDS.test(after) ? Number(after) * 1_000 : null,
        };
      } catch (error) {
        if (causesOf(error).some((cause) => cause instanceof NamesBusyError)) return null;
        throw new Error(wordsOf(error, timeoutMs), { cause: error });
      }
    },
    close: () => http.close(),
  };
}
