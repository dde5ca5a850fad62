import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

/* The tables "To add …" in CONTRIBUTING.md must list all files that mention the example, and no others. */

const EXAMPLES: readonly { readonly heading: string; readonly knows: RegExp }[] = [
  {
    heading: '… a choice',
    knows: /reject-install-request|rejectInstallRequest|AppInstallRequest_Reject/u,
  },
  { heading: '… a template', knows: /LICENSE_RENEWAL_REQUEST|\bLicenseRenewalRequest\b/u },
  { heading: '… a search filter', knows: /'this policy asked for it'|\bpolicy: \{ isBesideTime/u },
  { heading: '… an error code of the ledger', knows: /\bPACKAGE_SELECTION_FAILED\b/u },
  { heading: '… an event type', knows: /tenure\.operation\.in-doubt|\bOPERATION_EVENTS\b/u },
];

const SOURCES = globSync('{src,machines,workers,cli}/**/*.ts').map((file) => ({
  file,
  source: readFileSync(file, 'utf8'),
}));

const sections = new Map(
  readFileSync('CONTRIBUTING.md', 'utf8')
    .split(/^##+ /mu)
    .map((section) => [section.split('\n', 1)[0] ?? '', section] as const),
);

/** Returns the files in the first column of the table in a section. */
const listed = (heading: string): string[] =>
  [...(sections.get(heading) ?? '').matchAll(/^\| `([^`]+)` \|/gmu)].map(([, file]) => file ?? '');

describe('to add', () => {
  test.each(EXAMPLES)(
    '$heading: the table has the files that know the example',
    ({ heading, knows }) => {
      const knowing = SOURCES.filter(({ source }) => knows.test(source)).map(({ file }) => file);
      expect(listed(heading).sort()).toEqual(knowing.sort());
    },
  );
});
