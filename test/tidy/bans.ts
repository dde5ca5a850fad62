/**
 * A pattern that must not occur in code, the files to which this applies, and the reason. Patterns are matched line by
 * line.
 */
export interface Ban {
  readonly what: string;
  readonly why: string;
  readonly pattern: RegExp;
  /** Returns whether the ban applies to a file. */
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
    what: 'a wait of its own',
    why: 'one pause: `sleep` and `Wakeup` of app/ports/wakeup.ts',
    pattern: /\btimers\/promises\b/u,
    covers: isBackend,
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
  {
    what: 'a verb that says nothing, as all of a name',
    why: 'name the thing it does',
    pattern: /\bexport (async )?(function|const) (handle|process|manage)\b/u,
    covers: isSource,
  },
  {
    what: 'words that the ledger and the queue used to have',
    why: 'a synchronizer was a domain, and a job scheduler a repeatable job',
    pattern: /\bdomain_?ids?\b|\b(sync|synchronizer) domain|\brepeatable job/iu,
    // LocalNet and the command line are not covered, because bodies that the reference defines contain these words.
    covers: (file) => isBackend(file) || file.endsWith('.md'),
  },
];

/** Words that say nothing in a file name: some are forbidden as any part of a name, others as the whole name. */
export const BANNED_FILE_NAMES =
  /(^|\/|-)(util|utils|helper|helpers|manager|common|misc|service)(-|\.)|(^|\/)(data|info|handle|handler|process)\./u;

/** Switches that disable a check. For each of them, every file outside the tests that names it. */
export const DANGEROUS: Readonly<Record<string, readonly string[]>> = {
  // Permits connections to a participant without TLS, for LocalNet and where the configuration permits them.
  allowPlaintext: ['src/ledger/channel.ts', 'src/main/ledger-side.ts'],
  // Makes a claim of the token decide the party, in test mode.
  trustPartyClaim: [
    'src/auth/bearer.ts',
    'src/auth/sign-in.ts',
    'src/main/browser-side.ts',
    'src/main/callers.ts',
  ],
  // Permits connections to an authorization server without TLS.
  allowInsecureRequests: ['src/auth/oidc-clients.ts'],
  // Certificates are always verified, so no file may name these switches.
  rejectUnauthorized: [],
  NODE_TLS_REJECT_UNAUTHORIZED: [],
};

/** Returns the files that name each switch. */
export const usersOf = (
  files: ReadonlyMap<string, string>,
): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(
    Object.keys(DANGEROUS).map((name) => [
      name,
      [...files].flatMap(([file, source]) => (source.includes(name) ? file : [])).toSorted(),
    ]),
  );

export function violations(file: string, source: string): string[] {
  const lines = source.split('\n');
  return BANS.filter((ban) => ban.covers(file)).flatMap((ban) =>
    lines.flatMap((line, index) =>
      ban.pattern.test(line) ? [`${file}:${index + 1}: ${ban.what} (${ban.why})`] : [],
    ),
  );
}
