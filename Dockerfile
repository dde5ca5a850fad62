# One image for every role; TENURE_ROLES says which one a container plays. The base is one release of Node, that of
# .node-version, by the digest of its list of platforms. Dependabot proposes newer ones. A build with another base:
#   docker build --build-arg NODE_IMAGE=node@sha256:... .
ARG NODE_IMAGE=node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6

FROM ${NODE_IMAGE} AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# No install script is needed. The bundled Node and PostgreSQL are for hosts that have none: not here.
RUN npm ci --omit=dev --omit=optional --ignore-scripts

# What is in the image, package by package. Alone: docker build --target sbom --output . .
FROM dependencies AS sbom-made
RUN npm sbom --package-lock-only --omit=dev --omit=optional \
      --sbom-format=cyclonedx --sbom-type=application > /tenure.cdx.json
FROM scratch AS sbom
COPY --from=sbom-made /tenure.cdx.json /

# The web application, with the tools that build it. Of all this only its files go on. The page of errors is made of
# their document.
FROM ${NODE_IMAGE} AS web
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY tsconfig.json ./
COPY docs/ERRORS.md ./docs/ERRORS.md
COPY client ./client
COPY web ./web
RUN node web/build.ts

FROM ${NODE_IMAGE}
ENV NODE_ENV=production
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY package.json LICENSE NOTICE ./
COPY proto/gen ./proto/gen
COPY machines ./machines
COPY workers ./workers
COPY migrations ./migrations
COPY localnet ./localnet
COPY src ./src
COPY embedded ./embedded
COPY client ./client
COPY cli ./cli
# The pages of errors are made of it.
COPY docs/ERRORS.md ./docs/ERRORS.md
COPY --from=web /app/web/dist ./web/dist
COPY --from=sbom-made /tenure.cdx.json ./tenure.cdx.json
RUN mkdir -p /data && chown node:node /data
# By number: Kubernetes cannot know that a name is not root.
USER 1000:1000
VOLUME /data
EXPOSE 8080
# Exec form: signals reach Node, and a stop is graceful.
ENTRYPOINT ["node"]
CMD ["src/main/role.ts"]
