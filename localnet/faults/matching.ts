import type { ElementSubject, FaultCall, FaultTarget } from '../faults.ts';
import type { Where } from './rules.ts';

/**
 * Returns whether a text matches a pattern in which `*` stands for any characters. The time is at most proportional to
 * the product of both lengths.
 */
export function fitsPattern(pattern: string, text: string): boolean {
  let at = 0;
  let next = 0;
  let star = -1;
  let resume = 0;
  while (at < text.length) {
    if (pattern[next] === '*') {
      star = next;
      next += 1;
      resume = at;
    } else if (next < pattern.length && pattern[next] === text[at]) {
      next += 1;
      at += 1;
    } else if (star >= 0) {
      next = star + 1;
      resume += 1;
      at = resume;
    } else {
      return false;
    }
  }
  while (pattern[next] === '*') next += 1;
  return next === pattern.length;
}

const isFit = (pattern: string | undefined, text: string | undefined): boolean =>
  pattern === undefined || (text !== undefined && fitsPattern(pattern, text));

const isAnyFit = (pattern: string | undefined, texts: readonly string[] = []): boolean =>
  pattern === undefined || texts.some((text) => fitsPattern(pattern, text));

/** A method can be given as `Submit`, as `CommandSubmissionService/Submit`, or as its full path. */
function isMethodFit(pattern: string | undefined, path: string): boolean {
  if (pattern === undefined) return true;
  const method = path.slice(path.lastIndexOf('/') + 1);
  const service = path.slice(path.lastIndexOf('.') + 1);
  return [method, service, path].some((name) => fitsPattern(pattern, name));
}

/** Returns whether a call matches, including its submission if it has one. */
export const isCallFit = (where: Where, call: FaultCall): boolean =>
  isMethodFit(where.method, call.path) && isTargetFit(where, call);

/** Returns whether a submission matches, whichever interface it came through. */
export const isTargetFit = (where: Where, target: FaultTarget): boolean =>
  (where.participant === undefined || where.participant === target.participant) &&
  isFit(where.user, target.userId) &&
  isFit(where.commandId, target.commandId) &&
  isAnyFit(where.party, target.parties);

/**
 * Returns whether a completion on a call's stream matches. User, parties and command ID are those of the completion.
 */
export const isCompletionFit = (
  where: Where,
  { path, participant }: FaultCall,
  { userId, commandId, parties }: Exclude<ElementSubject, { kind: 'checkpoint' }>,
): boolean =>
  isMethodFit(where.method, path) &&
  isTargetFit(where, { participant, userId, commandId, parties });
