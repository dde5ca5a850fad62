import type { JsonRecord } from '../../../domain/json.ts';
import { textAt } from '../../../domain/json.ts';
import type { Lifecycle } from '../../../domain/lifecycle.ts';
import { LIMITS } from '../../../domain/limits.ts';
import { acceptedTermsIn } from '../../../domain/terms-acceptance.ts';
import type { Io } from '../../../app/ports/io.ts';
import type { Reads } from '../../../app/ports/reads.ts';
import type { CommentKey, CommentQuery, ContractView } from '../../../app/ports/views.ts';

/*
 * The contract of a comment names its licence by number, user and provider. Numbers restart with each install, so
 * several licences can have the same number, user and provider. A comment that an operation made belongs to the licence
 * of that operation. A comment that another client made is listed at every licence with the same number and parties,
 * and has `null` as its `licenseLifecycleId`.
 */

/** The query for the comments on a licence. */
export const commentsOn = ({ id, provider, appUser, licenseNum }: Lifecycle): CommentQuery => ({
  licenseId: id,
  provider,
  appUser,
  licenseNum: licenseNum ?? 0n,
});

/** A comment as callers read it. */
export const commentBody = ({ contractId, payload, originId }: ContractView): JsonRecord => ({
  contractId,
  provider: textAt(payload, 'provider') ?? '',
  user: textAt(payload, 'user') ?? '',
  licenseNum: Number(textAt(payload, 'licenseNum') ?? '0'),
  commenter: textAt(payload, 'commenter') ?? '',
  body: textAt(payload, 'body') ?? '',
  createdAt: textAt(payload, 'createdAt') ?? '',
  licenseLifecycleId: originId,
});

/** The position of a comment in a list, after which the next page begins. */
export const commentKeyOf = ({ contractId, payload }: ContractView): CommentKey => ({
  createdAt: textAt(payload, 'createdAt') ?? '',
  contractId,
});

/** Yields all comments of the query. Reads them in chunks, so memory is bounded; `io` limits each chunk's read. */
export async function* allComments(
  reads: Pick<Reads, 'comments'>,
  query: CommentQuery & { readonly after?: CommentKey },
  io: Io,
): AsyncGenerator<ContractView, void, undefined> {
  let { after } = query;
  for (;;) {
    const position = after === undefined ? {} : { after };
    const page = await reads.comments({ ...query, ...position, limit: LIMITS.listChunk }, io);
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < LIMITS.listChunk) return;
    after = commentKeyOf(last);
  }
}

/** Returns the newest terms that the user of a licence has accepted; `null` if the user has accepted none. */
export async function acceptedTermsBody(
  reads: Pick<Reads, 'termsAcceptance'>,
  license: Lifecycle,
  io: Io,
): Promise<JsonRecord | null> {
  const comment = await reads.termsAcceptance(commentsOn(license), io);
  if (comment === null) return null;
  const { contractId, payload } = comment;
  const terms = acceptedTermsIn(textAt(payload, 'body') ?? '');
  return {
    ...terms,
    acceptedAt: textAt(payload, 'createdAt') ?? '',
    commentContractId: contractId,
  };
}
