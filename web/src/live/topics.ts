import type { Topic } from '../api/use-read.ts';
import type { LiveEvent } from './shared-events.ts';

const KINDS: ReadonlySet<string> = new Set(['install-request', 'install', 'license', 'renewal']);

const OBJECTS: readonly Topic[] = ['policy', 'tenant', 'webhook', 'customer', 'plan'];

/** Returns the topics of a person's action that only the audit log contains, from its object: `policy:expiry`. */
const actedOn = (object: unknown): readonly Topic[] =>
  OBJECTS.filter((topic) => typeof object === 'string' && object.startsWith(`${topic}:`));

/**
 * Returns the subjects whose answers an event makes outdated. A licence's page shows its renewals, and an
 * installation's page shows its licences.
 */
export function topicsOf({ type, data }: LiveEvent): ReadonlySet<Topic> {
  if (type.startsWith('tenure.operation.')) {
    const isComment = data['operation'] === 'comment-license';
    return new Set<Topic>(['operation', 'desk', ...(isComment ? (['comment'] as const) : [])]);
  }
  if (type.startsWith('tenure.alarm.')) return new Set<Topic>(['desk']);
  if (type === 'tenure.comment.made') return new Set<Topic>(['comment']);
  if (type === 'tenure.audit.recorded') return new Set<Topic>(['desk', ...actedOn(data['object'])]);
  // A suspension event has no kind, because no contract changes.
  if (type.startsWith('tenure.license.')) return new Set<Topic>(['license']);
  const { kind } = data;
  if (typeof kind !== 'string' || !KINDS.has(kind)) return new Set();
  if (kind === 'renewal') return new Set<Topic>(['renewal', 'license', 'desk']);
  if (kind === 'license') return new Set<Topic>(['license', 'install', 'desk']);
  return new Set<Topic>([kind as Topic, 'desk']);
}
