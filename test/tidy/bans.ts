/** What may not be written, where, and why. Patterns are matched line by line. */
export interface Ban {
  readonly what: string;
  readonly why: string;
  readonly pattern: RegExp;
  /** Files that the ban covers. */
  readonly covers: (file: string) => boolean;
}

const isSource = (file: string): boolean =>
  file.endsWith('.ts') && !file.startsWith('proto/gen/') && !file.startsWith('test/tidy/');
const isBackend = (file: string): boolean =>
  /^(src|machines|workers)\//u.test(file) && file.endsWith('.ts');
const outside =
  (...allowed: readonly string[]) =>
  (file: string): boolean =>
    isBackend(file) && !allowed.some((prefix) => file.startsWith(prefix));

export const BANS: readonly Ban[] = [
  {
    what: 'module mocks',
    why: 'fakes live at the wire',
    pattern: /\bvi\.(mock|doMock|hoisted)\(/u,
    covers: isSource,
  },
  {
    what: 'notes to self',
    why: 'work is done or written down as an issue',
    pattern: /\b(TODO|FIXME|XXX|HACK)\b/u,
    covers: (file) => isSource(file) || (file.endsWith('.sql') && file.startsWith('migrations/')),
  },
  {
    what: 'ClientError outside the one translator',
    why: 'one translator per border',
    pattern: /\bClientError\b/u,
    covers: (file) =>
      isBackend(file) && file !== 'src/ledger/outcome.ts' && !file.startsWith('src/ledger/'),
  },
  {
    what: 'pools, channels, queues and workers made anywhere',
    why: 'wired by hand, once, and released in reverse',
    pattern: /new (pg\.)?Pool\(|\bcreateChannel\(|new Queue\(|new Worker\(/u,
    covers: outside('src/main/', 'src/store/', 'src/queue/', 'src/ledger/'),
  },
  {
    what: 'retention by count',
    why: 'it deadlocks the PostgreSQL queue backend',
    pattern: /removeOn(Complete|Fail):\s*\{[^}]*count/u,
    covers: isSource,
  },
  {
    what: 'bare createMachine or createActor',
    why: 'machines are set up with types and stepped, never started',
    pattern: /(?<!\.)\bcreateMachine\(|\bcreateActor\(/u,
    covers: isBackend,
  },
  {
    what: 'focused tests',
    why: 'they hide all others',
    pattern: /\b(test|it|describe)\.only\(/u,
    covers: isSource,
  },
  {
    what: 'fixed sleeps in tests',
    why: 'wait for a condition, with a deadline',
    pattern: /waitForTimeout\(/u,
    covers: (file) => isSource(file) && file.startsWith('test/'),
  },
];

/** Words that say nothing, as file names. */
export const BANNED_FILE_NAMES =
  /(^|\/|-)(util|utils|helper|helpers|manager|common|misc|service)(-|\.)/u;

export function violations(file: string, source: string): string[] {
  const lines = source.split('\n');
  return BANS.filter((ban) => ban.covers(file)).flatMap((ban) =>
    lines.flatMap((line, index) =>
      ban.pattern.test(line) ? [`${file}:${index + 1}: ${ban.what} (${ban.why})`] : [],
    ),
  );
}
