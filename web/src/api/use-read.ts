import { useQuery } from '@tanstack/react-query';
import type { UseQueryResult } from '@tanstack/react-query';
import type { Answer, Asked, Data, ReadPath } from './client.ts';
import { read, readWhole } from './client.ts';
import type { ProblemError } from './problem.ts';

/** The subject of an answer: events about it make the page read again. */
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
  /** The subjects of the answer. An answer without subjects never becomes stale. */
  readonly topics?: readonly Topic[];
  /** False: not asked yet. */
  readonly enabled?: boolean;
  /** A list that is shown over all its pages. */
  readonly isWhole?: boolean;
  /** Poll interval for cases without an event, in milliseconds; it may depend on the last answer. */
  readonly everyMs?: number | ((last: T | undefined) => number);
}

/** Whether two reads are of the same thing: another page or filter of a list, and never another licence. */
const isSameThing = (before: readonly unknown[] | undefined, asked: Asked<ReadPath>): boolean =>
  JSON.stringify((before?.[1] as Asked<ReadPath> | undefined)?.path) === JSON.stringify(asked.path);

/** Follows a resource of the API, by the path and parameters that the document has. */
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
