import type { Party } from '../../../domain/ids.ts';
import { LICENSE_COMMENT } from '../../../domain/licensing.ts';
import { isoAfter } from '../../../domain/time.ts';
import { license } from '../../../../machines/license.machine.ts';
import { INT64, PARTY, TEXT, TIMESTAMP, record } from '../../contract/lf.ts';
import type { Attempt, Recording } from '../../contract/operation.ts';
import { defineOperation } from '../../contract/operation.ts';
import { defineBareTemplate } from '../../contract/template.ts';
import { COMMENTS } from '../values.ts';

const FIELDS = {
  provider: PARTY,
  user: PARTY,
  licenseNum: INT64,
  commenter: PARTY,
  body: TEXT,
  createdAt: TIMESTAMP,
};

/** A comment of either side on a licence. Comments have no lifecycle. */
export const LicenseComment = defineBareTemplate({
  name: LICENSE_COMMENT,
  fields: FIELDS,
  required: ['provider', 'user', 'licenseNum', 'commenter', 'body', 'createdAt'],
  // The event does not contain the text, which readers find among the licence's comments.
  news: ({ provider, user, licenseNum, commenter }, licenseLifecycleId) => ({
    type: 'tenure.comment.made',
    parties: [...new Set([provider, user] as Party[])],
    data: { provider, user, licenseNum: Number(licenseNum), commenter, licenseLifecycleId },
  }),
});

interface Fixed {
  readonly provider: Party;
  readonly user: Party;
  readonly licenseNum: string;
  readonly createdAt: string;
}

/** Returns the contract's fields that identify the licence: a comment can outlive the licence and its lifecycle. */
const fix = ({ lifecycle, pastMs }: Recording): Fixed => ({
  provider: lifecycle.provider,
  user: lifecycle.appUser,
  licenseNum: String(lifecycle.licenseNum ?? 0n),
  createdAt: isoAfter(pastMs),
});

/** Either side comments on a licence, without waiting for the licence's other changes. */
export const commentLicense = defineOperation(license, {
  name: 'comment-license',
  action: 'comment',
  actAs: 'caller',
  command: { kind: 'create', template: LICENSE_COMMENT, argument: record(FIELDS) },
  needs: { feature: COMMENTS, missing: 'the licensing package of this ledger has no comments' },
  fix,
  argument: ({ change, body, fixed }: Attempt<{ readonly body: string }, Fixed>) => ({
    provider: fixed.provider,
    user: fixed.user,
    licenseNum: fixed.licenseNum,
    commenter: change.submitter.actAs,
    body: body.body,
    createdAt: fixed.createdAt,
  }),
  answer: () => ({ status: 201, body: null }),
  isEffect: ({ change, body, fixed, created }) => {
    const comment = created(LicenseComment)?.payload;
    return (
      comment?.commenter === change.submitter.actAs &&
      comment.body === body.body &&
      comment.user === fixed.user &&
      comment.licenseNum === fixed.licenseNum
    );
  },
});
