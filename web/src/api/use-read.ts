import { useQuery } from '@tanstack/react-query';
import type { UseQueryResult } from '@tanstack/react-query';
import type { Answer, Asked, Data, ReadPath } from './client.ts';
import { read, readWhole } from './client.ts';
import type { ProblemError } from './problem.ts';

/** A subject of answers. Events about the subject make a page read its answers again. */
export type Topic =
  | 'install-request'
  | 'install'
  | 'license'
  | 'renewal'
  | 'operation'
  | 'webhook'
  | 'desk'
  | 'policy'
  | 'tenant'
  | 'customer'
  | 'plan'
  | 'subscription'
  | 'session'
  | 'comment';

export interface ReadOptions<T = never> {
  /** The subjects of the answer. An answer without subjects is never read again after events. */
  readonly topics?: readonly Topic[];
  /** Whether to read. @default true */
  readonly enabled?: boolean;
  /** Whether to read all pages of a list. */
  readonly isWhole?: boolean;
  /** Poll interval in milliseconds, for changes that cause no event. It may depend on the last answer. */
  readonly everyMs?: number | ((last: T | undefined) => number);
}

/**
 * Whether two reads have the same path parameters. They may differ in page or filter of a list, but not, for example,
 * in the licence.
 */
const isSameThing = (before: readonly unknown[] | undefined, asked: Asked<ReadPath>): boolean =>
  JSON.stringify((before?.[1] as Asked<ReadPath> | undefined)?.path) === JSON.stringify(asked.path);

/** Reads a resource of the API and keeps it up to date. The API document defines the path and its parameters. */
export function useRead<P extends ReadPath>(
  path: P,
  asked: Asked<P> = {},
  { topics = [], enabled = true, isWhole = false, everyMs }: ReadOptions<Data<P>> = {},
): UseQueryResult<Answer<Data<P>>, ProblemError> {
  return useQuery<Answer<Data<P>>, ProblemError>({
    queryKey: [path, asked],
    queryFn: ({ signal }) => (isWhole ? readWhole : read)(path, asked, signal),
    meta: { topics },
    enabled,
    placeholderData: (previous, query) =>
      query?.queryKey[0] === path && isSameThing(query.queryKey, asked) ? previous : undefined,
    refetchOnWindowFocus: topics.length > 0,
    staleTime: topics.length > 0 ? 30_000 : Number.POSITIVE_INFINITY,
    ...(everyMs === undefined
      ? {}
      : {
          refetchInterval: ({ state }) =>
            typeof everyMs === 'number' ? everyMs : everyMs(state.data?.data),
        }),
  });
}
