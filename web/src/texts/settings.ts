/* Texts of the pages for tenants and sessions. */

export const signedIn = 'Signed in';
export const lastUsed = 'Last used';
export const ends = 'Ends';
export const browser = 'Browser';
export const thisBrowser = 'This browser';
export const endSession = 'End session';
export const endThisSession = 'End this session';
export const theBrowserThatSignedInOn = (createdAt: string) =>
  `The browser that signed in on ${createdAt} is signed out. Accepted operations continue.`;
export const settings = 'Settings';
export const ifYouDoNotRecogniseA =
  'If you do not recognise a session, end the session and change your password.';
export const whereYouAreSignedIn = 'Where you are signed in';
export const youHaveNoSession = 'You have no session.';
export const aSessionBeginsWhenYouSign = 'A session begins when you sign in with a browser.';
export const yourSessions = 'Your sessions';
export const tenant = 'Tenant';
export const theTenantsNameInAddressesAnd = 'The tenant’s name in addresses and roles.';
export const party = 'Party';
export const onTheLedgerHintFingerprint = 'On the ledger: hint::fingerprint.';
export const wallet = 'Wallet';
export const theWalletInWhichItsPeople = 'The wallet in which its people pay. Optional.';
export const client = 'Client';
export const theClientIdOfTenureAt = 'The client ID of Tenure at the issuer.';
export const issuer = 'Issuer';
export const theTenantsAuthorizationServer =
  'The tenant’s authorization server. Tenure reads its metadata before it stores the tenant.';
export const people = 'People';
export const namesThatMaySignInSeparated = 'Names that may sign in, separated by commas.';
export const registerATenant = 'Register a tenant';
export const close = 'Close';
export const cancel = 'Cancel';
export const register = 'Register';
export const thisTenantBelongsToThe =
  'This tenant belongs to the configuration and cannot be removed here.';
export const noParticipantHostsThisPartySo =
  'No participant hosts this party, so its people see nothing.';
export const configured = 'Configured';
export const removeTenant = (tenantId: string) => `Remove ${tenantId}`;
export const remove = 'Remove';
export const partyId = 'party ID';
export const notHosted = 'Not hosted';
export const theTenantsPeopleCanNoLonger =
  'The tenant’s people can no longer sign in, and its issuer is no longer trusted. Its webhooks are deleted. Its licences stay on the ledger.';
export const tenants = 'Tenants';
export const thePartiesThatMayUseThis =
  'The parties that may use this API, with their wallets and sign-in.';
export const thereAreNoTenants = 'There are no tenants.';
export const registerTheFirstTenantWithoutA =
  'Register the first tenant. Without a tenant, no user can sign in.';
