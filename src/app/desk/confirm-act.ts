import type { Caller } from '../../domain/caller.ts';
import type { JsonRecord } from '../../domain/json.ts';
import { canonicalJson } from '../../domain/json.ts';
import { LIMITS } from '../../domain/limits.ts';
import { fail } from '../../domain/problems.ts';
import type { Io } from '../ports/io.ts';
import type { Previews } from '../ports/previews.ts';
import { hashOf, newToken } from './preview-token.ts';

/*
 * An irreversible act needs the token of a preview. The token can be used once, within minutes, by the same person and
 * for exactly the previewed act. The person must also repeat the number that the preview showed.
 */

/** An act with everything that determines its effect. */
export interface IrreversibleAct {
  readonly act:
    | 'set-policy'
    | 'decide'
    | 'give-up-synchronizer'
    | 'remove-tenant'
    | 'act-on-licenses';
  readonly on: JsonRecord;
}

/** A person's confirmation of a previewed act. */
export interface Confirmation {
  readonly token: string;
  readonly count: number;
}

const digestOf = ({ act, on }: IrreversibleAct): string => hashOf(canonicalJson([act, on]));

/** Records that the effect of an act was shown to a person. */
export async function previewAct(
  previews: Previews,
  by: Caller,
  act: IrreversibleAct,
  count: number,
  io: Io,
): Promise<{ readonly token: string; readonly expiresInMs: number }> {
  const token = newToken();
  const expiresInMs = LIMITS.previewMs;
  const tokenHash = hashOf(token);
  const kept = { act: act.act, digest: digestOf(act), by, tokenHash, count, expiresInMs };
  await previews.remember(kept, io);
  return { token, expiresInMs };
}

/**
 * Requires that the person has seen the preview of the act. The token is used up, even if the act fails afterwards.
 *
 * @param where how to preview the act, for the message
 * @throws ProblemError `CONFIRMATION_REQUIRED` without a confirmation; `PREVIEW_OVER` for a token that has expired, or
 * belongs to another act or person; `COUNT_MISMATCH` if the person repeats another number
 */
export async function confirmAct(
  previews: Previews,
  by: Caller,
  act: IrreversibleAct,
  confirmation: Confirmation | undefined,
  where: string,
  io: Io,
): Promise<void> {
  if (confirmation === undefined) {
    return fail('CONFIRMATION_REQUIRED', `the action cannot be undone: preview it with ${where}`, {
      extra: { preview: where },
    });
  }
  const tokenHash = hashOf(confirmation.token);
  const count = await previews.use({ act: act.act, digest: digestOf(act), by, tokenHash }, io);
  if (count === null) {
    return fail(
      'PREVIEW_OVER',
      `the token does not belong to a preview of exactly this action by the caller: preview it with ${where}`,
    );
  }
  if (count === confirmation.count) return undefined;
  return fail('COUNT_MISMATCH', `the preview counted ${count}, not ${confirmation.count}`, {
    extra: { count },
  });
}
