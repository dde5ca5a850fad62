import type { JsonRecord } from './json.ts';
import type { LicenseFacts, Verdict } from './license-validation.ts';
import { SECOND_MS, isoAfter } from './time.ts';

/* A licence file is a compact JWS that programs can verify offline: see docs/VALIDATION.md. */

export const FILE_ALGORITHM = 'EdDSA';
/** The header `typ` of licence files, which distinguishes them from all other tokens of Tenure. */
export const FILE_TYPE = 'tenure-license+jwt';
/** The claim `aud` of files. */
export const FILE_AUDIENCE = 'urn:tenure:license-file';
export const FILE_MEDIA_TYPE = 'application/jose';

/**
 * Returns when a licence file expires: at the end of the licence including its grace, but at the latest after the
 * offline time that the licence's plan allows.
 */
export const fileEndMs = ({ terms }: LicenseFacts, verdict: Verdict, nowMs: number): number =>
  Math.min(verdict.validUntilMs ?? nowMs, nowMs + terms.offlineMs);

const instant = (ms: number | null): string | null => (ms === null ? null : isoAfter(ms));

/** Returns the claims of a file, except its audience and its expiry. */
export function fileClaims(
  facts: LicenseFacts,
  verdict: Verdict,
  more: { readonly machine: string | null; readonly updateId: string | null },
  nowMs: number,
): JsonRecord {
  const { terms } = facts;
  const issuedS = Math.floor(nowMs / SECOND_MS);
  return {
    iss: facts.provider,
    sub: facts.lifecycleId,
    iat: issuedS,
    nbf: issuedS,
    license: {
      id: facts.lifecycleId,
      contractId: facts.contractId,
      updateId: more.updateId,
      licenseNum: Number(facts.licenseNum),
      reference: facts.reference,
      provider: facts.provider,
      user: facts.user,
      expiresAt: isoAfter(facts.expiresAtMs),
      trialUntil: instant(verdict.trialUntilMs),
      graceUntil: instant(verdict.graceUntilMs),
    },
    plan: terms.plan === null ? null : { ...terms.plan },
    entitlements: { ...terms.entitlements },
    seats: terms.seats,
    machine: more.machine,
  };
}
