# One image for every role of the one-machine size; TENURE_ROLES says which one a container plays.
FROM node:24-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# No install script is needed. The bundled Node and PostgreSQL are for hosts that have none: not here.
RUN npm install --no-save --omit=dev --omit=optional --ignore-scripts

# The web application, with the tools that build it. Of all this only its files go on. The page of errors is made of
# their document.
FROM node:24-bookworm-slim AS web
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm install --no-save --ignore-scripts
COPY tsconfig.json ./
COPY docs/ERRORS.md ./docs/ERRORS.md
COPY web ./web
RUN node web/build.ts

FROM node:24-bookworm-slim
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
COPY cli ./cli
COPY --from=web /app/web/dist ./web/dist
RUN mkdir -p /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 8080
# Exec form: signals reach Node, and a stop is graceful.
ENTRYPOINT ["node"]
CMD ["src/main/role.ts"]
