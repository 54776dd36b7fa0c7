import { defineConfig } from 'prisma/config'

// `prisma generate` insists on finding its schema engine, a binary that it would otherwise download, and never runs it.
// The program applies the migrations itself (src/platform/database/migrate.ts).
if (process.argv.includes('generate')) {
  process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= process.execPath
}

const url = process.env.DATABASE_URL

export default defineConfig({
  schema: 'prisma/schema',
  migrations: { path: 'prisma/migrations' },
  ...(url !== undefined && { datasource: { url } }),
})
