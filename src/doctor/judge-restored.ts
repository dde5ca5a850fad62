import type { Finding } from './findings.ts';
import { wrong } from './findings.ts';

/* Finds acts that a restore has undone, by a copy of the audit log that was kept outside the database. */

/** An act of the copy, as `tenure ops audit --json` prints it. */
interface CopiedAct {
  readonly at: string;
  readonly act: string;
  readonly object: string;
  readonly detail: Readonly<Record<string, unknown>>;
}
export type AuditCopy = readonly CopiedAct[];

/** The keys and suspensions as the database has them now. */
interface Now {
  readonly workingKeys: readonly string[];
  readonly unsuspended: readonly string[];
  readonly olderKeys: bigint;
}

/** Reads a copy of the audit log. @throws TypeError if the text is no such copy */
export function readAuditCopy(text: string): AuditCopy {
  const read = JSON.parse(text) as unknown;
  const isAct = (one: unknown): one is CopiedAct =>
    typeof one === 'object' &&
    one !== null &&
    ['at', 'act', 'object'].every((name) => typeof Reflect.get(one, name) === 'string') &&
    typeof Reflect.get(one, 'detail') === 'object';
  if (Array.isArray(read) && read.every(isAct)) return read;
  throw new TypeError('it is no audit log as `tenure ops audit --json` prints it');
}

const REVOKED = 'revoked-license-key';
const SUSPENDED = 'license-suspended';
const REINSTATED = 'license-reinstated';

const licenseOf = ({ object }: CopiedAct): string => object.replace(/^license:/u, '');

const revocations = (copy: AuditCopy): ReadonlyMap<string, CopiedAct> =>
  new Map(
    copy.flatMap((act) => {
      const key = act.act === REVOKED ? act.detail['key'] : undefined;
      return typeof key === 'string' ? [[key, act] as const] : [];
    }),
  );

/** Returns the suspensions that were not followed by a reinstatement in the copy. */
function suspensions(copy: AuditCopy): ReadonlyMap<string, CopiedAct> {
  const last = new Map<string, CopiedAct>();
  for (const act of copy.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at))) {
    if (act.act === SUSPENDED || act.act === REINSTATED) last.set(licenseOf(act), act);
  }
  return new Map([...last].filter(([, { act }]) => act === SUSPENDED));
}

export const keysIn = (copy: AuditCopy): readonly string[] => [...revocations(copy).keys()];
export const licensesIn = (copy: AuditCopy): readonly string[] => [...suspensions(copy).keys()];

/** Reports revoked keys that work again, and suspended licences that are not suspended. Pure. */
export function judgeRestored(copy: AuditCopy, now: Now, copiedAt?: string): readonly Finding[] {
  const revoked = revocations(copy);
  const suspended = suspensions(copy);
  const keys = now.workingKeys.flatMap((key) => {
    const act = revoked.get(key);
    if (act === undefined) return [];
    const what = `licence key ${key} works again, although it was revoked at ${act.at}`;
    return [wrong('audit', what, `Revoke it: tenure licenses revoke-key ${licenseOf(act)} ${key}`)];
  });
  const licenses = now.unsuspended.flatMap((license) => {
    const act = suspended.get(license);
    if (act === undefined) return [];
    const what = `licence ${license} is not suspended, although it was suspended at ${act.at}`;
    return [wrong('audit', what, `Suspend it: tenure licenses suspend ${license} --reason …`)];
  });
  if (copiedAt === undefined || copy.length > 0 || now.olderKeys === 0n)
    return [...keys, ...licenses];
  const what = `${now.olderKeys} licence keys work that existed at ${copiedAt}: some may have been revoked since`;
  const todo =
    'Compare with a copy of the audit log: --audit-copy. Without a copy, revoke keys that you doubt.';
  return [wrong('audit', what, todo)];
}
