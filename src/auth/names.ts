import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { LIMITS } from '../domain/limits.ts';

/** All addresses that a host name stands for at this moment. */
export type ResolveName = (hostname: string) => Promise<readonly LookupAddress[]>;

/** It is not known in time what a name stands for. */
export class NameUnresolvedError extends Error {
  override readonly name = 'NameUnresolvedError';
}

const LOOPBACK_NAME = /(?:^|\.)localhost\.?$/i;
const LOOPBACK: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/**
 * Names under `localhost` mean this machine (RFC 6761, 6.3), whatever the system's resolver thinks: musl and some
 * macOS set-ups do not know them.
 */
export const systemNames: ResolveName = async (hostname) =>
  LOOPBACK_NAME.test(hostname) ? LOOPBACK : lookup(hostname, { all: true });

/**
 * For names that others choose: nobody waits for one longer than this. The system cannot be told to stop looking, and
 * looks for two at a time for the whole process, so all that ask for one name share one question.
 *
 * @throws NameUnresolvedError when there is no answer in time, or when too many are awaited already
 */
export function boundedNames(
  resolve: ResolveName = systemNames,
  timeoutMs: number = LIMITS.nameLookupMs,
): ResolveName {
  const asked = new Map<string, Promise<readonly LookupAddress[]>>();
  const ask = (hostname: string): Promise<readonly LookupAddress[]> => {
    const question = resolve(hostname).finally(() => asked.delete(hostname));
    asked.set(hostname, question);
    // Whoever waited may be gone when it fails.
    question.catch(() => undefined);
    return question;
  };
  return async (hostname) => {
    const known = asked.get(hostname);
    if (known === undefined && asked.size >= LIMITS.nameLookupsMax) {
      throw new NameUnresolvedError(`too many names are looked up now to look up ${hostname}`);
    }
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(
      () =>
        late.reject(new NameUnresolvedError(`${hostname} has no address within ${timeoutMs} ms`)),
      timeoutMs,
    );
    return Promise.race([known ?? ask(hostname), late.promise]).finally(() => clearTimeout(timer));
  };
}
