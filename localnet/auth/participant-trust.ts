import { PARTICIPANT_NAMES } from '../ports.ts';
import type { ParticipantName } from '../ports.ts';
import type { RealmName } from './realms.ts';
import type { OpenRealm } from './signing-keys.ts';
import { createTokenVerifier, LOCALNET_AUDIENCE, participantAudience } from './verify.ts';
import type { TokenVerifier } from './verify.ts';

/**
 * The realm whose keys a participant is configured with. The super validator has none: the reference keeps it in
 * shared-secret mode whatever the others do.
 */
const TRUSTED_REALM: Readonly<Record<ParticipantName, RealmName | undefined>> = {
  'app-user': 'AppUser',
  'app-provider': 'AppProvider',
  sv: undefined,
};

/** PUBLIC demo secret of the reference: it signs the tokens that the super validator's participant takes. */
const PUBLIC_DEMO_SHARED_SECRET = 'unsafe';

/**
 * The token check of each participant. A token of one realm is worth nothing at a participant of the other.
 *
 * @param participantIds each participant's id, for the audience that names a single participant
 */
export function participantVerifiers(
  realms: readonly OpenRealm[],
  participantIds: Readonly<Record<ParticipantName, string>>,
  nowMs: () => number = Date.now,
): Readonly<Record<ParticipantName, TokenVerifier>> {
  const entries = PARTICIPANT_NAMES.map((name) => {
    const realmName = TRUSTED_REALM[name];
    const verifier = createTokenVerifier({
      issuers: realms.filter((open) => open.realm.name === realmName),
      audiences: [LOCALNET_AUDIENCE, participantAudience(participantIds[name])],
      ...(realmName === undefined ? { unsafeSharedSecret: PUBLIC_DEMO_SHARED_SECRET } : {}),
      nowMs,
    });
    return [name, verifier] as const;
  });
  return Object.fromEntries(entries) as Record<ParticipantName, TokenVerifier>;
}
