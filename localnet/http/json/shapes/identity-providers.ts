import type {
  IdentityProviderConfig,
  ListIdentityProviderConfigsResponse,
  UpdateIdentityProviderConfigRequest,
} from '../../../../proto/gen/com/daml/ledger/api/v2/admin/identity_provider_config_service.ts';
import { flag, list, message, optional, text } from '../shape.ts';
import { updateMask } from './well-known.ts';

const config = message<IdentityProviderConfig>('IdentityProviderConfig', {
  identityProviderId: text,
  isDeactivated: flag,
  issuer: text,
  jwksUrl: text,
  audience: text,
});

/** Returns the shape of a request or an answer that contains only a configuration. */
const withConfig = (name: string) =>
  message<{ identityProviderConfig: IdentityProviderConfig | undefined }>(name, {
    identityProviderConfig: optional(config),
  });

export const createProviderRequest = withConfig('CreateIdentityProviderConfigRequest');
export const createProviderAnswer = withConfig('CreateIdentityProviderConfigResponse');
export const getProviderAnswer = withConfig('GetIdentityProviderConfigResponse');
export const updateProviderAnswer = withConfig('UpdateIdentityProviderConfigResponse');

export const updateProviderRequest = message<UpdateIdentityProviderConfigRequest>(
  'UpdateIdentityProviderConfigRequest',
  { identityProviderConfig: optional(config), updateMask },
);

export const listProvidersAnswer = message<ListIdentityProviderConfigsResponse>(
  'ListIdentityProviderConfigsResponse',
  { identityProviderConfigs: list(config) },
);
