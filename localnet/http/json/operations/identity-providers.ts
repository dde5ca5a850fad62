import { invalidArgument } from '../../../ledger/submission-checks.ts';
import { unary } from '../operation.ts';
import type { Given, Operation } from '../operation.ts';
import { nothing } from '../shapes/commands.ts';
import {
  createProviderAnswer,
  createProviderRequest,
  getProviderAnswer,
  listProvidersAnswer,
  updateProviderAnswer,
  updateProviderRequest,
} from '../shapes/identity-providers.ts';

const PATH = '/v2/idps';
const PROVIDER = `${PATH}/{idp-id}`;
const SERVICE = 'IdentityProviderConfigService';

const providerOf = ({ path }: Given<unknown>): string => path['idp-id'] ?? '';

export const identityProviderOperations: readonly Operation[] = [
  unary({
    method: 'GET',
    path: PATH,
    calls: `${SERVICE}/ListIdentityProviderConfigs`,
    answer: listProvidersAnswer,
    run: ({ identityProviders }, _given, call) =>
      identityProviders.listIdentityProviderConfigs({}, call),
  }),
  unary({
    method: 'POST',
    path: PATH,
    calls: `${SERVICE}/CreateIdentityProviderConfig`,
    body: createProviderRequest,
    answer: createProviderAnswer,
    run: ({ identityProviders }, { body }, call) =>
      identityProviders.createIdentityProviderConfig(body, call),
  }),
  unary({
    method: 'GET',
    path: PROVIDER,
    calls: `${SERVICE}/GetIdentityProviderConfig`,
    answer: getProviderAnswer,
    run: ({ identityProviders }, given, call) =>
      identityProviders.getIdentityProviderConfig({ identityProviderId: providerOf(given) }, call),
  }),
  unary({
    method: 'DELETE',
    path: PROVIDER,
    calls: `${SERVICE}/DeleteIdentityProviderConfig`,
    answer: nothing('DeleteIdentityProviderConfigResponse'),
    run: ({ identityProviders }, given, call) => {
      const identityProviderId = providerOf(given);
      return identityProviders.deleteIdentityProviderConfig({ identityProviderId }, call);
    },
  }),
  unary({
    method: 'PATCH',
    path: PROVIDER,
    calls: `${SERVICE}/UpdateIdentityProviderConfig`,
    body: updateProviderRequest,
    answer: updateProviderAnswer,
    run: async ({ identityProviders }, given, call) => {
      const inBody = given.body.identityProviderConfig?.identityProviderId;
      const inPath = providerOf(given);
      if (inBody !== inPath) {
        throw invalidArgument(
          `${inPath.slice(0, 255)} does not match idp in body: ${inBody?.slice(0, 255) ?? 'None'}`,
        );
      }
      return identityProviders.updateIdentityProviderConfig(given.body, call);
    },
  }),
];
