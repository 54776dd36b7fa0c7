/**
 * The end of an installation, after `prisma generate`, and `npm run pages`: builds the pages into `build/` and copies
 * Swagger UI. An installation without development packages (`--omit=dev`, NODE_ENV=production) has removed afterwards
 * what only that needed.
 */
import { cp, mkdir, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { builtDir } from '../platform/built-dir.ts'
import { buildPages } from './build-pages.ts'
import { CLONE_DIR } from './modules.ts'
import { trimModules } from './trim-modules.ts'

const SWAGGER_UI_FILES = ['static/swagger-ui.css', 'static/swagger-ui-bundle.js', 'LICENSE']

// Before the pages are built: Vite sets NODE_ENV, too.
const { npm_config_omit: omitted = '', npm_config_include: included = '', NODE_ENV } = process.env
const isWithoutDev =
  omitted.includes('dev') || (NODE_ENV === 'production' && !included.includes('dev'))
const isInstallation = process.env.npm_lifecycle_event === 'postinstall'
await buildPages()
await copySwaggerUi()
if (isInstallation && isWithoutDev) await trimModules()

async function copySwaggerUi(): Promise<void> {
  const folder = builtDir('swagger-ui')
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  for (const file of SWAGGER_UI_FILES) {
    const from = join(CLONE_DIR, 'node_modules/@fastify/swagger-ui', file)
    await cp(from, join(folder, basename(file)))
  }
}
