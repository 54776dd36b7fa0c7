import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { describeStart } from '../../src/process/report-start.ts'

const STARTED = {
  version: '1.2.3',
  roles: new Set(['bot', 'service'] as const),
  address: 'http://127.0.0.1:3000',
  dataDir: resolve('data'),
  doors: { username: 'kopeck_bot', openTo: 'everybody', adminCode: undefined },
} as const

test('a start on a terminal says what runs where', () => {
  const shown = describeStart(
    { ...STARTED, publicUrl: 'https://kopeck.example' },
    { isTerminal: true },
  )

  expect(shown).toContain('Kopeck 1.2.3 runs: the bot and the service.')
  for (const address of [
    'http://127.0.0.1:3000/api/v1\n',
    'http://127.0.0.1:3000/api/v1/openapi.json\n',
    'http://127.0.0.1:3000/admin',
    'http://127.0.0.1:3000/metrics',
    'http://127.0.0.1:3000/healthz',
    'https://t.me/kopeck_bot',
    'https://kopeck.example',
    'embedded PostgreSQL',
    STARTED.dataDir,
  ]) {
    expect(shown).toContain(address)
  }
})

test('a standby says that another process is active, and prints no link to a bot that it has not asked', () => {
  const doors = { username: undefined, openTo: 'admins', adminCode: 'K7QF' } as const

  const shown = describeStart({ ...STARTED, doors }, { isTerminal: true })

  expect(shown).toContain('stands by: another process is active')
  expect(shown).toContain('/start K7QF')
  expect(shown).not.toContain('t.me')
})

test('the address of the database is shown without its user and password', () => {
  const databaseUrl = 'postgresql://kopeck:secret@db.lan:5432/kopeck?password=secret'

  const shown = describeStart({ ...STARTED, databaseUrl }, { isTerminal: true })

  expect(shown).toContain('PostgreSQL at db.lan:5432\n')
  expect(shown).not.toContain('secret')
})

test.each([true, false])('a trouble of the service is shown (terminal: %s)', (isTerminal) => {
  const troubles = [undefined, 'the service refuses SERVICE_API_KEY']

  expect(describeStart({ ...STARTED, troubles }, { isTerminal })).toContain(
    '\nNo answers yet: the service refuses SERVICE_API_KEY.',
  )
})

test('elsewhere a start shows the doors of the bot, and nothing else', () => {
  const shown = describeStart(STARTED, { isTerminal: false })

  expect(shown).toBe('\nEverybody may talk to the bot.\n')
  expect(describeStart({ ...STARTED, doors: undefined }, { isTerminal: false })).toBe('')
})
