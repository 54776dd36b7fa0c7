import { expect, test } from 'vitest'
import { takeTicket } from '../../../src/bot/admin/page/sign-in.ts'
import { ADMIN, database, setUp, useCommands } from './commands-setup.ts'

useCommands()

const PUBLIC_URL = 'https://bot.example.org/kopeck'
const LINK = /(\S+)#link=([\w-]{43})$/

test('/dashboard gives an admin a button for Telegram and a link that signs in once', async () => {
  const { send, playground } = await setUp({ publicUrl: PUBLIC_URL })

  await send('/dashboard', { userId: ADMIN })

  const { replyMarkup } = playground.transcript(ADMIN).at(-1) ?? {}
  expect(replyMarkup).toEqual({
    inline_keyboard: [
      [{ text: 'Open in Telegram', web_app: { url: `${PUBLIC_URL}/admin/` } }],
      [{ text: 'Open in browser', url: expect.stringMatching(LINK) }],
    ],
  })
  const [, address, token = ''] =
    LINK.exec(JSON.stringify(replyMarkup).split('"').at(-2) ?? '') ?? []
  expect(address).toBe(`${PUBLIC_URL}/admin/`)
  expect(await takeTicket(database.prisma, 'sign_in', token)).toMatchObject({ userId: ADMIN })
  expect(await takeTicket(database.prisma, 'sign_in', token)).toBeUndefined()
})

test('/dashboard says which address leads to the page where PUBLIC_URL is not https, or not set', async () => {
  const inPlainHttp = await setUp({ publicUrl: 'http://kopeck.lan:3000' })
  const withoutUrl = await setUp()

  await inPlainHttp.send('/dashboard', { userId: ADMIN })
  await withoutUrl.send('/dashboard', { userId: ADMIN })

  const [inBrowser, here] = [await inPlainHttp.answerTo(ADMIN), await withoutUrl.answerTo(ADMIN)]
  expect(inBrowser).toContain('http://kopeck.lan:3000/admin/#link=')
  expect(inBrowser).toContain('set PUBLIC_URL to an https address')
  expect(here).toContain('http://127.0.0.1:3000/admin/#link=')
  expect(here).toContain('on the machine where I run')
  expect(withoutUrl.playground.menuButton(ADMIN)).toEqual({ type: 'default' })
})

test('/dashboard is no command for who has no role', async () => {
  const { send, answerTo } = await setUp({ publicUrl: PUBLIC_URL })

  const answer = await answerTo(await send('/dashboard'))

  expect(answer).not.toContain('#link=')
  expect(await database.prisma.dashboardTicket.count({ where: { userId: { gt: 100 } } })).toBe(0)
})
