import { expect, test } from 'vitest'
import { openPlayground } from '../open-playground.ts'

const ANN = 5
const WEB_APP = {
  type: 'web_app',
  text: 'Spend',
  web_app: { url: 'https://bot.example.org/admin/' },
} as const

test('a menu button is kept for a user, and everybody else has the default', async () => {
  const { api, playground } = await openPlayground()
  playground.addUser({ id: 6, firstName: 'Bob' })

  await api.setChatMenuButton({ chat_id: ANN, menu_button: WEB_APP })
  await api.setChatMenuButton({ menu_button: { type: 'commands' } })

  expect(playground.menuButton(ANN)).toEqual(WEB_APP)
  expect(playground.menuButton(6)).toEqual({ type: 'commands' })
  await api.setChatMenuButton({ chat_id: ANN, menu_button: { type: 'default' } })
  expect(playground.menuButton(ANN)).toEqual({ type: 'commands' })
})

test('a button that opens a page needs https and a private chat', async () => {
  const { playground, refusalOf } = await openPlayground()
  playground.addGroup({ id: -100, title: 'Group', members: [ANN] })
  const send = (url: string, chatId = ANN) =>
    refusalOf('sendMessage', {
      chat_id: chatId,
      text: 'Open',
      reply_markup: { inline_keyboard: [[{ text: 'Spend', web_app: { url } }]] },
    })

  expect(await send('https://bot.example.org/admin/')).toBe('ok')
  expect(await send('https://bot.example.org/admin/', -100)).toBe(
    'Bad Request: BUTTON_TYPE_INVALID',
  )
  expect(await send('http://bot.example.org/admin/')).toBe(
    "Bad Request: inline keyboard button Web App URL 'http://bot.example.org/admin/' is invalid: Only HTTPS links are allowed",
  )
})

test('a page on this machine is opened without https', async () => {
  const url = 'http://localhost:3000/'
  const button = { ...WEB_APP, web_app: { url } }
  const message = {
    chat_id: ANN,
    text: 'Open',
    reply_markup: { inline_keyboard: [[{ text: 'Spend', web_app: { url } }]] },
  }

  const local = await openPlayground()

  await local.api.setChatMenuButton({ chat_id: ANN, menu_button: button })
  expect(local.playground.menuButton(ANN)).toEqual(button)
  expect(await local.refusalOf('sendMessage', message)).toBe('ok')
})
