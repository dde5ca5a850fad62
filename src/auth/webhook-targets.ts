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
  /** The addresses that targets may have in addition to public addresses. */
  readonly policy: AddressPolicy;
  /** Whether targets may use plain HTTP. If false, only targets whose addresses the policy lists may. */
  readonly allowsHttp: boolean;
  readonly timeoutMs: number;
  readonly bodyBytesMax: number;
  /** Resolves host names; lookups are limited in number and time. @default `dnsNames` */
  readonly names?: ResolveName;
}

/** Sends requests to addresses that parties have chosen. */
export interface WebhookTargets {
  /**
   * Returns why no request may be sent to the URL, or `null`. Each connection checks its address again, because the
   * addresses of a name can change.
   *
   * @param asker the party that asks: the number of its concurrent lookups is limited
   * @throws ProblemError if there are too many lookups
   */
  defectOf(url: URL, asker: string): Promise<string | null>;
  /**
   * Sends a delivery and follows no redirect. If there is no answer, rejects with a message for the party that chose
   * the target.
   *
   * @returns `null` if the delivery could not be tried now, for a reason that is not the target's
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

/** Returns the message of the innermost cause: the library's own message says only that the request failed. */
function wordsOf(error: unknown, timeoutMs: number): string {
  const causes = causesOf(error);
  if (causes.some(({ name }) => name === 'TimeoutError')) return `no answer within ${timeoutMs} ms`;
  return causes.at(-1)?.message ?? String(error);
}

const refuseForNow = ({ message, limit }: NamesBusyError): never =>
  fail('RATE_LIMITED', message, { extra: { quota: 'nameLookups', limit } });

const SECONDS = /^\d{1,7}$/u;

export function createWebhookTargets(options: WebhookTargetsOptions): WebhookTargets {
  const { policy, allowsHttp, timeoutMs, bodyBytesMax, names = dnsNames() } = options;
  // As many connections as concurrent tries, so that one party's slow targets on a host do not delay another party's
  // deliveries to the same host.
  const connections = LIMITS.webhookTriesOfAllMax;
  // Lookups that check targets have a limit of their own, so that they do not delay deliveries.
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
          if (error instanceof NamesBusyError) refuseForNow(error);
          return error instanceof NameUnresolvedError ? error.message : [];
        },
      );
      if (typeof addresses === 'string') return addresses;
      // A host without an address gets the same message as a host with a forbidden address: a different message would
      // reveal which names exist in the network.
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
        // The target has accepted the delivery, even if the body cannot be read. Reading the body within the limits
        // keeps the connection open for the next request.
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
