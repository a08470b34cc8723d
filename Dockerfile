# syntax=docker/dockerfile:1

# Node 24, which all tests run on (.ci/run). By digest, so there is no default: docs/deploy/pin-images.sh looks it up
# (docs/decisions.md 12).
ARG NODE_IMAGE

FROM ${NODE_IMAGE} AS build
WORKDIR /app
# Before the sources, so that code changes do not reinstall packages. Scripts would build the sources, which are not copied yet.
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY schema.graphql CHANGELOG.md LICENSE README.md SECURITY.md ./
COPY scripts ./scripts
COPY prisma ./prisma
COPY rest ./rest
COPY src ./src
COPY client ./client
COPY docs ./docs
# The release as users install it, with the dependencies and versions that were tested.
RUN npm pack --pack-destination /tmp
WORKDIR /release
RUN tar -xzf /tmp/catalog-read-api-*.tgz --strip-components=1
# The Prisma CLI and TypeScript are optional peers of the client, and the embedded PostgreSQL an optional dependency.
RUN npm ci --omit=dev --omit=optional --omit=peer --ignore-scripts --no-audit --no-fund

FROM ${NODE_IMAGE}
LABEL org.opencontainers.image.title="Catalog Read API" \
      org.opencontainers.image.description="Read-only REST and GraphQL API over the catalogs and orders of connected shops" \
      org.opencontainers.image.licenses="MIT"
RUN apt-get update \
 && apt-get install --yes --no-install-recommends dumb-init \
 && rm -rf /var/lib/apt/lists/*
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=4000
WORKDIR /app
# Owned by root and readable by everyone: the process cannot change its own code.
COPY --from=build /release ./
# By number, because Kubernetes cannot tell from a name whether it is root.
USER 1000:1000
EXPOSE 4000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=40s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/livez`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["dumb-init", "--"]
# As workers have it (src/process/run-workers.ts).
CMD ["node", "--max-semi-space-size=16", "--v8-pool-size=1", "dist/src/main.js"]
