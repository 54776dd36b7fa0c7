# syntax=docker/dockerfile:1
FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc prisma.config.ts tsconfig.json *.md ./
COPY prisma prisma
COPY src src
# The commit that --version and /metrics name: --build-arg COMMIT=$(git rev-parse HEAD). There is no repository in here.
ARG COMMIT
RUN npm ci && npm run package

# What the package loads changes seldom: a layer of its own, before the code. The image has a Node of its own; types and
# source maps only serve a build, and Prisma's client loads only a few files of its runtime.
FROM node:24-slim AS modules
WORKDIR /app
COPY .npmrc ./
COPY --from=build /app/build/package/package.json /app/build/package/npm-shrinkwrap.json ./
RUN npm ci && rm -rf node_modules/node-linux-* node_modules/.bin/node \
  && find node_modules -type f '(' -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' ')' -delete \
  && find node_modules/@prisma/client/runtime -type f ! -name 'client.*' ! -name 'query_compiler_small_bg.postgresql*' -delete

FROM node:24-slim
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data
# /app is root's: what Node keeps of compiled sources goes where the process may write, and outlives the container.
ENV NODE_COMPILE_CACHE=/data/compile-cache
WORKDIR /app
COPY --from=modules /app/node_modules node_modules
COPY --from=build /app/build/package ./
RUN mkdir /data && chown node:node /data && ln -s /app/src/kopeck.js /usr/local/bin/kopeck
USER node
VOLUME /data
EXPOSE 3000 3001
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/healthz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# It becomes the server by exec, which is then the first process of the container.
CMD ["node", "src/kopeck.js", "start"]
