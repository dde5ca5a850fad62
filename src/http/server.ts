import cookies from '@fastify/cookie';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import Fastify from 'fastify';
import type { FastifyHttpOptions } from 'fastify';
import type { Server } from 'node:http';
import { HTTP_LIMITS } from './limits.ts';
import { LIMITS } from '../domain/limits.ts';
import { routedUrl } from './kit/address.ts';
import { limitConnections } from './kit/connections.ts';
import { answerClientError } from './kit/client-error.ts';
import { carriesGenuine, requireCaller, requireRights } from './kit/caller.ts';
import { allowOrigins } from './kit/cors.ts';
import { acceptOldNames } from './kit/deprecations.ts';
import type { HttpDeps } from './kit/deps.ts';
import { Guesses } from './kit/guesses.ts';
import { registerDocsPage } from './kit/docs-page.ts';
import { answerErrors, answerProblem } from './kit/errors.ts';
import { acceptJsonBodies } from './kit/json-body.ts';
import { refuseOtherMethods } from './kit/methods.ts';
import { measureRequests, beginTrace } from './kit/trace.ts';
import type { AskReadiness } from './kit/readiness.ts';
import { createReadiness } from './kit/readiness.ts';
import { addComponents, describeApi, registerApiDocument } from './kit/openapi.ts';
import { answerReads } from './kit/read-answers.ts';
import { takeIdempotencyKeys } from './kit/kept-answers.ts';
import { refuseTwoHosts } from './kit/public-address.ts';
import { NAVIGATION } from './kit/accept.ts';
import type { HttpApp } from './kit/request-context.ts';
import { decorateRequests } from './kit/request-context.ts';
import { OneLinePerRequest } from './kit/request-log.ts';
import {
  CallerLimits,
  addressCounter,
  guardRequests,
  limitAddresses,
  refusalPaceOf,
} from './kit/rate-limits.ts';
import { registerAppInstallRequests } from './routes/lifecycles/app-install-requests.ts';
import { registerAppInstalls } from './routes/lifecycles/app-installs.ts';
import { registerUser, registerWaysIn } from './routes/callers/callers.ts';
import { registerOwnSessions } from './routes/callers/sessions.ts';
import { registerContracts } from './routes/contracts/contracts.ts';
import { eventWebhooks } from './routes/events/event-schemas.ts';
import { registerEvents } from './routes/events/events.ts';
import { registerActuatorHealth, registerHealth } from './routes/health/health.ts';
import { registerLicenseRenewalRequests } from './routes/lifecycles/license-renewal-requests.ts';
import { registerTermsAcceptance } from './routes/lifecycles/accepted-terms.ts';
import { registerLicenseComments } from './routes/lifecycles/license-comments.ts';
import { registerLicenses } from './routes/lifecycles/licenses.ts';
import { registerLogin } from './routes/callers/login.ts';
import { registerMachines } from './routes/machines/machines.ts';
import { registerPolicies } from './routes/policies/policies.ts';
import { registerOperations } from './routes/operations/operations.ts';
import { registerOps } from './routes/ops/ops.ts';
import { registerPayments } from './routes/money/payments.ts';
import { registerPaymentSums } from './routes/money/payment-sums.ts';
import { registerStatistics } from './routes/money/statistics.ts';
import { registerTenantRegistrations } from './routes/callers/tenant-registrations.ts';
import { registerKeyCalls } from './routes/validation/key-calls.ts';
import { registerPublicKeys } from './routes/validation/public-keys.ts';
import { registerValidation } from './routes/validation/validation.ts';
import { registerProduct } from './routes/product/product.ts';
import { registerSubscriptions } from './routes/subscriptions/subscriptions.ts';
import { registerUnsubscribing } from './routes/product/unsubscribing.ts';
import { registerWebhooks } from './routes/webhooks/webhooks.ts';
import { registerProblemPages } from './routes/web/problem-pages.ts';
import { registerWeb } from './routes/web/web.ts';
import { SHARED_SCHEMAS } from './schemas.ts';
import { addHeaders, withHeaders } from './kit/security-headers.ts';
import { refuseMoved, requireTrueClock } from './kit/permissions.ts';
import { checkBySchema, refuseUndeclaredQueries, writeAnswersWhole } from './kit/validation.ts';

/** Limits of connections, which apply before a request exists. */
const CONNECTION_OPTIONS = {
  bodyLimit: HTTP_LIMITS.httpBodyBytesMax,
  requestTimeout: HTTP_LIMITS.httpReceiveMs,
  keepAliveTimeout: HTTP_LIMITS.httpKeepAliveMs,
  // This timeout is longer than the longest wait for an outcome, because the server sends nothing during the wait.
  connectionTimeout: HTTP_LIMITS.httpWaitMsMax + HTTP_LIMITS.httpReceiveMs,
  http: {
    maxHeaderSize: HTTP_LIMITS.httpHeaderBytesMax,
    headersTimeout: HTTP_LIMITS.httpHeadersMs,
    // How often Node checks `requestTimeout` and `headersTimeout`.
    connectionsCheckingInterval: HTTP_LIMITS.httpHeadersMs / 4,
  },
  routerOptions: { maxParamLength: HTTP_LIMITS.pathIdCharsMax, constraints: NAVIGATION },
  // Requests on open connections are answered as usual while the server stops: see `drainOnClose`.
  return503OnClosing: false,
  forceCloseConnections: 'idle',
} as const satisfies FastifyHttpOptions<Server>;

/**
 * Stops the server in this order: waits for outcomes end, so that their callers get `202` at once, and event streams
 * end; no new connection is accepted; after the drain time, connections that are still open are closed.
 */
function drainOnClose(app: HttpApp, deps: HttpDeps): void {
  let cut: NodeJS.Timeout | undefined;
  let isClosing = false;
  app.addHook('onSend', async (_request, reply) => {
    if (isClosing) void reply.header('connection', 'close');
  });
  app.addHook('preClose', async () => {
    isClosing = true;
    deps.outcomes.close();
    deps.events.close();
    cut = setTimeout(() => app.server.closeAllConnections(), LIMITS.drainMs);
  });
  app.addHook('onClose', async () => clearTimeout(cut));
}

async function registerApi(app: HttpApp, deps: HttpDeps, readiness: AskReadiness): Promise<void> {
  const countAddress = addressCounter(deps.rateLimits, deps.limitShare);
  const limits = new CallerLimits(deps.rateLimits, deps.limitShare, countAddress);
  await app.register(async (secured: HttpApp) => {
    refuseMoved(secured, deps);
    requireTrueClock(secured, deps);
    requireCaller(secured, deps, limits);
    limits.apply(secured);
    requireRights(secured);
    refuseUndeclaredQueries(secured);
    acceptOldNames(secured);
    acceptJsonBodies(secured);
    registerAppInstallRequests(secured, deps);
    registerAppInstalls(secured, deps);
    registerLicenses(secured, deps);
    registerLicenseComments(secured, deps);
    registerTermsAcceptance(secured, deps);
    registerLicenseRenewalRequests(secured, deps);
    registerPaymentSums(secured, deps);
    registerPayments(secured, deps);
    registerStatistics(secured, deps);
    registerContracts(secured, deps);
    registerMachines(secured);
    registerOperations(secured, deps);
    registerEvents(secured, deps);
    registerWebhooks(secured, deps);
    registerValidation(secured, deps);
    await registerProduct(secured, deps);
    await registerSubscriptions(secured, deps);
    await registerOps(secured, deps);
    await registerPolicies(secured, deps);
    await registerTenantRegistrations(secured, deps);
    registerActuatorHealth(secured, readiness);
    registerUser(secured, deps);
    await registerOwnSessions(secured, deps);
  });
  await app.register(async (open: HttpApp) => {
    limitAddresses(open, countAddress);
    refuseMoved(open, deps);
    refuseUndeclaredQueries(open);
    registerWaysIn(open, deps);
    registerPublicKeys(open, deps);
  });
  await app.register(async (browser: HttpApp) => {
    limitAddresses(browser, countAddress);
    refuseMoved(browser, deps);
    requireTrueClock(browser, deps);
    await registerLogin(browser, deps);
  });
  await app.register(async (mailed: HttpApp) => {
    limitAddresses(mailed, countAddress);
    refuseMoved(mailed, deps);
    registerUnsubscribing(mailed, deps);
  });
  await app.register(async (keyed: HttpApp) => {
    refuseMoved(keyed, deps);
    requireTrueClock(keyed, deps);
    refuseUndeclaredQueries(keyed);
    registerKeyCalls(keyed, deps, limits);
  });
  await app.register(async (web: HttpApp) => registerWeb(web, deps));
  await app.register(async (documents: HttpApp) => {
    limitAddresses(documents, countAddress);
    registerApiDocument(documents, eventWebhooks());
    registerDocsPage(documents);
    registerProblemPages(documents);
  });
}

/**
 * Builds the HTTP server, which does not listen yet: call `listen` to start it, and `close` to stop it after the open
 * requests are answered.
 */
export async function buildServer(deps: HttpDeps): Promise<HttpApp> {
  const app: HttpApp = Fastify({
    ...CONNECTION_OPTIONS,
    loggerInstance: deps.log,
    logController: new OneLinePerRequest(),
    genReqId: (request) => beginTrace(deps.tracer, request),
    rewriteUrl: (request) => routedUrl(request.url ?? '/'),
    clientErrorHandler: answerClientError,
    // This runs before hooks, so nothing has been added to the answer yet.
    frameworkErrors: (error, request, reply) => {
      void answerProblem(deps, error, request, withHeaders(request, reply));
    },
  }).withTypeProvider<TypeBoxTypeProvider>();
  // Headers are limited by size. If they were limited by number, Node would silently drop the last ones.
  app.server.maxHeadersCount = 0;
  app.server.maxConnections = HTTP_LIMITS.httpConnectionsMax;
  limitConnections(app.server, deps.rateLimits.connectionsPerAddress, deps.trustsProxy);
  decorateRequests(app);
  app.decorate('trustsProxy', deps.trustsProxy);
  app.decorate('hostCookies', deps.hostCookies ?? false);
  app.decorate('guesses', new Guesses(deps.rateLimits.failuresPerAddress));
  const pace = refusalPaceOf(deps.rateLimits);
  app.decorate('refusalPace', pace);
  measureRequests(app, deps);
  await app.register(cookies);
  const { trustsProxy } = deps;
  guardRequests(app.server, { pace, trustsProxy, isGenuine: carriesGenuine(app) });
  addHeaders(app);
  drainOnClose(app, deps);
  allowOrigins(app, deps.corsOrigins ?? new Set());
  refuseTwoHosts(app);
  answerErrors(app, deps);
  // A scope reads bodies only if it adds its own parser.
  app.removeAllContentTypeParsers();
  checkBySchema(app);
  writeAnswersWhole(app);
  addComponents(app, SHARED_SCHEMAS);
  answerReads(app);
  takeIdempotencyKeys(app, deps);
  const refuseOthers = refuseOtherMethods(app);
  await describeApi(app, deps.version);
  const readiness = createReadiness(deps.readiness);
  if (deps.serves !== 'health') await registerApi(app, deps, readiness);
  await app.register(async (probes: HttpApp) => registerHealth(probes, readiness));
  refuseOthers();
  await app.ready();
  return app;
}
