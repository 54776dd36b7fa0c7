import { expect, test } from 'vitest'
import { openPlayground } from '../open-playground.ts'
import { createActor } from './open-page.ts'

/** A keyboard that asks Ann for her contact. */
async function openAsked() {
  const { playground, apiRoot, api } = await openPlayground()
  playground.userSends({ userId: 5, text: '/start' })
  const keyboard = [[{ text: 'Share', request_contact: true }, { text: 'No' }]]
  const asked = await api.sendMessage(5, 'Who are you?', { reply_markup: { keyboard } })
  return { api, asked, ...createActor(apiRoot) }
}

test('A person shares their contact as an answer to the keyboard that asks for it', async () => {
  const { api, asked, act } = await openAsked()

  await act('/chats/5/contacts', { user_id: 5, message_id: asked.message_id })

  const updates = await api.getUpdates()
  expect(updates.at(-1)?.message).toMatchObject({
    contact: { phone_number: '8885', first_name: 'Ann', user_id: 5 },
    reply_to_message: { message_id: asked.message_id },
  })
})

test('No contact is shared that no button asks for', async () => {
  const { api, refused } = await openAsked()
  const other = await api.sendMessage(5, 'Hello')

  const [status] = await refused('/chats/5/contacts', { user_id: 5, message_id: other.message_id })

  expect(status).toBe(400)
})
