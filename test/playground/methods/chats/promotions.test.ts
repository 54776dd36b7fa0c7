import { expect, test } from 'vitest'
import { openPlayground } from '../../open-playground.ts'

const GROUP = -1_000_000_000_055

async function openGroup() {
  const opened = await openPlayground()
  const { playground } = opened
  playground.addUser({ id: 6, firstName: 'Bob' })
  playground.addUser({ id: 7, firstName: 'Cid' })
  playground.addGroup({ id: GROUP, title: 'Team', members: [5, 6], botStatus: 'administrator' })
  playground.addGroup({ id: -55, title: 'Few', members: [5, 6] })
  return opened
}

test('an administrator has the rights that were given, and without any is a member', async () => {
  const { api } = await openGroup()

  await api.promoteChatMember(GROUP, 6, { can_pin_messages: true })
  expect(await api.getChatMember(GROUP, 6)).toMatchObject({
    status: 'administrator',
    can_be_edited: true,
    can_manage_chat: true,
    can_pin_messages: true,
    can_delete_messages: false,
  })
  await api.promoteChatMember(GROUP, 6)
  expect((await api.getChatMember(GROUP, 6)).status).toBe('member')
})

test('only members of large groups are promoted, by a bot that may', async () => {
  const { refusalOf, playground } = await openGroup()
  const promote = (user_id: number, chat_id = GROUP) =>
    refusalOf('promoteChatMember', { chat_id, user_id, can_pin_messages: true })

  expect(await promote(6, -55)).toBe(
    'Bad Request: method is available for supergroup and channel chats only',
  )
  expect(await promote(5)).toBe("Bad Request: can't remove chat owner")
  expect(await promote(playground.me.id)).toBe("Bad Request: can't promote self")
  expect(await promote(7)).toBe('Bad Request: USER_NOT_PARTICIPANT')
  playground.setBotStatus(GROUP, 'member')
  expect(await promote(6)).toBe('Bad Request: not enough rights')
})
