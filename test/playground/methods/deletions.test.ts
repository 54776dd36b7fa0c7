import { expect, test } from 'vitest'
import { openPlayground } from '../open-playground.ts'

test('deleteMessages() passes over what is not there, and deletes all of the rest or nothing', async () => {
  const { api, refusalOf, playground } = await openPlayground()
  playground.addGroup({ id: -20, title: 'Team', members: [5] })
  const own = await api.sendMessage(-20, 'own')
  const foreign = playground.userSends({ userId: 5, chatId: -20, text: '/mine' })
  const ids = [own.message_id, foreign.message_id]
  const remove = (message_ids: number[]) =>
    refusalOf('deleteMessages', { chat_id: -20, message_ids })

  expect(await remove([999])).toBe('ok')
  expect(await remove(ids)).toBe("Bad Request: message can't be deleted")
  expect(playground.transcript(-20)).toHaveLength(2)
  playground.setBotStatus(-20, 'administrator')
  expect(await remove([...ids, 999])).toBe('ok')
  expect(playground.transcript(-20)).toHaveLength(0)
  expect(await remove([])).toBe('Bad Request: message identifiers are not specified')
})
