import type { components } from '../../../client/schema.ts';
import * as t from '../texts/licensing.ts';
import { Badge } from './badge.tsx';
import { statusOf } from './license-words.ts';
import type { LicenseStatus } from './license-words.ts';
import { stateBadge } from './life-words.ts';
import { useNowMs } from './time.tsx';
import type { Tone } from './tone.ts';

type License = components['schemas']['License'];

const WORDS: Readonly<Record<LicenseStatus, readonly [tone: Tone, words: string]>> = {
  valid: ['good', t.valid],
  trial: ['info', t.trial],
  expired: ['warn', t.expired],
  'not-active': ['plain', t.notActiveYet],
  suspended: ['bad', t.suspended],
};

/** The state of a licence: whether it is valid, or which operation is in progress. */
export function LicenseBadge({ license }: { readonly license: License }) {
  const nowMs = useNowMs();
  const { state } = license;
  if (state !== undefined && state !== 'active') {
    const [tone, words] = stateBadge('license', state);
    return <Badge tone={tone}>{words}</Badge>;
  }
  const status = statusOf(license, nowMs);
  const [tone, words] = WORDS[status];
  return (
    <Badge tone={tone} {...(status === 'suspended' ? { icon: 'pause' } : {})}>
      {words}
    </Badge>
  );
}
