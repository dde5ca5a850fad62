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
  /** Allowed addresses of targets, in addition to public addresses. */
  readonly policy: AddressPolicy;
  /** False: https only, except where the policy lists the address. */
  readonly allowsHttp: boolean;
  readonly timeoutMs: number;
  readonly bodyBytesMax: number;
  /** Resolves host names; lookups are limited in number and time. @default `dnsNames` */
  readonly names?: ResolveName;
}

/** Requests to addresses that parties have named. */
export interface WebhookTargets {
  /**
   * Returns why no request may be sent to the address, or `null`. Each connection checks again, because names change.
   *
   * @param asker who asks: each asker has a few concurrent lookups
   * @throws ProblemError when there are too many lookups
   */
  defectOf(url: URL, asker: string): Promise<string | null>;
  /**
   * Sends a delivery and follows no redirect. Rejects when there is no answer, with a message for the party that named
   * the target.
   *
   * @returns `null` when the delivery could not be tried now, for a reason outside the target
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

/** The message of the innermost cause: the library's own message says only that the request failed. */
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
  // As many connections as tries: one party's slow targets at a host must not use up the time of another party's there.
  const connections = LIMITS.webhookTriesOfAllMax;
  // Lookups for checks of targets have their own limit, so that they delay no delivery.
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
      // Hosts without an address get the same message: a second one would reveal which names of the network exist.
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
        // The target has accepted the delivery, whatever else the body says. Reads the body within the limits, to keep
        // the connection open.
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
