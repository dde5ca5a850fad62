import type { IdentityProviderConfigServiceImplementation } from '../../../proto/gen/com/daml/ledger/api/v2/admin/identity_provider_config_service.ts';
import type { ParticipantNode } from '../../ledger/participant-node.ts';
import type { Call } from '../call.ts';

export const identityProviderConfigService = ({
  identityProviders,
}: ParticipantNode): IdentityProviderConfigServiceImplementation<Call> => ({
  async createIdentityProviderConfig({ identityProviderConfig }, { access }) {
    access.requireAdmin();
    return { identityProviderConfig: identityProviders.create(identityProviderConfig) };
  },

  async getIdentityProviderConfig({ identityProviderId }, { access }) {
    access.requireAdmin();
    return { identityProviderConfig: identityProviders.get(identityProviderId) };
  },

  async updateIdentityProviderConfig({ identityProviderConfig, updateMask }, { access }) {
    access.requireAdmin();
    const updated = identityProviders.update(identityProviderConfig, updateMask);
    return { identityProviderConfig: updated };
  },

  async listIdentityProviderConfigs(_request, { access }) {
    access.requireAdmin();
    return { identityProviderConfigs: [...identityProviders.list()] };
  },

  async deleteIdentityProviderConfig({ identityProviderId }, { access }) {
    access.requireAdmin();
    identityProviders.delete(identityProviderId);
    return {};
  },
});
