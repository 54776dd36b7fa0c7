import { expect, test } from 'vitest'
import { openPlayground } from '../../open-playground.ts'

const GROUP = -1_000_000_000_051

async function openGroup() {
  const opened = await openPlayground()
  const { playground } = opened
  playground.addGroup({ id: GROUP, title: 'Team', members: [5], botStatus: 'administrator' })
  return opened
}

test('getChat() describes a person, and a group with its permissions', async () => {
  const { api, refusalOf } = await openGroup()

  expect(await api.getChat(5)).toMatchObject({ id: 5, type: 'private', first_name: 'Ann' })
  expect(await api.getChat(GROUP)).toMatchObject({
    title: 'Team',
    permissions: { can_send_messages: true },
    max_reaction_count: 11,
  })
  expect(await refusalOf('getChat', { chat_id: 77 })).toBe('Bad Request: chat not found')
})

test('an administrator changes title, description, permissions and the invite link', async () => {
  const { api } = await openGroup()

  await api.setChatTitle(GROUP, ' Crew ')
  await api.setChatDescription(GROUP, 'We sail')
  await api.setChatPermissions(GROUP, { can_send_polls: true })
  const link = await api.exportChatInviteLink(GROUP)

  expect(await api.getChat(GROUP)).toMatchObject({
    title: 'Crew',
    description: 'We sail',
    permissions: { can_send_polls: true, can_send_messages: true, can_pin_messages: false },
    invite_link: link,
  })
  expect((await api.getUpdates())[0]?.message).toMatchObject({ new_chat_title: 'Crew' })
})

test('permissions are an object of booleans, which can be given one by one', async () => {
  const { api, refusalOf } = await openGroup()
  const set = (permissions: unknown) =>
    refusalOf('setChatPermissions', { chat_id: GROUP, permissions })

  expect(await set('{')).toBe("Bad Request: can't parse permissions JSON object")
  expect(await set([])).toBe('Bad Request: object expected as permissions')
  expect(await set({ can_send_polls: 'yes' })).toBe(
    'Bad Request: can\'t parse chat permissions: Field "can_send_polls" must be of type Boolean',
  )
  const alone = { use_independent_chat_permissions: true }
  await api.setChatPermissions(GROUP, { can_send_polls: true }, alone)
  expect(await api.getChat(GROUP)).toMatchObject({
    permissions: { can_send_polls: true, can_send_messages: false },
  })
})

test('what cannot be changed is refused with its reason', async () => {
  const { refusalOf, playground } = await openGroup()
  const title = (chat_id: number, text: string) =>
    refusalOf('setChatTitle', { chat_id, title: text })
  const describe = (chat_id: number) =>
    refusalOf('setChatDescription', { chat_id, description: 'a' })
  const invite = (chat_id: number) => refusalOf('exportChatInviteLink', { chat_id })

  expect(await title(GROUP, ' ')).toBe('Bad Request: title must be non-empty')
  expect(await title(5, 'a')).toBe("Bad Request: can't change private chat title")
  expect(await describe(5)).toBe("Bad Request: can't change private chat description")
  expect(await invite(5)).toBe("Bad Request: can't invite members to a private chat")
  expect(await describe(GROUP)).toBe('ok')
  expect(await describe(GROUP)).toBe('Bad Request: chat description is not modified')
  playground.setBotStatus(GROUP, 'member')
  expect(await title(GROUP, 'a')).toBe('Bad Request: not enough rights to change chat title')
  expect(await describe(GROUP)).toBe('Bad Request: not enough rights to set chat description')
  expect(await invite(GROUP)).toBe('Bad Request: not enough rights to manage chat invite link')
  expect(await refusalOf('setChatPermissions', { chat_id: GROUP, permissions: {} })).toBe(
    'Bad Request: not enough rights to change chat permissions',
  )
})
