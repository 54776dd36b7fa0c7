/**
 * The end of an installation, after `prisma generate`, and `npm run pages`: builds the pages into `build/`, and parts of
 * libraries. An installation without development packages (`--omit=dev`, NODE_ENV=production) has removed afterwards
 * what only that needed.
 */
import { buildCharts } from './build-charts.ts'
import { buildPages } from './build-pages.ts'
import { copyParts } from './copy-parts.ts'
import { trimModules } from './trim-modules.ts'

// Before the pages are built: Vite sets NODE_ENV, too.
const { npm_config_omit: omitted = '', npm_config_include: included = '', NODE_ENV } = process.env
const isWithoutDev =
  omitted.includes('dev') || (NODE_ENV === 'production' && !included.includes('dev'))
const isInstallation = process.env.npm_lifecycle_event === 'postinstall'
await buildPages()
await copyParts()
await buildCharts()
if (isInstallation && isWithoutDev) await trimModules()
