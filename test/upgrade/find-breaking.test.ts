import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findBreaking, needsStop } from './find-breaking.ts'
import { installRelease, readThisVersion } from './versions.ts'

const CHANGELOG = join(import.meta.dirname, '../../CHANGELOG.md')

// Promise: Two processes are replaced one after the other by a newer version, while users write
test('each migration since the release before lets that version work, or says that it needs a stop, as the changelog does', async () => {
  const [before, now] = await Promise.all([installRelease(), readThisVersion()])
  const known = new Set(before.migrations.map(({ name }) => name))
  const changelog = await readFile(CHANGELOG, 'utf8')

  const added = now.migrations.filter(({ name }) => !known.has(name))
  const breaking = added
    .filter(({ sql }) => !needsStop(sql))
    .map(({ name, sql }) => ({ name, changes: findBreaking(sql) }))
    .filter(({ changes }) => changes.length > 0)
  const unnamed = added.filter(
    ({ name, sql }) => needsStop(sql) && !changelog.includes(`needs a stop (\`${name}\`)`),
  )

  expect(breaking).toEqual([])
  expect(unnamed.map(({ name }) => name)).toEqual([])
})

// Promise: The database was made by the version before, whose migrations were 89
test('each migration since 89 became the first one lets the version that had those work beside it', async () => {
  const { migrations } = await readThisVersion()

  // One that does not is named in docs/operating.md, which says that no stop is needed.
  const [first, ...added] = migrations
  const breaking = added.filter(({ sql }) => findBreaking(sql).length > 0)

  expect(first?.name).toBe('20261124000000_init')
  expect(breaking.map(({ name }) => name)).toEqual([])
})

test.each([
  ['ALTER TABLE bot.turn DROP COLUMN state', 'DROP COLUMN'],
  ['ALTER TABLE bot.turn RENAME COLUMN state TO phase', 'RENAME'],
  ['ALTER TABLE bot.turn ALTER COLUMN id TYPE bigint', 'ALTER COLUMN id TYPE'],
  ['ALTER TABLE bot.turn ALTER COLUMN model SET NOT NULL', 'SET NOT NULL'],
  ['ALTER TABLE bot.turn ADD COLUMN cost bigint NOT NULL', 'ADD COLUMN cost bigint NOT NULL'],
  ['DROP VIEW service.ledger_fault', 'DROP VIEW'],
])('findBreaking() finds what the version before would fail at: %s', (sql, change) => {
  expect(findBreaking(`-- A note.\n${sql};`)).toEqual([change])
})

test.each([
  'ALTER TABLE bot.turn ADD COLUMN cost bigint NOT NULL DEFAULT 0, ADD COLUMN note text',
  'ALTER TABLE bot.turn ADD COLUMN cost bigint DEFAULT 0 NOT NULL',
  'CREATE TABLE bot.note (id integer NOT NULL); DROP INDEX bot.turn_idx',
  '-- DROP TABLE is what it does not do.\nSELECT 1',
])('findBreaking() lets pass what it works beside: %s', (sql) => {
  expect(findBreaking(sql)).toEqual([])
})
