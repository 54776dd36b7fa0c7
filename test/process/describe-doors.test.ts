import { expect, test } from 'vitest'
import { describeDoors } from '../../src/process/describe-start.ts'

const CODE = 'K7QF-2M9X-WD4T'

test('the start says to whom the bot is open, and how it gets its first admin', () => {
  const doors = { username: 'kopeck_bot', openTo: 'admins', adminCode: CODE } as const

  const shown = describeDoors(doors, { isReal: true })

  expect(shown).toContain('ALLOWED_USER_IDS=* opens it to everybody')
  expect(shown).toContain(`\n    /start ${CODE}\n    https://t.me/kopeck_bot?start=${CODE}\n`)
  expect(describeDoors(doors, { isReal: false })).not.toContain('t.me')
})

test('the start of a bot with an admin shows no code', () => {
  const doors = { username: 'kopeck_bot', openTo: 'everybody', adminCode: undefined } as const

  expect(describeDoors(doors, { isReal: true })).toBe('Everybody may talk to the bot.')
})
