import { createHash } from 'node:crypto'
import fastifyStatic from '@fastify/static'
import type { FastifyPluginAsync } from 'fastify'
import { builtDir } from '../../../platform/built-dir.ts'

/** Swagger UI's own files, without the package that calls home when it is installed. */
const ASSETS = builtDir('swagger-ui')
const ASSET_NAMES = new Set(['/swagger-ui.css', '/swagger-ui-bundle.js'])

const SCRIPT = `SwaggerUIBundle({ url: 'openapi.json', dom_id: '#document', validatorUrl: null })`

/** Its addresses are relative: it works below any prefix that a proxy takes away. */
const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Kopeck: generation and chat</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/swagger-ui.css">
</head>
<body>
<div id="document"></div>
<script src="docs/swagger-ui-bundle.js"></script>
<script>${SCRIPT}</script>
</body>
</html>
`

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `script-src 'self' 'sha256-${createHash('sha256').update(SCRIPT).digest('base64')}'`,
  // Swagger UI sets style attributes on what it draws.
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** `GET /openapi.json`, and `GET /docs`, a page that shows it. Neither asks for a key. */
export function docsRoute(readDocument: () => object): FastifyPluginAsync {
  return async (app) => {
    app.get('/openapi.json', async (_request, reply) =>
      reply.type('application/json; charset=utf-8').send(JSON.stringify(readDocument())),
    )
    app.get('/docs', async (_request, reply) =>
      reply
        .header('content-security-policy', CONTENT_SECURITY_POLICY)
        .header('x-content-type-options', 'nosniff')
        .type('text/html; charset=utf-8')
        .send(PAGE),
    )
    await app.register(fastifyStatic, {
      root: ASSETS,
      prefix: '/docs/',
      decorateReply: false,
      index: false,
      maxAge: '1h',
      allowedPath: (path) => ASSET_NAMES.has(path),
    })
  }
}
