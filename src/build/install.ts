/**
 * The end of an installation, after `prisma generate`: builds the pages into `build/`, and parts of libraries.
 * Without development packages (`--omit=dev`, NODE_ENV=production) it removes afterwards what only that needed.
 */
import { buildCharts } from './build-charts.ts'
import { buildPages } from './build-pages.ts'
import { copyParts } from './copy-parts.ts'
import { trimModules } from './trim-modules.ts'

// Before the pages are built: Vite sets NODE_ENV, too.
const { npm_config_omit: omitted = '', NODE_ENV } = process.env
const isForProduction = omitted.includes('dev') || NODE_ENV === 'production'
await buildPages()
await copyParts()
await buildCharts()
if (isForProduction) await trimModules()
