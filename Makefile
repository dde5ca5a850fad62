# Every target works after a fresh clone with nothing but Node, npm and make.
SHELL := /bin/sh
export PATH := $(CURDIR)/node_modules/.bin:$(PATH)

TENURE := ./cli/tenure
COMPOSE := docker compose
INSTALLED := node_modules/.tenure-installed
TENURE_DATA_DIR ?= .tenure
LOGS = $(TENURE_DATA_DIR)/logs/*.log
WEB_BUILT := web/dist/.built
# Folders are among them, so that a file that was removed counts as well. The page of errors is made of their document.
WEB_SOURCES := $(shell find web client/ \( -path web/dist -o -name node_modules \) -prune -o -print 2>/dev/null) \
               $(wildcard docs/ERRORS.md tsconfig.json)
WEB_ADDRESS := http://localhost:8080/ui/

.DEFAULT_GOAL := help
.PHONY: help own-folder setup install demo start stop restart status doctor logs tail create-app-install-request \
        capture-logs shell clean-docker build build-backend build-frontend build-daml \
        check typecheck lint format format-check deadcode test pages hostile sim mutations chaos \
        test-chaos test-chaos-ha test-cluster test-containers client kit test-clients test-kit test-reference-backend \
        test-newer-node test-rolling test-standby test-wallet-sdk bench profile counts screenshots \
        proto schema release-interface manifests openapi web-client

##@ Use

help: ## list the targets
	@awk -F ':.*## ' '/^##@ / { printf "\n%s\n", substr($$0, 5) } /^[a-z-]+:.*## / { printf "  %-28s %s\n", $$1, $$2 }' \
	  $(MAKEFILE_LIST)

OWNER = ls -ldnL "$(1)" | awk '{ print $$3 }'
GIVE_AWAY = if [ "$$(id -u)" = 0 ]; then chown -R "$$($(call OWNER,.))" $(1) 2>/dev/null || true; fi

# Root can write anywhere, and what it leaves in another user's folder is lost to them: before anything is installed or
# written, see embedded/data-folder.ts. What root installs belongs to whom the project does,
# where it can be given away.
own-folder:
	@if [ "$$(id -u)" = 0 ] && [ -d "$(TENURE_DATA_DIR)" ] && [ "$$($(call OWNER,$(TENURE_DATA_DIR)))" != 0 ]; then \
	  echo "tenure: the data folder $(TENURE_DATA_DIR) belongs to user $$($(call OWNER,$(TENURE_DATA_DIR))), and root would take it from them: run as that user, or set TENURE_DATA_DIR" >&2; \
	  exit 1; \
	fi

# What the lock file says, and nothing else, as `npm ci` does, which would first remove what is installed. Install scripts
# are not needed by anything here, so none is run.
$(INSTALLED): package.json package-lock.json
	@echo "Installing..."
	@npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@
	@$(call GIVE_AWAY,node_modules)

# A build empties the folder first, so that the stamp is there only where a build has ended.
BUILD_WEB = node web/build.ts && touch $(WEB_BUILT) && { $(call GIVE_AWAY,web/dist); }
$(WEB_BUILT): $(INSTALLED) package-lock.json $(WEB_SOURCES)
	@echo "Building the web application..."
	@$(BUILD_WEB)

install: $(INSTALLED) ## install what the project needs, into node_modules

setup: $(INSTALLED) ## decide the settings and write .env.local (YES=1, or no terminal: asks nothing)
	@$(TENURE) setup $(if $(YES),--yes)

demo: $(INSTALLED) $(WEB_BUILT) ## walk the whole lifecycle on free ports in a temporary folder (WATCH=1: stays up after it; SUBSCRIPTION=1: a year of renewals)
	@$(TENURE) demo $(if $(WATCH),--watch) $(if $(SUBSCRIPTION),--subscription)

ifeq ($(RUNTIME),compose)
start:
	@$(COMPOSE) up -d --build --wait
	@echo 'web application: $(WEB_ADDRESS)'
stop:
	@$(COMPOSE) stop
restart:
	@$(COMPOSE) restart
status:
	@echo 'web application: $(WEB_ADDRESS)'
	@$(COMPOSE) ps
logs:
	@$(COMPOSE) logs --no-color --tail 200
tail:
	@$(COMPOSE) logs --follow --tail 20
capture-logs:
	@rm -rf logs && mkdir -p logs && $(COMPOSE) logs --no-color --follow > logs/compose.log
clean-docker:
	@$(COMPOSE) down -v
shell:
	@$(COMPOSE) exec postgres psql -U tenure tenure
else
start: own-folder $(INSTALLED) $(WEB_BUILT) ## start everything in the background (RUNTIME=compose: with the compose file)
	@$(TENURE) start
stop: $(INSTALLED) ## stop it; data is kept
	@$(TENURE) stop
restart: own-folder $(INSTALLED) $(WEB_BUILT) ## stop and start
	@$(TENURE) restart
status: $(INSTALLED) ## list what runs
	@$(TENURE) status
doctor: $(INSTALLED) ## look at everything, and say what is wrong and what to do
	@$(TENURE) doctor
logs: ## the last lines of all logs
	@tail -n 200 $(LOGS)
tail: ## follow all logs
	@tail -n 20 -F $(LOGS)
capture-logs: $(INSTALLED) ## collect all logs in ./logs and follow them
	@$(TENURE) capture-logs
clean-docker: $(INSTALLED) ## stop, and delete database, ledger and logs
	@$(TENURE) clean
shell: $(INSTALLED) ## psql, or a small shell, on the query store
	@$(TENURE) shell
endif

create-app-install-request: $(INSTALLED) ## ask for an installation as the demo user
	@$(TENURE) create-app-install-request

build: build-daml build-backend build-frontend ## build-daml, build-backend and build-frontend
build-daml: $(INSTALLED) ## build ./daml with dpm or daml where there are sources and a compiler, and upload it where LocalNet runs
	@scripts/build-daml.sh daml
build-backend: $(INSTALLED) typecheck ## Node runs the sources: check their types
build-frontend: $(INSTALLED) ## build the web application, into web/dist
	@$(BUILD_WEB)

##@ Verify

check: $(INSTALLED) typecheck lint format-check deadcode ## what CI checks besides the tests
	@vitest run --project tidy

typecheck: $(INSTALLED)
	@tsc --noEmit
	@tsc --project kit
	@tsc --project client
	@tsc --project localnet/wallet-page
	@tsc --project web
lint: $(INSTALLED)
	@oxlint --type-aware --deny-warnings
format-check: $(INSTALLED)
	@oxfmt --check
deadcode: $(INSTALLED)
	@knip

test: $(INSTALLED) ## run all tests
	@node test/run.ts

pages: $(INSTALLED) ## open every page of the web application for every role in a real browser
	@vitest run --config vitest.stages.config.ts --project pages

hostile: $(INSTALLED) ## make fifteen thousand calls that LocalNet and the API have to refuse in words (HOSTILE_SEED=, HOSTILE_CALLS=)
	@vitest run --config vitest.stages.config.ts --project hostile

test-rolling: $(INSTALLED) ## upgrade the last release to this version under load, and lose each process once
	@vitest run --config vitest.stages.config.ts --project rolling

test-standby: $(INSTALLED) ## kill a PostgreSQL primary under load, and promote its synchronous standby
	@vitest run --config vitest.stages.config.ts --project standby

test-chaos: $(INSTALLED) ## a minute of chaos with the queue on PostgreSQL and one on Redis, always the same
	@vitest run --config vitest.stages.config.ts --project chaos --no-file-parallelism

test-chaos-ha: $(INSTALLED) ## a minute of chaos on a PostgreSQL pair and a Redis Cluster, two processes of each role
	@vitest run --config vitest.stages.config.ts --project chaos-ha

test-containers: $(INSTALLED) ## run store, queue and end-to-end suites against PostgreSQL and Valkey in containers, and the compose file
	@node test/containers/engine.ts
	@vitest run --config vitest.containers.config.ts

test-cluster: $(INSTALLED) ## the whole path with the queue on a Redis Cluster of six nodes, under kills, moves and loss
	@vitest run --config vitest.stages.config.ts --project cluster

sim: $(INSTALLED) ## simulate histories of the whole system with faults (SEEDS=n FROM=n MINUTES=n SEED=n)
	@node test/sim/run.ts

mutations: $(INSTALLED) ## make one mistake after the other, and demand that tests or histories find it (ONLY=name JOBS=n)
	@node test/mutations/run.ts

chaos: $(INSTALLED) ## kill, cut and wipe real processes and check that nothing was lost (SEED=, SIZE=small|ha, MINUTES=, QUEUE=postgres|redis, FAULTS=)
	@$(TENURE) chaos $(if $(SEED),--seed $(SEED)) $(if $(SIZE),--size $(SIZE)) $(if $(MINUTES),--minutes $(MINUTES)) $(if $(QUEUE),--queue $(QUEUE)) $(if $(FAULTS),--faults $(FAULTS))

# The SDK is no part of Tenure's own install: it has a folder of its own below .tenure.
WALLET_SDK := .tenure/wallet-sdk
test-wallet-sdk: $(INSTALLED) ## walk the official wallet SDK through LocalNet (needs npm's registry)
	@mkdir -p $(WALLET_SDK)
	@cp test/wallet-sdk/package.json test/wallet-sdk/package-lock.json test/wallet-sdk/.npmrc test/wallet-sdk/*.mjs $(WALLET_SDK)
	@cd $(WALLET_SDK) && npm ci
	@node $(WALLET_SDK)/run.mjs "$(CURDIR)"

NEWER_NODE := .tenure/newer-node
test-newer-node: $(INSTALLED) $(WEB_BUILT) ## walk the whole lifecycle on Node 26 (needs npm's registry)
	@mkdir -p $(NEWER_NODE)
	@cp $(addprefix test/newer-node/,package.json package-lock.json .npmrc) $(NEWER_NODE)
	@cd $(NEWER_NODE) && npm ci --ignore-scripts
	@$(NEWER_NODE)/node_modules/.bin/node cli/main.ts demo

# Clients of other projects, in a folder of their own like the SDK.
CLIENTS := .tenure/clients
test-clients: $(INSTALLED) ## try public API clients, event stream clients, webhook receivers and a linter (needs npm's registry)
	@mkdir -p $(CLIENTS)
	@cp -R $(addprefix test/clients/,package.json package-lock.json .npmrc build.mjs tsconfig.json spectral.yaml walks) $(CLIENTS)
	@cd $(CLIENTS) && npm ci --ignore-scripts && node build.mjs "$(CURDIR)/docs/openapi.json"
	@vitest run --config vitest.stages.config.ts --project clients

test-kit: $(INSTALLED) ## pack tenure-localnet, install it in an empty folder, and run the example there (needs npm's registry)
	@node kit/try-package.ts

# Its files are the reference's: REFERENCE is the folder quickstart of a clone at pull request 347.
REFERENCE_BACKEND := .tenure/reference-backend
test-reference-backend: $(INSTALLED) ## run the reference's backend for Node against LocalNet (REFERENCE=folder; needs npm's registry)
	@node test/reference-backend/prepare.ts "$(REFERENCE)" $(REFERENCE_BACKEND)
	@vitest run --config vitest.stages.config.ts --project reference-backend

bench: $(INSTALLED) ## measure what we claim about speed (QUEUE=postgres|redis); with FAST=1 only operations, in two minutes
ifdef FAST
	@node bench/main.ts --fast $(if $(QUEUE),--queue $(QUEUE))
else
	@node bench/main.ts $(if $(QUEUE),--queue $(QUEUE))
	@node bench/lists.bench.ts
	@node bench/product.bench.ts
	@node bench/bulk.bench.ts
	@node bench/timers.bench.ts
	@node bench/events.bench.ts
	@node bench/search.bench.ts
	@node bench/catch-up.bench.ts
	@node bench/recovery.bench.ts
	@node bench/outage.bench.ts
	@node bench/dar.bench.ts
	@node bench/engine.bench.ts
	@node bench/transfer.bench.ts
	@node bench/floor.bench.ts
	@node bench/shards.bench.ts
	@node bench/fairness.bench.ts
	@node bench/abuse.bench.ts
	@node bench/storage.bench.ts
	@node bench/web.bench.ts
endif

profile: $(INSTALLED) ## show where the time of an operation goes: its steps, a flame graph, statements (into ./profile)
	@node bench/profile.ts

counts: $(INSTALLED) ## record what an operation costs in commits, statements and rows; refuses what has risen
	@RECORD=1 vitest run --project counts test/e2e/operation-counts.test.ts

##@ Develop

format: $(INSTALLED) ## format every source file
	@oxfmt

proto: $(INSTALLED) ## regenerate proto/gen from proto/
	@sh proto/generate.sh
schema: $(INSTALLED) ## regenerate migrations/schema.sql and migrations/schema.ts
	@node scripts/write-schema.ts
release-interface: $(INSTALLED) ## keep what processes of this version rely on, when it is released (test/fixtures/releases)
	@node scripts/write-release.ts
manifests: $(INSTALLED) ## regenerate deploy/kubernetes/rendered (needs kubectl or kustomize)
	@node scripts/write-manifests.ts
openapi: $(INSTALLED) ## regenerate docs/openapi.json
	@vitest run -u --project integration test/integration/http-openapi.test.ts
web-client: $(INSTALLED) ## regenerate client/schema.ts from docs/openapi.json
	@cd web/tools && npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error && node write-schema.ts

screenshots: $(INSTALLED) ## make pictures of the main pages in ./screenshots, light and dark, in three widths
	@node test/pages/screenshots.ts screenshots

KIT := .tenure/kit
kit: own-folder $(INSTALLED) ## pack tenure-localnet into a tarball, which other projects can install
	@node kit/build.ts $(KIT)/package
	@echo "$(CURDIR)/$(KIT)/$$(npm pack --silent ./$(KIT)/package --pack-destination $(KIT))"
	@$(call GIVE_AWAY,$(KIT))

CLIENT := .tenure/client
client: own-folder $(INSTALLED) ## pack tenure-client into a tarball, which other projects can install
	@node client/build.ts $(CLIENT)/package
	@echo "$(CURDIR)/$(CLIENT)/$$(npm pack --silent ./$(CLIENT)/package --pack-destination $(CLIENT))"
	@$(call GIVE_AWAY,$(CLIENT))
