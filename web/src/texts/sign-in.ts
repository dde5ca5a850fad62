/* Texts of the page on which people sign in. */

export const signInTenure = 'Sign in · Tenure';
export const tenure = 'Tenure';
export const softwareLicencesOnALedgerFor =
  'Software licences on a ledger, for users, providers and operators.';
export const signingInFailedTryAgainIf =
  'Signing in failed. Try again. If it fails again, ask the operator: the log says why.';
export const name = 'Name';
export const thisDeploymentRequiresNo =
  'This deployment requires no password. It is for development only.';
export const signIn = 'Sign in';
export const chooseYourOrganisation =
  'Choose your organisation. Providers sell licences, and users buy them. You sign in at the page of your organisation; on LocalNet, it lists demo people and their password.';
export const signInAt = (name: string) => `Sign in at ${name}`;
