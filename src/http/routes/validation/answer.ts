import type { FastifyReply } from 'fastify';
import type { JsonRecord } from '../../../domain/json.ts';
import type {
  LicenseFacts,
  ValidationCode,
  ValidationQuestion,
  Verdict,
} from '../../../domain/license-validation.ts';
import { judgeLicense, seatUntil } from '../../../domain/license-validation.ts';
import { SECOND_MS, isoAfter } from '../../../domain/time.ts';
import { varyBy } from '../../kit/accept.ts';
import { HTTP_LIMITS } from '../../limits.ts';

const instant = (ms: number | null): string | null => (ms === null ? null : isoAfter(ms));

/** Returns when a program should validate again at the latest, because a suspension, for example, is unpredictable. */
const checkAgainMs = ({ changesAtMs }: Verdict, nowMs: number): number =>
  Math.min(changesAtMs ?? Infinity, nowMs + HTTP_LIMITS.validationKeptMsMax);

export const licenseBody = (facts: LicenseFacts): JsonRecord => ({
  id: facts.lifecycleId,
  contractId: facts.contractId,
  licenseNum: Number(facts.licenseNum),
  reference: facts.reference,
  provider: facts.provider,
  user: facts.user,
});

export function validationBody(
  facts: LicenseFacts,
  question: ValidationQuestion,
  verdict: Verdict,
  nowMs: number,
): JsonRecord {
  const { terms, machine } = facts;
  const isAsked = question.fingerprint !== null && machine !== null;
  return {
    valid: verdict.valid,
    code: verdict.code,
    license: licenseBody(facts),
    plan: terms.plan === null ? null : { ...terms.plan },
    entitlements: terms.entitlements,
    termsFrom: terms.from,
    seats: { total: terms.seats, used: facts.seatsUsed },
    machine: isAsked
      ? { id: machine.id, seatUntil: instant(seatUntil(machine.seenAtMs, terms)) }
      : null,
    suspendedFor: facts.suspendedFor,
    expiresAt: isoAfter(facts.expiresAtMs),
    trialUntil: instant(verdict.trialUntilMs),
    graceUntil: instant(verdict.graceUntilMs),
    ledgerTime: isoAfter(nowMs),
    dataTime: isoAfter(facts.followedToMs),
    dataAgeSeconds: Math.max(0, Math.round((nowMs - facts.followedToMs) / SECOND_MS)),
    checkAgainAt: isoAfter(checkAgainMs(verdict, nowMs)),
  };
}

/** Sends the verdict. The caller may cache it until the verdict is expected to change. */
export function sendVerdict(
  reply: FastifyReply,
  facts: LicenseFacts,
  question: ValidationQuestion,
  nowMs: number,
): FastifyReply {
  const verdict = judgeLicense(facts, question, nowMs);
  const keptS = Math.max(0, Math.floor((checkAgainMs(verdict, nowMs) - nowMs) / SECOND_MS));
  varyBy(reply, 'Authorization, Cookie');
  return reply
    .header('cache-control', `private, max-age=${keptS}`)
    .send(validationBody(facts, question, verdict, nowMs));
}

/** Answers a question with a key that is unknown or revoked. The answer must not be cached. */
export const sendRefusal = (
  reply: FastifyReply,
  code: Extract<ValidationCode, 'UNKNOWN_KEY' | 'KEY_REVOKED'>,
  nowMs: number,
): FastifyReply =>
  reply.send({
    valid: false,
    code,
    license: null,
    plan: null,
    entitlements: {},
    termsFrom: null,
    seats: null,
    machine: null,
    suspendedFor: null,
    expiresAt: null,
    trialUntil: null,
    graceUntil: null,
    ledgerTime: isoAfter(nowMs),
    dataTime: null,
    dataAgeSeconds: null,
    checkAgainAt: null,
  });
