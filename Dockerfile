# syntax=docker/dockerfile:1
FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc prisma.config.ts build-pages.ts ./
COPY prisma prisma
RUN npm ci
COPY src src
# The image has the pages as they are built: neither their sources nor what builds them.
RUN npm run pages && rm -rf src/bot/admin/dashboard/page src/playground/page src/platform/page build-pages.ts
# Left in package.json, the Prisma CLI would stay as the peer of its client. The image has a Node of its own.
RUN npm pkg delete devDependencies dependencies.vite dependencies.preact dependencies.uplot dependencies.katex \
    'dependencies[@preact/signals]' 'dependencies[@telegram-apps/bridge]' \
  && npm prune && rm -rf node_modules/node node_modules/.bin/node
# Prisma brings a query compiler for each kind of database; types and source maps only serve a build.
# The last command fails the build if the generated client imports a file that is gone.
RUN find node_modules/@prisma/client/runtime -type f \
    ! -name client.js ! -name 'query_compiler_small_bg.postgresql.*mjs' -delete \
  && find node_modules -type f '(' -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' ')' -delete \
  && grep -o '@prisma/client/runtime/[^"]*' src/platform/database/generated/internal/class.ts | sort -u \
    | xargs -I{} node -e "import('{}')"
# Of ECharts one file is loaded (src/bot/spend/charts/draw-svg.ts); it has zrender in it.
RUN find node_modules/echarts -type f ! -name package.json ! -name LICENSE ! -name NOTICE \
    ! -path '*/licenses/*' ! -path '*/dist/echarts.common.min.js' -delete \
  && rm -rf node_modules/zrender && node -e "require('echarts/dist/echarts.common.min.js')"

FROM node:24-slim
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data
# /app is root's: what Node keeps of compiled sources goes where the process may write, and outlives the container.
ENV NODE_COMPILE_CACHE=/data/compile-cache
WORKDIR /app
COPY --from=build /app /app
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 3000 3001
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/healthz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# It becomes the server by exec, which is then the first process of the container.
CMD ["node", "src/kopeck.js", "start"]
