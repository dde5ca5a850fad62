import { useQuery } from '@tanstack/react-query';
import type { UseQueryResult } from '@tanstack/react-query';
import type { Asked } from '../../api/client.ts';
import { read } from '../../api/client.ts';
import type { ProblemError } from '../../api/problem.ts';
import type { components } from '../../../../client/schema.ts';

export type Comment = components['schemas']['LicenseComment'];

const PATH = '/licenses/{contractId}/comments';

/** The size of the API's largest page. The comments on nearly every licence fit into it. */
const PAGE_LIMIT = 1_000;

/** Reads all comments, because the API lists the oldest first but the page shows the newest. */
async function readAll(contractId: string, signal: AbortSignal): Promise<readonly Comment[]> {
  const all: Comment[] = [];
  let cursor: string | null = null;
  do {
    const query = { limit: PAGE_LIMIT, ...(cursor === null ? {} : { cursor }) };
    const asked: Asked<typeof PATH> = { path: { contractId }, query };
    const page: { readonly data: readonly Comment[]; readonly next: string | null } = await read(
      PATH,
      asked,
      signal,
    );
    all.push(...page.data);
    cursor = page.next;
  } while (cursor !== null);
  return all;
}

/** Reads the comments on a licence, oldest first. */
export const useComments = (contractId: string): UseQueryResult<readonly Comment[], ProblemError> =>
  useQuery<readonly Comment[], ProblemError>({
    queryKey: [PATH, { path: { contractId } }],
    queryFn: ({ signal }) => readAll(contractId, signal),
    meta: { topics: ['comment', 'license'] },
    staleTime: 30_000,
  });
