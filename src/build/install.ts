/**
 * The end of an installation, after `prisma generate`: builds the pages and copies parts of libraries into `build/`.
 * Without development packages (`--omit=dev`, NODE_ENV=production) it removes afterwards what only that needed.
 */
import { buildPages } from './build-pages.ts'
import { copyParts } from './copy-parts.ts'
import { trimModules } from './trim-modules.ts'

// Before the pages are built: Vite sets NODE_ENV, too.
const { npm_config_omit: omitted = '', NODE_ENV } = process.env
const isForProduction = omitted.includes('dev') || NODE_ENV === 'production'
await buildPages()
await copyParts()
if (isForProduction) await trimModules()
