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

/** PUBLIC demo secret of the reference: whoever knows it can be anybody where it is taken. */
const PUBLIC_DEMO_SHARED_SECRET = 'unsafe';

/**
 * Whose tokens the participants of the user and the provider take, in the reference's words:
 *
 * - `oauth2`: those of their realm
 * - `shared-secret`: those that programs sign for themselves with a secret that everybody knows
 */
export type AuthMode = 'oauth2' | 'shared-secret';
export const AUTH_MODES: readonly AuthMode[] = ['oauth2', 'shared-secret'];

/**
 * The token check of each participant. A token of one realm is worth nothing at a participant of the other.
 *
 * @param participantIds each participant's id, for the audience that names a single participant
 */
export function participantVerifiers(
  realms: readonly OpenRealm[],
  participantIds: Readonly<Record<ParticipantName, string>>,
  mode: AuthMode,
): Readonly<Record<ParticipantName, TokenVerifier>> {
  const entries = PARTICIPANT_NAMES.map((name) => {
    const realmName = mode === 'shared-secret' ? undefined : TRUSTED_REALM[name];
    const verifier = createTokenVerifier({
      issuers: realms.filter((open) => open.realm.name === realmName),
      audiences: [LOCALNET_AUDIENCE, participantAudience(participantIds[name])],
      ...(realmName === undefined ? { unsafeSharedSecret: PUBLIC_DEMO_SHARED_SECRET } : {}),
    });
    return [name, verifier] as const;
  });
  return Object.fromEntries(entries) as Record<ParticipantName, TokenVerifier>;
}
