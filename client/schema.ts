// Written by web/tools/write-schema.ts: run make web-client. document 0384a82f3b929a093618b9e4220d725e41c9dfc296e4a120718720598a83a900 types c78e0b34c7e0b58bd8fa6ee324db6f1e383306a29e8107812ae6b54f03eab96a
export interface paths {
    "/app-install-requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The caller’s active install requests
         * @description Without `limit` the complete array. With it one page; header `Link` with rel="next" leads to the next. With `ended=true`, or a `state` that is an end, those that have ended.
         */
        get: operations["listAppInstallRequests"];
        put?: never;
        /** Ask the provider to install the app; the user is the caller */
        post: operations["createAppInstallRequest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/app-install-requests/{contractId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One, also after its end */
        get: operations["getAppInstallRequest"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/app-install-requests/{contractId}/actions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What the caller can do with it now, and why not the rest */
        get: operations["listAppInstallRequestActions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/app-install-requests/{contractId}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What happened to it */
        get: operations["getAppInstallRequestHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/app-install-requests/{contractId}/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Install the app, as the provider */
        post: operations["acceptAppInstallRequest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/app-install-requests/{contractId}/reject": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Turn the request down, as the provider */
        post: operations["rejectAppInstallRequest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/app-install-requests/{contractId}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Take the request back, as the user who made it */
        post: operations["cancelAppInstallRequest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/app-installs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The caller’s active installs
         * @description Without `limit` the complete array. With it one page; header `Link` with rel="next" leads to the next. With `ended=true`, or a `state` that is an end, those that have ended.
         */
        get: operations["listAppInstalls"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/app-installs/{contractId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One, also after its end */
        get: operations["getAppInstall"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/app-installs/{contractId}/actions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What the caller can do with it now, and why not the rest */
        get: operations["listAppInstallActions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/app-installs/{contractId}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What happened to it */
        get: operations["getAppInstallHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/app-installs/{contractId}/create-license": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Create the next licence of the install, as the provider */
        post: operations["createLicense"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/app-installs/{contractId}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** End the install, as its user or provider; its licences live on */
        post: operations["cancelAppInstall"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/licenses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The caller’s active licences
         * @description Without `limit` the complete array. With it one page; header `Link` with rel="next" leads to the next. With `ended=true`, or a `state` that is an end, those that have ended.
         */
        get: operations["listLicenses"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/licenses/{contractId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One, also after its end */
        get: operations["getLicense"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/licenses/{contractId}/actions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What the caller can do with it now, and why not the rest */
        get: operations["listLicenseActions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/licenses/{contractId}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What happened to it */
        get: operations["getLicenseHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/licenses/{contractId}/expire": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** End a licence whose time is over, as its user or provider */
        post: operations["expireLicense"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/licenses/{contractId}/renew": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Ask the user to pay for an extension, as the provider */
        post: operations["renewLicense"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/licenses/{contractId}/complete-renewal": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Take the fee that the user has set aside, and extend the licence, as the provider */
        post: operations["completeLicenseRenewal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/licenses/{contractId}/comments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What was said about a licence, by its user or provider, also after its end
         * @description A comment that was made here belongs to one licence, `licenseLifecycleId`. A comment of another client of the ledger names no more than number, user and provider: it is listed at each licence that has these, with `licenseLifecycleId: null`. Without `limit` the complete array.
         */
        get: operations["listLicenseComments"];
        put?: never;
        /** Say something about a licence, as its user or provider */
        post: operations["addLicenseComment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/licenses/{contractId}/accept-terms": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Accept the terms of a licence, as its user */
        post: operations["acceptLicenseTerms"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/license-renewal-requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The caller’s active renewal requests
         * @description Without `limit` the complete array. With it one page; header `Link` with rel="next" leads to the next. With `ended=true`, or a `state` that is an end, those that have ended.
         */
        get: operations["listLicenseRenewalRequests"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/license-renewal-requests/{contractId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One, also after its end */
        get: operations["getLicenseRenewalRequest"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/license-renewal-requests/{contractId}/actions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What the caller can do with it now, and why not the rest */
        get: operations["listLicenseRenewalRequestActions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/license-renewal-requests/{contractId}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What happened to it */
        get: operations["getLicenseRenewalRequestHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/license-renewal-requests/{contractId}/complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Take the fee that the user has set aside, and extend the licence, as the provider */
        post: operations["completeLicenseRenewalRequest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/license-renewal-requests/{contractId}/withdraw": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Take the request back, as the provider; what the user has set aside stays the user’s */
        post: operations["withdrawLicenseRenewalRequest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payments/sums": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What was paid to the caller, by month or plan, and instrument */
        get: operations["listPaymentSums"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What renewals ask for, and what was paid
         * @description Of the caller as provider or user. Without `limit` a page of 50, as CSV all of them. What the ledger says is here within 30 seconds.
         */
        get: operations["listPayments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payments/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The payment of a renewal */
        get: operations["getPayment"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payments/{id}/receipt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The receipt of a settled renewal
         * @description A page to print for browsers. A number that is not given yet says so.
         */
        get: operations["getReceipt"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stats/licenses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How many licences there are, by day or month
         * @description Of licences that the caller provides. At most 400 days or 120 months; the last 30 days or 12 months unless told. The last period goes on: it is as of now.
         */
        get: operations["listLicenseStatistics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stats/revenue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What was paid, and what recurs, by day or month and instrument
         * @description Of licences that the caller provides. At most 400 days or 120 months; the last 30 days or 12 months unless told. The last period goes on: it is as of now.
         */
        get: operations["listRevenueStatistics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/contracts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The active contracts of a template, for their provider or user
         * @description Without `limit` a page of 100. Contracts that stand for a lifecycle come in the order of its list: by user, licence number and lifecycleId. Comments come in the order of their creation.
         */
        get: operations["listContracts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/contracts/{contractId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One contract as it was projected, for its signatories and observers
         * @description Also after its end. A lifecycleId leads to the contract that stands for it now.
         */
        get: operations["getContract"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/contracts/{contractId}/exercise": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Exercise a choice, in the ledger’s words
         * @description The same change as through the route of its own, with the same lane, rights and refusals: the same commandId with the same meaning is a repetition through either. The operation to follow shows the answer of that route.
         */
        post: operations["exerciseChoice"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/machines": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The state machines of all kinds of lifecycles, in all versions
         * @description A lifecycle names the version that has taken its last step as `machineVersion`.
         */
        get: operations["listMachines"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/machines/{kind}/{version}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One version of a machine as a chart: states, transitions, who may, and a layout
         * @description May be kept: the states and transitions of a version never change.
         */
        get: operations["getMachine"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operations/{commandId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What became of a change, with all attempts
         * @description The newest, should two acting parties have used the same commandId.
         */
        get: operations["getOperation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The same, where a proxy would not let %2F through in a path */
        get: operations["findOperation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow what happens to operations and lifecycles, as Server-Sent Events
         * @description Each event is a CloudEvent 1.0 in JSON. Its id is its number: a stream that begins after one misses nothing. An event named gap comes where events are not kept any more.
         */
        get: operations["followEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Your webhooks, the oldest first */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Be told of your events
         * @description Each event is sent as a CloudEvent, signed as Standard Webhooks 1.0.0 say, until it is answered with 2xx: at least once, in any order.
         */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One of your webhooks */
        get: operations["getWebhook"];
        put?: never;
        post?: never;
        /** Be told of nothing more */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        /** Change where it leads, what it is told of, and whether */
        patch: operations["changeWebhook"];
        trace?: never;
    };
    "/webhooks/{id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A new secret; the old one signs as well for a day */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send something that is no event */
        post: operations["testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What became of what it was told, the newest first */
        get: operations["listDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/deliveries/{deliveryId}/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Try it again at once, under the same message id */
        post: operations["redeliver"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/licenses/{contractId}/validate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether a licence is valid, as one of its parties */
        get: operations["validateLicense"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/licenses/{contractId}/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The keys of a licence, without the keys themselves */
        get: operations["listLicenseKeys"];
        put?: never;
        /**
         * A key with which a program asks whether the licence is valid
         * @description A program sends it as `Authorization: License tlk_…`. It allows validate, activate, heartbeat and release for this licence alone, and outlives renewals.
         */
        post: operations["createLicenseKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/licenses/{contractId}/keys/{keyId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Revoke a key of a licence, as either party */
        delete: operations["revokeLicenseKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/licenses/{contractId}/machines": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The machines that hold seats of a licence */
        get: operations["listLicenseMachines"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/licenses/{contractId}/machines/{machineId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Free the seat of a machine, as either party */
        delete: operations["removeLicenseMachine"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/licenses/{contractId}/files": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A signed file with which a program works without a network
         * @description It ends with the licence, trial and grace included, and after the offline time of the plan at the latest (7 days without a plan). With `machine`, that machine must hold a seat.
         */
        post: operations["createLicenseFile"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/customers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Your customers */
        get: operations["listCustomers"];
        put?: never;
        /**
         * Name a party
         * @description Nothing of a customer goes to the ledger.
         */
        post: operations["addCustomer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/customers/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One of your customers */
        get: operations["getCustomer"];
        put?: never;
        post?: never;
        /** Forget what is known of a customer; licences and their references stay */
        delete: operations["removeCustomer"];
        options?: never;
        head?: never;
        /** Change what is known of a customer; members that are left out stay */
        patch: operations["changeCustomer"];
        trace?: never;
    };
    "/plans": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Your plans, each at its newest version */
        get: operations["listPlans"];
        put?: never;
        /** Sell something */
        post: operations["addPlan"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/plans/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One of your plans, at its newest version */
        get: operations["getPlan"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Make another version of a plan; members that are left out stay
         * @description Licences keep the version under which they were sold. A change that changes nothing makes no version.
         */
        patch: operations["changePlan"];
        trace?: never;
    };
    "/plans/{id}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** All versions of a plan */
        get: operations["listPlanVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/plans/{id}/archive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sell a plan no more */
        post: operations["archivePlan"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/plans/{id}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sell an archived plan again */
        post: operations["restorePlan"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/licenses/{contractId}/suspend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Suspend a licence, as its provider: the ledger does not know of it
         * @description Leaves a row of the audit log and an event. A licence that is so already stays as it is, with its first reason.
         */
        post: operations["suspendLicense"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/licenses/{contractId}/reinstate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End the suspension of a licence
         * @description Leaves a row of the audit log and an event. A licence that is so already stays as it is, with its first reason.
         */
        post: operations["reinstateLicense"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/subscriptions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Licences of the caller that renew themselves, with their offers */
        get: operations["listSubscriptions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/licenses/{contractId}/subscription": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How a licence renews itself, and its open and next offer */
        get: operations["getSubscription"];
        /**
         * Let a licence renew itself, as its provider
         * @description Members that are left out have their defaults. Ends a cancellation. An open offer keeps its price.
         */
        put: operations["setSubscription"];
        post?: never;
        /**
         * Cancel a subscription at the end of its period, as the user or the provider
         * @description An open offer without an allocation is withdrawn. Money that is set aside already waits for the provider.
         */
        delete: operations["cancelSubscription"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/licenses/preview-bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * What an act on all licences of a filter would do, as their provider
         * @description Nothing is done. The token is good for one `POST /licenses/bulk` of exactly this.
         */
        post: operations["previewLicenseAct"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/licenses/bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Do what has been previewed to all licences of a filter, as their provider
         * @description Offers and ends are ordinary operations, which are recorded before the answer. Each licence is judged again when the act reaches it. After an interrupted act, another preview has the licences that are left.
         */
        post: operations["actOnLicenses"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/attention": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What needs a person: of each part how many there are, and the first few
         * @description Each part is read by itself: one that cannot be read in time is missing, and `unavailable` names it. Parts about the whole deployment are for operators of the provider. The digest may be a second old.
         */
        get: operations["getAttention"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/commands": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Operations for which everything holds that is asked for
         * @description Newest first unless `order` is `oldest`, by acceptance; 50 of them unless `limit` says otherwise.
         */
        get: operations["listOpsCommands"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/commands/counts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How many operations there are of a filter, and of each group of them
         * @description Exact up to 10000; beyond, `more` says that there are more than `count`. By `hour` and `day`, of UTC and of acceptance, exact, with empty ones and with the states of each, the earliest first: a day of hours or thirty days unless the filter says from when, at most two weeks of hours or 400 days.
         */
        get: operations["countOpsCommands"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/in-doubt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Operations that wait for a decision, oldest first, each with what is known of it */
        get: operations["listInDoubt"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/alarms": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Operations that have waited too long for one thing, the oldest alarm first */
        get: operations["listAlarms"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/commands/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One operation by its own id, whoever asked for it */
        get: operations["getOpsCommand"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/commands/{id}/decide": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Record what a person has found about an operation in doubt, and go on with it */
        post: operations["decideOpsCommand"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/commands/{id}/preview-decide": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * What a decision about an operation in doubt does
         * @description Nothing is done. The token is good for one `:decide` of exactly this.
         */
        post: operations["previewDecideOpsCommand"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/synchronizers/preview-give-up": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * What giving up a synchronizer does
         * @description Nothing is done. The token is good for one `:give-up` of exactly this.
         */
        post: operations["previewGiveUpSynchronizer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/commands/{id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Have an operation done again that ended without an effect
         * @description Makes an operation of its own, with a commandId that follows from the first; its party stays. Whoever asks while a retry is on its way gets that one.
         */
        post: operations["retryOpsCommand"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/commands/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End an operation before it takes effect
         * @description One that waits for its turn, or of which every attempt was definitely refused and none is on its way.
         */
        post: operations["cancelOpsCommand"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/pauses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What is stopped: by persons, the oldest first, then participants that are left alone */
        get: operations["listPauses"];
        put?: never;
        /**
         * Stop what goes through a participant, one operation, or all of the provider
         * @description Operations are accepted as ever, and wait. Asked again for the same scope and name, changes mode and reason.
         */
        post: operations["createPause"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/pauses/{id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Let go on what was stopped */
        post: operations["resumePause"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/timers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What lapses and when, and what of it has fired
         * @description Without `limit` a page of the greatest size.
         */
        get: operations["listTimers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/timers/{id}/rearm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set a timer going again that was given up
         * @description Its policy, if it is on, asks anew for what the timer is for, at once and with as many failures before it as at first. Only the provider’s operators may.
         */
        post: operations["rearmTimer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/commands/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * What an act on all operations of a filter would do
         * @description Nothing is done. The token is good for one `:apply` by the same operator, within minutes. An empty filter means everything that the operator sees.
         */
        post: operations["previewOpsCommands"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/commands/apply": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Do what has been previewed, to as many operations as it counted
         * @description Recorded at once, and worked off in order within each lane at a capped rate. Refused when the filter means another number of operations by now.
         */
        post: operations["applyOpsCommands"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/acts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Acts on many operations, the newest first */
        get: operations["listActs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/acts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How far an act is, and why operations were refused */
        get: operations["getAct"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/acts/{id}/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Do no more of an act; what has been done stays done */
        post: operations["stopAct"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/costs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What operations have cost in traffic, by operation, party and day
         * @description Of operations accepted in the last 7 days unless `from` says otherwise; the newest day first, by UTC. Attempts of which the ledger does not say what they cost are `unknown`, not free.
         */
        get: operations["listCosts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/quotas": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What each tenant uses of its quotas, by party
         * @description Operators of the provider see all tenants that use something, operators of a tenant see their own. Read at most once a second.
         */
        get: operations["listQuotas"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/failures": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Ways in which operations have failed, each with how many did
         * @description The one that happened last first; 50 of them unless `limit` says otherwise. Counts are exact up to 10000.
         */
        get: operations["listFailures"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/failures/{id}/resolve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take a failure for settled: it is open again once it happens again
         * @description Holds for the operators of the same party.
         */
        post: operations["resolveFailure"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/failures/{id}/ignore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Leave a failure alone, also when it happens again
         * @description Holds for the operators of the same party.
         */
        post: operations["ignoreFailure"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/failures/{id}/reopen": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take back that a failure is resolved or ignored
         * @description Holds for the operators of the same party.
         */
        post: operations["reopenFailure"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/lifecycles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Active lifecycles of all kinds and states, with their age
         * @description The oldest first; 50 of them unless `limit` says otherwise.
         */
        get: operations["listOpsLifecycles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/lifecycles/counts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How many active lifecycles there are of each kind and state
         * @description Exact up to 10000; beyond, `more` says that there are more than `count`.
         */
        get: operations["countOpsLifecycles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/streams": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How far each stream of the ledger has been followed, and how far it lags
         * @description For operators of the provider.
         */
        get: operations["listStreams"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/leases": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Which process does what only one may do at a time
         * @description For operators of the provider.
         */
        get: operations["listLeases"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/synchronizers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How far each participant has told of each synchronizer
         * @description That nothing of a submission is still to come is proved by this time. For operators of the provider.
         */
        get: operations["listSynchronizers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/synchronizers/give-up": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Say of a synchronizer that a participant has left that it will not come back
         * @description Nothing waits for its time any more: what was submitted there without an answer is taken not to have taken effect. Refused while the participant is connected to it or cannot be asked; once it is connected again it counts again. Where all of a participant are given up, the time here stands in for theirs. For operators of the provider.
         */
        post: operations["giveUpSynchronizer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What persons did: to operations, and besides
         * @description The newest first; 50 of them unless `limit` says otherwise. Rows are only added, and are kept for TENURE_KEEP_AUDIT_DAYS.
         */
        get: operations["listAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Browsers in which persons are signed in
         * @description In the order of their IDs; 50 of them unless `limit` says otherwise.
         */
        get: operations["listOpsSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/sessions/{id}/end": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign a person out in one browser
         * @description Event streams of the session end within two seconds.
         */
        post: operations["endOpsSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/policies/expiry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The provider’s expiry policy; off until it is set */
        get: operations["getExpiryPolicy"];
        /**
         * Replace the expiry policy as a whole
         * @description A policy that can end an existing licence which the policy before it could not end needs `confirmation`: the token and the count of a preview, and a reason. A confirmed policy waits before it ends the first licence, and can be undone until then.
         */
        put: operations["setExpiryPolicy"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/policies/renewal": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The provider’s renewal policy; off until it is set */
        get: operations["getRenewalPolicy"];
        /**
         * Replace the renewal policy as a whole
         * @description A policy that can end an existing licence which the policy before it could not end needs `confirmation`: the token and the count of a preview, and a reason. A confirmed policy waits before it ends the first licence, and can be undone until then.
         */
        put: operations["setRenewalPolicy"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/policies/expiry/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What the expiry policy would end, when and why, and what not and why not
         * @description Every active licence of the provider, the longest lapsed first, judged by the policy as it is set, in whatever mode. Without `limit` a page of the greatest size.
         */
        get: operations["previewExpiry"];
        put?: never;
        /**
         * How many a proposed expiry policy can end, and the first of them
         * @description Nothing is done. The token is good for one PUT of exactly this policy over this version, by the same caller, within minutes.
         */
        post: operations["previewExpiryPolicy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/policies/expiry/pending": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the expiry policy still waits before it acts */
        get: operations["getPendingExpiryPolicy"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/policies/expiry/undo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restore the expiry policy before a confirmed one that does not act yet
         * @description The policy before is set again, as a new version. Refused once the policy acts, or when another version was set since.
         */
        post: operations["undoExpiryPolicy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/policies/renewal/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * How many a proposed renewal policy can end, and the first of them
         * @description Nothing is done. The token is good for one PUT of exactly this policy over this version, by the same caller, within minutes.
         */
        post: operations["previewRenewalPolicy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/policies/renewal/pending": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the renewal policy still waits before it acts */
        get: operations["getPendingRenewalPolicy"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/policies/renewal/undo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restore the renewal policy before a confirmed one that does not act yet
         * @description The policy before is set again, as a new version. Refused once the policy acts, or when another version was set since.
         */
        post: operations["undoRenewalPolicy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/tenant-registrations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** All tenants, the provider’s own first */
        get: operations["listTenantRegistrations"];
        put?: never;
        /**
         * Register a tenant
         * @description Its issuer is asked about itself before anything is stored. What is needed depends on how people log in here.
         */
        post: operations["createTenantRegistration"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/tenant-registrations/{tenantId}/preview-delete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * What ends with a tenant’s registration
         * @description Nothing is done. The token is good for one DELETE of this tenant.
         */
        post: operations["previewDeleteTenantRegistration"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/tenant-registrations/{tenantId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End a tenant’s registration, and the trust in its issuer
         * @description Needs the token and the count of a preview, and a reason.
         */
        delete: operations["deleteTenantRegistration"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Who the caller is */
        get: operations["getAuthenticatedUser"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The browsers in which the caller is signed in */
        get: operations["listSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Sign the caller out in one browser
         * @description Event streams of the session end within two seconds.
         */
        delete: operations["endSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/feature-flags": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How people sign in here */
        get: operations["getFeatureFlags"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/login-links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Where each tenant’s people sign in
         * @description Addresses for a browser to go to. Not in shared-secret mode.
         */
        get: operations["listLinks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/jwks.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The public keys of licence files
         * @description A key stays here until its last file ends.
         */
        get: operations["listPublicKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth2/authorization/{registrationId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Sends a browser to the tenant’s login page */
        get: operations["beginLogin"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/login/oauth2/code/{registrationId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Where the login page sends the browser back to */
        get: operations["endLogin"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Signs in by name alone, in shared-secret mode
         * @description The body is a form with field username, and with field returnTo: a path of this origin to go to after the login; it is kept over a login that fails, and anything else is passed over.
         */
        post: operations["signIn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/login/shared-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Signs in by name alone, in shared-secret mode
         * @description The body is a form with field username, and with field returnTo: a path of this origin to go to after the login; it is kept over a login that fails, and anything else is passed over.
         */
        post: operations["signInByPath"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ends the session, here and at the authorization server
         * @description A browser is sent to the authorization server’s own logout. A script of a page (Sec-Fetch-Dest: empty) is answered 204, and Tenure tells the authorization server.
         */
        post: operations["logout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/licenses/validate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Whether the licence of a key is valid */
        post: operations["validateLicenseKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/licenses/activate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Give a machine a seat of the licence */
        post: operations["activateMachine"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/licenses/heartbeat": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Keep the seat of a machine */
        post: operations["beatMachine"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/licenses/release": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Free the seat of a machine */
        post: operations["releaseMachine"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/livez": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the process runs */
        get: operations["livez"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether it can take requests; the management port says why not */
        get: operations["readyz"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** SERVING when it can take requests */
        get: operations["health"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    "tenure.operation.accepted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * tenure.operation.accepted
         * @description Sent to the webhooks of the parties that may see the event, as Standard Webhooks 1.0.0 say, until it is answered with 2xx: at least once, in any order.
         */
        post: operations["onOperationAccepted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "tenure.operation.submitting": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * tenure.operation.submitting
         * @description Sent to the webhooks of the parties that may see the event, as Standard Webhooks 1.0.0 say, until it is answered with 2xx: at least once, in any order.
         */
        post: operations["onOperationSubmitting"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "tenure.operation.retrying": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * tenure.operation.retrying
         * @description Sent to the webhooks of the parties that may see the event, as Standard Webhooks 1.0.0 say, until it is answered with 2xx: at least once, in any order.
         */
        post: operations["onOperationRetrying"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "tenure.operation.in-doubt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * tenure.operation.in-doubt
         * @description Sent to the webhooks of the parties that may see the event, as Standard Webhooks 1.0.0 say, until it is answered with 2xx: at least once, in any order.
         */
        post: operations["onOperationInDoubt"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "tenure.operation.succeeded": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * tenure.operation.succeeded
         * @description Sent to the webhooks of the parties that may see the event, as Standard Webhooks 1.0.0 say, until it is answered with 2xx: at least once, in any order.
         */
        post: operations["onOperationSucceeded"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "tenure.operation.rejected": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * tenure.operation.rejected
         * @description Sent to the webhooks of the parties that may see the event, as Standard Webhooks 1.0.0 say, until it is answered with 2xx: at least once, in any order.
         */
        post: operations["onOperationRejected"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "tenure.operation.failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * tenure.operation.failed
         * @description Sent to the webhooks of the parties that may see the event, as Standard Webhooks 1.0.0 say, until it is answered with 2xx: at least once, in any order.
         */
        post: operations["onOperationFailed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "tenure.operation.cancelled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * tenure.operation.cancelled
         * @description Sent to the webhooks of the parties that may see the event, as Standard Webhooks 1.0.0 say, until it is answered with 2xx: at least once, in any order.
         */
        post: operations["onOperationCancelled"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "tenure.lifecycle.began": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * tenure.lifecycle.began
         * @description Sent to the webhooks of the parties that may see the event, as Standard Webhooks 1.0.0 say, until it is answered with 2xx: at least once, in any order.
         */
        post: operations["onLifecycleBegan"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "tenure.lifecycle.changed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * tenure.lifecycle.changed
         * @description Sent to the webhooks of the parties that may see the event, as Standard Webhooks 1.0.0 say, until it is answered with 2xx: at least once, in any order.
         */
        post: operations["onLifecycleChanged"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "tenure.lifecycle.ended": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * tenure.lifecycle.ended
         * @description Sent to the webhooks of the parties that may see the event, as Standard Webhooks 1.0.0 say, until it is answered with 2xx: at least once, in any order.
         */
        post: operations["onLifecycleEnded"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "tenure.license.suspended": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * tenure.license.suspended
         * @description Sent to the webhooks of the parties that may see the event, as Standard Webhooks 1.0.0 say, until it is answered with 2xx: at least once, in any order.
         */
        post: operations["onLicenseSuspended"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "tenure.license.reinstated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * tenure.license.reinstated
         * @description Sent to the webhooks of the parties that may see the event, as Standard Webhooks 1.0.0 say, until it is answered with 2xx: at least once, in any order.
         */
        post: operations["onLicenseReinstated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "tenure.license.expiring": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * tenure.license.expiring
         * @description Sent to the webhooks of the parties that may see the event, as Standard Webhooks 1.0.0 say, until it is answered with 2xx: at least once, in any order.
         */
        post: operations["onLicenseExpiring"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "tenure.license.expired": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * tenure.license.expired
         * @description Sent to the webhooks of the parties that may see the event, as Standard Webhooks 1.0.0 say, until it is answered with 2xx: at least once, in any order.
         */
        post: operations["onLicenseExpired"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "tenure.license.renewal-unpaid": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * tenure.license.renewal-unpaid
         * @description Sent to the webhooks of the parties that may see the event, as Standard Webhooks 1.0.0 say, until it is answered with 2xx: at least once, in any order.
         */
        post: operations["onLicenseRenewalUnpaid"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "tenure.license.price-changed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * tenure.license.price-changed
         * @description Sent to the webhooks of the parties that may see the event, as Standard Webhooks 1.0.0 say, until it is answered with 2xx: at least once, in any order.
         */
        post: operations["onLicensePriceChanged"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "tenure.comment.made": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * tenure.comment.made
         * @description Sent to the webhooks of the parties that may see the event, as Standard Webhooks 1.0.0 say, until it is answered with 2xx: at least once, in any order.
         */
        post: operations["onCommentMade"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "tenure.audit.recorded": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * tenure.audit.recorded
         * @description Sent to the webhooks of the parties that may see the event, as Standard Webhooks 1.0.0 say, until it is answered with 2xx: at least once, in any order.
         */
        post: operations["onAuditRecorded"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "tenure.webhook.test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * tenure.webhook.test
         * @description Sent to the webhooks of the parties that may see the event, as Standard Webhooks 1.0.0 say, until it is answered with 2xx: at least once, in any order.
         */
        post: operations["onWebhookTest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        /** @description Metadata on the ledger */
        Metadata: {
            /**
             * @description At most 64 entries of at most 4096 characters. In requests numbers and booleans are taken too, and recorded as text.
             * @example {
             *       "note": "first purchase"
             *     }
             */
            data?: {
                [key: string]: string;
            };
        } & {
            [key: string]: unknown;
        };
        LicenseParams: {
            meta?: components["schemas"]["Metadata"];
        } & {
            [key: string]: unknown;
        };
        AppInstallRequestAccept: {
            installMeta: components["schemas"]["Metadata"];
            meta?: components["schemas"]["Metadata"];
        };
        AppInstallRequestReject: {
            meta?: components["schemas"]["Metadata"];
        };
        AppInstallRequestCancel: {
            meta?: components["schemas"]["Metadata"];
        };
        AppInstallCreateLicenseRequest: {
            params: components["schemas"]["LicenseParams"];
            /**
             * @description The plan that is sold, at its newest version: see /plans. Plan, version, seats and entitlements go to the contract
             * @example pro
             */
            planId?: string;
        };
        AppInstallCancel: {
            meta?: components["schemas"]["Metadata"];
        };
        /** @description Without `planId`, fee, durations and description are required */
        LicenseRenewRequest: {
            /**
             * @description The fee: a decimal above zero with at most 10 digits after the point and 28 before it, as a number or as text. Its digits are kept as they are written.
             * @example 100
             */
            licenseFeeCc?: number | string;
            /**
             * @description The instrument of the fee at the configured registry; Amulet unless a plan says otherwise
             * @example Amulet
             */
            licenseFeeInstrument?: string;
            /**
             * @description How long the licence is extended: ISO 8601 in days, hours, minutes and seconds
             * @example P30D
             */
            licenseExtensionDuration?: string;
            /**
             * @description How long the user may set the fee aside: ISO 8601 in days, hours, minutes and seconds
             * @example PT10M
             */
            prepareUntilDuration?: string;
            /**
             * @description How long the renewal may be completed: ISO 8601 in days, hours, minutes and seconds
             * @example PT20M
             */
            settleBeforeDuration?: string;
            /**
             * @description What the user reads in the wallet
             * @example One more month
             */
            description?: string;
            /**
             * @description The plan under which the licence is renewed. It gives what is not said here, and the description names it
             * @example pro
             */
            planId?: string;
            /** @description A version of the plan; the newest one by default */
            planVersion?: number;
            /**
             * @description Ask although a renewal of this licence is open already
             * @default false
             */
            allowConcurrent: boolean;
        };
        CompleteLicenseRenewalRequest: {
            /** @example 00beef */
            renewalRequestContractId: string;
            /**
             * @description The allocation that the user’s wallet has made
             * @example 00c0ffee
             */
            allocationContractId: string;
        };
        LicenseExpireRequest: {
            meta?: components["schemas"]["Metadata"];
        };
        /** @description Empty, null and absent are the same */
        TenantRegistrationRequest: {
            /** @example AppUser */
            tenantId: string;
            /**
             * @description The party that its people stand for: 1 to 255 letters, digits, `:`, `-`, `_` and spaces, not blank. One that no participant hosts sees nothing.
             * @example app_user_quickstart-root-1::1220aa01
             */
            partyId: string;
            /**
             * @description Of its people
             * @example http://wallet.localhost:2000
             */
            walletUrl?: string;
            /**
             * @description What this application is registered as at the issuer; mode oauth2, where it is required
             * @example app-provider-backend-oidc
             */
            clientId?: string;
            /**
             * @description Its authorization server; mode oauth2, where it is required
             * @example http://keycloak.localhost:8082/realms/AppUser
             */
            issuerUrl?: string;
            /** @description Names that log in; mode shared-secret, where it is required */
            users?: string[];
        };
        AppInstallRequest: {
            /**
             * @description The contract that stands for it now; changes when the contract is re-created
             * @example 00a1b2c3d4e5f60718293a4b5c6d7e8f9012233445566778899aabbccddeeff0011
             */
            contractId: string;
            /** @example app_provider_quickstart-root-1::1220f5d3 */
            provider: string;
            /** @example app_user_quickstart-root-1::1220aa01 */
            user: string;
            meta: components["schemas"]["Metadata"];
            /**
             * @description To the provider only: the customer that the user is. Of Tenure
             * @example {
             *       "id": "cus_5e0fd54fdd1c4d7f",
             *       "name": "Acme"
             *     }
             */
            customer?: {
                id?: string;
                name?: string;
            } | null;
            /**
             * @description Stays the same
             * @example install-a1b2c3d4e5f60718293a
             */
            lifecycleId?: string;
            /**
             * @description Rises with every step; the entity tag
             * @example 3
             */
            version?: number;
            /**
             * @description Of the machine that its last step was taken by: see /machines
             * @example 3
             */
            machineVersion?: number;
            /**
             * @description Where its lifecycle is
             * @example active
             */
            state?: string;
        } & {
            [key: string]: unknown;
        };
        AppInstall: {
            /**
             * @description The contract that stands for it now; changes when the contract is re-created
             * @example 00a1b2c3d4e5f60718293a4b5c6d7e8f9012233445566778899aabbccddeeff0011
             */
            contractId: string;
            /** @example app_provider_quickstart-root-1::1220f5d3 */
            provider: string;
            /** @example app_user_quickstart-root-1::1220aa01 */
            user: string;
            meta: components["schemas"]["Metadata"];
            /** @example 2 */
            numLicensesCreated: number;
            /**
             * @description Licences created so far
             * @example 2
             */
            licenseNum: number;
            /**
             * @description To the provider only: the customer that the user is. Of Tenure
             * @example {
             *       "id": "cus_5e0fd54fdd1c4d7f",
             *       "name": "Acme"
             *     }
             */
            customer?: {
                id?: string;
                name?: string;
            } | null;
            /**
             * @description Stays the same
             * @example install-a1b2c3d4e5f60718293a
             */
            lifecycleId?: string;
            /**
             * @description Rises with every step; the entity tag
             * @example 3
             */
            version?: number;
            /**
             * @description Of the machine that its last step was taken by: see /machines
             * @example 3
             */
            machineVersion?: number;
            /**
             * @description Where its lifecycle is
             * @example active
             */
            state?: string;
        } & {
            [key: string]: unknown;
        };
        LicenseRenewalRequest: {
            /**
             * @description The contract that stands for it now; changes when the contract is re-created
             * @example 00a1b2c3d4e5f60718293a4b5c6d7e8f9012233445566778899aabbccddeeff0011
             */
            contractId: string;
            /** @example app_provider_quickstart-root-1::1220f5d3 */
            provider: string;
            /** @example app_user_quickstart-root-1::1220aa01 */
            user: string;
            /**
             * @description To the provider only: the customer that the user is. Of Tenure
             * @example {
             *       "id": "cus_5e0fd54fdd1c4d7f",
             *       "name": "Acme"
             *     }
             */
            customer?: {
                id?: string;
                name?: string;
            } | null;
            /**
             * @description The licence’s name for people. Of Tenure
             * @example ACME-0007
             */
            reference?: string | null;
            /** @example 1 */
            licenseNum: number;
            /**
             * @description A decimal with up to 10 digits after the point, all of which are sent
             * @example 100
             */
            licenseFeeAmount: number;
            /** @example Amulet */
            licenseFeeInstrument: string;
            /**
             * @description Whole days of the extension, in words
             * @example 30 days
             */
            licenseExtensionDuration: string;
            /**
             * Format: date-time
             * @example 2026-01-31T12:10:00.000000Z
             */
            prepareUntil: string;
            /**
             * Format: date-time
             * @example 2026-01-31T12:20:00.000000Z
             */
            settleBefore: string;
            /**
             * Format: date-time
             * @example 2026-01-31T12:00:00.000000Z
             */
            requestedAt: string;
            /** @example One more month */
            description: string;
            /** @example 0d4b2a51-7f1f-4b0a-9b51-3a6f0d7a9f10 */
            requestId: string;
            /** @description The allocation to complete with: one that matches, else the newest that names the request */
            allocationCid: string | null;
            /** @description By ledger time */
            prepareDeadlinePassed: boolean;
            /** @description By ledger time */
            settleDeadlinePassed: boolean;
            /** @description Whether the ledger will take the allocation; null without one */
            allocationMatches: boolean | null;
            /**
             * @description Where the allocation is not what was asked for
             * @example [
             *       "amount"
             *     ]
             */
            allocationDiffers: string[];
            /**
             * @description The licence that it extends, and no other. `null`: the ledger has not shown which one that is; the licence on which it is completed first is the one
             * @example license-a1b2c3d4e5f60718293a
             */
            licenseLifecycleId: string | null;
            /**
             * Format: date-time
             * @description Once it has ended: when, in ledger time
             * @example 2026-01-31T12:15:00.000000Z
             */
            endedAt?: string;
            /**
             * @description Once it has ended: the ledger update that ended it. One that was completed extended its licence in the same update
             * @example 1220f1e2
             */
            updateId?: string;
            /**
             * @description Stays the same
             * @example install-a1b2c3d4e5f60718293a
             */
            lifecycleId?: string;
            /**
             * @description Rises with every step; the entity tag
             * @example 3
             */
            version?: number;
            /**
             * @description Of the machine that its last step was taken by: see /machines
             * @example 3
             */
            machineVersion?: number;
            /**
             * @description Where its lifecycle is
             * @example active
             */
            state?: string;
        } & {
            [key: string]: unknown;
        };
        License: {
            /**
             * @description The contract that stands for it now; changes when the contract is re-created
             * @example 00a1b2c3d4e5f60718293a4b5c6d7e8f9012233445566778899aabbccddeeff0011
             */
            contractId: string;
            /** @example app_provider_quickstart-root-1::1220f5d3 */
            provider: string;
            /** @example app_user_quickstart-root-1::1220aa01 */
            user: string;
            params: components["schemas"]["LicenseParams"];
            /**
             * Format: date-time
             * @example 2030-01-31T12:00:00.000000Z
             */
            expiresAt: string;
            /** @example 1 */
            licenseNum: number;
            /**
             * @description To the provider only: the customer that the user is. Of Tenure
             * @example {
             *       "id": "cus_5e0fd54fdd1c4d7f",
             *       "name": "Acme"
             *     }
             */
            customer?: {
                id?: string;
                name?: string;
            } | null;
            /**
             * @description The licence’s name for people. Of Tenure
             * @example ACME-0007
             */
            reference?: string | null;
            /**
             * @description The plan that applies; `from` says whether the contract or a completed renewal named it. The name is Tenure’s
             * @example {
             *       "id": "pro",
             *       "version": 3,
             *       "from": "contract",
             *       "name": "Pro"
             *     }
             */
            plan?: ({
                id: string;
                version: number;
                /** @enum {string} */
                from: "contract" | "renewal";
                name: string | null;
            } & {
                [key: string]: unknown;
            }) | null;
            /**
             * @description Terms of the plan, each `{value, from}`: `contract`, as both parties signed it, or `tenure`
             * @example {
             *       "seats": {
             *         "value": 5,
             *         "from": "contract"
             *       },
             *       "grace": {
             *         "value": "P3D",
             *         "from": "tenure"
             *       }
             *     }
             */
            terms?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description Since when and why the provider has suspended the licence. Of Tenure
             * @example {
             *       "at": "2030-01-31T12:00:00.000000Z",
             *       "reason": "chargeback of January"
             *     }
             */
            suspended?: ({
                /** Format: date-time */
                at: string;
                reason: string;
            } & {
                [key: string]: unknown;
            }) | null;
            /**
             * @description Only of one licence, not in lists: the newest terms that the user has accepted on the ledger
             * @example {
             *       "hash": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
             *       "version": "2026-11",
             *       "url": "https://provider.example/terms/2026-11",
             *       "acceptedAt": "2026-01-31T12:00:00.000000Z",
             *       "commentContractId": "00a1b2c3d4e5f60718293a4b5c6d7e8f9012233445566778899aabbccddeeff0011"
             *     }
             */
            acceptedTerms?: ({
                /** @description SHA-256 of the text, as 64 hexadecimal digits */
                hash: string;
                version: string | null;
                url: string | null;
                /** Format: date-time */
                acceptedAt: string;
                /** @description The comment that accepts the terms */
                commentContractId: string;
            } & {
                [key: string]: unknown;
            }) | null;
            /** @description By ledger time; a new licence is expired until its first renewal */
            isExpired: boolean;
            /** @description No renewal has extended it yet */
            isNeverRenewed: boolean;
            /** @description Those that have not ended, oldest first: of more than 50 those whose windows close last, so that open ones and the newest are there. One with `licenseLifecycleId: null` is listed at each licence that it may be of */
            renewalRequests: components["schemas"]["LicenseRenewalRequest"][];
            /**
             * @description Stays the same
             * @example install-a1b2c3d4e5f60718293a
             */
            lifecycleId?: string;
            /**
             * @description Rises with every step; the entity tag
             * @example 3
             */
            version?: number;
            /**
             * @description Of the machine that its last step was taken by: see /machines
             * @example 3
             */
            machineVersion?: number;
            /**
             * @description Where its lifecycle is
             * @example active
             */
            state?: string;
        } & {
            [key: string]: unknown;
        };
        AppInstallCreateLicenseResult: {
            /** @description The contract that stands for the install from now on */
            installId?: string | null;
            /** @description The contract of the new licence */
            licenseId?: string | null;
            /**
             * @description Of the licence; stays the same
             * @example license-a1b2c3d4e5f60718293a
             */
            lifecycleId?: string | null;
            /** @description Of the licence */
            version?: number | null;
            /** @description Of the licence */
            machineVersion?: number | null;
            /**
             * @description Of the licence
             * @example active
             */
            state?: string | null;
        } & {
            [key: string]: unknown;
        };
        LicenseRenewalResult: {
            /** @description The contract that stands for the licence from now on */
            licenseId?: string | null;
            /**
             * @description Of the licence; stays the same
             * @example license-a1b2c3d4e5f60718293a
             */
            lifecycleId?: string | null;
            /** @description Of the licence */
            version?: number | null;
            /** @description Of the licence */
            machineVersion?: number | null;
            /**
             * @description Of the licence
             * @example active
             */
            state?: string | null;
        } & {
            [key: string]: unknown;
        };
        LicenseComment: {
            /**
             * @description Of the comment
             * @example 00a1b2c3
             */
            contractId: string;
            provider: string;
            user: string;
            /** @example 1 */
            licenseNum: number;
            /** @description Who said it: the user or the provider */
            commenter: string;
            /** @example Extended by phone on Monday. */
            body: string;
            /**
             * Format: date-time
             * @description Ledger time when it was asked for
             * @example 2026-01-31T12:00:00.000000Z
             */
            createdAt: string;
            /**
             * @description The licence that it was made for. `null`: another client of the ledger made it, and it may be of any licence with this number and these parties
             * @example license-a1b2c3d4e5f60718293a
             */
            licenseLifecycleId: string | null;
        } & {
            [key: string]: unknown;
        };
        Contract: {
            /** @example 00a1b2c3 */
            contractId: string;
            /**
             * @description By package name; of an interface where only a view of the contract is known
             * @example #quickstart-licensing:Licensing.License:License
             */
            templateId: string;
            packageId: string;
            payload: {
                [key: string]: unknown;
            };
            signatories: string[];
            observers: string[];
            /** @example 2026-01-31T12:00:00.000000Z */
            createdAt: string;
            /**
             * @description On the participant whose updates are followed
             * @example 42
             */
            createdAtOffset: number;
            isActive: boolean;
            archivedAt?: string;
            /**
             * @description On the participant whose updates are followed
             * @example 42
             */
            archivedAtOffset?: number;
            lifecycleId?: string;
            /** @description Of its lifecycle; the entity tag */
            version?: number;
            /**
             * @description Of its lifecycle
             * @example active
             */
            state?: string;
        } & {
            [key: string]: unknown;
        };
        Exercised: {
            updateId: string | null;
            /**
             * @description On the participant whose updates are followed
             * @example 42
             */
            offset: number;
            /** @description In the query store’s encoding */
            result: unknown;
        } & {
            [key: string]: unknown;
        };
        Action: {
            /** @example expire */
            name: string;
            allowed: boolean;
            /**
             * @description Why not
             * @example it has ended: expired
             */
            reason?: string;
            /** @example POST */
            method: string;
            /** @example /licenses/license-a1b2c3d4e5f60718293a:expire */
            href: string;
            /** @description Its request has a body that cannot be left out */
            needsBody: boolean;
        } & {
            [key: string]: unknown;
        };
        HistoryEntry: {
            /** @example 2026-01-31T12:00:00.000000Z */
            at: string;
            /**
             * @description The event, as `events` of the machine’s transitions name it, where a step was taken; else ledger.created, or a step beside the machine
             * @example ledger.created
             * @example license.expire
             */
            kind: string;
            /**
             * @description The state then; the one before it is that of the entry before
             * @example active
             */
            state: string;
            /** @description The party that asked for it */
            by?: string;
            /** @description Of the caller’s own changes only */
            commandId?: string;
            /** @example 42 */
            offset?: number;
            updateId?: string;
            contractId?: string;
            /** @description What was asked: operation, subject, policy, reason, code. Of what the ledger says: `through`, the lifecycle whose step did it, such as the renewal that extended a licence; of an end `endedBy`, the parties that did it, with the `policy` and the `reason` where one is known; `licenseLifecycleId: null` of a comment that may be of another licence with the same number */
            detail: {
                [key: string]: unknown;
            };
        } & {
            [key: string]: unknown;
        };
        ErrorResponse: {
            /**
             * Format: uri-reference
             * @description The address of the page that explains the `code`, relative to the request
             * @example /errors/step-not-allowed
             */
            type: string;
            /** @example The lifecycle does not allow this step now */
            title: string;
            /** @example 409 */
            status: number;
            /** @example expire is refused: not before 2030-01-31T12:00:00Z */
            detail: string;
            /** @example /licenses/license-a1b2c3d4e5f60718293a:expire */
            instance: string;
            /** @description The same as `detail` */
            message: string;
            /** @enum {string} */
            code: "COMMAND_ID_MISSING" | "COMMAND_ID_INVALID" | "REQUEST_INVALID" | "BODY_MALFORMED" | "UNAUTHENTICATED" | "FORBIDDEN" | "CSRF_TOKEN_INVALID" | "ROUTE_NOT_FOUND" | "NOT_FOUND" | "OPERATION_NOT_FOUND" | "METHOD_NOT_ALLOWED" | "NOT_ACCEPTABLE" | "REQUEST_TIMEOUT" | "COMMAND_ID_TAKEN" | "STEP_NOT_ALLOWED" | "LIFECYCLE_ENDED" | "ALLOCATION_MISMATCH" | "LICENSE_AMBIGUOUS" | "LICENSE_MISMATCH" | "CONTRACT_GONE" | "LEDGER_REFUSED" | "COMMAND_ID_USED_ELSEWHERE" | "COMMAND_TOOK_EFFECT" | "BUDGET_SPENT" | "NOT_IN_DOUBT" | "NOT_RETRYABLE" | "NOT_CANCELLABLE" | "SYNCHRONIZER_CONNECTED" | "NOT_REARMABLE" | "PREVIEW_OVER" | "COUNT_MISMATCH" | "UNDO_OVER" | "ACTS_LIMITED" | "ACT_OVER" | "DECISION_CONTRADICTED" | "DECIDED_NO_EFFECT" | "POLICY_OUTDATED" | "CANCELLED" | "TENANT_CONFLICT" | "TENANT_INTERNAL" | "LICENSE_NOT_VALID" | "LICENSE_KEYS_LIMITED" | "ALREADY_EXISTS" | "PLAN_ARCHIVED" | "WEBHOOKS_LIMITED" | "WEBHOOK_TESTS_LIMITED" | "WEBHOOK_DISABLED" | "IDEMPOTENCY_KEY_IN_USE" | "IDEMPOTENCY_OUTCOME_UNKNOWN" | "PRECONDITION_FAILED" | "BODY_TOO_LARGE" | "MEDIA_TYPE_UNSUPPORTED" | "PROVIDER_MOVED" | "COMMAND_ID_REUSED" | "IDEMPOTENCY_KEY_REUSED" | "COMMAND_INVALID" | "ALLOCATION_NOT_FOUND" | "CHOICE_UNKNOWN" | "ARGUMENT_INVALID" | "BULK_TOO_LARGE" | "PARTY_NOT_HOSTED" | "WEBHOOK_TARGET_REFUSED" | "ISSUER_UNUSABLE" | "SEARCH_TOO_BROAD" | "CONFIRMATION_REQUIRED" | "RATE_LIMITED" | "STREAMS_LIMITED" | "MAILBOX_FULL" | "QUOTA_EXCEEDED" | "HEADERS_TOO_LARGE" | "INTERNAL" | "STORE_NOT_READY" | "DATABASE_UNAVAILABLE" | "CLOCK_WRONG" | "OVERLOADED" | "QUEUE_UNAVAILABLE" | "STREAMS_EXHAUSTED" | "LEDGER_UNAVAILABLE" | "STORED_BY_NEWER" | "AUTHORIZATION_SERVER_UNAVAILABLE";
            /**
             * @description Where the ledger refused
             * @example DAML_FAILURE
             */
            ledgerCode?: string;
            /** @description Whether the same call may work later */
            retryable: boolean;
            commandId?: string;
            /** @description `true`: the failure is the recorded one of an earlier call */
            replayed?: boolean;
            /** @description Of a replayed failure */
            operationId?: string;
            /**
             * @description Of a replayed failure: the same call is answered so for ever
             * @example new-command-id
             */
            retryWith?: string;
            /** @example 4bf92f3577b34da6a3ce929d0e0e4736 */
            traceId: string;
        } & {
            [key: string]: unknown;
        };
        Operation: {
            id: string;
            /** @example accept-1 */
            commandId: string;
            /** @enum {string} */
            operation: "request-install" | "accept-install-request" | "reject-install-request" | "cancel-install-request" | "create-license" | "cancel-install" | "expire-license" | "renew-license" | "complete-renewal" | "withdraw-renewal" | "comment-license";
            lifecycleId: string | null;
            /** @enum {string} */
            state: "queued" | "submitting" | "retrying" | "in-doubt" | "succeeded" | "rejected" | "failed" | "cancelled";
            acceptedAt: string;
            finishedAt?: string;
            /** @description Where nobody asked for it but a policy */
            policy?: {
                /** @enum {string} */
                name: "expiry" | "renewal";
                /** @description Of the policy that decided it */
                version: number;
                /** @example it lapsed at 2026-01-31T12:00:00Z */
                reason: string;
            } & {
                [key: string]: unknown;
            };
            waitingFor?: {
                /** @enum {string} */
                kind: "mailbox" | "queue" | "ledger" | "registry" | "participant" | "backoff" | "traffic" | "projection" | "lease" | "person" | "pause" | "behind" | "quiet" | "gone" | "clock" | "replay" | "foreign";
                detail: string;
                since: string;
                /** @description When it goes on by itself */
                until?: string;
                /** @description While it is tried again: what it waited for, and will again if that changes nothing */
                after?: {
                    kind: string;
                    since: string;
                } & {
                    [key: string]: unknown;
                };
            } & {
                [key: string]: unknown;
            };
            attempts: ({
                n: number;
                submissionId: string;
                at: string;
                /** @description Where the tries before this one sent nothing: how many there were, with this one */
                tries?: number;
                /** @description With `tries`: when the first of them began */
                since?: string;
                /** @example accepted */
                answer: string;
                /** @example the ledger accepted it */
                explanation: string;
                ledgerCode?: string;
                offset?: number;
            } & {
                [key: string]: unknown;
            })[];
            /** @description What its call was or would have been answered with */
            result?: {
                /** @example 201 */
                status: number;
                body: unknown;
                exercised?: components["schemas"]["Exercised"];
            } & {
                [key: string]: unknown;
            };
            error?: components["schemas"]["ErrorResponse"];
            retryOf?: {
                id: string;
                /** @example accept-1 */
                commandId: string;
                /** @enum {string} */
                state: "queued" | "submitting" | "retrying" | "in-doubt" | "succeeded" | "rejected" | "failed" | "cancelled";
            } & {
                [key: string]: unknown;
            };
            /** @description What was made of it when it was done again */
            retriedAs?: ({
                id: string;
                /** @example accept-1 */
                commandId: string;
                /** @enum {string} */
                state: "queued" | "submitting" | "retrying" | "in-doubt" | "succeeded" | "rejected" | "failed" | "cancelled";
            } & {
                [key: string]: unknown;
            })[];
        } & {
            [key: string]: unknown;
        };
        OpsOperation: {
            id: string;
            /** @example accept-1 */
            commandId: string;
            /** @enum {string} */
            operation: "request-install" | "accept-install-request" | "reject-install-request" | "cancel-install-request" | "create-license" | "cancel-install" | "expire-license" | "renew-license" | "complete-renewal" | "withdraw-renewal" | "comment-license";
            lifecycleId: string | null;
            /** @enum {string} */
            state: "queued" | "submitting" | "retrying" | "in-doubt" | "succeeded" | "rejected" | "failed" | "cancelled";
            acceptedAt: string;
            finishedAt?: string;
            /** @description Where nobody asked for it but a policy */
            policy?: {
                /** @enum {string} */
                name: "expiry" | "renewal";
                /** @description Of the policy that decided it */
                version: number;
                /** @example it lapsed at 2026-01-31T12:00:00Z */
                reason: string;
            } & {
                [key: string]: unknown;
            };
            waitingFor?: {
                /** @enum {string} */
                kind: "mailbox" | "queue" | "ledger" | "registry" | "participant" | "backoff" | "traffic" | "projection" | "lease" | "person" | "pause" | "behind" | "quiet" | "gone" | "clock" | "replay" | "foreign";
                detail: string;
                since: string;
                /** @description When it goes on by itself */
                until?: string;
                /** @description While it is tried again: what it waited for, and will again if that changes nothing */
                after?: {
                    kind: string;
                    since: string;
                } & {
                    [key: string]: unknown;
                };
            } & {
                [key: string]: unknown;
            };
            attempts: ({
                n: number;
                submissionId: string;
                at: string;
                /** @description Where the tries before this one sent nothing: how many there were, with this one */
                tries?: number;
                /** @description With `tries`: when the first of them began */
                since?: string;
                /** @example accepted */
                answer: string;
                /** @example the ledger accepted it */
                explanation: string;
                ledgerCode?: string;
                offset?: number;
                answeredAt?: string;
                /** @example app-provider */
                participant: string;
                /** @example app_provider_quickstart-root-1::1220f5d3 */
                actAs: string;
                /** @description That its choice was exercised on */
                contractId?: string;
                /** @description Traffic that was paid for it, in bytes, where the ledger says so */
                cost?: number;
            } & {
                [key: string]: unknown;
            })[];
            /** @description What its call was or would have been answered with */
            result?: {
                /** @example 201 */
                status: number;
                body: unknown;
                exercised?: components["schemas"]["Exercised"];
            } & {
                [key: string]: unknown;
            };
            error?: components["schemas"]["ErrorResponse"];
            retryOf?: {
                id: string;
                /** @example accept-1 */
                commandId: string;
                /** @enum {string} */
                state: "queued" | "submitting" | "retrying" | "in-doubt" | "succeeded" | "rejected" | "failed" | "cancelled";
            } & {
                [key: string]: unknown;
            };
            /** @description What was made of it when it was done again */
            retriedAs?: ({
                id: string;
                /** @example accept-1 */
                commandId: string;
                /** @enum {string} */
                state: "queued" | "submitting" | "retrying" | "in-doubt" | "succeeded" | "rejected" | "failed" | "cancelled";
            } & {
                [key: string]: unknown;
            })[];
            /** @description Of all its attempts */
            cost: {
                /**
                 * @description Traffic that was paid to the network, as far as the ledger tells
                 * @example 18432
                 */
                bytes: number;
                /** @description Attempts of which nobody says what they cost: that is unknown, not nothing */
                unknown: number;
            } & {
                [key: string]: unknown;
            };
            /** @example app_provider_quickstart-root-1::1220f5d3 */
            provider: string;
            /** @example app_provider_quickstart-root-1::1220f5d3 */
            user: string;
            /** @example app_provider_quickstart-root-1::1220f5d3 */
            callerParty: string;
            /** @description The identity behind the party */
            callerSubject: string;
            /** @description Its fingerprint: see /ops/failures */
            failure?: string;
            /** @description What happened to it, oldest first */
            timeline: ({
                at: string;
                /**
                 * @description `accepted`; `queued`: at the head of its lane, on its way to a worker; `submitted`, `answered`: an attempt; `finished`; else an act of a person
                 * @example accepted
                 * @example queued
                 * @example submitted
                 * @example answered
                 * @example retried
                 * @example finished
                 */
                what: string;
                /** @description In words */
                detail: string;
                attempt?: number;
            } & {
                [key: string]: unknown;
            })[];
            /** @description Of an operation in doubt */
            doubt?: {
                /** @description What is known, and where to look */
                advice: string;
                /** @description Until then an attempt may still take effect */
                openUntil?: string;
                /** @description All it could have done lies behind it */
                deduplicationOffset: number;
                /** @example app-provider */
                participant: string;
                /** @example app_provider_quickstart-root-1::1220f5d3 */
                actAs: string;
                /** @description What its update carries, if there is one */
                workflowId: string;
                /** @description Attempts of which it is not known whether they were accepted */
                undecided: {
                    [key: string]: unknown;
                }[];
                /** @description The contracts that they named, as the query store knows them */
                contracts: {
                    [key: string]: unknown;
                }[];
                decisions: string[];
                /** @description The parties whose operators may decide it */
                decidedBy: string[];
            } & {
                [key: string]: unknown;
            };
            /** @description What persons have done to it, oldest first */
            audit: {
                [key: string]: unknown;
            }[];
        } & {
            [key: string]: unknown;
        };
        OpsCommand: {
            id: string;
            /** @example renew-17 */
            commandId: string;
            /** @enum {string} */
            operation: "request-install" | "accept-install-request" | "reject-install-request" | "cancel-install-request" | "create-license" | "cancel-install" | "expire-license" | "renew-license" | "complete-renewal" | "withdraw-renewal" | "comment-license";
            lifecycleId: string | null;
            /** @enum {string} */
            state: "queued" | "submitting" | "retrying" | "in-doubt" | "succeeded" | "rejected" | "failed" | "cancelled";
            acceptedAt: string;
            finishedAt?: string;
            /** @example app_user_quickstart-root-1::1220aa01 */
            provider: string;
            /** @example app_user_quickstart-root-1::1220aa01 */
            user: string;
            /** @example app_user_quickstart-root-1::1220aa01 */
            callerParty: string;
            /** @description The identity behind the party */
            callerSubject: string;
            /** @example 2 */
            submissions: number;
            waitingFor?: {
                kind: string;
                detail: string;
            } & {
                [key: string]: unknown;
            };
            /** @description Of the problem that it ended with */
            code?: string;
            message?: string;
            /** @description Of that problem; while it is open, of the newest answer */
            ledgerCode?: string;
            /** @enum {string} */
            class?: "done" | "in-flight" | "contention" | "stale-contract" | "no-traffic" | "busy" | "unknown" | "credentials" | "refused";
            /** @description Its fingerprint: see /ops/failures */
            failure?: string;
        } & {
            [key: string]: unknown;
        };
        OpsCounts: {
            total: {
                /** @example 10000 */
                count: number;
                /** @description There are more than that */
                more: boolean;
            } & {
                [key: string]: unknown;
            };
            groups: ({
                /** @description By time: when it begins */
                key: string | null;
                /** @example 10000 */
                count: number;
                /** @description There are more than that */
                more: boolean;
                /**
                 * @description By time: how many there are in each state that there is
                 * @example {
                 *       "succeeded": 40,
                 *       "failed": 2
                 *     }
                 */
                states?: {
                    [key: string]: number;
                };
            } & {
                [key: string]: unknown;
            })[];
        } & {
            [key: string]: unknown;
        };
        Cost: {
            /**
             * @description By UTC, of their acceptance
             * @example 2026-01-31
             */
            day?: string;
            /** @enum {string} */
            operation?: "request-install" | "accept-install-request" | "reject-install-request" | "cancel-install-request" | "create-license" | "cancel-install" | "expire-license" | "renew-license" | "complete-renewal" | "withdraw-renewal" | "comment-license";
            /** @example app_user_quickstart-root-1::1220aa01 */
            party?: string;
            /** @description Those that were attempted */
            operations: number;
            attempts: number;
            /**
             * @description Traffic that was paid to the network, as far as the ledger tells
             * @example 18432
             */
            bytes: number;
            /** @description Attempts of which nobody says what they cost: that is unknown, not nothing */
            unknown: number;
        } & {
            [key: string]: unknown;
        };
        TenantQuotas: {
            /** @example app_user_quickstart-root-1::1220aa01 */
            party: string;
            /** @description Operations that have not ended */
            openOperations: {
                used: number;
                /** @description Absent: no limit */
                limit?: number;
            } & {
                [key: string]: unknown;
            };
            /** @description Comments of this day, by UTC, that took effect or are open */
            commentsPerDay: {
                used: number;
                /** @description Absent: no limit */
                limit?: number;
            } & {
                [key: string]: unknown;
            };
            /** @description Webhooks */
            webhooks: {
                used: number;
                /** @description Absent: no limit */
                limit?: number;
            } & {
                [key: string]: unknown;
            };
            /** @description Bytes of ledger traffic of this day, by UTC; absent without a quota of traffic */
            trafficPerDay?: {
                used: number;
                /** @description Absent: no limit */
                limit?: number;
            } & {
                [key: string]: unknown;
            };
        } & {
            [key: string]: unknown;
        };
        Failure: {
            /** @example 9f86d081884c7d65 */
            fingerprint: string;
            /** @enum {string} */
            state: "open" | "resolved" | "ignored";
            /** @enum {string} */
            operation: "request-install" | "accept-install-request" | "reject-install-request" | "cancel-install-request" | "create-license" | "cancel-install" | "expire-license" | "renew-license" | "complete-renewal" | "withdraw-renewal" | "comment-license";
            /**
             * @description The state they ended in
             * @example rejected
             */
            outcome: string;
            /**
             * @description Of the problem
             * @example LEDGER_REFUSED
             */
            code: string;
            /** @example DAML_FAILURE */
            ledgerCode?: string;
            /** @enum {string} */
            class?: "done" | "in-flight" | "contention" | "stale-contract" | "no-traffic" | "busy" | "unknown" | "credentials" | "refused";
            /** @description Why, without ids, times and numbers */
            explanation: string;
            /** @example 10000 */
            count: number;
            /** @description There are more than that */
            more: boolean;
            /** @description Acceptance of the first of them */
            firstAt: string;
            /** @description Acceptance of the last of them */
            lastAt: string;
            /** @description The last of them */
            example: {
                id: string;
                /** @example renew-17 */
                commandId: string;
                lifecycleId: string | null;
                /** @example app_user_quickstart-root-1::1220aa01 */
                user: string;
            } & {
                [key: string]: unknown;
            };
            /** @description What operators of the same party said of it last */
            decision?: {
                /** @enum {string} */
                state: "resolved" | "ignored";
                at: string;
                /** @description The identity behind the party */
                bySubject: string;
                reason: string;
                /** @description It was resolved, and has happened again */
                reopenedAt?: string;
            } & {
                [key: string]: unknown;
            };
        } & {
            [key: string]: unknown;
        };
        OpsLifecycle: {
            /** @example license-a1b2c3d4e5f60718293a */
            id: string;
            /** @enum {string} */
            kind: "install-request" | "install" | "license" | "renewal";
            /** @example active */
            state: string;
            /** @description Since when it is in its state */
            stateSince: string;
            /** @description Ledger time of its first contract */
            createdAt: string;
            /** @example app_user_quickstart-root-1::1220aa01 */
            provider: string;
            /** @example app_user_quickstart-root-1::1220aa01 */
            user: string;
            contractId: string;
            licenseNum?: number;
            /** @description Of licences; ledger time */
            expiresAt?: string;
            version: number;
            /** @description Of the machine: see /machines */
            machineVersion: number;
        } & {
            [key: string]: unknown;
        };
        OpsLifecycleCount: {
            /** @enum {string} */
            kind: "install-request" | "install" | "license" | "renewal";
            /** @example active */
            state: string;
            /** @example 10000 */
            count: number;
            /** @description There are more than that */
            more: boolean;
            /** @description When the oldest of them began */
            oldestAt: string;
        } & {
            [key: string]: unknown;
        };
        OpsStream: {
            /**
             * @example updates
             * @example completions:app-provider
             */
            stream: string;
            /** @example app-provider */
            participant: string;
            /** @description Up to here it has been applied */
            offset: number;
            /** @description What came after this is there */
            oldestOffset: number;
            /** @description Of the newest that was applied, where the stream tells times */
            recordTime?: string;
            /** @description Of its participant; missing when it does not answer */
            ledgerEnd?: number;
            /** @description To the ledger end */
            lagOffsets?: number;
            /** @description 0 at the ledger end, else how long ago `recordTime` was */
            lagSeconds?: number;
            /** @description Why the participant’s end is not known */
            reason?: string;
        } & {
            [key: string]: unknown;
        };
        OpsSynchronizer: {
            /** @example app-provider */
            participant: string;
            /** @example global-domain::1220be58 */
            synchronizer: string;
            /** @description Everything up to this record time has been told by its completions */
            toldAt: string;
            /** @description A person has said that it will not come back */
            givenUpAt?: string;
        } & {
            [key: string]: unknown;
        };
        OpsLease: {
            /** @example projector */
            name: string;
            /** @description The process that holds it, or held it last */
            holder: string;
            /** @description Rises with every holder */
            epoch: number;
            /** @description By the clock of the database */
            until: string;
            held: boolean;
        } & {
            [key: string]: unknown;
        };
        AuditEntry: {
            id: number;
            at: string;
            /** @example app_user_quickstart-root-1::1220aa01 */
            byParty: string;
            /** @description The identity behind the party */
            bySubject: string;
            /**
             * @example retried
             * @example failure-resolved
             * @example paused
             */
            act: string;
            /** @description What it was done to: the id of an operation, or kind and name such as `failure:9f86d081884c7d65` */
            object: string;
            reason: string;
            /** @enum {string} */
            from?: "queued" | "submitting" | "retrying" | "in-doubt" | "succeeded" | "rejected" | "failed" | "cancelled";
            /** @enum {string} */
            to?: "queued" | "submitting" | "retrying" | "in-doubt" | "succeeded" | "rejected" | "failed" | "cancelled";
            /** @description Where it was done to one */
            operation?: {
                id: string;
                commandId: string;
                /** @enum {string} */
                operation: "request-install" | "accept-install-request" | "reject-install-request" | "cancel-install-request" | "create-license" | "cancel-install" | "expire-license" | "renew-license" | "complete-renewal" | "withdraw-renewal" | "comment-license";
                lifecycleId: string | null;
            } & {
                [key: string]: unknown;
            };
            detail: {
                [key: string]: unknown;
            };
        } & {
            [key: string]: unknown;
        };
        OpsAttention: {
            /** @example 2026-01-31T12:00:00.000Z */
            asOf: string;
            /** @description Operations that wait for a decision, the oldest first */
            inDoubt?: {
                /** @description All that there are, not only those shown */
                count: number;
                /** @description There are more than that */
                more: boolean;
                /** @description The first few */
                items: components["schemas"]["OpsCommand"][];
            } & {
                [key: string]: unknown;
            };
            /** @description Operations that have waited too long, the oldest alarm first */
            alarms?: {
                /** @description All that there are, not only those shown */
                count: number;
                /** @description There are more than that */
                more: boolean;
                /** @description The first few */
                items: components["schemas"]["Alarm"][];
            } & {
                [key: string]: unknown;
            };
            /** @description Open ones of those that happened last, the most frequent first */
            failures?: {
                /** @description All that there are, not only those shown */
                count: number;
                /** @description There are more than that */
                more: boolean;
                /** @description The first few */
                items: components["schemas"]["Failure"][];
            } & {
                [key: string]: unknown;
            };
            /** @description Open operations of more than a minute, the oldest first */
            waiting?: {
                /** @description All that there are, not only those shown */
                count: number;
                /** @description There are more than that */
                more: boolean;
                /** @description The first few */
                items: components["schemas"]["OpsCommand"][];
            } & {
                [key: string]: unknown;
            };
            /** @description What persons have stopped. For operators of the provider */
            pauses?: {
                /** @description All that there are, not only those shown */
                count: number;
                /** @description There are more than that */
                more: boolean;
                /** @description The first few */
                items: components["schemas"]["Pause"][];
            } & {
                [key: string]: unknown;
            };
            /** @description Participants that are left alone. For operators of the provider */
            circuits?: {
                /** @description All that there are, not only those shown */
                count: number;
                /** @description There are more than that */
                more: boolean;
                /** @description The first few */
                items: components["schemas"]["Pause"][];
            } & {
                [key: string]: unknown;
            };
            /** @description Streams that lag by more than a minute, and whose participants do not answer. For operators of the provider */
            streams?: {
                /** @description All that there are, not only those shown */
                count: number;
                /** @description There are more than that */
                more: boolean;
                /** @description The first few */
                items: components["schemas"]["OpsStream"][];
            } & {
                [key: string]: unknown;
            };
            /** @description Leases that no process holds. For operators of the provider */
            leases?: {
                /** @description All that there are, not only those shown */
                count: number;
                /** @description There are more than that */
                more: boolean;
                /** @description The first few */
                items: components["schemas"]["OpsLease"][];
            } & {
                [key: string]: unknown;
            };
            /** @description Timers that were given up, the first to lapse first */
            timers?: {
                /** @description All that there are, not only those shown */
                count: number;
                /** @description There are more than that */
                more: boolean;
                /** @description The first few */
                items: components["schemas"]["Timer"][];
            } & {
                [key: string]: unknown;
            };
            /** @description Webhooks of the caller’s party that fail, or were disabled for it */
            webhooks?: {
                /** @description All that there are, not only those shown */
                count: number;
                /** @description There are more than that */
                more: boolean;
                /** @description The first few */
                items: components["schemas"]["Webhook"][];
            } & {
                [key: string]: unknown;
            };
            /** @description Parts that could not be read in time; they are missing */
            unavailable: ("inDoubt" | "alarms" | "failures" | "waiting" | "pauses" | "circuits" | "streams" | "leases" | "timers" | "webhooks")[];
        } & {
            [key: string]: unknown;
        };
        Machine: {
            /** @enum {string} */
            kind: "install-request" | "install" | "license" | "renewal";
            /**
             * @description As `machineVersion` of a lifecycle names it
             * @example 3
             */
            version: number;
            /**
             * @description For people
             * @example Install request
             */
            title: string;
            /** @description Steps are taken by this version now */
            newest: boolean;
            /**
             * @example [
             *       "active",
             *       "renewing",
             *       "expired"
             *     ]
             */
            states: string[];
            /**
             * @description Of its chart
             * @example /machines/license/3
             */
            href: string;
        } & {
            [key: string]: unknown;
        };
        MachineState: {
            /**
             * @description As `state` of a lifecycle
             * @example creatingLicense
             */
            id: string;
            /**
             * @description In words
             * @example creating licence
             */
            label: string;
            initial: boolean;
            final: boolean;
            /** @description A command is on its way to the ledger */
            waits: boolean;
            /** @example 132 */
            x: number;
            /** @example 132 */
            y: number;
            /** @example 132 */
            width: number;
            /** @example 132 */
            height: number;
        } & {
            [key: string]: unknown;
        };
        MachineTransition: {
            /**
             * @description `null`: whatever the state, until a final one
             * @example active
             */
            from: string | null;
            /**
             * @description `null`: the state stays
             * @example active
             */
            to: string | null;
            /**
             * @description Any of them, as `kind` of a history entry names it
             * @example [
             *       "license.expire"
             *     ]
             */
            events: string[];
            /**
             * @description A caller asks, a command was answered, or the ledger says that it happened
             * @enum {string}
             */
            cause: "caller" | "answer" | "ledger";
            /**
             * @description In words
             * @example expire
             */
            label: string;
            /** @description Where a caller asks for it */
            action?: {
                /**
                 * @description As an `Action` has it
                 * @example expire
                 */
                name: string;
                /** @enum {string} */
                operation: "request-install" | "accept-install-request" | "reject-install-request" | "cancel-install-request" | "create-license" | "cancel-install" | "expire-license" | "renew-license" | "complete-renewal" | "withdraw-renewal" | "comment-license";
                /**
                 * @description Who may ask for it: one of the parties of the lifecycle
                 * @enum {string}
                 */
                role: "provider" | "user" | "either";
                /**
                 * @description What follows the address of the lifecycle
                 * @example :expire
                 * @example /comments
                 */
                path: string;
            } & {
                [key: string]: unknown;
            };
            /**
             * @description Taken only then; in words
             * @example its time is over
             */
            guard?: string;
            /** @description The way of its line, from its beginning to its end */
            points: ({
                /** @example 132 */
                x: number;
                /** @example 132 */
                y: number;
            } & {
                [key: string]: unknown;
            })[];
            /** @description The place of the label */
            labelBox: {
                /** @example 132 */
                x: number;
                /** @example 132 */
                y: number;
                /** @example 132 */
                width: number;
                /** @example 132 */
                height: number;
            } & {
                [key: string]: unknown;
            };
        } & {
            [key: string]: unknown;
        };
        /** @description Lengths are pixels for a text of 11 to 12 px; places are of upper left corners */
        MachineChart: {
            /** @enum {string} */
            kind: "install-request" | "install" | "license" | "renewal";
            /**
             * @description As `machineVersion` of a lifecycle names it
             * @example 3
             */
            version: number;
            /**
             * @description For people
             * @example Install request
             */
            title: string;
            /** @example 132 */
            width: number;
            /** @example 132 */
            height: number;
            states: components["schemas"]["MachineState"][];
            transitions: components["schemas"]["MachineTransition"][];
            /** @description What happens whatever the state, until a final one */
            rail: {
                /** @example whatever the state */
                label: string;
                /** @example 132 */
                x: number;
                /** @example 132 */
                y: number;
                /** @example 132 */
                width: number;
                /** @example 132 */
                height: number;
                transitions: components["schemas"]["MachineTransition"][];
            } & {
                [key: string]: unknown;
            };
        } & {
            [key: string]: unknown;
        };
        Payment: {
            /** @description The renewal */
            renewalId: string;
            /** @description The licence, where it is known */
            licenseId?: string;
            /** @description The same value, under the name that renewals and comments have */
            licenseLifecycleId?: string;
            /** @description From the contract */
            licenseNum: number;
            /** @description Of the licence; from Tenure */
            reference?: string;
            /** @description From the contract */
            provider: string;
            /** @description From the contract */
            user: string;
            /** @description The name of the user, for its provider; from Tenure */
            customer?: string;
            /** @description As the description names it, else of the licence; from Tenure */
            plan?: {
                id: string;
                version: number;
            } & {
                [key: string]: unknown;
            };
            /**
             * @description A decimal with the digits of the contract
             * @example 100.0000000000
             */
            amount: string;
            /** @description A token-standard instrument; from the contract */
            instrument: {
                admin: string;
                /** @example Amulet */
                id: string;
            } & {
                [key: string]: unknown;
            };
            /** @description From the contract */
            description: string;
            /** @enum {string} */
            state: "requested" | "allocated" | "settled" | "withdrawn" | "rejected";
            /**
             * Format: date-time
             * @description Ledger time
             */
            requestedAt: string;
            /**
             * Format: date-time
             * @description From the contract
             */
            settleBefore: string;
            /**
             * Format: date-time
             * @description Ledger time of the payment, the withdrawal or the rejection
             */
            endedAt?: string;
            /** @description The ledger update that ended it, else that asked for it */
            updateId?: string;
            /** @description The place of that update on the participant */
            offset: string;
            /**
             * Format: date-time
             * @description Settled ones: what is paid for begins
             */
            validFrom?: string;
            /**
             * Format: date-time
             * @description Settled ones: what is paid for ends
             */
            validUntil?: string;
            /** @description Settled ones: counts those of the provider in the order of the ledger */
            receiptNo?: number;
            /**
             * @description none: not settled. pending: settled, and the number is not given yet
             * @enum {string}
             */
            receiptState: "none" | "pending" | "numbered";
        } & {
            [key: string]: unknown;
        };
        PaymentSum: {
            /** @example 2026-01 */
            month?: string;
            /** @description Empty: payments without a plan */
            plan?: string;
            /** @description A token-standard instrument; from the contract */
            instrument: {
                admin: string;
                /** @example Amulet */
                id: string;
            } & {
                [key: string]: unknown;
            };
            /** @description Settled ones */
            payments: number;
            /**
             * @description Their sum
             * @example 100.0000000000
             */
            amount: string;
        } & {
            [key: string]: unknown;
        };
        LicenseStatistics: {
            /**
             * @example 2026-01-31
             * @example 2026-01
             */
            period: string;
            /** @description Paid, and their time is not over */
            active: number;
            /** @description Not paid yet, within the trial of their plan */
            trial: number;
            /** @description Were paid, their time is over, and they stand on the ledger */
            pastDue: number;
            /** @description Never paid, and in no trial */
            notStarted: number;
            /** @description Those of the active ones whose time ends within 30 days */
            expiringIn30Days: number;
            /** @description Created in the period */
            new: number;
            /** @description Ended in the period */
            ended: number;
            /** @description Paid times that ended in the period */
            due: number;
            /** @description Those of them that were followed by another, also a later one */
            renewed: number;
            /** @description The share of the renewed ones; null where none was due */
            renewalRate: string | null;
        } & {
            [key: string]: unknown;
        };
        RevenueStatistics: {
            /**
             * @example 2026-01-31
             * @example 2026-01
             */
            period: string;
            /** @description A token-standard instrument; from the contract */
            instrument: {
                admin: string;
                /** @example Amulet */
                id: string;
            } & {
                [key: string]: unknown;
            };
            /** @description Settled in the period */
            payments: number;
            /**
             * @description Their sum
             * @example 100.0000000000
             */
            amount: string;
            /**
             * @description What the payments that count at its end come to in 30 days
             * @example 100.0000000000
             */
            recurring: string;
        } & {
            [key: string]: unknown;
        };
        Alarm: {
            /** @description Of the operation */
            changeId: string;
            /**
             * @description What it waits for
             * @example ledger
             */
            kind: string;
            since: string;
            raisedAt: string;
            detail: string;
        } & {
            [key: string]: unknown;
        };
        Pause: {
            /** @description Of what a person has stopped */
            id?: string;
            /** @enum {string} */
            scope: "participant" | "operation" | "provider";
            /**
             * @description Of the participant or operation, or the provider’s party
             * @example app-provider
             */
            name: string;
            /**
             * @description pause: nothing of it is submitted; drain: nothing of it that was not at the head of its lane; and of participants that are left alone by themselves, busy: too much to do; traffic: nothing left to pay the network with; unreachable: no connection
             * @enum {string}
             */
            mode: "pause" | "drain" | "busy" | "traffic" | "unreachable";
            since: string;
            /** @description When it ends by itself; traffic and unreachable: when one operation at a time finds out whether it is over */
            until?: string;
            byParty?: string;
            /** @description The identity behind the party */
            bySubject?: string;
            reason: string;
            /** @description Operations at the head of their lanes that wait for it */
            held?: number;
        } & {
            [key: string]: unknown;
        };
        ExpiryPolicy: {
            /**
             * @description dry-run: what would end is listed, and nothing ends
             * @enum {string}
             */
            mode: "off" | "dry-run" | "on";
            /**
             * @description How long after its expiresAt a licence is left alone: ISO 8601 in days and time
             * @example P3D
             */
            grace: string;
            /** @description Whether licences end that nobody has ever paid for: a new licence is born expired */
            includeNeverRenewed: boolean;
            /**
             * @description Whether licences end that the provider has suspended; left alone by default
             * @default false
             */
            includeSuspended: boolean;
            /** @description Parts of each day in which nothing ends by itself; `from` after `to` goes over midnight */
            quietHours: {
                /**
                 * @description HH:MM, inclusive
                 * @example 22:00
                 */
                from: string;
                /**
                 * @description HH:MM, exclusive; 24:00 is the end of the day
                 * @example 06:00
                 */
                to: string;
                /**
                 * @description An IANA name
                 * @example Europe/Zurich
                 */
                timeZone: string;
            }[];
            /** @description Nothing new fires; what is on its way goes on */
            paused: boolean;
            /**
             * @description Expiries of the policy that may be on their way at once
             * @example 10
             */
            maxInFlight: number;
            /** @description As in header ETag; 0 until a policy is set */
            version: number;
        };
        RenewalPolicy: {
            /** @description Complete a renewal as soon as an allocation is there that is what it asked for */
            complete: boolean;
            /** @description Withdraw one whose window has closed without */
            withdrawLapsed: boolean;
            /** @description As in header ETag; 0 until a policy is set */
            version: number;
        };
        ExpiryPreview: {
            /** @example license-a1b2c3d4e5f60718293a */
            lifecycleId: string;
            contractId: string;
            /** @example app_user_quickstart-root-1::1220aa01 */
            user: string;
            /** @example 7 */
            licenseNum: number;
            /** @example 2026-01-31T12:00:00.000001Z */
            expiresAt: string;
            /**
             * @description due: it ends as soon as the policy lets anything end. later: at `at`, should nothing change. never: not by this policy
             * @enum {string}
             */
            verdict: "due" | "later" | "never";
            /** @description From when on it is, or will be, due */
            at?: string;
            /** @example a renewal of it is open until 2026-02-01T00:00:00.000Z */
            why: string;
            /**
             * @description What keeps the policy from ending anything at this moment
             * @example dry-run
             */
            heldBy?: string;
        } & {
            [key: string]: unknown;
        };
        PolicyPreview: {
            /** @enum {string} */
            kind: "expiry" | "renewal";
            /** @description Of the policy that it would replace */
            version: number;
            /**
             * @description What is counted. A renewal policy ends no licence: it withdraws renewals
             * @enum {string}
             */
            of: "licenses" | "renewals";
            /** @description How many existing ones it can end, should nothing else change */
            ends: {
                atOnce: number;
                within24Hours: number;
                within30Days: number;
                /** @description With all of the above */
                ever: number;
                /** @description Those of `ever` that were never renewed */
                neverRenewed: number;
            };
            /** @description For `confirmation.count`: as `ends.ever` */
            count: number;
            /** @description The first that it ends, in their order */
            first: {
                lifecycleId: string;
                contractId: string;
                licenseNum: number;
                user: string;
                /** @description Of the tenant, or the readable part of the party */
                userName: string;
                expiresAt: string;
                /** @description From when on the policy can end it */
                endsAt: string;
                neverRenewed: boolean;
            }[];
            /** @description Whether PUT needs the token */
            isConfirmationNeeded: boolean;
            /** @description How long it waits before it ends the first */
            delaySeconds: number;
            /** @description For `confirmation.token` */
            token: string;
            /** @description Of the token */
            expiresAt: string;
        };
        PendingPolicy: {
            /** @description Whether the policy waits, and does nothing yet */
            isPending: boolean;
            version?: number;
            startsAt?: string;
            startsInSeconds?: number;
            /** @description How many the person has confirmed */
            count?: number;
            bySubject?: string;
            reason?: string;
            canUndo?: boolean;
        };
        ActPreview: {
            /** @description How many things the act ends or decides */
            count: number;
            /** @description What the act does, for a person to read */
            shows: string[];
            /** @description For `confirmation.token` */
            token: string;
            expiresAt: string;
        } & {
            [key: string]: unknown;
        };
        Timer: {
            /** @example license-a1b2c3d4e5f60718293a */
            lifecycleId: string;
            contractId: string;
            /** @example app_user_quickstart-root-1::1220aa01 */
            user: string;
            /** @example 7 */
            licenseNum: number;
            /**
             * @description expire: a licence lapses. withdraw: the window of a renewal closes
             * @enum {string}
             */
            kind: "expire" | "withdraw";
            provider: string;
            lapsesAt: string;
            /** @description When its last open renewal closes */
            openUntil?: string;
            neverRenewed: boolean;
            /**
             * @description given-up: no policy tries again before it lapses at another time, or is set going again with `:rearm`
             * @enum {string}
             */
            state: "waiting" | "fired" | "given-up";
            /** @description Changes of a policy that have failed, for whichever reason */
            generation: number;
            /** @description Wall time, after a failure */
            notBefore?: string;
            /** @description The change that a policy made of it */
            operationId?: string;
        } & {
            [key: string]: unknown;
        };
        BulkPreview: {
            /** @description Operations that it can be done to */
            count: number;
            /** @description For `:apply` */
            token: string;
            expiresAt: string;
            /** @description Those of the filter that it cannot be done to */
            refused: ({
                /** @example it has succeeded */
                reason: string;
                count: number;
            } & {
                [key: string]: unknown;
            })[];
            /** @description The first of those it can be done to, in the order in which they come */
            sample: {
                [key: string]: unknown;
            }[];
        } & {
            [key: string]: unknown;
        };
        BulkAct: {
            id: string;
            /** @enum {string} */
            action: "retry" | "cancel" | "decide";
            /** @enum {string} */
            decision?: "took-effect" | "no-effect" | "submit-again";
            /** @description As it was understood: ages have become instants */
            filter: {
                [key: string]: unknown;
            };
            reason: string;
            byParty: string;
            /** @description The identity behind the party */
            bySubject: string;
            /** @enum {string} */
            state: "running" | "done" | "stopped";
            /** @description Operations that it is about */
            count: number;
            done: number;
            /** @description Those to which it could not be done when it was their turn */
            refused: number;
            /** @description Those that have not had their turn */
            left: number;
            appliedAt: string;
            finishedAt?: string;
            /** @description Of one act */
            refusals?: ({
                /** @example NOT_RETRYABLE */
                code: string;
                /** @description What one of them was told */
                reason: string;
                count: number;
            } & {
                [key: string]: unknown;
            })[];
        } & {
            [key: string]: unknown;
        };
        Customer: {
            /** @example cus_5e0fd54fdd1c4d7f */
            id: string;
            /**
             * @description The party on the ledger
             * @example app_user_quickstart-root-1::1220aa01
             */
            party: string;
            /** @example Acme */
            name: string;
            /**
             * @description Capital letters and digits: references of licences that the customer gets from now on begin with it
             * @example ACME
             */
            shortName: string | null;
            /**
             * @example [
             *       "billing@acme.example"
             *     ]
             */
            emails: string[];
            /**
             * @description An IANA name
             * @example Europe/Zurich
             */
            timeZone: string | null;
            /**
             * @description A BCP 47 tag
             * @example de-CH
             */
            language: string | null;
            note: string;
            /**
             * @description The customer’s IDs in other systems. A change that does not mention them keeps them
             * @example {
             *       "crm": "4711"
             *     }
             */
            externalReferences: {
                [key: string]: string;
            };
            /**
             * @description Rises with every change; the entity tag
             * @example 1
             */
            version: number;
            /**
             * Format: date-time
             * @example 2030-01-31T12:00:00.000000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2030-01-31T12:00:00.000000Z
             */
            updatedAt: string;
        } & {
            [key: string]: unknown;
        };
        Plan: {
            /** @example pro */
            id: string;
            /**
             * @description Rises with every change; the entity tag
             * @example 1
             */
            revision: number;
            /**
             * @description New licences get the newest one
             * @example 1
             */
            version: number;
            /** @example Acme */
            name: string;
            /**
             * @description What one fee pays for; P1M and P1Y are calendar months, all others fixed durations: ISO 8601
             * @example P1M
             */
            period: string;
            /**
             * @description A decimal above zero as text, with at most 10 digits after the point and 28 before it
             * @example 100.0
             */
            fee: string;
            /**
             * @description A token-standard instrument of the configured registry
             * @example Amulet
             */
            instrument: string;
            /**
             * @description How long the user may set a fee aside: ISO 8601
             * @example P3D
             */
            prepareUntilDuration: string;
            /**
             * @description How long a renewal may be completed: ISO 8601
             * @example P4D
             */
            settleBeforeDuration: string;
            /**
             * @description How long after its creation no policy ends a licence: ISO 8601
             * @example P14D
             */
            trial: string;
            /**
             * @description How long after its end no policy ends a licence: ISO 8601
             * @example P3D
             */
            grace: string;
            /**
             * @description The longest validity of an offline licence file: ISO 8601
             * @example P7D
             */
            offlineTime: string;
            /**
             * @description A machine without a heartbeat for so long frees its seat: ISO 8601
             * @example PT1H
             */
            heartbeatTime: string;
            /**
             * @description Machines at a time; null: any number
             * @example 5
             */
            seats: number | null;
            /**
             * @description What the licence entitles to; at most 4096 characters as JSON, because the contract has them
             * @example {
             *       "projects": "10",
             *       "export": "yes"
             *     }
             */
            entitlements: {
                [key: string]: string;
            };
            /**
             * @description Licences that are sold under this version renew themselves so; null: only if a person says so. Members that are left out have the defaults of a subscription
             * @example {
             *       "offerBefore": "P7D",
             *       "tries": 3,
             *       "endUnpaid": false
             *     }
             */
            renews: {
                /**
                 * @description How long before the end of a period the next one is offered: ISO 8601
                 * @example P7D
                 */
                offerBefore?: string;
                /**
                 * @description How many unpaid offers one period has
                 * @example 3
                 */
                tries?: number;
                /** @description Whether the licence ends after the last unpaid offer and the grace of its plan */
                endUnpaid?: boolean;
            } | null;
            /**
             * Format: date-time
             * @example 2030-01-31T12:00:00.000000Z
             */
            createdAt: string;
            /** @description When another version took its place, or the plan was archived */
            archivedAt: string | null;
        } & {
            [key: string]: unknown;
        };
        PlanVersion: {
            /** @example pro */
            planId: string;
            /**
             * @description New licences get the newest one
             * @example 1
             */
            version: number;
            /** @example Acme */
            name: string;
            /**
             * @description What one fee pays for; P1M and P1Y are calendar months, all others fixed durations: ISO 8601
             * @example P1M
             */
            period: string;
            /**
             * @description A decimal above zero as text, with at most 10 digits after the point and 28 before it
             * @example 100.0
             */
            fee: string;
            /**
             * @description A token-standard instrument of the configured registry
             * @example Amulet
             */
            instrument: string;
            /**
             * @description How long the user may set a fee aside: ISO 8601
             * @example P3D
             */
            prepareUntilDuration: string;
            /**
             * @description How long a renewal may be completed: ISO 8601
             * @example P4D
             */
            settleBeforeDuration: string;
            /**
             * @description How long after its creation no policy ends a licence: ISO 8601
             * @example P14D
             */
            trial: string;
            /**
             * @description How long after its end no policy ends a licence: ISO 8601
             * @example P3D
             */
            grace: string;
            /**
             * @description The longest validity of an offline licence file: ISO 8601
             * @example P7D
             */
            offlineTime: string;
            /**
             * @description A machine without a heartbeat for so long frees its seat: ISO 8601
             * @example PT1H
             */
            heartbeatTime: string;
            /**
             * @description Machines at a time; null: any number
             * @example 5
             */
            seats: number | null;
            /**
             * @description What the licence entitles to; at most 4096 characters as JSON, because the contract has them
             * @example {
             *       "projects": "10",
             *       "export": "yes"
             *     }
             */
            entitlements: {
                [key: string]: string;
            };
            /**
             * @description Licences that are sold under this version renew themselves so; null: only if a person says so. Members that are left out have the defaults of a subscription
             * @example {
             *       "offerBefore": "P7D",
             *       "tries": 3,
             *       "endUnpaid": false
             *     }
             */
            renews: {
                /**
                 * @description How long before the end of a period the next one is offered: ISO 8601
                 * @example P7D
                 */
                offerBefore?: string;
                /**
                 * @description How many unpaid offers one period has
                 * @example 3
                 */
                tries?: number;
                /** @description Whether the licence ends after the last unpaid offer and the grace of its plan */
                endUnpaid?: boolean;
            } | null;
            /**
             * Format: date-time
             * @example 2030-01-31T12:00:00.000000Z
             */
            createdAt: string;
            /** @description When another version took its place, or the plan was archived */
            archivedAt: string | null;
        } & {
            [key: string]: unknown;
        };
        Subscription: {
            /** @example license-a1b2c3d4e5f60718293a */
            licenseId: string;
            /**
             * @description The licence’s name for people. Of Tenure
             * @example ACME-0007
             */
            reference?: string | null;
            /**
             * @description To the provider only: the customer that the user is. Of Tenure
             * @example {
             *       "id": "cus_5e0fd54fdd1c4d7f",
             *       "name": "Acme"
             *     }
             */
            customer?: {
                id?: string;
                name?: string;
            } | null;
            /** @example app_provider_quickstart-root-1::1220aa02 */
            provider: string;
            /** @example app_user_quickstart-root-1::1220aa01 */
            user: string;
            /**
             * @description Computed from the ledger and its time; null while the licence is not projected
             * @enum {string|null}
             */
            state: "trial" | "active" | "offerOpen" | "pastDue" | "cancelled" | "ended" | null;
            /**
             * @description The plan whose newest version is offered; null: the plan of the licence
             * @example pro
             */
            planId: string | null;
            /**
             * @description How long before the end of a period the next one is offered: ISO 8601
             * @example P7D
             */
            offerBefore: string;
            /**
             * @description How many unpaid offers one period has
             * @example 3
             */
            tries: number;
            /** @description Whether the licence ends after the last unpaid offer and the grace of its plan */
            endUnpaid: boolean;
            cancelledAt: string | null;
            /** @description Rises with every change; the entity tag */
            version: number;
            expiresAt: string | null;
            offer: ({
                /** @example renewal-a1b2c3d4e5f60718293a */
                renewalId: string;
                /** @description By which the wallet of the user shows it */
                requestId: string;
                /**
                 * @description A decimal as text
                 * @example 100.0
                 */
                fee: string;
                /** @example Amulet */
                instrument: string;
                /**
                 * Format: date-time
                 * @description When it can no longer be paid
                 * @example 2030-01-31T12:00:00.000000Z
                 */
                settleBefore: string;
                /** @description Whether the user has set money aside for it */
                isAllocated: boolean;
            } & {
                [key: string]: unknown;
            }) | null;
            nextOffer: ({
                /**
                 * Format: date-time
                 * @description When it is made, if nothing changes: ledger time
                 * @example 2030-01-31T12:00:00.000000Z
                 */
                at: string;
                /**
                 * Format: date-time
                 * @description The end of the licence, if it is paid in time
                 * @example 2030-01-31T12:00:00.000000Z
                 */
                until: string;
                /**
                 * @description A decimal as text
                 * @example 100.0
                 */
                fee: string;
                /** @example Amulet */
                instrument: string;
                plan: {
                    /**
                     * @description The plan whose newest version is offered; null: the plan of the licence
                     * @example pro
                     */
                    id: string | null;
                    /** @example 1 */
                    version: number;
                    /** @example Pro */
                    name: string;
                } & {
                    [key: string]: unknown;
                };
                priceBefore: ({
                    /**
                     * @description A decimal as text
                     * @example 100.0
                     */
                    fee: string;
                    /** @example Amulet */
                    instrument: string;
                    /** @example P1M */
                    period: string;
                } & {
                    [key: string]: unknown;
                }) | null;
            } & {
                [key: string]: unknown;
            }) | null;
        } & {
            [key: string]: unknown;
        };
        LicenseActPreview: {
            /**
             * @description Licences to which it applies
             * @example 40
             */
            count: number;
            /** @description What it does, for a person to read */
            shows: string[];
            /** @description For `confirmation.token` */
            token: string;
            /**
             * Format: date-time
             * @example 2030-01-31T12:00:00.000Z
             */
            expiresAt: string;
            /** @description Licences of the filter to which it does not apply */
            refused: ({
                /** @example a renewal of it is open */
                reason: string;
                /** @example 2 */
                count: number;
            } & {
                [key: string]: unknown;
            })[];
            /** @description The first few of them */
            sample: ({
                /** @example license-a1b2c3d4e5f60718293a */
                licenseId: string;
                /** @example ACME-0007 */
                reference: string | null;
                expiresAt: string | null;
            } & {
                [key: string]: unknown;
            })[];
        } & {
            [key: string]: unknown;
        };
        LicenseActResult: {
            /**
             * @description Part of the command IDs of its operations, and in the audit log
             * @example a1b2c3d4e5f60718
             */
            id: string;
            /**
             * @description Licences to which it was applied
             * @example 39
             */
            done: number;
            /** @description Licences of the filter to which it does not apply */
            refused: ({
                /** @example a renewal of it is open */
                reason: string;
                /** @example 2 */
                count: number;
            } & {
                [key: string]: unknown;
            })[];
            /** @description The IDs of its operations, each with its own outcome */
            operations: string[];
        } & {
            [key: string]: unknown;
        };
        Webhook: {
            /** @example wh_5e0fd54fdd1c4d7f */
            id: string;
            /**
             * @description Where events are sent, https, at most 2048 characters
             * @example https://example.org/hooks/tenure
             */
            url: string;
            /**
             * @description Types of events, also tenure.operation.* and the like; none: all
             * @example [
             *       "tenure.operation.succeeded",
             *       "tenure.lifecycle.*"
             *     ]
             */
            types: string[];
            /**
             * @description The media type that deliveries are sent with; the body is a CloudEvent with either
             * @enum {string}
             */
            contentType: "application/json" | "application/cloudevents+json";
            enabled: boolean;
            disabledReason: string | null;
            /** @description In a row; tries at the same time count as one */
            failures: number;
            failingSince: string | null;
            createdAt: string;
            /**
             * @description Shown when it is made, and never again
             * @example whsec_…
             */
            secret?: string;
            /** @description `true` in a repeated answer: the first answer had the secret */
            secretShown?: boolean;
            /** @description Until then what was the secret signs as well */
            previousSecretUntil?: string;
        } & {
            [key: string]: unknown;
        };
        Delivery: {
            id: string;
            /**
             * @description Header webhook-id, the same with every attempt
             * @example evt_121
             */
            messageId: string;
            /** @example tenure.operation.succeeded */
            type: string;
            /** @description What is sent: a CloudEvent */
            payload: {
                [key: string]: unknown;
            };
            /** @enum {string} */
            state: "pending" | "delivered" | "failed";
            attempts: number;
            createdAt: string;
            /** @description When it is tried next */
            dueAt?: string;
            finishedAt?: string;
            lastAttempt?: {
                at: string;
                ms: number;
                status: number | null;
                error: string | null;
            } & {
                [key: string]: unknown;
            };
        } & {
            [key: string]: unknown;
        };
        OperationEventData: {
            operationId: string;
            /** @example accept-1 */
            commandId: string;
            /** @enum {string} */
            operation: "request-install" | "accept-install-request" | "reject-install-request" | "cancel-install-request" | "create-license" | "cancel-install" | "expire-license" | "renew-license" | "complete-renewal" | "withdraw-renewal" | "comment-license";
            /** @enum {string} */
            state: "queued" | "submitting" | "retrying" | "in-doubt" | "succeeded" | "rejected" | "failed" | "cancelled";
            /** @example license-a1b2c3d4e5f60718293a */
            lifecycleId?: string;
            /**
             * @description Of a failure
             * @enum {string}
             */
            code?: "COMMAND_ID_MISSING" | "COMMAND_ID_INVALID" | "REQUEST_INVALID" | "BODY_MALFORMED" | "UNAUTHENTICATED" | "FORBIDDEN" | "CSRF_TOKEN_INVALID" | "ROUTE_NOT_FOUND" | "NOT_FOUND" | "OPERATION_NOT_FOUND" | "METHOD_NOT_ALLOWED" | "NOT_ACCEPTABLE" | "REQUEST_TIMEOUT" | "COMMAND_ID_TAKEN" | "STEP_NOT_ALLOWED" | "LIFECYCLE_ENDED" | "ALLOCATION_MISMATCH" | "LICENSE_AMBIGUOUS" | "LICENSE_MISMATCH" | "CONTRACT_GONE" | "LEDGER_REFUSED" | "COMMAND_ID_USED_ELSEWHERE" | "COMMAND_TOOK_EFFECT" | "BUDGET_SPENT" | "NOT_IN_DOUBT" | "NOT_RETRYABLE" | "NOT_CANCELLABLE" | "SYNCHRONIZER_CONNECTED" | "NOT_REARMABLE" | "PREVIEW_OVER" | "COUNT_MISMATCH" | "UNDO_OVER" | "ACTS_LIMITED" | "ACT_OVER" | "DECISION_CONTRADICTED" | "DECIDED_NO_EFFECT" | "POLICY_OUTDATED" | "CANCELLED" | "TENANT_CONFLICT" | "TENANT_INTERNAL" | "LICENSE_NOT_VALID" | "LICENSE_KEYS_LIMITED" | "ALREADY_EXISTS" | "PLAN_ARCHIVED" | "WEBHOOKS_LIMITED" | "WEBHOOK_TESTS_LIMITED" | "WEBHOOK_DISABLED" | "IDEMPOTENCY_KEY_IN_USE" | "IDEMPOTENCY_OUTCOME_UNKNOWN" | "PRECONDITION_FAILED" | "BODY_TOO_LARGE" | "MEDIA_TYPE_UNSUPPORTED" | "PROVIDER_MOVED" | "COMMAND_ID_REUSED" | "IDEMPOTENCY_KEY_REUSED" | "COMMAND_INVALID" | "ALLOCATION_NOT_FOUND" | "CHOICE_UNKNOWN" | "ARGUMENT_INVALID" | "BULK_TOO_LARGE" | "PARTY_NOT_HOSTED" | "WEBHOOK_TARGET_REFUSED" | "ISSUER_UNUSABLE" | "SEARCH_TOO_BROAD" | "CONFIRMATION_REQUIRED" | "RATE_LIMITED" | "STREAMS_LIMITED" | "MAILBOX_FULL" | "QUOTA_EXCEEDED" | "HEADERS_TOO_LARGE" | "INTERNAL" | "STORE_NOT_READY" | "DATABASE_UNAVAILABLE" | "CLOCK_WRONG" | "OVERLOADED" | "QUEUE_UNAVAILABLE" | "STREAMS_EXHAUSTED" | "LEDGER_UNAVAILABLE" | "STORED_BY_NEWER" | "AUTHORIZATION_SERVER_UNAVAILABLE";
            /** @description Of a refusal of the ledger */
            ledgerCode?: string;
            /**
             * @description While it is retried
             * @enum {string}
             */
            waitingFor?: "mailbox" | "queue" | "ledger" | "registry" | "participant" | "backoff" | "traffic" | "projection" | "lease" | "person" | "pause" | "behind" | "quiet" | "gone" | "clock" | "replay" | "foreign";
        } & {
            [key: string]: unknown;
        };
        LifecycleEventData: {
            /** @example license-a1b2c3d4e5f60718293a */
            lifecycleId: string;
            /** @enum {string} */
            kind: "install-request" | "install" | "license" | "renewal";
            /** @example active */
            state: string;
            version: number;
            contractId: string;
            /** @example app_provider_quickstart-root-1::1220f5d3 */
            provider: string;
            /** @example app_provider_quickstart-root-1::1220f5d3 */
            user: string;
            /** @description The licence of a renewal */
            licenseLifecycleId?: string;
            /** @example 1 */
            licenseNum?: string;
            /** @example 2030-01-31T12:00:00.000000Z */
            expiresAt?: string;
        } & {
            [key: string]: unknown;
        };
        SuspensionEventData: {
            /** @example license-a1b2c3d4e5f60718293a */
            lifecycleId: string;
            /** @example ACME-0007 */
            reference: string;
            /** @example app_provider_quickstart-root-1::1220f5d3 */
            provider: string;
            /** @example app_provider_quickstart-root-1::1220f5d3 */
            user: string;
            /** @description `null` once the licence is reinstated */
            suspended: {
                at?: string;
                reason?: string;
            } | null;
        } & {
            [key: string]: unknown;
        };
        ReminderEventData: {
            /** @example license-a1b2c3d4e5f60718293a */
            licenseId?: string;
            licenseNum: number | null;
            /** @example app_provider_quickstart-root-1::1220f5d3 */
            provider: string;
            /** @example app_provider_quickstart-root-1::1220f5d3 */
            user: string;
            /** @example 2030-01-31T12:00:00.000000Z */
            expiresAt?: string;
            /** @description Of a licence that expires soon */
            daysBefore?: number;
            /** @description Of an unpaid renewal */
            renewalId?: string;
            /** @example 2030-01-31T12:00:00.000000Z */
            settleBefore?: string;
        } & {
            [key: string]: unknown;
        };
        PriceEventData: {
            /** @example license-a1b2c3d4e5f60718293a */
            licenseId: string;
            /** @example app_provider_quickstart-root-1::1220f5d3 */
            provider: string;
            /** @example app_provider_quickstart-root-1::1220f5d3 */
            user: string;
            plan: {
                id: string;
                version: number;
            } & {
                [key: string]: unknown;
            };
            /**
             * @description A decimal as text
             * @example 100.0
             */
            fee: string;
            /** @example Amulet */
            instrument: string;
            /**
             * @description ISO 8601
             * @example P1M
             */
            period: string;
            /** @description The price under which the licence lasts; `null` if it has no plan */
            before: ({
                /**
                 * @description A decimal as text
                 * @example 100.0
                 */
                fee?: string;
                /** @example Amulet */
                instrument?: string;
                /**
                 * @description ISO 8601
                 * @example P1M
                 */
                period?: string;
            } & {
                [key: string]: unknown;
            }) | null;
        } & {
            [key: string]: unknown;
        };
        CommentEventData: {
            /** @example app_provider_quickstart-root-1::1220f5d3 */
            provider: string;
            /** @example app_provider_quickstart-root-1::1220f5d3 */
            user: string;
            licenseNum: number;
            /** @example app_provider_quickstart-root-1::1220f5d3 */
            commenter: string;
            /** @description The comment on the ledger */
            contractId: string;
            licenseLifecycleId: string | null;
        } & {
            [key: string]: unknown;
        };
        AuditEventData: {
            /** @example pause */
            act: string;
            /** @description What the act is about */
            object?: string;
        } & {
            [key: string]: unknown;
        };
        TestEventData: {
            [key: string]: unknown;
        };
        OperationAcceptedEvent: {
            /** @enum {string} */
            specversion: "1.0";
            /**
             * @description Its number, by which a stream is resumed; unique together with `source`
             * @example 121
             */
            id: string;
            /** @example urn:tenure:app_provider%3A%3A1220f5d3 */
            source: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "tenure.operation.accepted";
            /** @example license-a1b2c3d4 */
            subject: string;
            /** @example 2030-01-31T12:00:00.000000Z */
            time: string;
            /** @enum {string} */
            datacontenttype: "application/json";
            data: components["schemas"]["OperationEventData"];
        } & {
            [key: string]: unknown;
        };
        OperationSubmittingEvent: {
            /** @enum {string} */
            specversion: "1.0";
            /**
             * @description Its number, by which a stream is resumed; unique together with `source`
             * @example 121
             */
            id: string;
            /** @example urn:tenure:app_provider%3A%3A1220f5d3 */
            source: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "tenure.operation.submitting";
            /** @example license-a1b2c3d4 */
            subject: string;
            /** @example 2030-01-31T12:00:00.000000Z */
            time: string;
            /** @enum {string} */
            datacontenttype: "application/json";
            data: components["schemas"]["OperationEventData"];
        } & {
            [key: string]: unknown;
        };
        OperationRetryingEvent: {
            /** @enum {string} */
            specversion: "1.0";
            /**
             * @description Its number, by which a stream is resumed; unique together with `source`
             * @example 121
             */
            id: string;
            /** @example urn:tenure:app_provider%3A%3A1220f5d3 */
            source: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "tenure.operation.retrying";
            /** @example license-a1b2c3d4 */
            subject: string;
            /** @example 2030-01-31T12:00:00.000000Z */
            time: string;
            /** @enum {string} */
            datacontenttype: "application/json";
            data: components["schemas"]["OperationEventData"];
        } & {
            [key: string]: unknown;
        };
        OperationInDoubtEvent: {
            /** @enum {string} */
            specversion: "1.0";
            /**
             * @description Its number, by which a stream is resumed; unique together with `source`
             * @example 121
             */
            id: string;
            /** @example urn:tenure:app_provider%3A%3A1220f5d3 */
            source: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "tenure.operation.in-doubt";
            /** @example license-a1b2c3d4 */
            subject: string;
            /** @example 2030-01-31T12:00:00.000000Z */
            time: string;
            /** @enum {string} */
            datacontenttype: "application/json";
            data: components["schemas"]["OperationEventData"];
        } & {
            [key: string]: unknown;
        };
        OperationSucceededEvent: {
            /** @enum {string} */
            specversion: "1.0";
            /**
             * @description Its number, by which a stream is resumed; unique together with `source`
             * @example 121
             */
            id: string;
            /** @example urn:tenure:app_provider%3A%3A1220f5d3 */
            source: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "tenure.operation.succeeded";
            /** @example license-a1b2c3d4 */
            subject: string;
            /** @example 2030-01-31T12:00:00.000000Z */
            time: string;
            /** @enum {string} */
            datacontenttype: "application/json";
            data: components["schemas"]["OperationEventData"];
        } & {
            [key: string]: unknown;
        };
        OperationRejectedEvent: {
            /** @enum {string} */
            specversion: "1.0";
            /**
             * @description Its number, by which a stream is resumed; unique together with `source`
             * @example 121
             */
            id: string;
            /** @example urn:tenure:app_provider%3A%3A1220f5d3 */
            source: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "tenure.operation.rejected";
            /** @example license-a1b2c3d4 */
            subject: string;
            /** @example 2030-01-31T12:00:00.000000Z */
            time: string;
            /** @enum {string} */
            datacontenttype: "application/json";
            data: components["schemas"]["OperationEventData"];
        } & {
            [key: string]: unknown;
        };
        OperationFailedEvent: {
            /** @enum {string} */
            specversion: "1.0";
            /**
             * @description Its number, by which a stream is resumed; unique together with `source`
             * @example 121
             */
            id: string;
            /** @example urn:tenure:app_provider%3A%3A1220f5d3 */
            source: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "tenure.operation.failed";
            /** @example license-a1b2c3d4 */
            subject: string;
            /** @example 2030-01-31T12:00:00.000000Z */
            time: string;
            /** @enum {string} */
            datacontenttype: "application/json";
            data: components["schemas"]["OperationEventData"];
        } & {
            [key: string]: unknown;
        };
        OperationCancelledEvent: {
            /** @enum {string} */
            specversion: "1.0";
            /**
             * @description Its number, by which a stream is resumed; unique together with `source`
             * @example 121
             */
            id: string;
            /** @example urn:tenure:app_provider%3A%3A1220f5d3 */
            source: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "tenure.operation.cancelled";
            /** @example license-a1b2c3d4 */
            subject: string;
            /** @example 2030-01-31T12:00:00.000000Z */
            time: string;
            /** @enum {string} */
            datacontenttype: "application/json";
            data: components["schemas"]["OperationEventData"];
        } & {
            [key: string]: unknown;
        };
        LifecycleBeganEvent: {
            /** @enum {string} */
            specversion: "1.0";
            /**
             * @description Its number, by which a stream is resumed; unique together with `source`
             * @example 121
             */
            id: string;
            /** @example urn:tenure:app_provider%3A%3A1220f5d3 */
            source: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "tenure.lifecycle.began";
            /** @example license-a1b2c3d4 */
            subject: string;
            /** @example 2030-01-31T12:00:00.000000Z */
            time: string;
            /** @enum {string} */
            datacontenttype: "application/json";
            data: components["schemas"]["LifecycleEventData"];
        } & {
            [key: string]: unknown;
        };
        LifecycleChangedEvent: {
            /** @enum {string} */
            specversion: "1.0";
            /**
             * @description Its number, by which a stream is resumed; unique together with `source`
             * @example 121
             */
            id: string;
            /** @example urn:tenure:app_provider%3A%3A1220f5d3 */
            source: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "tenure.lifecycle.changed";
            /** @example license-a1b2c3d4 */
            subject: string;
            /** @example 2030-01-31T12:00:00.000000Z */
            time: string;
            /** @enum {string} */
            datacontenttype: "application/json";
            data: components["schemas"]["LifecycleEventData"];
        } & {
            [key: string]: unknown;
        };
        LifecycleEndedEvent: {
            /** @enum {string} */
            specversion: "1.0";
            /**
             * @description Its number, by which a stream is resumed; unique together with `source`
             * @example 121
             */
            id: string;
            /** @example urn:tenure:app_provider%3A%3A1220f5d3 */
            source: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "tenure.lifecycle.ended";
            /** @example license-a1b2c3d4 */
            subject: string;
            /** @example 2030-01-31T12:00:00.000000Z */
            time: string;
            /** @enum {string} */
            datacontenttype: "application/json";
            data: components["schemas"]["LifecycleEventData"];
        } & {
            [key: string]: unknown;
        };
        LicenseSuspendedEvent: {
            /** @enum {string} */
            specversion: "1.0";
            /**
             * @description Its number, by which a stream is resumed; unique together with `source`
             * @example 121
             */
            id: string;
            /** @example urn:tenure:app_provider%3A%3A1220f5d3 */
            source: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "tenure.license.suspended";
            /** @example license-a1b2c3d4 */
            subject: string;
            /** @example 2030-01-31T12:00:00.000000Z */
            time: string;
            /** @enum {string} */
            datacontenttype: "application/json";
            data: components["schemas"]["SuspensionEventData"];
        } & {
            [key: string]: unknown;
        };
        LicenseReinstatedEvent: {
            /** @enum {string} */
            specversion: "1.0";
            /**
             * @description Its number, by which a stream is resumed; unique together with `source`
             * @example 121
             */
            id: string;
            /** @example urn:tenure:app_provider%3A%3A1220f5d3 */
            source: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "tenure.license.reinstated";
            /** @example license-a1b2c3d4 */
            subject: string;
            /** @example 2030-01-31T12:00:00.000000Z */
            time: string;
            /** @enum {string} */
            datacontenttype: "application/json";
            data: components["schemas"]["SuspensionEventData"];
        } & {
            [key: string]: unknown;
        };
        LicenseExpiringEvent: {
            /** @enum {string} */
            specversion: "1.0";
            /**
             * @description Its number, by which a stream is resumed; unique together with `source`
             * @example 121
             */
            id: string;
            /** @example urn:tenure:app_provider%3A%3A1220f5d3 */
            source: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "tenure.license.expiring";
            /** @example license-a1b2c3d4 */
            subject: string;
            /** @example 2030-01-31T12:00:00.000000Z */
            time: string;
            /** @enum {string} */
            datacontenttype: "application/json";
            data: components["schemas"]["ReminderEventData"];
        } & {
            [key: string]: unknown;
        };
        LicenseExpiredEvent: {
            /** @enum {string} */
            specversion: "1.0";
            /**
             * @description Its number, by which a stream is resumed; unique together with `source`
             * @example 121
             */
            id: string;
            /** @example urn:tenure:app_provider%3A%3A1220f5d3 */
            source: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "tenure.license.expired";
            /** @example license-a1b2c3d4 */
            subject: string;
            /** @example 2030-01-31T12:00:00.000000Z */
            time: string;
            /** @enum {string} */
            datacontenttype: "application/json";
            data: components["schemas"]["ReminderEventData"];
        } & {
            [key: string]: unknown;
        };
        LicenseRenewalUnpaidEvent: {
            /** @enum {string} */
            specversion: "1.0";
            /**
             * @description Its number, by which a stream is resumed; unique together with `source`
             * @example 121
             */
            id: string;
            /** @example urn:tenure:app_provider%3A%3A1220f5d3 */
            source: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "tenure.license.renewal-unpaid";
            /** @example license-a1b2c3d4 */
            subject: string;
            /** @example 2030-01-31T12:00:00.000000Z */
            time: string;
            /** @enum {string} */
            datacontenttype: "application/json";
            data: components["schemas"]["ReminderEventData"];
        } & {
            [key: string]: unknown;
        };
        LicensePriceChangedEvent: {
            /** @enum {string} */
            specversion: "1.0";
            /**
             * @description Its number, by which a stream is resumed; unique together with `source`
             * @example 121
             */
            id: string;
            /** @example urn:tenure:app_provider%3A%3A1220f5d3 */
            source: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "tenure.license.price-changed";
            /** @example license-a1b2c3d4 */
            subject: string;
            /** @example 2030-01-31T12:00:00.000000Z */
            time: string;
            /** @enum {string} */
            datacontenttype: "application/json";
            data: components["schemas"]["PriceEventData"];
        } & {
            [key: string]: unknown;
        };
        CommentMadeEvent: {
            /** @enum {string} */
            specversion: "1.0";
            /**
             * @description Its number, by which a stream is resumed; unique together with `source`
             * @example 121
             */
            id: string;
            /** @example urn:tenure:app_provider%3A%3A1220f5d3 */
            source: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "tenure.comment.made";
            /** @example license-a1b2c3d4 */
            subject: string;
            /** @example 2030-01-31T12:00:00.000000Z */
            time: string;
            /** @enum {string} */
            datacontenttype: "application/json";
            data: components["schemas"]["CommentEventData"];
        } & {
            [key: string]: unknown;
        };
        AuditRecordedEvent: {
            /** @enum {string} */
            specversion: "1.0";
            /**
             * @description Its number, by which a stream is resumed; unique together with `source`
             * @example 121
             */
            id: string;
            /** @example urn:tenure:app_provider%3A%3A1220f5d3 */
            source: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "tenure.audit.recorded";
            /** @example license-a1b2c3d4 */
            subject: string;
            /** @example 2030-01-31T12:00:00.000000Z */
            time: string;
            /** @enum {string} */
            datacontenttype: "application/json";
            data: components["schemas"]["AuditEventData"];
        } & {
            [key: string]: unknown;
        };
        WebhookTestEvent: {
            /** @enum {string} */
            specversion: "1.0";
            /**
             * @description Its number, by which a stream is resumed; unique together with `source`
             * @example 121
             */
            id: string;
            /** @example urn:tenure:app_provider%3A%3A1220f5d3 */
            source: string;
            /** @enum {string} */
            type: "tenure.webhook.test";
            /** @example 2030-01-31T12:00:00.000000Z */
            time: string;
            /** @enum {string} */
            datacontenttype: "application/json";
            data: components["schemas"]["TestEventData"];
        } & {
            [key: string]: unknown;
        };
        /** @description A CloudEvent 1.0 of any type */
        Event: components["schemas"]["OperationAcceptedEvent"] | components["schemas"]["OperationSubmittingEvent"] | components["schemas"]["OperationRetryingEvent"] | components["schemas"]["OperationInDoubtEvent"] | components["schemas"]["OperationSucceededEvent"] | components["schemas"]["OperationRejectedEvent"] | components["schemas"]["OperationFailedEvent"] | components["schemas"]["OperationCancelledEvent"] | components["schemas"]["LifecycleBeganEvent"] | components["schemas"]["LifecycleChangedEvent"] | components["schemas"]["LifecycleEndedEvent"] | components["schemas"]["LicenseSuspendedEvent"] | components["schemas"]["LicenseReinstatedEvent"] | components["schemas"]["LicenseExpiringEvent"] | components["schemas"]["LicenseExpiredEvent"] | components["schemas"]["LicenseRenewalUnpaidEvent"] | components["schemas"]["LicensePriceChangedEvent"] | components["schemas"]["CommentMadeEvent"] | components["schemas"]["AuditRecordedEvent"];
        EventStreamItem: {
            /** @description For Last-Event-ID */
            id: string;
        } & ({
            data?: string;
        } | {
            /** @enum {unknown} */
            event: "gap";
            data?: string;
        } | {
            /** @enum {unknown} */
            event: "position";
            data?: string;
        });
        Validation: {
            /** @description Whether the program may run */
            valid: boolean;
            /**
             * @description The reason. VALID, TRIAL and IN_GRACE: the licence is valid.
             *     EXPIRED: its time, with trial and grace, is over. NOT_ACTIVE_YET: it was never paid and has no trial.
             *     SUSPENDED: its provider has suspended it. ENDED: its contract has ended.
             *     NOT_ENTITLED: its plan lacks an entitlement of the question.
             *     MACHINE_NOT_ACTIVATED: the machine holds no seat, and one is free. TOO_MANY_MACHINES: no seat is free.
             *     UNKNOWN_KEY: no licence has this key. KEY_REVOKED: a party of the licence has revoked the key.
             * @enum {string}
             */
            code: "VALID" | "TRIAL" | "IN_GRACE" | "EXPIRED" | "NOT_ACTIVE_YET" | "SUSPENDED" | "ENDED" | "NOT_ENTITLED" | "TOO_MANY_MACHINES" | "MACHINE_NOT_ACTIVATED" | "UNKNOWN_KEY" | "KEY_REVOKED";
            /** @description ID and reference are Tenure’s; contract ID, number, provider and user are the contract’s */
            license: {
                id?: string;
                contractId?: string;
                licenseNum?: number;
                reference?: string | null;
                provider?: string;
                user?: string;
            } | null;
            /** @description From Tenure: the plan and its version under which the licence was sold */
            plan: {
                id?: string;
                version?: number;
                name?: string | null;
            } | null;
            /** @description Values by name: from the contract until a renewal names another plan, then from Tenure */
            entitlements: {
                [key: string]: string;
            };
            /** @description From Tenure; the total as entitlements. A total of null: any number of machines */
            seats: {
                total?: number | null;
                used?: number;
            } | null;
            /** @description From Tenure: the machine of the question, and until when it keeps its seat */
            machine: {
                id?: string;
                seatUntil?: string | null;
            } | null;
            /** @description From Tenure: the reason of a suspension */
            suspendedFor: string | null;
            /** @description From the contract: when the paid time ends */
            expiresAt: string | null;
            /** @description From Tenure: when the trial ends; null after a payment or without one */
            trialUntil: string | null;
            /** @description From Tenure: when the grace after the paid time ends */
            graceUntil: string | null;
            /** @description The ledger time at which the licence was judged */
            ledgerTime: string;
            /** @description The ledger time up to which Tenure knows the contracts */
            dataTime: string | null;
            /** @description How far that is behind ledgerTime */
            dataAgeSeconds: number | null;
            /** @description When the program should ask again */
            checkAgainAt: string | null;
        } & {
            [key: string]: unknown;
        };
        LicenseKey: {
            /** @example key_5e0fd54fdd1c4d7f8a9b0c1d2e3f4a5b */
            id: string;
            /** @example build server */
            name: string;
            /** @description The party that created the key */
            createdBy: string;
            createdAt: string;
            /** @description When it was revoked */
            revokedAt: string | null;
            /** @description The party that revoked it */
            revokedBy: string | null;
            /**
             * @description The key itself, shown when it is created and never again
             * @example tlk_…
             */
            secret?: string;
            /** @description `true` in a repeated answer: the first answer had the secret */
            secretShown?: boolean;
        } & {
            [key: string]: unknown;
        };
        LicenseMachine: {
            /** @example machine_5e0fd54fdd1c4d7f8a9b0c1d2e3f4a5b */
            id: string;
            fingerprint: string;
            name: string;
            /** @description The key that activated it last */
            keyId: string;
            /** @description Ledger time */
            activatedAt: string;
            /** @description Ledger time of the last activation or heartbeat */
            seenAt: string;
        } & {
            [key: string]: unknown;
        };
        JwkSet: {
            /** @description Ed25519 public keys (RFC 8037) */
            keys: {
                [key: string]: unknown;
            }[];
        } & {
            [key: string]: unknown;
        };
        Readiness: {
            /** @example ready */
            status: string;
        } & {
            [key: string]: unknown;
        };
        TenantRegistration: {
            /** @example AppUser */
            tenantId: string;
            /**
             * @description The party that its people stand for: 1 to 255 letters, digits, `:`, `-`, `_` and spaces, not blank. One that no participant hosts sees nothing.
             * @example app_user_quickstart-root-1::1220aa01
             */
            partyId: string;
            /**
             * @description Of its people
             * @example http://wallet.localhost:2000
             */
            walletUrl: string | null;
            /**
             * @description What this application is registered as at the issuer; mode oauth2
             * @example app-provider-backend-oidc
             */
            clientId: string | null;
            /**
             * @description Its authorization server; mode oauth2
             * @example http://keycloak.localhost:8082/realms/AppUser
             */
            issuerUrl: string | null;
            /** @description Whether it belongs to the configuration */
            internal: boolean;
            /** @description Names that log in; mode shared-secret */
            users: string[];
            /** @description Whether a participant hosts the party; false: its people see nothing and can do nothing. null: no participant tells us */
            hosted: boolean | null;
        } & {
            [key: string]: unknown;
        };
        CreatedTenantRegistration: {
            /** @example AppUser */
            tenantId: string;
            /**
             * @description The party that its people stand for: 1 to 255 letters, digits, `:`, `-`, `_` and spaces, not blank. One that no participant hosts sees nothing.
             * @example app_user_quickstart-root-1::1220aa01
             */
            partyId: string;
            /**
             * @description Of its people
             * @example http://wallet.localhost:2000
             */
            walletUrl: string | null;
            /**
             * @description What this application is registered as at the issuer; mode oauth2
             * @example app-provider-backend-oidc
             */
            clientId: string | null;
            /**
             * @description Its authorization server; mode oauth2
             * @example http://keycloak.localhost:8082/realms/AppUser
             */
            issuerUrl: string | null;
            /** @description Not the caller’s to say; the list has it */
            internal: null;
            /** @description Names that log in; mode shared-secret */
            users: string[];
        } & {
            [key: string]: unknown;
        };
        FeatureFlags: {
            /** @enum {string} */
            authMode: "oauth2" | "shared-secret";
        } & {
            [key: string]: unknown;
        };
        LoginLink: {
            /**
             * @description The tenant
             * @example AppUser
             */
            name: string;
            /**
             * @description Where a browser signs in; not under /api
             * @example /oauth2/authorization/AppUser-app-provider-backend-oidc
             */
            url: string;
        } & {
            [key: string]: unknown;
        };
        AuthenticatedUser: {
            /**
             * @description For people
             * @example app user
             */
            name: string;
            /**
             * @description The identity behind the party: what `by` of operations and of the audit log finds
             * @example c1f7d7b0-5f4e-4c7e-9d43-0e3b1f4b7a11
             */
            subject: string;
            /** @example app_user_quickstart-root-1::1220aa01 */
            party: string;
            /**
             * @description ROLE_ADMIN for the provider, then the tenant and the party; in shared-secret mode ROLE_ADMIN or ROLE_USER
             * @example [
             *       "AppUser",
             *       "app_user_quickstart-root-1::1220aa01"
             *     ]
             */
            roles: string[];
            /** @description Whether it stands for the provider */
            isAdmin: boolean;
            /**
             * @description Each operation names the one that it needs as x-permission
             * @example [
             *       "read",
             *       "write"
             *     ]
             */
            permissions: ("read" | "write" | "policy" | "operate" | "admin")[];
            /** @example AppUser */
            tenantId: string;
            /**
             * @description What its operations desk shows: everything of the provider, or what is the party’s own; null without that role
             * @enum {string|null}
             */
            operatorOf: "deployment" | "tenant" | null;
            /** @example http://wallet.localhost:2000 */
            walletUrl: string | null;
            /** @description When the browser’s session ends; null for a caller with a token */
            session: {
                /**
                 * Format: date-time
                 * @description In any case
                 */
                endsAt: string;
                /**
                 * Format: date-time
                 * @description Unless it is used before
                 */
                idleEndsAt: string;
            } | null;
        } & {
            [key: string]: unknown;
        };
        Session: {
            /**
             * @description Names the session, also in the audit log; nobody signs in with it
             * @example 9f86d081884c7d65
             */
            id: string;
            /** @example AppUser */
            tenantId: string;
            /** @example app_user_quickstart-root-1::1220aa01 */
            party: string;
            /** @example c1f7d7b0-5f4e-4c7e-9d43-0e3b1f4b7a11 */
            subject: string;
            /**
             * @description For people
             * @example app user
             */
            name: string;
            permissions: ("read" | "write" | "policy" | "operate" | "admin")[];
            /**
             * Format: date-time
             * @description When the person signed in
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When the session was last used, to the minute
             */
            seenAt: string;
            /**
             * Format: date-time
             * @description When the session ends in any case
             */
            endsAt: string;
            /**
             * Format: date-time
             * @description When the session ends unless it is used before
             */
            idleEndsAt: string;
            /** @description Whether the call belongs to this session */
            isCurrent: boolean;
        } & {
            [key: string]: unknown;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listAppInstallRequests: {
        parameters: {
            query?: {
                /** @description Entries of one page */
                limit?: number;
                /** @description From a Link header; opaque */
                cursor?: string;
                /** @description Only those of this user */
                user?: string;
                /** @description Only those of this provider */
                provider?: string;
                /** @description Only those in this state; one that is an end means those that have ended so */
                state?: "requested" | "accepting" | "rejecting" | "cancelling" | "accepted" | "rejected" | "cancelled" | "gone";
                /** @description `true`: those that have ended, in place of the active ones. Without it `state` says which are meant */
                ended?: "true" | "false";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Ordered by user, number and id */
            200: {
                headers: {
                    /** @description The next page, rel="next", where there is one */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AppInstallRequest"][];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Header Accept leaves out the media type of the answer */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    createAppInstallRequest: {
        parameters: {
            query?: {
                /**
                 * @description Names the change, so that it can be repeated safely: 1 to 255 of the letters, digits, # : - _ / and space. Header Idempotency-Key is taken in its place. Without either a comment gets an ID, which the answer names, and every other change is refused.
                 * @example accept-1
                 */
                commandId?: string;
            };
            header?: {
                /**
                 * @description The commandId, plain or quoted (draft-ietf-httpapi-idempotency-key-header). Beside a different commandId it is refused
                 * @example "accept-1"
                 */
                "Idempotency-Key"?: string;
                /**
                 * @description respond-async answers 202 at once; wait=N waits at most N seconds (up to 120)
                 * @example wait=5
                 */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    meta?: components["schemas"]["Metadata"];
                    /** @description The provider of this deployment, which is also the default */
                    provider?: string;
                };
            };
        };
        responses: {
            /** @description Requested */
            201: {
                headers: {
                    /** @description `true` when the answer is that of an earlier call */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AppInstallRequest"];
                };
            };
            /** @description Recorded, and on its way */
            202: {
                headers: {
                    /** @description Where to follow the operation */
                    Location?: string;
                    /** @description What of Prefer was honoured */
                    "Preference-Applied"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operation"];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The lifecycle does not take the step, the ledger refused, or the commandId or the Idempotency-Key is taken */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body’s content type is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The commandId or the Idempotency-Key means another change, the ledger cannot take such a command, or a search looks at too much */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    getAppInstallRequest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Any contract ID that it ever had, or its lifecycleId
                 * @example 00a1b2c3d4e5f60718293a4b5c6d7e8f9012233445566778899aabbccddeeff0011
                 */
                contractId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As its last contract has it */
            200: {
                headers: {
                    /** @description Its version, for If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AppInstallRequest"];
                };
            };
            /** @description The caller has it: If-None-Match named it */
            304: {
                headers: {
                    /** @description Its version, for If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Header Accept leaves out the media type of the answer */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    listAppInstallRequestActions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Any contract ID that it ever had, or its lifecycleId
                 * @example 00a1b2c3d4e5f60718293a4b5c6d7e8f9012233445566778899aabbccddeeff0011
                 */
                contractId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All actions of its machine */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Action"][];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Header Accept leaves out the media type of the answer */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    getAppInstallRequestHistory: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Any contract ID that it ever had, or its lifecycleId
                 * @example 00a1b2c3d4e5f60718293a4b5c6d7e8f9012233445566778899aabbccddeeff0011
                 */
                contractId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Oldest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HistoryEntry"][];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Header Accept leaves out the media type of the answer */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    acceptAppInstallRequest: {
        parameters: {
            query?: {
                /**
                 * @description Names the change, so that it can be repeated safely: 1 to 255 of the letters, digits, # : - _ / and space. Header Idempotency-Key is taken in its place. Without either a comment gets an ID, which the answer names, and every other change is refused.
                 * @example accept-1
                 */
                commandId?: string;
            };
            header?: {
                /**
                 * @description The commandId, plain or quoted (draft-ietf-httpapi-idempotency-key-header). Beside a different commandId it is refused
                 * @example "accept-1"
                 */
                "Idempotency-Key"?: string;
                /**
                 * @description respond-async answers 202 at once; wait=N waits at most N seconds (up to 120)
                 * @example wait=5
                 */
                Prefer?: string;
                /** @description The ETag last seen: refuses the change if it has moved on */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description Any contract ID that it ever had, or its lifecycleId
                 * @example 00a1b2c3d4e5f60718293a4b5c6d7e8f9012233445566778899aabbccddeeff0011
                 */
                contractId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AppInstallRequestAccept"];
            };
        };
        responses: {
            /** @description Installed */
            201: {
                headers: {
                    /** @description `true` when the answer is that of an earlier call */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AppInstall"];
                };
            };
            /** @description Recorded, and on its way */
            202: {
                headers: {
                    /** @description Where to follow the operation */
                    Location?: string;
                    /** @description What of Prefer was honoured */
                    "Preference-Applied"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operation"];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The lifecycle does not take the step, the ledger refused, or the commandId or the Idempotency-Key is taken */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description `version` is the current one, `askedVersions` and `ifMatch` are what was sent */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body’s content type is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The commandId or the Idempotency-Key means another change, the ledger cannot take such a command, or a search looks at too much */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    rejectAppInstallRequest: {
        parameters: {
            query?: {
                /**
                 * @description Names the change, so that it can be repeated safely: 1 to 255 of the letters, digits, # : - _ / and space. Header Idempotency-Key is taken in its place. Without either a comment gets an ID, which the answer names, and every other change is refused.
                 * @example accept-1
                 */
                commandId?: string;
            };
            header?: {
                /**
                 * @description The commandId, plain or quoted (draft-ietf-httpapi-idempotency-key-header). Beside a different commandId it is refused
                 * @example "accept-1"
                 */
                "Idempotency-Key"?: string;
                /**
                 * @description respond-async answers 202 at once; wait=N waits at most N seconds (up to 120)
                 * @example wait=5
                 */
                Prefer?: string;
                /** @description The ETag last seen: refuses the change if it has moved on */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description Any contract ID that it ever had, or its lifecycleId
                 * @example 00a1b2c3d4e5f60718293a4b5c6d7e8f9012233445566778899aabbccddeeff0011
                 */
                contractId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["AppInstallRequestReject"];
            };
        };
        responses: {
            /** @description Recorded, and on its way */
            202: {
                headers: {
                    /** @description Where to follow the operation */
                    Location?: string;
                    /** @description What of Prefer was honoured */
                    "Preference-Applied"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operation"];
                };
            };
            /** @description Rejected */
            204: {
                headers: {
                    /** @description `true` when the answer is that of an earlier call */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The lifecycle does not take the step, the ledger refused, or the commandId or the Idempotency-Key is taken */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description `version` is the current one, `askedVersions` and `ifMatch` are what was sent */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body’s content type is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The commandId or the Idempotency-Key means another change, the ledger cannot take such a command, or a search looks at too much */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    cancelAppInstallRequest: {
        parameters: {
            query?: {
                /**
                 * @description Names the change, so that it can be repeated safely: 1 to 255 of the letters, digits, # : - _ / and space. Header Idempotency-Key is taken in its place. Without either a comment gets an ID, which the answer names, and every other change is refused.
                 * @example accept-1
                 */
                commandId?: string;
            };
            header?: {
                /**
                 * @description The commandId, plain or quoted (draft-ietf-httpapi-idempotency-key-header). Beside a different commandId it is refused
                 * @example "accept-1"
                 */
                "Idempotency-Key"?: string;
                /**
                 * @description respond-async answers 202 at once; wait=N waits at most N seconds (up to 120)
                 * @example wait=5
                 */
                Prefer?: string;
                /** @description The ETag last seen: refuses the change if it has moved on */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description Any contract ID that it ever had, or its lifecycleId
                 * @example 00a1b2c3d4e5f60718293a4b5c6d7e8f9012233445566778899aabbccddeeff0011
                 */
                contractId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["AppInstallRequestCancel"];
            };
        };
        responses: {
            /** @description Recorded, and on its way */
            202: {
                headers: {
                    /** @description Where to follow the operation */
                    Location?: string;
                    /** @description What of Prefer was honoured */
                    "Preference-Applied"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operation"];
                };
            };
            /** @description Cancelled */
            204: {
                headers: {
                    /** @description `true` when the answer is that of an earlier call */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The lifecycle does not take the step, the ledger refused, or the commandId or the Idempotency-Key is taken */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description `version` is the current one, `askedVersions` and `ifMatch` are what was sent */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body’s content type is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The commandId or the Idempotency-Key means another change, the ledger cannot take such a command, or a search looks at too much */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    listAppInstalls: {
        parameters: {
            query?: {
                /** @description Entries of one page */
                limit?: number;
                /** @description From a Link header; opaque */
                cursor?: string;
                /** @description Only those of this user */
                user?: string;
                /** @description Only those of this provider */
                provider?: string;
                /** @description Only those in this state; one that is an end means those that have ended so */
                state?: "active" | "creatingLicense" | "cancelling" | "cancelled" | "gone";
                /** @description `true`: those that have ended, in place of the active ones. Without it `state` says which are meant */
                ended?: "true" | "false";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Ordered by user, number and id */
            200: {
                headers: {
                    /** @description The next page, rel="next", where there is one */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AppInstall"][];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Header Accept leaves out the media type of the answer */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    getAppInstall: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Any contract ID that it ever had, or its lifecycleId
                 * @example 00a1b2c3d4e5f60718293a4b5c6d7e8f9012233445566778899aabbccddeeff0011
                 */
                contractId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As its last contract has it */
            200: {
                headers: {
                    /** @description Its version, for If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AppInstall"];
                };
            };
            /** @description The caller has it: If-None-Match named it */
            304: {
                headers: {
                    /** @description Its version, for If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Header Accept leaves out the media type of the answer */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    listAppInstallActions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Any contract ID that it ever had, or its lifecycleId
                 * @example 00a1b2c3d4e5f60718293a4b5c6d7e8f9012233445566778899aabbccddeeff0011
                 */
                contractId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All actions of its machine */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Action"][];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Header Accept leaves out the media type of the answer */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    getAppInstallHistory: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Any contract ID that it ever had, or its lifecycleId
                 * @example 00a1b2c3d4e5f60718293a4b5c6d7e8f9012233445566778899aabbccddeeff0011
                 */
                contractId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Oldest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HistoryEntry"][];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Header Accept leaves out the media type of the answer */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    createLicense: {
        parameters: {
            query?: {
                /**
                 * @description Names the change, so that it can be repeated safely: 1 to 255 of the letters, digits, # : - _ / and space. Header Idempotency-Key is taken in its place. Without either a comment gets an ID, which the answer names, and every other change is refused.
                 * @example accept-1
                 */
                commandId?: string;
            };
            header?: {
                /**
                 * @description The commandId, plain or quoted (draft-ietf-httpapi-idempotency-key-header). Beside a different commandId it is refused
                 * @example "accept-1"
                 */
                "Idempotency-Key"?: string;
                /**
                 * @description respond-async answers 202 at once; wait=N waits at most N seconds (up to 120)
                 * @example wait=5
                 */
                Prefer?: string;
                /** @description The ETag last seen: refuses the change if it has moved on */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description Any contract ID that it ever had, or its lifecycleId
                 * @example 00a1b2c3d4e5f60718293a4b5c6d7e8f9012233445566778899aabbccddeeff0011
                 */
                contractId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AppInstallCreateLicenseRequest"];
            };
        };
        responses: {
            /** @description Created; the install stands on a new contract */
            201: {
                headers: {
                    /** @description `true` when the answer is that of an earlier call */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AppInstallCreateLicenseResult"];
                };
            };
            /** @description Recorded, and on its way */
            202: {
                headers: {
                    /** @description Where to follow the operation */
                    Location?: string;
                    /** @description What of Prefer was honoured */
                    "Preference-Applied"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operation"];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The lifecycle does not take the step, the ledger refused, or the commandId or the Idempotency-Key is taken */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description `version` is the current one, `askedVersions` and `ifMatch` are what was sent */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body’s content type is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The commandId or the Idempotency-Key means another change, the ledger cannot take such a command, or a search looks at too much */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    cancelAppInstall: {
        parameters: {
            query?: {
                /**
                 * @description Names the change, so that it can be repeated safely: 1 to 255 of the letters, digits, # : - _ / and space. Header Idempotency-Key is taken in its place. Without either a comment gets an ID, which the answer names, and every other change is refused.
                 * @example accept-1
                 */
                commandId?: string;
            };
            header?: {
                /**
                 * @description The commandId, plain or quoted (draft-ietf-httpapi-idempotency-key-header). Beside a different commandId it is refused
                 * @example "accept-1"
                 */
                "Idempotency-Key"?: string;
                /**
                 * @description respond-async answers 202 at once; wait=N waits at most N seconds (up to 120)
                 * @example wait=5
                 */
                Prefer?: string;
                /** @description The ETag last seen: refuses the change if it has moved on */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description Any contract ID that it ever had, or its lifecycleId
                 * @example 00a1b2c3d4e5f60718293a4b5c6d7e8f9012233445566778899aabbccddeeff0011
                 */
                contractId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["AppInstallCancel"];
            };
        };
        responses: {
            /** @description Recorded, and on its way */
            202: {
                headers: {
                    /** @description Where to follow the operation */
                    Location?: string;
                    /** @description What of Prefer was honoured */
                    "Preference-Applied"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operation"];
                };
            };
            /** @description Cancelled */
            204: {
                headers: {
                    /** @description `true` when the answer is that of an earlier call */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The lifecycle does not take the step, the ledger refused, or the commandId or the Idempotency-Key is taken */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description `version` is the current one, `askedVersions` and `ifMatch` are what was sent */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body’s content type is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The commandId or the Idempotency-Key means another change, the ledger cannot take such a command, or a search looks at too much */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    listLicenses: {
        parameters: {
            query?: {
                /** @description Entries of one page */
                limit?: number;
                /** @description From a Link header; opaque */
                cursor?: string;
                /** @description Only those of this user */
                user?: string;
                /** @description Only those of this provider */
                provider?: string;
                /** @description Only those in this state; one that is an end means those that have ended so */
                state?: "active" | "renewing" | "expiring" | "expired" | "gone";
                /** @description `true`: those that have ended, in place of the active ones. Without it `state` says which are meant */
                ended?: "true" | "false";
                /**
                 * @description Only those whose reference begins with the text, or whose customer has it in its name or in an external reference
                 * @example ACME-00
                 */
                search?: string;
                /**
                 * @description Only those whose time is over before this instant, or within this duration from now, such as P30D
                 * @example 2030-01-31T12:00:00Z
                 */
                expiresBefore?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Ordered by user, number and id */
            200: {
                headers: {
                    /** @description The next page, rel="next", where there is one */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["License"][];
                    "text/csv": string;
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Header Accept leaves out the media type of the answer */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    getLicense: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Any contract ID that it ever had, or its lifecycleId
                 * @example 00a1b2c3d4e5f60718293a4b5c6d7e8f9012233445566778899aabbccddeeff0011
                 */
                contractId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As its last contract has it */
            200: {
                headers: {
                    /** @description Its version, for If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["License"];
                };
            };
            /** @description The caller has it: If-None-Match named it */
            304: {
                headers: {
                    /** @description Its version, for If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Header Accept leaves out the media type of the answer */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    listLicenseActions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Any contract ID that it ever had, or its lifecycleId
                 * @example 00a1b2c3d4e5f60718293a4b5c6d7e8f9012233445566778899aabbccddeeff0011
                 */
                contractId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All actions of its machine */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Action"][];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Header Accept leaves out the media type of the answer */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    getLicenseHistory: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Any contract ID that it ever had, or its lifecycleId
                 * @example 00a1b2c3d4e5f60718293a4b5c6d7e8f9012233445566778899aabbccddeeff0011
                 */
                contractId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Oldest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HistoryEntry"][];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Header Accept leaves out the media type of the answer */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    expireLicense: {
        parameters: {
            query?: {
                /**
                 * @description Names the change, so that it can be repeated safely: 1 to 255 of the letters, digits, # : - _ / and space. Header Idempotency-Key is taken in its place. Without either a comment gets an ID, which the answer names, and every other change is refused.
                 * @example accept-1
                 */
                commandId?: string;
            };
            header?: {
                /**
                 * @description The commandId, plain or quoted (draft-ietf-httpapi-idempotency-key-header). Beside a different commandId it is refused
                 * @example "accept-1"
                 */
                "Idempotency-Key"?: string;
                /**
                 * @description respond-async answers 202 at once; wait=N waits at most N seconds (up to 120)
                 * @example wait=5
                 */
                Prefer?: string;
                /** @description The ETag last seen: refuses the change if it has moved on */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description Any contract ID that it ever had, or its lifecycleId
                 * @example 00a1b2c3d4e5f60718293a4b5c6d7e8f9012233445566778899aabbccddeeff0011
                 */
                contractId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["LicenseExpireRequest"];
            };
        };
        responses: {
            /** @description Expired */
            200: {
                headers: {
                    /** @description `true` when the answer is that of an earlier call */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                    "application/json": string;
                };
            };
            /** @description Recorded, and on its way */
            202: {
                headers: {
                    /** @description Where to follow the operation */
                    Location?: string;
                    /** @description What of Prefer was honoured */
                    "Preference-Applied"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operation"];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The lifecycle does not take the step, the ledger refused, or the commandId or the Idempotency-Key is taken */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description `version` is the current one, `askedVersions` and `ifMatch` are what was sent */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body’s content type is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The commandId or the Idempotency-Key means another change, the ledger cannot take such a command, or a search looks at too much */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    renewLicense: {
        parameters: {
            query?: {
                /**
                 * @description Names the change, so that it can be repeated safely: 1 to 255 of the letters, digits, # : - _ / and space. Header Idempotency-Key is taken in its place. Without either a comment gets an ID, which the answer names, and every other change is refused.
                 * @example accept-1
                 */
                commandId?: string;
            };
            header?: {
                /**
                 * @description The commandId, plain or quoted (draft-ietf-httpapi-idempotency-key-header). Beside a different commandId it is refused
                 * @example "accept-1"
                 */
                "Idempotency-Key"?: string;
                /**
                 * @description respond-async answers 202 at once; wait=N waits at most N seconds (up to 120)
                 * @example wait=5
                 */
                Prefer?: string;
                /** @description The ETag last seen: refuses the change if it has moved on */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description Any contract ID that it ever had, or its lifecycleId
                 * @example 00a1b2c3d4e5f60718293a4b5c6d7e8f9012233445566778899aabbccddeeff0011
                 */
                contractId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LicenseRenewRequest"];
            };
        };
        responses: {
            /** @description Requested; the licence lists it */
            201: {
                headers: {
                    /** @description `true` when the answer is that of an earlier call */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Recorded, and on its way */
            202: {
                headers: {
                    /** @description Where to follow the operation */
                    Location?: string;
                    /** @description What of Prefer was honoured */
                    "Preference-Applied"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operation"];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The lifecycle does not take the step, the ledger refused, or the commandId or the Idempotency-Key is taken */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description `version` is the current one, `askedVersions` and `ifMatch` are what was sent */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body’s content type is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The commandId or the Idempotency-Key means another change, the ledger cannot take such a command, or a search looks at too much */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    completeLicenseRenewal: {
        parameters: {
            query?: {
                /**
                 * @description Names the change, so that it can be repeated safely: 1 to 255 of the letters, digits, # : - _ / and space. Header Idempotency-Key is taken in its place. Without either a comment gets an ID, which the answer names, and every other change is refused.
                 * @example accept-1
                 */
                commandId?: string;
            };
            header?: {
                /**
                 * @description The commandId, plain or quoted (draft-ietf-httpapi-idempotency-key-header). Beside a different commandId it is refused
                 * @example "accept-1"
                 */
                "Idempotency-Key"?: string;
                /**
                 * @description respond-async answers 202 at once; wait=N waits at most N seconds (up to 120)
                 * @example wait=5
                 */
                Prefer?: string;
                /** @description The ETag last seen: refuses the change if it has moved on */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description Any contract ID that it ever had, or its lifecycleId
                 * @example 00a1b2c3d4e5f60718293a4b5c6d7e8f9012233445566778899aabbccddeeff0011
                 */
                contractId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CompleteLicenseRenewalRequest"];
            };
        };
        responses: {
            /** @description Extended; the licence stands on a new contract */
            200: {
                headers: {
                    /** @description `true` when the answer is that of an earlier call */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LicenseRenewalResult"];
                };
            };
            /** @description Recorded, and on its way */
            202: {
                headers: {
                    /** @description Where to follow the operation */
                    Location?: string;
                    /** @description What of Prefer was honoured */
                    "Preference-Applied"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operation"];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The lifecycle does not take the step, the ledger refused, or the commandId or the Idempotency-Key is taken */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description `version` is the current one, `askedVersions` and `ifMatch` are what was sent */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body’s content type is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The commandId or the Idempotency-Key means another change, the ledger cannot take such a command, or a search looks at too much */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    listLicenseComments: {
        parameters: {
            query?: {
                /** @description Entries of one page */
                limit?: number;
                /** @description From a Link header; opaque */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Any contract ID that it ever had, or its lifecycleId
                 * @example 00a1b2c3d4e5f60718293a4b5c6d7e8f9012233445566778899aabbccddeeff0011
                 */
                contractId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Oldest first */
            200: {
                headers: {
                    /** @description The next page, rel="next", where there is one */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LicenseComment"][];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Header Accept leaves out the media type of the answer */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    addLicenseComment: {
        parameters: {
            query?: {
                /**
                 * @description Names the change, so that it can be repeated safely: 1 to 255 of the letters, digits, # : - _ / and space. Header Idempotency-Key is taken in its place. Without either a comment gets an ID, which the answer names, and every other change is refused.
                 * @example accept-1
                 */
                commandId?: string;
            };
            header?: {
                /**
                 * @description The commandId, plain or quoted (draft-ietf-httpapi-idempotency-key-header). Beside a different commandId it is refused
                 * @example "accept-1"
                 */
                "Idempotency-Key"?: string;
                /**
                 * @description respond-async answers 202 at once; wait=N waits at most N seconds (up to 120)
                 * @example wait=5
                 */
                Prefer?: string;
                /** @description The ETag last seen: refuses the change if it has moved on */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description Any contract ID that it ever had, or its lifecycleId
                 * @example 00a1b2c3d4e5f60718293a4b5c6d7e8f9012233445566778899aabbccddeeff0011
                 */
                contractId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description At most 10000 characters, not only white space
                     * @example Extended by phone on Monday.
                     */
                    body: string;
                };
            };
        };
        responses: {
            /** @description Said; it is in the list */
            201: {
                headers: {
                    /** @description `true` when the answer is that of an earlier call */
                    "Idempotent-Replayed"?: string;
                    /** @description The commandId, also where the caller gave none: a repetition sends it */
                    "Idempotency-Key"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Recorded, and on its way */
            202: {
                headers: {
                    /** @description Where to follow the operation */
                    Location?: string;
                    /** @description What of Prefer was honoured */
                    "Preference-Applied"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operation"];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The lifecycle does not take the step, the ledger refused, or the commandId or the Idempotency-Key is taken */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description `version` is the current one, `askedVersions` and `ifMatch` are what was sent */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body’s content type is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The commandId or the Idempotency-Key means another change, the ledger cannot take such a command, or a search looks at too much */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    acceptLicenseTerms: {
        parameters: {
            query?: {
                /**
                 * @description Names the change, so that it can be repeated safely: 1 to 255 of the letters, digits, # : - _ / and space. Header Idempotency-Key is taken in its place. Without either a comment gets an ID, which the answer names, and every other change is refused.
                 * @example accept-1
                 */
                commandId?: string;
            };
            header?: {
                /**
                 * @description The commandId, plain or quoted (draft-ietf-httpapi-idempotency-key-header). Beside a different commandId it is refused
                 * @example "accept-1"
                 */
                "Idempotency-Key"?: string;
                /**
                 * @description respond-async answers 202 at once; wait=N waits at most N seconds (up to 120)
                 * @example wait=5
                 */
                Prefer?: string;
                /** @description The ETag last seen: refuses the change if it has moved on */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description Any contract ID that it ever had, or its lifecycleId
                 * @example 00a1b2c3d4e5f60718293a4b5c6d7e8f9012233445566778899aabbccddeeff0011
                 */
                contractId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description SHA-256 of the text of the terms, as 64 hexadecimal digits
                     * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
                     */
                    termsHash: string;
                    /**
                     * @description Where the text can be read: an address with http or https
                     * @example https://provider.example/terms/2026-11
                     */
                    termsUrl?: string;
                    /**
                     * @description The provider’s name for this version of the terms, in one line
                     * @example 2026-11
                     */
                    version?: string;
                };
            };
        };
        responses: {
            /** @description Accepted; the licence shows the terms */
            201: {
                headers: {
                    /** @description `true` when the answer is that of an earlier call */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Recorded, and on its way */
            202: {
                headers: {
                    /** @description Where to follow the operation */
                    Location?: string;
                    /** @description What of Prefer was honoured */
                    "Preference-Applied"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operation"];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The lifecycle does not take the step, the ledger refused, or the commandId or the Idempotency-Key is taken */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description `version` is the current one, `askedVersions` and `ifMatch` are what was sent */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body’s content type is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The commandId or the Idempotency-Key means another change, the ledger cannot take such a command, or a search looks at too much */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    listLicenseRenewalRequests: {
        parameters: {
            query?: {
                /** @description Entries of one page */
                limit?: number;
                /** @description From a Link header; opaque */
                cursor?: string;
                /** @description Only those of this user */
                user?: string;
                /** @description Only those of this provider */
                provider?: string;
                /** @description Only those in this state; one that is an end means those that have ended so */
                state?: "requested" | "completing" | "withdrawing" | "renewed" | "withdrawn" | "rejected" | "gone";
                /** @description `true`: those that have ended, in place of the active ones. Without it `state` says which are meant */
                ended?: "true" | "false";
                /** @description Only those of licences with this number */
                licenseNum?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Ordered by user, number and id */
            200: {
                headers: {
                    /** @description The next page, rel="next", where there is one */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LicenseRenewalRequest"][];
                    "text/csv": string;
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Header Accept leaves out the media type of the answer */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    getLicenseRenewalRequest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Any contract ID that it ever had, or its lifecycleId
                 * @example 00a1b2c3d4e5f60718293a4b5c6d7e8f9012233445566778899aabbccddeeff0011
                 */
                contractId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As its last contract has it */
            200: {
                headers: {
                    /** @description Its version, for If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LicenseRenewalRequest"];
                };
            };
            /** @description The caller has it: If-None-Match named it */
            304: {
                headers: {
                    /** @description Its version, for If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Header Accept leaves out the media type of the answer */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    listLicenseRenewalRequestActions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Any contract ID that it ever had, or its lifecycleId
                 * @example 00a1b2c3d4e5f60718293a4b5c6d7e8f9012233445566778899aabbccddeeff0011
                 */
                contractId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All actions of its machine */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Action"][];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Header Accept leaves out the media type of the answer */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    getLicenseRenewalRequestHistory: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Any contract ID that it ever had, or its lifecycleId
                 * @example 00a1b2c3d4e5f60718293a4b5c6d7e8f9012233445566778899aabbccddeeff0011
                 */
                contractId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Oldest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HistoryEntry"][];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Header Accept leaves out the media type of the answer */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    completeLicenseRenewalRequest: {
        parameters: {
            query?: {
                /**
                 * @description Names the change, so that it can be repeated safely: 1 to 255 of the letters, digits, # : - _ / and space. Header Idempotency-Key is taken in its place. Without either a comment gets an ID, which the answer names, and every other change is refused.
                 * @example accept-1
                 */
                commandId?: string;
            };
            header?: {
                /**
                 * @description The commandId, plain or quoted (draft-ietf-httpapi-idempotency-key-header). Beside a different commandId it is refused
                 * @example "accept-1"
                 */
                "Idempotency-Key"?: string;
                /**
                 * @description respond-async answers 202 at once; wait=N waits at most N seconds (up to 120)
                 * @example wait=5
                 */
                Prefer?: string;
                /** @description The ETag last seen: refuses the change if it has moved on */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description Any contract ID that it ever had, or its lifecycleId
                 * @example 00a1b2c3d4e5f60718293a4b5c6d7e8f9012233445566778899aabbccddeeff0011
                 */
                contractId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description The allocation that the user’s wallet has made
                     * @example 00c0ffee
                     */
                    allocationContractId: string;
                };
            };
        };
        responses: {
            /** @description Extended; the licence stands on a new contract */
            200: {
                headers: {
                    /** @description `true` when the answer is that of an earlier call */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LicenseRenewalResult"];
                };
            };
            /** @description Recorded, and on its way */
            202: {
                headers: {
                    /** @description Where to follow the operation */
                    Location?: string;
                    /** @description What of Prefer was honoured */
                    "Preference-Applied"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operation"];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The lifecycle does not take the step, the ledger refused, or the commandId or the Idempotency-Key is taken */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description `version` is the current one, `askedVersions` and `ifMatch` are what was sent */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body’s content type is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The commandId or the Idempotency-Key means another change, the ledger cannot take such a command, or a search looks at too much */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    withdrawLicenseRenewalRequest: {
        parameters: {
            query?: {
                /**
                 * @description Names the change, so that it can be repeated safely: 1 to 255 of the letters, digits, # : - _ / and space. Header Idempotency-Key is taken in its place. Without either a comment gets an ID, which the answer names, and every other change is refused.
                 * @example accept-1
                 */
                commandId?: string;
            };
            header?: {
                /**
                 * @description The commandId, plain or quoted (draft-ietf-httpapi-idempotency-key-header). Beside a different commandId it is refused
                 * @example "accept-1"
                 */
                "Idempotency-Key"?: string;
                /**
                 * @description respond-async answers 202 at once; wait=N waits at most N seconds (up to 120)
                 * @example wait=5
                 */
                Prefer?: string;
                /** @description The ETag last seen: refuses the change if it has moved on */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description Any contract ID that it ever had, or its lifecycleId
                 * @example 00a1b2c3d4e5f60718293a4b5c6d7e8f9012233445566778899aabbccddeeff0011
                 */
                contractId: string;
            };
            cookie?: never;
        };
        /** @description Nothing is read of it */
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Recorded, and on its way */
            202: {
                headers: {
                    /** @description Where to follow the operation */
                    Location?: string;
                    /** @description What of Prefer was honoured */
                    "Preference-Applied"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operation"];
                };
            };
            /** @description Withdrawn */
            204: {
                headers: {
                    /** @description `true` when the answer is that of an earlier call */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The lifecycle does not take the step, the ledger refused, or the commandId or the Idempotency-Key is taken */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description `version` is the current one, `askedVersions` and `ifMatch` are what was sent */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body’s content type is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The commandId or the Idempotency-Key means another change, the ledger cannot take such a command, or a search looks at too much */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    listPaymentSums: {
        parameters: {
            query?: {
                /** @description month unless told */
                groupBy?: "month" | "plan";
                /**
                 * @description The first day; a duration counts back from now
                 * @example 2026-01-01
                 */
                from?: string;
                /**
                 * @description The day after the last one; a duration counts back from now
                 * @example 2026-02-01
                 */
                until?: string;
                /**
                 * @description Days are those of this time zone; the provider’s unless told
                 * @example Europe/Zurich
                 */
                timeZone?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description In the order of the months or plans */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentSum"][];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Header Accept leaves out the media type of the answer */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The commandId or the Idempotency-Key means another change, the ledger cannot take such a command, or a search looks at too much */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    listPayments: {
        parameters: {
            query?: {
                /** @description Entries of one page */
                limit?: number;
                /** @description From a Link header; opaque */
                cursor?: string;
                /**
                 * @description Only those of this user
                 * @example app_user_quickstart-root-1::1220aa01
                 */
                user?: string;
                /**
                 * @description Only those of this provider
                 * @example app_provider_quickstart-root-1::1220aa02
                 */
                provider?: string;
                /** @description Any of these */
                state?: ("requested" | "allocated" | "settled" | "withdrawn" | "rejected")[];
                /** @description Licences of this number */
                licenseNum?: number;
                /**
                 * @description Only those of this licence
                 * @example license-a1b2c3d4e5f60718293a
                 */
                licenseId?: string;
                /**
                 * @description Only those under this plan
                 * @example standard
                 */
                plan?: string;
                /**
                 * @description Requested not longer ago (ISO 8601 duration), or at or after (instant)
                 * @example P30D
                 */
                from?: string;
                /**
                 * @description Requested longer ago (ISO 8601 duration), or before (instant)
                 * @example P1D
                 */
                until?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The newest request first */
            200: {
                headers: {
                    /** @description The next page, rel="next", where there is one */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Payment"][];
                    "text/csv": string;
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Header Accept leaves out the media type of the answer */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The commandId or the Idempotency-Key means another change, the ledger cannot take such a command, or a search looks at too much */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    getPayment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Payment"];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Header Accept leaves out the media type of the answer */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    getReceipt: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The payment, as the caller takes it */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Payment"];
                    "text/html": string;
                    "text/csv": string;
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Header Accept leaves out the media type of the answer */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    listLicenseStatistics: {
        parameters: {
            query?: {
                /** @description day unless told */
                by?: "day" | "month";
                /**
                 * @description The first day; a duration counts back from now
                 * @example 2026-01-01
                 */
                from?: string;
                /**
                 * @description The day after the last one; a duration counts back from now
                 * @example 2026-02-01
                 */
                until?: string;
                /**
                 * @description Days are those of this time zone; the provider’s unless told
                 * @example Europe/Zurich
                 */
                timeZone?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The first period first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LicenseStatistics"][];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Header Accept leaves out the media type of the answer */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The commandId or the Idempotency-Key means another change, the ledger cannot take such a command, or a search looks at too much */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    listRevenueStatistics: {
        parameters: {
            query?: {
                /** @description day unless told */
                by?: "day" | "month";
                /**
                 * @description The first day; a duration counts back from now
                 * @example 2026-01-01
                 */
                from?: string;
                /**
                 * @description The day after the last one; a duration counts back from now
                 * @example 2026-02-01
                 */
                until?: string;
                /**
                 * @description Days are those of this time zone; the provider’s unless told
                 * @example Europe/Zurich
                 */
                timeZone?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The first period first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevenueStatistics"][];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Header Accept leaves out the media type of the answer */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The commandId or the Idempotency-Key means another change, the ledger cannot take such a command, or a search looks at too much */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    listContracts: {
        parameters: {
            query: {
                /**
                 * @description As `templateId` of an answer, or its last parts: `Licensing.License:License`, or `License` alone
                 * @example License
                 */
                template: string;
                /** @description Entries of one page */
                limit?: number;
                /** @description From a Link header; opaque */
                cursor?: string;
                /** @description Only those of this user */
                user?: string;
                /** @description Only those of this provider */
                provider?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of them, in the query store’s encoding */
            200: {
                headers: {
                    /** @description The next page, rel="next", where there is one */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Contract"][];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Header Accept leaves out the media type of the answer */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    getContract: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Any contract ID that it ever had, or its lifecycleId
                 * @example 00a1b2c3d4e5f60718293a4b5c6d7e8f9012233445566778899aabbccddeeff0011
                 */
                contractId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description In the query store’s encoding */
            200: {
                headers: {
                    /** @description Its version, for If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Contract"];
                };
            };
            /** @description The caller has it: If-None-Match named it */
            304: {
                headers: {
                    /** @description Its version, for If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Header Accept leaves out the media type of the answer */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    exerciseChoice: {
        parameters: {
            query?: {
                /**
                 * @description Names the change, so that it can be repeated safely: 1 to 255 of the letters, digits, # : - _ / and space. Header Idempotency-Key is taken in its place. Without either a comment gets an ID, which the answer names, and every other change is refused.
                 * @example accept-1
                 */
                commandId?: string;
            };
            header?: {
                /**
                 * @description The commandId, plain or quoted (draft-ietf-httpapi-idempotency-key-header). Beside a different commandId it is refused
                 * @example "accept-1"
                 */
                "Idempotency-Key"?: string;
                /**
                 * @description respond-async answers 202 at once; wait=N waits at most N seconds (up to 120)
                 * @example wait=5
                 */
                Prefer?: string;
                /** @description The ETag last seen: refuses the change if it has moved on */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description Any contract ID that it ever had, or its lifecycleId
                 * @example 00a1b2c3d4e5f60718293a4b5c6d7e8f9012233445566778899aabbccddeeff0011
                 */
                contractId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @example License_Expire */
                    choice: string;
                    /**
                     * @description In the query store’s encoding. What Tenure fills in may be left out; what is given must be what Tenure would send.
                     * @example {
                     *       "meta": {
                     *         "values": {
                     *           "reason": "test"
                     *         }
                     *       }
                     *     }
                     */
                    argument: unknown;
                    /**
                     * @description Where it is not a query parameter
                     * @example expire-1
                     */
                    commandId?: string;
                };
            };
        };
        responses: {
            /** @description What the choice came to */
            200: {
                headers: {
                    /** @description `true` when the answer is that of an earlier call */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Exercised"];
                };
            };
            /** @description Recorded, and on its way */
            202: {
                headers: {
                    /** @description Where to follow the operation */
                    Location?: string;
                    /** @description What of Prefer was honoured */
                    "Preference-Applied"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operation"];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The lifecycle does not take the step, the ledger refused, or the commandId or the Idempotency-Key is taken */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description `version` is the current one, `askedVersions` and `ifMatch` are what was sent */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body’s content type is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The commandId or the Idempotency-Key means another change, the ledger cannot take such a command, or a search looks at too much */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    listMachines: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description By kind, the newest version first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Machine"][];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Header Accept leaves out the media type of the answer */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    getMachine: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag last seen */
                "If-None-Match"?: string;
            };
            path: {
                /**
                 * @description install-request, install, license, renewal
                 * @example license
                 */
                kind: string;
                /**
                 * @description A whole number
                 * @example 3
                 */
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The chart */
            200: {
                headers: {
                    /** @description For If-None-Match */
                    ETag?: string;
                    /** @description How long it may be kept */
                    "Cache-Control"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MachineChart"];
                };
            };
            /** @description The caller has it: If-None-Match named it */
            304: {
                headers: {
                    /** @description For If-None-Match */
                    ETag?: string;
                    /** @description How long it may be kept */
                    "Cache-Control"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Header Accept leaves out the media type of the answer */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    getOperation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example accept-1 */
                commandId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operation"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Header Accept leaves out the media type of the answer */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    findOperation: {
        parameters: {
            query: {
                /** @example accept-1 */
                commandId: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operation"];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Header Accept leaves out the media type of the answer */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    followEvents: {
        parameters: {
            query?: {
                /** @description Begin after the event of this id. Header Last-Event-ID counts before it; without both: now */
                after?: string;
                /**
                 * @description Only these types, separated by commas; * stands for the rest of one. Types: tenure.operation.accepted, tenure.operation.submitting, tenure.operation.retrying, tenure.operation.in-doubt, tenure.operation.succeeded, tenure.operation.rejected, tenure.operation.failed, tenure.operation.cancelled, tenure.lifecycle.began, tenure.lifecycle.changed, tenure.lifecycle.ended, tenure.license.suspended, tenure.license.reinstated, tenure.license.expiring, tenure.license.expired, tenure.license.renewal-unpaid, tenure.license.price-changed, tenure.comment.made, tenure.audit.recorded
                 * @example tenure.operation.succeeded,tenure.lifecycle.*
                 */
                type?: string;
                /** @description Only those of this lifecycle */
                lifecycleId?: string;
                /** @description true: an event named position follows each silence, with the id to resume after. For browsers, whose EventSource resumes after the newest event; other clients read the id without it */
                positions?: "true" | "false";
            };
            header?: {
                "Last-Event-ID"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Events, until either side ends it */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Header Accept leaves out the media type of the answer */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    listWebhooks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All of them */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"][];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Header Accept leaves out the media type of the answer */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request, plain or quoted, with 1 to 255 characters. For 24 hours the same caller gets the answer of the first request again, without a secret. A refused request frees the key.
                 * @example "order-4711"
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description Where events are sent, https, at most 2048 characters
                     * @example https://example.org/hooks/tenure
                     */
                    url: string;
                    /**
                     * @description Types of events, also tenure.operation.* and the like; none: all
                     * @example [
                     *       "tenure.operation.succeeded",
                     *       "tenure.lifecycle.*"
                     *     ]
                     */
                    types?: string[];
                    /**
                     * @description The media type that deliveries are sent with; the body is a CloudEvent with either
                     * @default application/json
                     * @enum {string}
                     */
                    contentType?: "application/json" | "application/cloudevents+json";
                };
            };
        };
        responses: {
            /** @description With its secret, which is shown this once */
            201: {
                headers: {
                    /** @description `true` when the answer is that of an earlier call */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The lifecycle does not take the step, the ledger refused, or the commandId or the Idempotency-Key is taken */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body’s content type is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The commandId or the Idempotency-Key means another change, the ledger cannot take such a command, or a search looks at too much */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The webhook */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Header Accept leaves out the media type of the answer */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Gone */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    changeWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description Where events are sent, https, at most 2048 characters
                     * @example https://example.org/hooks/tenure
                     */
                    url?: string;
                    /**
                     * @description Types of events, also tenure.operation.* and the like; none: all
                     * @example [
                     *       "tenure.operation.succeeded",
                     *       "tenure.lifecycle.*"
                     *     ]
                     */
                    types?: string[];
                    /**
                     * @description The media type that deliveries are sent with; the body is a CloudEvent with either
                     * @enum {string}
                     */
                    contentType?: "application/json" | "application/cloudevents+json";
                    /** @description true: forgets that it has failed, and goes on with what waits */
                    enabled?: boolean;
                };
            };
        };
        responses: {
            /** @description As it is now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body’s content type is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The commandId or the Idempotency-Key means another change, the ledger cannot take such a command, or a search looks at too much */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request, plain or quoted, with 1 to 255 characters. For 24 hours the same caller gets the answer of the first request again, without a secret. A refused request frees the key.
                 * @example "order-4711"
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description With its new secret, which is shown this once */
            200: {
                headers: {
                    /** @description `true` when the answer is that of an earlier call */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The lifecycle does not take the step, the ledger refused, or the commandId or the Idempotency-Key is taken */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The commandId or the Idempotency-Key means another change, the ledger cannot take such a command, or a search looks at too much */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request, plain or quoted, with 1 to 255 characters. For 24 hours the same caller gets the answer of the first request again, without a secret. A refused request frees the key.
                 * @example "order-4711"
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is on its way */
            202: {
                headers: {
                    /** @description `true` when the answer is that of an earlier call */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delivery"];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The lifecycle does not take the step, the ledger refused, or the commandId or the Idempotency-Key is taken */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The commandId or the Idempotency-Key means another change, the ledger cannot take such a command, or a search looks at too much */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    listDeliveries: {
        parameters: {
            query?: {
                /** @description Entries of one page */
                limit?: number;
                /** @description From a Link header; opaque */
                cursor?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of them */
            200: {
                headers: {
                    /** @description The next page, rel="next", where there is one */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delivery"][];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Header Accept leaves out the media type of the answer */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    redeliver: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request, plain or quoted, with 1 to 255 characters. For 24 hours the same caller gets the answer of the first request again, without a secret. A refused request frees the key.
                 * @example "order-4711"
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
                deliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is on its way */
            202: {
                headers: {
                    /** @description `true` when the answer is that of an earlier call */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delivery"];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The lifecycle does not take the step, the ledger refused, or the commandId or the Idempotency-Key is taken */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The commandId or the Idempotency-Key means another change, the ledger cannot take such a command, or a search looks at too much */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    validateLicense: {
        parameters: {
            query?: {
                /** @description The fingerprint of a machine */
                machine?: string;
                /** @description An entitlement that the program needs; may be repeated */
                entitlement?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Any contract ID that it ever had, or its lifecycleId
                 * @example 00a1b2c3d4e5f60718293a4b5c6d7e8f9012233445566778899aabbccddeeff0011
                 */
                contractId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The verdict, also where the licence is not valid */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Validation"];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Header Accept leaves out the media type of the answer */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    listLicenseKeys: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Any contract ID that it ever had, or its lifecycleId
                 * @example 00a1b2c3d4e5f60718293a4b5c6d7e8f9012233445566778899aabbccddeeff0011
                 */
                contractId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The oldest first, revoked keys included */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LicenseKey"][];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Header Accept leaves out the media type of the answer */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    createLicenseKey: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request, plain or quoted, with 1 to 255 characters. For 24 hours the same caller gets the answer of the first request again, without a secret. A refused request frees the key.
                 * @example "order-4711"
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Any contract ID that it ever had, or its lifecycleId
                 * @example 00a1b2c3d4e5f60718293a4b5c6d7e8f9012233445566778899aabbccddeeff0011
                 */
                contractId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description A name for people
                     * @example Laptop of Ada
                     */
                    name?: string;
                };
            };
        };
        responses: {
            /** @description With the key, which is shown this once */
            201: {
                headers: {
                    /** @description `true` when the answer is that of an earlier call */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LicenseKey"];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The lifecycle does not take the step, the ledger refused, or the commandId or the Idempotency-Key is taken */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body’s content type is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The commandId or the Idempotency-Key means another change, the ledger cannot take such a command, or a search looks at too much */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    revokeLicenseKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Any contract ID that it ever had, or its lifecycleId
                 * @example 00a1b2c3d4e5f60718293a4b5c6d7e8f9012233445566778899aabbccddeeff0011
                 */
                contractId: string;
                keyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key is revoked */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    listLicenseMachines: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Any contract ID that it ever had, or its lifecycleId
                 * @example 00a1b2c3d4e5f60718293a4b5c6d7e8f9012233445566778899aabbccddeeff0011
                 */
                contractId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The oldest activation first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LicenseMachine"][];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Header Accept leaves out the media type of the answer */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    removeLicenseMachine: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Any contract ID that it ever had, or its lifecycleId
                 * @example 00a1b2c3d4e5f60718293a4b5c6d7e8f9012233445566778899aabbccddeeff0011
                 */
                contractId: string;
                machineId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The machine holds no seat */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    createLicenseFile: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Ignored, because a repetition is harmless: a file changes nothing
                 * @example "order-4711"
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Any contract ID that it ever had, or its lifecycleId
                 * @example 00a1b2c3d4e5f60718293a4b5c6d7e8f9012233445566778899aabbccddeeff0011
                 */
                contractId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description The fingerprint of the machine: a text of the program that no other machine has
                     * @example b7c1f0a2-laptop
                     */
                    machine?: string;
                };
            };
        };
        responses: {
            /** @description The file: a compact JWS (EdDSA) */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/jose": string;
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The lifecycle does not take the step, the ledger refused, or the commandId or the Idempotency-Key is taken */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body’s content type is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    listCustomers: {
        parameters: {
            query?: {
                /** @description Entries of one page */
                limit?: number;
                /** @description From a Link header; opaque */
                cursor?: string;
                /** @description Part of a name or of an external reference, or a whole party */
                search?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description By name */
            200: {
                headers: {
                    /** @description The next page, rel="next", where there is one */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Customer"][];
                    "text/csv": string;
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Header Accept leaves out the media type of the answer */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    addCustomer: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request, plain or quoted, with 1 to 255 characters. For 24 hours the same caller gets the answer of the first request again, without a secret. A refused request frees the key.
                 * @example "order-4711"
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description The party on the ledger
                     * @example app_user_quickstart-root-1::1220aa01
                     */
                    party: string;
                    /** @example Acme */
                    name: string;
                    /**
                     * @description Capital letters and digits: references of licences that the customer gets from now on begin with it
                     * @example ACME
                     */
                    shortName?: string | null;
                    /**
                     * @example [
                     *       "billing@acme.example"
                     *     ]
                     */
                    emails?: string[];
                    /**
                     * @description An IANA name
                     * @example Europe/Zurich
                     */
                    timeZone?: string | null;
                    /**
                     * @description A BCP 47 tag
                     * @example de-CH
                     */
                    language?: string | null;
                    note?: string;
                    /**
                     * @description The customer’s IDs in other systems. A change that does not mention them keeps them
                     * @example {
                     *       "crm": "4711"
                     *     }
                     */
                    externalReferences?: {
                        [key: string]: string;
                    };
                };
            };
        };
        responses: {
            /** @description The customer */
            201: {
                headers: {
                    /** @description Its version, for If-Match */
                    ETag?: string;
                    /** @description `true` when the answer is that of an earlier call */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Customer"];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The lifecycle does not take the step, the ledger refused, or the commandId or the Idempotency-Key is taken */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body’s content type is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The commandId or the Idempotency-Key means another change, the ledger cannot take such a command, or a search looks at too much */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    getCustomer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The customer */
            200: {
                headers: {
                    /** @description Its version, for If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Customer"];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Header Accept leaves out the media type of the answer */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    removeCustomer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Forgotten */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    changeCustomer: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag last seen: refuses the change if somebody else has made one */
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @example Acme */
                    name?: string;
                    /**
                     * @description Capital letters and digits: references of licences that the customer gets from now on begin with it
                     * @example ACME
                     */
                    shortName?: string | null;
                    /**
                     * @example [
                     *       "billing@acme.example"
                     *     ]
                     */
                    emails?: string[];
                    /**
                     * @description An IANA name
                     * @example Europe/Zurich
                     */
                    timeZone?: string | null;
                    /**
                     * @description A BCP 47 tag
                     * @example de-CH
                     */
                    language?: string | null;
                    note?: string;
                    /**
                     * @description The customer’s IDs in other systems. A change that does not mention them keeps them
                     * @example {
                     *       "crm": "4711"
                     *     }
                     */
                    externalReferences?: {
                        [key: string]: string;
                    };
                };
            };
        };
        responses: {
            /** @description As it is now */
            200: {
                headers: {
                    /** @description Its version, for If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Customer"];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description `version` is the current one, `askedVersions` and `ifMatch` are what was sent */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body’s content type is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    listPlans: {
        parameters: {
            query?: {
                /** @description Entries of one page */
                limit?: number;
                /** @description From a Link header; opaque */
                cursor?: string;
                /** @description `true`: with those that are archived */
                archived?: "true" | "false";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description By id */
            200: {
                headers: {
                    /** @description The next page, rel="next", where there is one */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Plan"][];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Header Accept leaves out the media type of the answer */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    addPlan: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request, plain or quoted, with 1 to 255 characters. For 24 hours the same caller gets the answer of the first request again, without a secret. A refused request frees the key.
                 * @example "order-4711"
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description Small letters, digits and hyphens; the ledger names the plan by it
                     * @example pro
                     */
                    id: string;
                    /** @example Acme */
                    name: string;
                    /**
                     * @description What one fee pays for; P1M and P1Y are calendar months, all others fixed durations: ISO 8601
                     * @example P1M
                     */
                    period: string;
                    /**
                     * @description A decimal above zero as text, with at most 10 digits after the point and 28 before it
                     * @example 100.0
                     */
                    fee: string;
                    /**
                     * @description A token-standard instrument of the configured registry
                     * @example Amulet
                     */
                    instrument?: string;
                    /**
                     * @description How long the user may set a fee aside: ISO 8601
                     * @example P3D
                     */
                    prepareUntilDuration?: string;
                    /**
                     * @description How long a renewal may be completed: ISO 8601
                     * @example P4D
                     */
                    settleBeforeDuration?: string;
                    /**
                     * @description How long after its creation no policy ends a licence: ISO 8601
                     * @example P14D
                     */
                    trial?: string;
                    /**
                     * @description How long after its end no policy ends a licence: ISO 8601
                     * @example P3D
                     */
                    grace?: string;
                    /**
                     * @description The longest validity of an offline licence file: ISO 8601
                     * @example P7D
                     */
                    offlineTime?: string;
                    /**
                     * @description A machine without a heartbeat for so long frees its seat: ISO 8601
                     * @example PT1H
                     */
                    heartbeatTime?: string;
                    /**
                     * @description Machines at a time; null: any number
                     * @example 5
                     */
                    seats?: number | null;
                    /**
                     * @description What the licence entitles to; at most 4096 characters as JSON, because the contract has them
                     * @example {
                     *       "projects": "10",
                     *       "export": "yes"
                     *     }
                     */
                    entitlements?: {
                        [key: string]: string;
                    };
                    /**
                     * @description Licences that are sold under this version renew themselves so; null: only if a person says so. Members that are left out have the defaults of a subscription
                     * @example {
                     *       "offerBefore": "P7D",
                     *       "tries": 3,
                     *       "endUnpaid": false
                     *     }
                     */
                    renews?: {
                        /**
                         * @description How long before the end of a period the next one is offered: ISO 8601
                         * @example P7D
                         */
                        offerBefore?: string;
                        /**
                         * @description How many unpaid offers one period has
                         * @example 3
                         */
                        tries?: number;
                        /** @description Whether the licence ends after the last unpaid offer and the grace of its plan */
                        endUnpaid?: boolean;
                    } | null;
                };
            };
        };
        responses: {
            /** @description The plan, at version 1 */
            201: {
                headers: {
                    /** @description Its version, for If-Match */
                    ETag?: string;
                    /** @description `true` when the answer is that of an earlier call */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Plan"];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The lifecycle does not take the step, the ledger refused, or the commandId or the Idempotency-Key is taken */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body’s content type is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The commandId or the Idempotency-Key means another change, the ledger cannot take such a command, or a search looks at too much */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    getPlan: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The plan */
            200: {
                headers: {
                    /** @description Its version, for If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Plan"];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Header Accept leaves out the media type of the answer */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    changePlan: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag last seen: refuses the change if somebody else has made one */
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @example Acme */
                    name?: string;
                    /**
                     * @description What one fee pays for; P1M and P1Y are calendar months, all others fixed durations: ISO 8601
                     * @example P1M
                     */
                    period?: string;
                    /**
                     * @description A decimal above zero as text, with at most 10 digits after the point and 28 before it
                     * @example 100.0
                     */
                    fee?: string;
                    /**
                     * @description A token-standard instrument of the configured registry
                     * @example Amulet
                     */
                    instrument?: string;
                    /**
                     * @description How long the user may set a fee aside: ISO 8601
                     * @example P3D
                     */
                    prepareUntilDuration?: string;
                    /**
                     * @description How long a renewal may be completed: ISO 8601
                     * @example P4D
                     */
                    settleBeforeDuration?: string;
                    /**
                     * @description How long after its creation no policy ends a licence: ISO 8601
                     * @example P14D
                     */
                    trial?: string;
                    /**
                     * @description How long after its end no policy ends a licence: ISO 8601
                     * @example P3D
                     */
                    grace?: string;
                    /**
                     * @description The longest validity of an offline licence file: ISO 8601
                     * @example P7D
                     */
                    offlineTime?: string;
                    /**
                     * @description A machine without a heartbeat for so long frees its seat: ISO 8601
                     * @example PT1H
                     */
                    heartbeatTime?: string;
                    /**
                     * @description Machines at a time; null: any number
                     * @example 5
                     */
                    seats?: number | null;
                    /**
                     * @description What the licence entitles to; at most 4096 characters as JSON, because the contract has them
                     * @example {
                     *       "projects": "10",
                     *       "export": "yes"
                     *     }
                     */
                    entitlements?: {
                        [key: string]: string;
                    };
                    /**
                     * @description Licences that are sold under this version renew themselves so; null: only if a person says so. Members that are left out have the defaults of a subscription
                     * @example {
                     *       "offerBefore": "P7D",
                     *       "tries": 3,
                     *       "endUnpaid": false
                     *     }
                     */
                    renews?: {
                        /**
                         * @description How long before the end of a period the next one is offered: ISO 8601
                         * @example P7D
                         */
                        offerBefore?: string;
                        /**
                         * @description How many unpaid offers one period has
                         * @example 3
                         */
                        tries?: number;
                        /** @description Whether the licence ends after the last unpaid offer and the grace of its plan */
                        endUnpaid?: boolean;
                    } | null;
                };
            };
        };
        responses: {
            /** @description The plan at its newest version */
            200: {
                headers: {
                    /** @description Its version, for If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Plan"];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description `version` is the current one, `askedVersions` and `ifMatch` are what was sent */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body’s content type is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    listPlanVersions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlanVersion"][];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Header Accept leaves out the media type of the answer */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    archivePlan: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag last seen: refuses the change if somebody else has made one */
                "If-Match"?: string;
                /**
                 * @description Names the request, plain or quoted, with 1 to 255 characters. For 24 hours the same caller gets the answer of the first request again, without a secret. A refused request frees the key.
                 * @example "order-4711"
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The plan */
            200: {
                headers: {
                    /** @description Its version, for If-Match */
                    ETag?: string;
                    /** @description `true` when the answer is that of an earlier call */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Plan"];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The lifecycle does not take the step, the ledger refused, or the commandId or the Idempotency-Key is taken */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description `version` is the current one, `askedVersions` and `ifMatch` are what was sent */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The commandId or the Idempotency-Key means another change, the ledger cannot take such a command, or a search looks at too much */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    restorePlan: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag last seen: refuses the change if somebody else has made one */
                "If-Match"?: string;
                /**
                 * @description Names the request, plain or quoted, with 1 to 255 characters. For 24 hours the same caller gets the answer of the first request again, without a secret. A refused request frees the key.
                 * @example "order-4711"
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The plan */
            200: {
                headers: {
                    /** @description Its version, for If-Match */
                    ETag?: string;
                    /** @description `true` when the answer is that of an earlier call */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Plan"];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The lifecycle does not take the step, the ledger refused, or the commandId or the Idempotency-Key is taken */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description `version` is the current one, `askedVersions` and `ifMatch` are what was sent */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The commandId or the Idempotency-Key means another change, the ledger cannot take such a command, or a search looks at too much */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    suspendLicense: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request, plain or quoted, with 1 to 255 characters. For 24 hours the same caller gets the answer of the first request again, without a secret. A refused request frees the key.
                 * @example "order-4711"
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Any contract ID that it ever had, or its lifecycleId
                 * @example 00a1b2c3d4e5f60718293a4b5c6d7e8f9012233445566778899aabbccddeeff0011
                 */
                contractId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description For the audit log and the licence’s parties
                     * @example chargeback of January
                     */
                    reason: string;
                };
            };
        };
        responses: {
            /** @description The licence as it is now */
            200: {
                headers: {
                    /** @description Its version, for If-Match */
                    ETag?: string;
                    /** @description `true` when the answer is that of an earlier call */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["License"];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The lifecycle does not take the step, the ledger refused, or the commandId or the Idempotency-Key is taken */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body’s content type is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The commandId or the Idempotency-Key means another change, the ledger cannot take such a command, or a search looks at too much */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    reinstateLicense: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request, plain or quoted, with 1 to 255 characters. For 24 hours the same caller gets the answer of the first request again, without a secret. A refused request frees the key.
                 * @example "order-4711"
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description Any contract ID that it ever had, or its lifecycleId
                 * @example 00a1b2c3d4e5f60718293a4b5c6d7e8f9012233445566778899aabbccddeeff0011
                 */
                contractId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description For the audit log and the licence’s parties
                     * @example chargeback of January
                     */
                    reason: string;
                };
            };
        };
        responses: {
            /** @description The licence as it is now */
            200: {
                headers: {
                    /** @description Its version, for If-Match */
                    ETag?: string;
                    /** @description `true` when the answer is that of an earlier call */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["License"];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The lifecycle does not take the step, the ledger refused, or the commandId or the Idempotency-Key is taken */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body’s content type is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The commandId or the Idempotency-Key means another change, the ledger cannot take such a command, or a search looks at too much */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    listSubscriptions: {
        parameters: {
            query?: {
                /** @description Entries of one page */
                limit?: number;
                /** @description From a Link header; opaque */
                cursor?: string;
                /**
                 * @description Only that of this licence
                 * @example license-a1b2c3d4e5f60718293a
                 */
                licenseId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description By the ID of the licence */
            200: {
                headers: {
                    /** @description The next page, rel="next", where there is one */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Subscription"][];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Header Accept leaves out the media type of the answer */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    getSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Any contract ID that it ever had, or its lifecycleId
                 * @example 00a1b2c3d4e5f60718293a4b5c6d7e8f9012233445566778899aabbccddeeff0011
                 */
                contractId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The subscription */
            200: {
                headers: {
                    /** @description Its version, for If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Subscription"];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Header Accept leaves out the media type of the answer */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    setSubscription: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag last seen: refuses the change if somebody else has made one */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description Any contract ID that it ever had, or its lifecycleId
                 * @example 00a1b2c3d4e5f60718293a4b5c6d7e8f9012233445566778899aabbccddeeff0011
                 */
                contractId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description The plan whose newest version is offered; null: the plan of the licence
                     * @example pro
                     */
                    planId?: string | null;
                    /**
                     * @description How long before the end of a period the next one is offered: ISO 8601
                     * @example P7D
                     */
                    offerBefore?: string;
                    /**
                     * @description How many unpaid offers one period has
                     * @example 3
                     */
                    tries?: number;
                    /** @description Whether the licence ends after the last unpaid offer and the grace of its plan */
                    endUnpaid?: boolean;
                };
            };
        };
        responses: {
            /** @description The subscription as it is now */
            200: {
                headers: {
                    /** @description Its version, for If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Subscription"];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The lifecycle does not take the step, the ledger refused, or the commandId or the Idempotency-Key is taken */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description `version` is the current one, `askedVersions` and `ifMatch` are what was sent */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body’s content type is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    cancelSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Any contract ID that it ever had, or its lifecycleId
                 * @example 00a1b2c3d4e5f60718293a4b5c6d7e8f9012233445566778899aabbccddeeff0011
                 */
                contractId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The subscription as it is now */
            200: {
                headers: {
                    /** @description Its version, for If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Subscription"];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    previewLicenseAct: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request, plain or quoted, with 1 to 255 characters. For 24 hours the same caller gets the answer of the first request again, without a secret. A refused request frees the key.
                 * @example "order-4711"
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description `offer`: ask the user to pay the next period of the plan; `expire`: end licences whose time is over; `change-plan`: offer another plan at the next renewal of licences that renew themselves
                     * @enum {string}
                     */
                    action: "offer" | "expire" | "suspend" | "reinstate" | "change-plan";
                    /**
                     * @description With `change-plan`: the plan of later renewals
                     * @example team
                     */
                    planId?: string;
                    /**
                     * @description Active licences with all of these members. An act has at most 500
                     * @example {
                     *       "plan": "pro",
                     *       "expiresBefore": "P30D"
                     *     }
                     */
                    filter: {
                        /**
                         * @description Only of this user
                         * @example app_user_quickstart-root-1::1220aa01
                         */
                        user?: string;
                        /**
                         * @description Only of the plan with this ID
                         * @example pro
                         */
                        plan?: string;
                        /**
                         * @description Only those whose reference begins with the text, or whose customer has it in its name
                         * @example ACME-00
                         */
                        search?: string;
                        /** @enum {string} */
                        state?: "active" | "renewing" | "expiring";
                        /**
                         * @description Only those whose time is over before this instant, or within this duration from now
                         * @example P30D
                         */
                        expiresBefore?: string;
                        /** @description Only suspended ones, or only those that are not */
                        suspended?: boolean;
                    };
                };
            };
        };
        responses: {
            /** @description How many, and why the others not */
            200: {
                headers: {
                    /** @description `true` when the answer is that of an earlier call */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LicenseActPreview"];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The lifecycle does not take the step, the ledger refused, or the commandId or the Idempotency-Key is taken */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body’s content type is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The commandId or the Idempotency-Key means another change, the ledger cannot take such a command, or a search looks at too much */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    actOnLicenses: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request, plain or quoted, with 1 to 255 characters. For 24 hours the same caller gets the answer of the first request again, without a secret. A refused request frees the key.
                 * @example "order-4711"
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description `offer`: ask the user to pay the next period of the plan; `expire`: end licences whose time is over; `change-plan`: offer another plan at the next renewal of licences that renew themselves
                     * @enum {string}
                     */
                    action: "offer" | "expire" | "suspend" | "reinstate" | "change-plan";
                    /**
                     * @description With `change-plan`: the plan of later renewals
                     * @example team
                     */
                    planId?: string;
                    /**
                     * @description Active licences with all of these members. An act has at most 500
                     * @example {
                     *       "plan": "pro",
                     *       "expiresBefore": "P30D"
                     *     }
                     */
                    filter: {
                        /**
                         * @description Only of this user
                         * @example app_user_quickstart-root-1::1220aa01
                         */
                        user?: string;
                        /**
                         * @description Only of the plan with this ID
                         * @example pro
                         */
                        plan?: string;
                        /**
                         * @description Only those whose reference begins with the text, or whose customer has it in its name
                         * @example ACME-00
                         */
                        search?: string;
                        /** @enum {string} */
                        state?: "active" | "renewing" | "expiring";
                        /**
                         * @description Only those whose time is over before this instant, or within this duration from now
                         * @example P30D
                         */
                        expiresBefore?: string;
                        /** @description Only suspended ones, or only those that are not */
                        suspended?: boolean;
                    };
                    /**
                     * @description For the audit log; with `suspend` also for the parties of the licences
                     * @example the new price list
                     */
                    reason: string;
                    confirmation?: {
                        /** @description The token of the preview */
                        token: string;
                        /** @description The count that the preview has shown */
                        count: number;
                    };
                };
            };
        };
        responses: {
            /** @description What was done, and why the others were not */
            200: {
                headers: {
                    /** @description `true` when the answer is that of an earlier call */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LicenseActResult"];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The lifecycle does not take the step, the ledger refused, or the commandId or the Idempotency-Key is taken */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body’s content type is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The commandId or the Idempotency-Key means another change, the ledger cannot take such a command, or a search looks at too much */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The act cannot be taken back: it needs the token of a preview, its count, and a reason */
            428: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    getAttention: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The digest, as far as it could be read */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpsAttention"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Header Accept leaves out the media type of the answer */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    listOpsCommands: {
        parameters: {
            query?: {
                /** @description Any of these */
                state?: ("queued" | "submitting" | "retrying" | "in-doubt" | "succeeded" | "rejected" | "failed" | "cancelled")[];
                /** @description What the ledger’s answer means: any of these */
                class?: ("done" | "in-flight" | "contention" | "stale-contract" | "no-traffic" | "busy" | "unknown" | "credentials" | "refused")[];
                /**
                 * @description The problem’s `code` or the ledger’s `ledgerCode`
                 * @example CONTRACT_NOT_FOUND
                 */
                code?: string;
                /**
                 * @description Whom they are about, whoever asked
                 * @example app_user_quickstart-root-1::1220aa01
                 */
                party?: string;
                /**
                 * @description Of this lifecycle: its id or any contract ID it ever had
                 * @example license-a1b2c3d4e5f60718293a
                 */
                lifecycleId?: string;
                /**
                 * @description An attempt that is kept named this contract or, before the first attempt, it is the one of its lifecycle now; `lifecycleId` finds all
                 * @example 00a1b2c3
                 */
                contractId?: string;
                /**
                 * @description This one; with `*` at the end, all that begin so
                 * @example tenure:expire:*
                 */
                commandId?: string;
                /**
                 * @description Accepted longer ago (ISO 8601 duration) or before (instant)
                 * @example PT1H
                 */
                olderThan?: string;
                /**
                 * @description Accepted less long ago (ISO 8601 duration), or at or after (instant)
                 * @example P1D
                 */
                newerThan?: string;
                /**
                 * @description The identity that asked; `tenure`: a policy, whichever
                 * @example c1f7d7b0-5f4e-4c7e-9d43-0e3b1f4b7a11
                 */
                by?: string;
                /** @description What this policy asked for, and retries of that by persons */
                policy?: "expiry" | "renewal" | "subscription";
                /** @description Any of these */
                operation?: ("request-install" | "accept-install-request" | "reject-install-request" | "cancel-install-request" | "create-license" | "cancel-install" | "expire-license" | "renew-license" | "complete-renewal" | "withdraw-renewal" | "comment-license")[];
                /**
                 * @description The fingerprint of a failure
                 * @example 9f86d081884c7d65
                 */
                failure?: string;
                order?: "newest" | "oldest";
                /** @description Entries of one page */
                limit?: number;
                /** @description From a Link header; opaque */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of them */
            200: {
                headers: {
                    /** @description The next page, rel="next", where there is one */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpsCommand"][];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Header Accept leaves out the media type of the answer */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The commandId or the Idempotency-Key means another change, the ledger cannot take such a command, or a search looks at too much */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    countOpsCommands: {
        parameters: {
            query?: {
                /** @description Any of these */
                state?: ("queued" | "submitting" | "retrying" | "in-doubt" | "succeeded" | "rejected" | "failed" | "cancelled")[];
                /** @description What the ledger’s answer means: any of these */
                class?: ("done" | "in-flight" | "contention" | "stale-contract" | "no-traffic" | "busy" | "unknown" | "credentials" | "refused")[];
                /**
                 * @description The problem’s `code` or the ledger’s `ledgerCode`
                 * @example CONTRACT_NOT_FOUND
                 */
                code?: string;
                /**
                 * @description Whom they are about, whoever asked
                 * @example app_user_quickstart-root-1::1220aa01
                 */
                party?: string;
                /**
                 * @description Of this lifecycle: its id or any contract ID it ever had
                 * @example license-a1b2c3d4e5f60718293a
                 */
                lifecycleId?: string;
                /**
                 * @description An attempt that is kept named this contract or, before the first attempt, it is the one of its lifecycle now; `lifecycleId` finds all
                 * @example 00a1b2c3
                 */
                contractId?: string;
                /**
                 * @description This one; with `*` at the end, all that begin so
                 * @example tenure:expire:*
                 */
                commandId?: string;
                /**
                 * @description Accepted longer ago (ISO 8601 duration) or before (instant)
                 * @example PT1H
                 */
                olderThan?: string;
                /**
                 * @description Accepted less long ago (ISO 8601 duration), or at or after (instant)
                 * @example P1D
                 */
                newerThan?: string;
                /**
                 * @description The identity that asked; `tenure`: a policy, whichever
                 * @example c1f7d7b0-5f4e-4c7e-9d43-0e3b1f4b7a11
                 */
                by?: string;
                /** @description What this policy asked for, and retries of that by persons */
                policy?: "expiry" | "renewal" | "subscription";
                /** @description Any of these */
                operation?: ("request-install" | "accept-install-request" | "reject-install-request" | "cancel-install-request" | "create-license" | "cancel-install" | "expire-license" | "renew-license" | "complete-renewal" | "withdraw-renewal" | "comment-license")[];
                /**
                 * @description The fingerprint of a failure
                 * @example 9f86d081884c7d65
                 */
                failure?: string;
                /** @example code */
                groupBy?: "state" | "class" | "code" | "operation" | "party" | "by" | "failure" | "hour" | "day";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The largest groups first, at most a thousand; by time in order */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpsCounts"];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Header Accept leaves out the media type of the answer */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The commandId or the Idempotency-Key means another change, the ledger cannot take such a command, or a search looks at too much */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    listInDoubt: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description At most a hundred of them */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpsOperation"][];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Header Accept leaves out the media type of the answer */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    listAlarms: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description At most a thousand */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Alarm"][];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Header Accept leaves out the media type of the answer */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    getOpsCommand: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpsOperation"];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Header Accept leaves out the media type of the answer */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    decideOpsCommand: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request, plain or quoted, with 1 to 255 characters. For 24 hours the same caller gets the answer of the first request again, without a secret. A refused request frees the key.
                 * @example "order-4711"
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    decision: "took-effect" | "no-effect" | "submit-again";
                    /** @description With `took-effect`: the update that it was */
                    updateId?: string;
                    /** @example no update with its workflow ID between offsets 120 and 240 */
                    reason: string;
                    confirmation?: {
                        /** @description The token of the preview */
                        token: string;
                        /** @description The count that the preview has shown */
                        count: number;
                    };
                };
            };
        };
        responses: {
            /** @description The operation as it is now */
            200: {
                headers: {
                    /** @description `true` when the answer is that of an earlier call */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpsOperation"];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The lifecycle does not take the step, the ledger refused, or the commandId or the Idempotency-Key is taken */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body’s content type is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The commandId or the Idempotency-Key means another change, the ledger cannot take such a command, or a search looks at too much */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The act cannot be taken back: it needs the token of a preview, its count, and a reason */
            428: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    previewDecideOpsCommand: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Ignored, because a repetition is harmless: a preview changes nothing, and each one has a token of its own
                 * @example "order-4711"
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    decision: "took-effect" | "no-effect" | "submit-again";
                    /** @description With `took-effect`: the update that it was */
                    updateId?: string;
                };
            };
        };
        responses: {
            /** @description What it does */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ActPreview"];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The lifecycle does not take the step, the ledger refused, or the commandId or the Idempotency-Key is taken */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body’s content type is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    previewGiveUpSynchronizer: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Ignored, because a repetition is harmless: a preview changes nothing, and each one has a token of its own
                 * @example "order-4711"
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @example app-provider */
                    participant: string;
                    /** @example global-domain::1220be58 */
                    synchronizer: string;
                };
            };
        };
        responses: {
            /** @description What it does */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ActPreview"];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The lifecycle does not take the step, the ledger refused, or the commandId or the Idempotency-Key is taken */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body’s content type is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    retryOpsCommand: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request, plain or quoted, with 1 to 255 characters. For 24 hours the same caller gets the answer of the first request again, without a secret. A refused request frees the key.
                 * @example "order-4711"
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @example the participant is back */
                    reason: string;
                };
            };
        };
        responses: {
            /** @description The new operation */
            202: {
                headers: {
                    /** @description Where to follow the operation */
                    Location?: string;
                    /** @description `true` when the answer is that of an earlier call */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpsOperation"];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The lifecycle does not take the step, the ledger refused, or the commandId or the Idempotency-Key is taken */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body’s content type is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The commandId or the Idempotency-Key means another change, the ledger cannot take such a command, or a search looks at too much */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    cancelOpsCommand: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request, plain or quoted, with 1 to 255 characters. For 24 hours the same caller gets the answer of the first request again, without a secret. A refused request frees the key.
                 * @example "order-4711"
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @example ordered by mistake */
                    reason: string;
                };
            };
        };
        responses: {
            /** @description The operation as it is now */
            200: {
                headers: {
                    /** @description `true` when the answer is that of an earlier call */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpsOperation"];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The lifecycle does not take the step, the ledger refused, or the commandId or the Idempotency-Key is taken */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body’s content type is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The commandId or the Idempotency-Key means another change, the ledger cannot take such a command, or a search looks at too much */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    listPauses: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All of them */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pause"][];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Header Accept leaves out the media type of the answer */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    createPause: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request, plain or quoted, with 1 to 255 characters. For 24 hours the same caller gets the answer of the first request again, without a secret. A refused request frees the key.
                 * @example "order-4711"
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    scope: "participant" | "operation" | "provider";
                    /** @example app-provider */
                    name: string;
                    /**
                     * @default pause
                     * @enum {string}
                     */
                    mode?: "pause" | "drain";
                    /** @example the participant is being upgraded */
                    reason: string;
                };
            };
        };
        responses: {
            /** @description It is stopped */
            201: {
                headers: {
                    /** @description `true` when the answer is that of an earlier call */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pause"];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The lifecycle does not take the step, the ledger refused, or the commandId or the Idempotency-Key is taken */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body’s content type is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The commandId or the Idempotency-Key means another change, the ledger cannot take such a command, or a search looks at too much */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    resumePause: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request, plain or quoted, with 1 to 255 characters. For 24 hours the same caller gets the answer of the first request again, without a secret. A refused request frees the key.
                 * @example "order-4711"
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @example the upgrade is done */
                    reason: string;
                };
            };
        };
        responses: {
            /** @description What has ended */
            200: {
                headers: {
                    /** @description `true` when the answer is that of an earlier call */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pause"];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The lifecycle does not take the step, the ledger refused, or the commandId or the Idempotency-Key is taken */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body’s content type is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The commandId or the Idempotency-Key means another change, the ledger cannot take such a command, or a search looks at too much */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    listTimers: {
        parameters: {
            query?: {
                /** @description Entries of one page */
                limit?: number;
                /** @description From a Link header; opaque */
                cursor?: string;
                kind?: "expire" | "withdraw";
                state?: "waiting" | "fired" | "given-up";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The first to lapse first */
            200: {
                headers: {
                    /** @description The next page, rel="next", where there is one */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Timer"][];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Header Accept leaves out the media type of the answer */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    rearmTimer: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request, plain or quoted, with 1 to 255 characters. For 24 hours the same caller gets the answer of the first request again, without a secret. A refused request frees the key.
                 * @example "order-4711"
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @example the right is back */
                    reason: string;
                };
            };
        };
        responses: {
            /** @description The timer as it is now */
            200: {
                headers: {
                    /** @description `true` when the answer is that of an earlier call */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Timer"];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The lifecycle does not take the step, the ledger refused, or the commandId or the Idempotency-Key is taken */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body’s content type is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The commandId or the Idempotency-Key means another change, the ledger cannot take such a command, or a search looks at too much */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    previewOpsCommands: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Ignored, because a repetition is harmless: a preview changes nothing, and each one has a token of its own
                 * @example "order-4711"
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    action: "retry" | "cancel" | "decide";
                    /**
                     * @description With `decide`
                     * @enum {string}
                     */
                    decision?: "took-effect" | "no-effect" | "submit-again";
                    filter: {
                        /** @description Any of these */
                        state?: ("queued" | "submitting" | "retrying" | "in-doubt" | "succeeded" | "rejected" | "failed" | "cancelled")[];
                        /** @description What the ledger’s answer means: any of these */
                        class?: ("done" | "in-flight" | "contention" | "stale-contract" | "no-traffic" | "busy" | "unknown" | "credentials" | "refused")[];
                        /**
                         * @description The problem’s `code` or the ledger’s `ledgerCode`
                         * @example CONTRACT_NOT_FOUND
                         */
                        code?: string;
                        /**
                         * @description Whom they are about, whoever asked
                         * @example app_user_quickstart-root-1::1220aa01
                         */
                        party?: string;
                        /**
                         * @description Of this lifecycle: its id or any contract ID it ever had
                         * @example license-a1b2c3d4e5f60718293a
                         */
                        lifecycleId?: string;
                        /**
                         * @description An attempt that is kept named this contract or, before the first attempt, it is the one of its lifecycle now; `lifecycleId` finds all
                         * @example 00a1b2c3
                         */
                        contractId?: string;
                        /**
                         * @description This one; with `*` at the end, all that begin so
                         * @example tenure:expire:*
                         */
                        commandId?: string;
                        /**
                         * @description Accepted longer ago (ISO 8601 duration) or before (instant)
                         * @example PT1H
                         */
                        olderThan?: string;
                        /**
                         * @description Accepted less long ago (ISO 8601 duration), or at or after (instant)
                         * @example P1D
                         */
                        newerThan?: string;
                        /**
                         * @description The identity that asked; `tenure`: a policy, whichever
                         * @example c1f7d7b0-5f4e-4c7e-9d43-0e3b1f4b7a11
                         */
                        by?: string;
                        /**
                         * @description What this policy asked for, and retries of that by persons
                         * @enum {string}
                         */
                        policy?: "expiry" | "renewal" | "subscription";
                        /** @description Any of these */
                        operation?: ("request-install" | "accept-install-request" | "reject-install-request" | "cancel-install-request" | "create-license" | "cancel-install" | "expire-license" | "renew-license" | "complete-renewal" | "withdraw-renewal" | "comment-license")[];
                        /**
                         * @description The fingerprint of a failure
                         * @example 9f86d081884c7d65
                         */
                        failure?: string;
                    };
                    /** @example the participant is back */
                    reason: string;
                };
            };
        };
        responses: {
            /** @description How many, and why the others not */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkPreview"];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body’s content type is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The commandId or the Idempotency-Key means another change, the ledger cannot take such a command, or a search looks at too much */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    applyOpsCommands: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request, plain or quoted, with 1 to 255 characters. For 24 hours the same caller gets the answer of the first request again, without a secret. A refused request frees the key.
                 * @example "order-4711"
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Of the preview */
                    token: string;
                    /** @description Of the preview: how many are to be done */
                    count: number;
                };
            };
        };
        responses: {
            /** @description The act, of which nothing has been done yet */
            202: {
                headers: {
                    /** @description `true` when the answer is that of an earlier call */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkAct"];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The lifecycle does not take the step, the ledger refused, or the commandId or the Idempotency-Key is taken */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body’s content type is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The commandId or the Idempotency-Key means another change, the ledger cannot take such a command, or a search looks at too much */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    listActs: {
        parameters: {
            query?: {
                /** @description Entries of one page */
                limit?: number;
                /** @description From a Link header; opaque */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of them */
            200: {
                headers: {
                    /** @description The next page, rel="next", where there is one */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkAct"][];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Header Accept leaves out the media type of the answer */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    getAct: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The act */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkAct"];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Header Accept leaves out the media type of the answer */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    stopAct: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request, plain or quoted, with 1 to 255 characters. For 24 hours the same caller gets the answer of the first request again, without a secret. A refused request frees the key.
                 * @example "order-4711"
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @example the first ones failed again */
                    reason: string;
                };
            };
        };
        responses: {
            /** @description The act as it is now */
            200: {
                headers: {
                    /** @description `true` when the answer is that of an earlier call */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkAct"];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The lifecycle does not take the step, the ledger refused, or the commandId or the Idempotency-Key is taken */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body’s content type is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The commandId or the Idempotency-Key means another change, the ledger cannot take such a command, or a search looks at too much */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    listCosts: {
        parameters: {
            query?: {
                /**
                 * @description Accepted not longer ago (ISO 8601 duration), or at or after (instant)
                 * @example P30D
                 */
                from?: string;
                /**
                 * @description Accepted longer ago (ISO 8601 duration), or before (instant)
                 * @example P1D
                 */
                until?: string;
                /**
                 * @description Whom they are about, whoever asked
                 * @example app_user_quickstart-root-1::1220aa01
                 */
                party?: string;
                /** @description Any of these */
                operation?: ("request-install" | "accept-install-request" | "reject-install-request" | "cancel-install-request" | "create-license" | "cancel-install" | "expire-license" | "renew-license" | "complete-renewal" | "withdraw-renewal" | "comment-license")[];
                /** @description What is added up apart; all of these unless told */
                groupBy?: ("day" | "operation" | "party")[];
                /** @description Entries of one page */
                limit?: number;
                /** @description From a Link header; opaque */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of them */
            200: {
                headers: {
                    /** @description The next page, rel="next", where there is one */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Cost"][];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Header Accept leaves out the media type of the answer */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The commandId or the Idempotency-Key means another change, the ledger cannot take such a command, or a search looks at too much */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    listQuotas: {
        parameters: {
            query?: {
                /** @description Entries of one page */
                limit?: number;
                /** @description From a Link header; opaque */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of them */
            200: {
                headers: {
                    /** @description The next page, rel="next", where there is one */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TenantQuotas"][];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Header Accept leaves out the media type of the answer */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The commandId or the Idempotency-Key means another change, the ledger cannot take such a command, or a search looks at too much */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    listFailures: {
        parameters: {
            query?: {
                state?: "open" | "resolved" | "ignored" | "all";
                operation?: "request-install" | "accept-install-request" | "reject-install-request" | "cancel-install-request" | "create-license" | "cancel-install" | "expire-license" | "renew-license" | "complete-renewal" | "withdraw-renewal" | "comment-license";
                /** @description The problem’s `code` or the ledger’s `ledgerCode` */
                code?: string;
                /** @description Entries of one page */
                limit?: number;
                /** @description From a Link header; opaque */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of them */
            200: {
                headers: {
                    /** @description The next page, rel="next", where there is one */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"][];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Header Accept leaves out the media type of the answer */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The commandId or the Idempotency-Key means another change, the ledger cannot take such a command, or a search looks at too much */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    resolveFailure: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request, plain or quoted, with 1 to 255 characters. For 24 hours the same caller gets the answer of the first request again, without a secret. A refused request frees the key.
                 * @example "order-4711"
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @example the participant is back */
                    reason: string;
                };
            };
        };
        responses: {
            /** @description The failure as it is now */
            200: {
                headers: {
                    /** @description `true` when the answer is that of an earlier call */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The lifecycle does not take the step, the ledger refused, or the commandId or the Idempotency-Key is taken */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body’s content type is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The commandId or the Idempotency-Key means another change, the ledger cannot take such a command, or a search looks at too much */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    ignoreFailure: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request, plain or quoted, with 1 to 255 characters. For 24 hours the same caller gets the answer of the first request again, without a secret. A refused request frees the key.
                 * @example "order-4711"
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @example a caller that tries too early */
                    reason: string;
                };
            };
        };
        responses: {
            /** @description The failure as it is now */
            200: {
                headers: {
                    /** @description `true` when the answer is that of an earlier call */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The lifecycle does not take the step, the ledger refused, or the commandId or the Idempotency-Key is taken */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body’s content type is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The commandId or the Idempotency-Key means another change, the ledger cannot take such a command, or a search looks at too much */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    reopenFailure: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request, plain or quoted, with 1 to 255 characters. For 24 hours the same caller gets the answer of the first request again, without a secret. A refused request frees the key.
                 * @example "order-4711"
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @example it was not that */
                    reason: string;
                };
            };
        };
        responses: {
            /** @description The failure as it is now */
            200: {
                headers: {
                    /** @description `true` when the answer is that of an earlier call */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The lifecycle does not take the step, the ledger refused, or the commandId or the Idempotency-Key is taken */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body’s content type is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The commandId or the Idempotency-Key means another change, the ledger cannot take such a command, or a search looks at too much */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    listOpsLifecycles: {
        parameters: {
            query?: {
                kind?: "install-request" | "install" | "license" | "renewal";
                /**
                 * @description As the counts name it
                 * @example expiring
                 */
                state?: string;
                /** @description Whose they are: the provider, or a user */
                party?: string;
                /** @description Begun longer ago (ISO 8601 duration) or before (instant) */
                olderThan?: string;
                /** @description Entries of one page */
                limit?: number;
                /** @description From a Link header; opaque */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of them */
            200: {
                headers: {
                    /** @description The next page, rel="next", where there is one */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpsLifecycle"][];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Header Accept leaves out the media type of the answer */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The commandId or the Idempotency-Key means another change, the ledger cannot take such a command, or a search looks at too much */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    countOpsLifecycles: {
        parameters: {
            query?: {
                kind?: "install-request" | "install" | "license" | "renewal";
                /**
                 * @description As the counts name it
                 * @example expiring
                 */
                state?: string;
                /** @description Whose they are: the provider, or a user */
                party?: string;
                /** @description Begun longer ago (ISO 8601 duration) or before (instant) */
                olderThan?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Those that there are */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpsLifecycleCount"][];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Header Accept leaves out the media type of the answer */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The commandId or the Idempotency-Key means another change, the ledger cannot take such a command, or a search looks at too much */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    listStreams: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All of them */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpsStream"][];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Header Accept leaves out the media type of the answer */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    listLeases: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All of them */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpsLease"][];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Header Accept leaves out the media type of the answer */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    listSynchronizers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All of them */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpsSynchronizer"][];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Header Accept leaves out the media type of the answer */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    giveUpSynchronizer: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request, plain or quoted, with 1 to 255 characters. For 24 hours the same caller gets the answer of the first request again, without a secret. A refused request frees the key.
                 * @example "order-4711"
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @example app-provider */
                    participant: string;
                    /** @example global-domain::1220be58 */
                    synchronizer: string;
                    /** @example the synchronizer was shut down */
                    reason: string;
                    confirmation?: {
                        /** @description The token of the preview */
                        token: string;
                        /** @description The count that the preview has shown */
                        count: number;
                    };
                };
            };
        };
        responses: {
            /** @description It is given up */
            200: {
                headers: {
                    /** @description `true` when the answer is that of an earlier call */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpsSynchronizer"];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The lifecycle does not take the step, the ledger refused, or the commandId or the Idempotency-Key is taken */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body’s content type is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The commandId or the Idempotency-Key means another change, the ledger cannot take such a command, or a search looks at too much */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The act cannot be taken back: it needs the token of a preview, its count, and a reason */
            428: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    listAudit: {
        parameters: {
            query?: {
                /**
                 * @description The identity that acted
                 * @example c1f7d7b0-5f4e-4c7e-9d43-0e3b1f4b7a11
                 */
                by?: string;
                /**
                 * @description What was done
                 * @example retried
                 */
                act?: string;
                /**
                 * @description What it was done to: the id of an operation or of an act on many, or kind and name
                 * @example failure:9f86d081884c7d65
                 */
                object?: string;
                /**
                 * @description Not longer ago (ISO 8601 duration), or at or after (instant)
                 * @example P1D
                 */
                since?: string;
                /** @description Entries of one page */
                limit?: number;
                /** @description From a Link header; opaque */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of them */
            200: {
                headers: {
                    /** @description The next page, rel="next", where there is one */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditEntry"][];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Header Accept leaves out the media type of the answer */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The commandId or the Idempotency-Key means another change, the ledger cannot take such a command, or a search looks at too much */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    listOpsSessions: {
        parameters: {
            query?: {
                /**
                 * @description The identity that signed in
                 * @example c1f7d7b0-5f4e-4c7e-9d43-0e3b1f4b7a11
                 */
                subject?: string;
                /**
                 * @description The party that it acts for
                 * @example app_user_quickstart-root-1::1220aa01
                 */
                party?: string;
                /** @description Entries of one page */
                limit?: number;
                /** @description From a Link header; opaque */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of them */
            200: {
                headers: {
                    /** @description The next page, rel="next", where there is one */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"][];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Header Accept leaves out the media type of the answer */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    endOpsSession: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request, plain or quoted, with 1 to 255 characters. For 24 hours the same caller gets the answer of the first request again, without a secret. A refused request frees the key.
                 * @example "order-4711"
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @example the laptop was lost */
                    reason: string;
                };
            };
        };
        responses: {
            /** @description The session has ended */
            204: {
                headers: {
                    /** @description `true` when the answer is that of an earlier call */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The lifecycle does not take the step, the ledger refused, or the commandId or the Idempotency-Key is taken */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body’s content type is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The commandId or the Idempotency-Key means another change, the ledger cannot take such a command, or a search looks at too much */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    getExpiryPolicy: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The policy */
            200: {
                headers: {
                    /** @description Its version, for If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExpiryPolicy"];
                };
            };
            /** @description The caller has it: If-None-Match named it */
            304: {
                headers: {
                    /** @description Its version, for If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Header Accept leaves out the media type of the answer */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    setExpiryPolicy: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag last seen: refuses the change if somebody else has made one */
                "If-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description dry-run: what would end is listed, and nothing ends
                     * @enum {string}
                     */
                    mode: "off" | "dry-run" | "on";
                    /**
                     * @description How long after its expiresAt a licence is left alone: ISO 8601 in days and time
                     * @example P3D
                     */
                    grace: string;
                    /** @description Whether licences end that nobody has ever paid for: a new licence is born expired */
                    includeNeverRenewed: boolean;
                    /**
                     * @description Whether licences end that the provider has suspended; left alone by default
                     * @default false
                     */
                    includeSuspended?: boolean;
                    /** @description Parts of each day in which nothing ends by itself; `from` after `to` goes over midnight */
                    quietHours: {
                        /**
                         * @description HH:MM, inclusive
                         * @example 22:00
                         */
                        from: string;
                        /**
                         * @description HH:MM, exclusive; 24:00 is the end of the day
                         * @example 06:00
                         */
                        to: string;
                        /**
                         * @description An IANA name
                         * @example Europe/Zurich
                         */
                        timeZone: string;
                    }[];
                    /** @description Nothing new fires; what is on its way goes on */
                    paused: boolean;
                    /**
                     * @description Expiries of the policy that may be on their way at once
                     * @example 10
                     */
                    maxInFlight: number;
                    /** @description The version that was read. PUT refuses any other, as with If-Match */
                    version?: number;
                    /** @description Needed where the policy can end an existing licence that the policy before it could not end */
                    confirmation?: {
                        /** @description The token of the preview */
                        token: string;
                        /** @description The count that the preview has shown */
                        count: number;
                        /**
                         * @description For the audit log
                         * @example licences end three days after they lapse, as of January
                         */
                        reason: string;
                        /** @description Needed where the policy also ends licences that were never renewed */
                        includeNeverRenewed?: boolean;
                    };
                };
            };
        };
        responses: {
            /** @description The policy as it is now */
            200: {
                headers: {
                    /** @description Its version, for If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExpiryPolicy"];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The lifecycle does not take the step, the ledger refused, or the commandId or the Idempotency-Key is taken */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description `version` is the current one, `askedVersions` and `ifMatch` are what was sent */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body’s content type is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The act cannot be taken back: it needs the token of a preview, its count, and a reason */
            428: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    getRenewalPolicy: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The policy */
            200: {
                headers: {
                    /** @description Its version, for If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RenewalPolicy"];
                };
            };
            /** @description The caller has it: If-None-Match named it */
            304: {
                headers: {
                    /** @description Its version, for If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Header Accept leaves out the media type of the answer */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    setRenewalPolicy: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag last seen: refuses the change if somebody else has made one */
                "If-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Complete a renewal as soon as an allocation is there that is what it asked for */
                    complete: boolean;
                    /** @description Withdraw one whose window has closed without */
                    withdrawLapsed: boolean;
                    /** @description The version that was read. PUT refuses any other, as with If-Match */
                    version?: number;
                    /** @description Needed where the policy can end an existing licence that the policy before it could not end */
                    confirmation?: {
                        /** @description The token of the preview */
                        token: string;
                        /** @description The count that the preview has shown */
                        count: number;
                        /**
                         * @description For the audit log
                         * @example licences end three days after they lapse, as of January
                         */
                        reason: string;
                        /** @description Needed where the policy also ends licences that were never renewed */
                        includeNeverRenewed?: boolean;
                    };
                };
            };
        };
        responses: {
            /** @description The policy as it is now */
            200: {
                headers: {
                    /** @description Its version, for If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RenewalPolicy"];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The lifecycle does not take the step, the ledger refused, or the commandId or the Idempotency-Key is taken */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description `version` is the current one, `askedVersions` and `ifMatch` are what was sent */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body’s content type is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    previewExpiry: {
        parameters: {
            query?: {
                /** @description Entries of one page */
                limit?: number;
                /** @description From a Link header; opaque */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description By expiresAt */
            200: {
                headers: {
                    /** @description The next page, rel="next", where there is one */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExpiryPreview"][];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Header Accept leaves out the media type of the answer */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    previewExpiryPolicy: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Ignored, because a repetition is harmless: a preview changes nothing, and each one has a token of its own
                 * @example "order-4711"
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description dry-run: what would end is listed, and nothing ends
                     * @enum {string}
                     */
                    mode: "off" | "dry-run" | "on";
                    /**
                     * @description How long after its expiresAt a licence is left alone: ISO 8601 in days and time
                     * @example P3D
                     */
                    grace: string;
                    /** @description Whether licences end that nobody has ever paid for: a new licence is born expired */
                    includeNeverRenewed: boolean;
                    /**
                     * @description Whether licences end that the provider has suspended; left alone by default
                     * @default false
                     */
                    includeSuspended?: boolean;
                    /** @description Parts of each day in which nothing ends by itself; `from` after `to` goes over midnight */
                    quietHours: {
                        /**
                         * @description HH:MM, inclusive
                         * @example 22:00
                         */
                        from: string;
                        /**
                         * @description HH:MM, exclusive; 24:00 is the end of the day
                         * @example 06:00
                         */
                        to: string;
                        /**
                         * @description An IANA name
                         * @example Europe/Zurich
                         */
                        timeZone: string;
                    }[];
                    /** @description Nothing new fires; what is on its way goes on */
                    paused: boolean;
                    /**
                     * @description Expiries of the policy that may be on their way at once
                     * @example 10
                     */
                    maxInFlight: number;
                    /** @description The version that was read. PUT refuses any other, as with If-Match */
                    version?: number;
                };
            };
        };
        responses: {
            /** @description What it can end */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyPreview"];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body’s content type is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    getPendingExpiryPolicy: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description How long */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PendingPolicy"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Header Accept leaves out the media type of the answer */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    undoExpiryPolicy: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request, plain or quoted, with 1 to 255 characters. For 24 hours the same caller gets the answer of the first request again, without a secret. A refused request frees the key.
                 * @example "order-4711"
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The version that is taken back */
                    version: number;
                    /**
                     * @description For the audit log
                     * @example licences end three days after they lapse, as of January
                     */
                    reason: string;
                };
            };
        };
        responses: {
            /** @description The policy as it is now */
            200: {
                headers: {
                    /** @description Its version, for If-Match */
                    ETag?: string;
                    /** @description `true` when the answer is that of an earlier call */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExpiryPolicy"];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The lifecycle does not take the step, the ledger refused, or the commandId or the Idempotency-Key is taken */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description `version` is the current one, `askedVersions` and `ifMatch` are what was sent */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body’s content type is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The commandId or the Idempotency-Key means another change, the ledger cannot take such a command, or a search looks at too much */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    previewRenewalPolicy: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Ignored, because a repetition is harmless: a preview changes nothing, and each one has a token of its own
                 * @example "order-4711"
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Complete a renewal as soon as an allocation is there that is what it asked for */
                    complete: boolean;
                    /** @description Withdraw one whose window has closed without */
                    withdrawLapsed: boolean;
                    /** @description The version that was read. PUT refuses any other, as with If-Match */
                    version?: number;
                };
            };
        };
        responses: {
            /** @description What it can end */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyPreview"];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body’s content type is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    getPendingRenewalPolicy: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description How long */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PendingPolicy"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Header Accept leaves out the media type of the answer */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    undoRenewalPolicy: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request, plain or quoted, with 1 to 255 characters. For 24 hours the same caller gets the answer of the first request again, without a secret. A refused request frees the key.
                 * @example "order-4711"
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The version that is taken back */
                    version: number;
                    /**
                     * @description For the audit log
                     * @example licences end three days after they lapse, as of January
                     */
                    reason: string;
                };
            };
        };
        responses: {
            /** @description The policy as it is now */
            200: {
                headers: {
                    /** @description Its version, for If-Match */
                    ETag?: string;
                    /** @description `true` when the answer is that of an earlier call */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RenewalPolicy"];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The lifecycle does not take the step, the ledger refused, or the commandId or the Idempotency-Key is taken */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description `version` is the current one, `askedVersions` and `ifMatch` are what was sent */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body’s content type is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The commandId or the Idempotency-Key means another change, the ledger cannot take such a command, or a search looks at too much */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    listTenantRegistrations: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The tenants */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TenantRegistration"][];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Header Accept leaves out the media type of the answer */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    createTenantRegistration: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Names the request, plain or quoted, with 1 to 255 characters. For 24 hours the same caller gets the answer of the first request again, without a secret. A refused request frees the key.
                 * @example "order-4711"
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TenantRegistrationRequest"];
            };
        };
        responses: {
            /** @description Registered */
            201: {
                headers: {
                    /** @description `true` when the answer is that of an earlier call */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedTenantRegistration"];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The lifecycle does not take the step, the ledger refused, or the commandId or the Idempotency-Key is taken */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body’s content type is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The commandId or the Idempotency-Key means another change, the ledger cannot take such a command, or a search looks at too much */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    previewDeleteTenantRegistration: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Ignored, because a repetition is harmless: a preview changes nothing, and each one has a token of its own
                 * @example "order-4711"
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                tenantId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What ends */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ActPreview"];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The lifecycle does not take the step, the ledger refused, or the commandId or the Idempotency-Key is taken */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    deleteTenantRegistration: {
        parameters: {
            query?: {
                /** @description The token of the preview */
                token?: string;
                /** @description The count that the preview has shown */
                count?: number;
                /**
                 * @description For the audit log
                 * @example the customer has left
                 */
                reason?: string;
            };
            header?: never;
            path: {
                tenantId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Ended */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The lifecycle does not take the step, the ledger refused, or the commandId or the Idempotency-Key is taken */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The act cannot be taken back: it needs the token of a preview, its count, and a reason */
            428: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    getAuthenticatedUser: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The caller */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuthenticatedUser"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Header Accept leaves out the media type of the answer */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    listSessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All of them, at most 100 */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"][];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Header Accept leaves out the media type of the answer */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    endSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session has ended */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    getFeatureFlags: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The mode */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FeatureFlags"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    listLinks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One for each tenant */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoginLink"][];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    listPublicKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The newest key first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JwkSet"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    beginLogin: {
        parameters: {
            query?: {
                /**
                 * @description a path of this origin to go to after the login; it is kept over a login that fails, and anything else is passed over
                 * @example /ui/licenses?state=active
                 */
                returnTo?: string;
            };
            header?: never;
            path: {
                registrationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description To the authorization server */
            302: {
                headers: {
                    /** @description Where to go */
                    Location?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    endLogin: {
        parameters: {
            query?: {
                code?: string;
                state?: string;
            };
            header?: never;
            path: {
                registrationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description To where the login was to return, or / ; to /login?error when it failed */
            302: {
                headers: {
                    /** @description Where to go */
                    Location?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    signIn: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Ignored, because a repetition is harmless: each login has a session of its own
                 * @example "order-4711"
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description To where the login was to return, or / ; to /login?error when it failed */
            302: {
                headers: {
                    /** @description Where to go */
                    Location?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body’s content type is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    signInByPath: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Ignored, because a repetition is harmless: each login has a session of its own
                 * @example "order-4711"
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description To where the login was to return, or / ; to /login?error when it failed */
            302: {
                headers: {
                    /** @description Where to go */
                    Location?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not known, or not the caller’s */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body’s content type is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    logout: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Ignored, because a repetition is harmless: who is signed out stays signed out
                 * @example "order-4711"
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Signed out, for a script */
            204: {
                headers: {
                    /** @description `true` when the answer is that of an earlier call */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description To the authorization server’s logout, or / */
            302: {
                headers: {
                    /** @description Where to go */
                    Location?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The caller lacks the permission, it is the other side’s to do, or a CSRF token is missing or wrong */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body’s content type is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    validateLicenseKey: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Ignored, because a repetition is harmless: a question changes nothing
                 * @example "order-4711"
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description The fingerprint of the machine: a text of the program that no other machine has
                     * @example b7c1f0a2-laptop
                     */
                    machine?: string;
                    /**
                     * @description Entitlements that the program needs; a licence without one of them is NOT_ENTITLED
                     * @example [
                     *       "export"
                     *     ]
                     */
                    entitlements?: string[];
                };
            };
        };
        responses: {
            /** @description The verdict, also where the licence is not valid */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Validation"];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body’s content type is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    activateMachine: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Ignored, because a repetition is harmless: a machine has one seat
                 * @example "order-4711"
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description The fingerprint of the machine: a text of the program that no other machine has
                     * @example b7c1f0a2-laptop
                     */
                    machine: string;
                    /**
                     * @description A name for people
                     * @example Laptop of Ada
                     */
                    name?: string;
                    /**
                     * @description Entitlements that the program needs; a licence without one of them is NOT_ENTITLED
                     * @example [
                     *       "export"
                     *     ]
                     */
                    entitlements?: string[];
                };
            };
        };
        responses: {
            /** @description The verdict, also where the licence is not valid */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Validation"];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body’s content type is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    beatMachine: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Ignored, because a repetition is harmless: a machine has one seat
                 * @example "order-4711"
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description The fingerprint of the machine: a text of the program that no other machine has
                     * @example b7c1f0a2-laptop
                     */
                    machine: string;
                };
            };
        };
        responses: {
            /** @description The verdict, also where the licence is not valid */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Validation"];
                };
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body’s content type is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    releaseMachine: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Ignored, because a repetition is harmless: a machine without a seat stays without one
                 * @example "order-4711"
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description The fingerprint of the machine: a text of the program that no other machine has
                     * @example b7c1f0a2-laptop
                     */
                    machine: string;
                };
            };
        };
        responses: {
            /** @description The machine holds no seat */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not valid; `field` names the place */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description No session and no token, or a token that is not accepted */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description The body’s content type is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description More requests than this deployment takes of one tenant, caller or address, as many operations wait for their turn as may, or the tenant has used a quota */
            429: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    /** @description What is left of the tightest limit (draft-ietf-httpapi-ratelimit-headers) */
                    RateLimit?: string;
                    /** @description Limits that the request counts against */
                    "RateLimit-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
            /** @description Nothing was recorded: the database or the authorization server cannot be reached */
            503: {
                headers: {
                    /** @description Seconds */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ErrorResponse"];
                };
            };
        };
    };
    livez: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It does */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
        };
    };
    readyz: {
        parameters: {
            query?: {
                /**
                 * @description Checks that do not count, by name and separated by commas: `ledger` for a process that is to be sent reads while the participant is away
                 * @example ledger
                 */
                exclude?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Ready */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Readiness"];
                };
            };
            /** @description Not ready */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Readiness"];
                };
            };
        };
    };
    health: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description SERVING */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description Not ready */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
        };
    };
    onOperationAccepted: {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-timestamp": string;
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OperationAcceptedEvent"];
                "application/cloudevents+json": components["schemas"]["OperationAcceptedEvent"];
            };
        };
        responses: {
            /** @description The webhook is disabled */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any 2xx within 15 seconds: the event is delivered */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any other answer: the event is sent again later */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onOperationSubmitting: {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-timestamp": string;
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OperationSubmittingEvent"];
                "application/cloudevents+json": components["schemas"]["OperationSubmittingEvent"];
            };
        };
        responses: {
            /** @description The webhook is disabled */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any 2xx within 15 seconds: the event is delivered */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any other answer: the event is sent again later */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onOperationRetrying: {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-timestamp": string;
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OperationRetryingEvent"];
                "application/cloudevents+json": components["schemas"]["OperationRetryingEvent"];
            };
        };
        responses: {
            /** @description The webhook is disabled */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any 2xx within 15 seconds: the event is delivered */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any other answer: the event is sent again later */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onOperationInDoubt: {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-timestamp": string;
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OperationInDoubtEvent"];
                "application/cloudevents+json": components["schemas"]["OperationInDoubtEvent"];
            };
        };
        responses: {
            /** @description The webhook is disabled */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any 2xx within 15 seconds: the event is delivered */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any other answer: the event is sent again later */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onOperationSucceeded: {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-timestamp": string;
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OperationSucceededEvent"];
                "application/cloudevents+json": components["schemas"]["OperationSucceededEvent"];
            };
        };
        responses: {
            /** @description The webhook is disabled */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any 2xx within 15 seconds: the event is delivered */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any other answer: the event is sent again later */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onOperationRejected: {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-timestamp": string;
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OperationRejectedEvent"];
                "application/cloudevents+json": components["schemas"]["OperationRejectedEvent"];
            };
        };
        responses: {
            /** @description The webhook is disabled */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any 2xx within 15 seconds: the event is delivered */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any other answer: the event is sent again later */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onOperationFailed: {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-timestamp": string;
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OperationFailedEvent"];
                "application/cloudevents+json": components["schemas"]["OperationFailedEvent"];
            };
        };
        responses: {
            /** @description The webhook is disabled */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any 2xx within 15 seconds: the event is delivered */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any other answer: the event is sent again later */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onOperationCancelled: {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-timestamp": string;
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OperationCancelledEvent"];
                "application/cloudevents+json": components["schemas"]["OperationCancelledEvent"];
            };
        };
        responses: {
            /** @description The webhook is disabled */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any 2xx within 15 seconds: the event is delivered */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any other answer: the event is sent again later */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onLifecycleBegan: {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-timestamp": string;
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LifecycleBeganEvent"];
                "application/cloudevents+json": components["schemas"]["LifecycleBeganEvent"];
            };
        };
        responses: {
            /** @description The webhook is disabled */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any 2xx within 15 seconds: the event is delivered */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any other answer: the event is sent again later */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onLifecycleChanged: {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-timestamp": string;
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LifecycleChangedEvent"];
                "application/cloudevents+json": components["schemas"]["LifecycleChangedEvent"];
            };
        };
        responses: {
            /** @description The webhook is disabled */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any 2xx within 15 seconds: the event is delivered */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any other answer: the event is sent again later */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onLifecycleEnded: {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-timestamp": string;
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LifecycleEndedEvent"];
                "application/cloudevents+json": components["schemas"]["LifecycleEndedEvent"];
            };
        };
        responses: {
            /** @description The webhook is disabled */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any 2xx within 15 seconds: the event is delivered */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any other answer: the event is sent again later */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onLicenseSuspended: {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-timestamp": string;
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LicenseSuspendedEvent"];
                "application/cloudevents+json": components["schemas"]["LicenseSuspendedEvent"];
            };
        };
        responses: {
            /** @description The webhook is disabled */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any 2xx within 15 seconds: the event is delivered */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any other answer: the event is sent again later */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onLicenseReinstated: {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-timestamp": string;
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LicenseReinstatedEvent"];
                "application/cloudevents+json": components["schemas"]["LicenseReinstatedEvent"];
            };
        };
        responses: {
            /** @description The webhook is disabled */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any 2xx within 15 seconds: the event is delivered */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any other answer: the event is sent again later */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onLicenseExpiring: {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-timestamp": string;
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LicenseExpiringEvent"];
                "application/cloudevents+json": components["schemas"]["LicenseExpiringEvent"];
            };
        };
        responses: {
            /** @description The webhook is disabled */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any 2xx within 15 seconds: the event is delivered */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any other answer: the event is sent again later */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onLicenseExpired: {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-timestamp": string;
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LicenseExpiredEvent"];
                "application/cloudevents+json": components["schemas"]["LicenseExpiredEvent"];
            };
        };
        responses: {
            /** @description The webhook is disabled */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any 2xx within 15 seconds: the event is delivered */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any other answer: the event is sent again later */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onLicenseRenewalUnpaid: {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-timestamp": string;
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LicenseRenewalUnpaidEvent"];
                "application/cloudevents+json": components["schemas"]["LicenseRenewalUnpaidEvent"];
            };
        };
        responses: {
            /** @description The webhook is disabled */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any 2xx within 15 seconds: the event is delivered */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any other answer: the event is sent again later */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onLicensePriceChanged: {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-timestamp": string;
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LicensePriceChangedEvent"];
                "application/cloudevents+json": components["schemas"]["LicensePriceChangedEvent"];
            };
        };
        responses: {
            /** @description The webhook is disabled */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any 2xx within 15 seconds: the event is delivered */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any other answer: the event is sent again later */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onCommentMade: {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-timestamp": string;
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CommentMadeEvent"];
                "application/cloudevents+json": components["schemas"]["CommentMadeEvent"];
            };
        };
        responses: {
            /** @description The webhook is disabled */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any 2xx within 15 seconds: the event is delivered */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any other answer: the event is sent again later */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onAuditRecorded: {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-timestamp": string;
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AuditRecordedEvent"];
                "application/cloudevents+json": components["schemas"]["AuditRecordedEvent"];
            };
        };
        responses: {
            /** @description The webhook is disabled */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any 2xx within 15 seconds: the event is delivered */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any other answer: the event is sent again later */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onWebhookTest: {
        parameters: {
            query?: never;
            header: {
                "webhook-id": string;
                "webhook-timestamp": string;
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookTestEvent"];
                "application/cloudevents+json": components["schemas"]["WebhookTestEvent"];
            };
        };
        responses: {
            /** @description The webhook is disabled */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any 2xx within 15 seconds: the event is delivered */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any other answer: the event is sent again later */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
