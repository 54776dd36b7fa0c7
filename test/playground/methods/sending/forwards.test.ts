import { InputFile } from 'grammy'
import { expect, test } from 'vitest'
import { openPlayground } from '../../open-playground.ts'

const GROUP = -1_000_000_000_040

async function openTwoChats() {
  const opened = await openPlayground()
  opened.playground.addGroup({ id: GROUP, title: 'Team', members: [5] })
  return opened
}

test('a forwarded message names its first author, also when it is forwarded again', async () => {
  const { api, playground } = await openTwoChats()
  const asked = playground.userSends({ userId: 5, text: 'question' })

  const once = await api.forwardMessage(GROUP, 5, asked.message_id)
  const twice = await api.forwardMessage(5, GROUP, once.message_id)

  const origin = { type: 'user', sender_user: { id: 5 } }
  expect(once).toMatchObject({ text: 'question', chat: { id: GROUP }, forward_origin: origin })
  expect(twice).toMatchObject({ chat: { id: 5 }, forward_origin: origin })
  await expect(api.editMessageText(GROUP, once.message_id, 'other')).rejects.toThrow(
    "message can't be edited",
  )
})

test('a copy has no author, and may have another caption and a keyboard', async () => {
  const { api, playground } = await openTwoChats()
  const clip = await api.sendVideo(5, new InputFile(Buffer.from('clip'), 'a.mp4'), {
    caption: 'old',
  })
  const keyboard = { inline_keyboard: [[{ text: 'Go', callback_data: 'go' }]] }

  const { message_id } = await api.copyMessage(GROUP, 5, clip.message_id, {
    caption: '*new*',
    parse_mode: 'MarkdownV2',
    reply_markup: keyboard,
  })

  const [copy] = playground.transcript(GROUP)
  expect(copy).toMatchObject({ id: message_id, caption: 'new', replyMarkup: keyboard })
  expect(copy?.forwardOrigin).toBeUndefined()
  expect(copy?.video?.uniqueId).toBe(clip.video.file_unique_id)
  expect(copy?.video?.fileId).not.toBe(clip.video.file_id)
})

test('a copied poll is a new one', async () => {
  const { api, playground } = await openTwoChats()
  const { message_id, poll } = await api.sendPoll(5, 'Q', ['A'])
  await api.stopPoll(5, message_id)

  await api.copyMessage(GROUP, 5, message_id)

  const copied = playground.transcript(GROUP)[0]?.card?.poll
  expect(copied).toMatchObject({ question: 'Q', is_closed: false })
  expect(copied?.id).not.toBe(poll.id)
})

test('many messages go together, without those that are missing, and an album stays one', async () => {
  const { api, playground } = await openTwoChats()
  const file = () => new InputFile(Buffer.from('bytes'), 'a.pdf')
  const album = await api.sendMediaGroup(5, [
    { type: 'document', media: file(), caption: 'one' },
    { type: 'document', media: file() },
  ])
  const [first = 0, second = 0] = album.map(({ message_id }) => message_id)

  const forwarded = await api.forwardMessages(GROUP, 5, [first, second, 999])
  const copied = await api.copyMessages(GROUP, 5, [first], { remove_caption: true })

  const [one, two, three] = playground.transcript(GROUP)
  expect(forwarded).toEqual([{ message_id: one?.id }, { message_id: two?.id }])
  expect(one).toMatchObject({ caption: 'one', forwardOrigin: { type: 'user' } })
  expect(one?.mediaGroupId).toBe(two?.mediaGroupId)
  expect(one?.mediaGroupId).not.toBe(playground.transcript(5)[0]?.mediaGroupId)
  expect(copied).toEqual([{ message_id: three?.id }])
  expect(three).toMatchObject({ caption: '' })
})

test('what cannot be forwarded or copied is refused with its reason', async () => {
  const { api, refusalOf, playground } = await openTwoChats()
  const kept = await api.sendMessage(5, 'secret', { protect_content: true })
  const topicless = playground.userSends({ userId: 5, text: 'a' })
  const to = { chat_id: GROUP, from_chat_id: 5 }

  expect(kept.has_protected_content).toBe(true)
  expect(await refusalOf('forwardMessage', { chat_id: GROUP })).toBe(
    'Bad Request: parameter "from_chat_id" is required',
  )
  expect(await refusalOf('forwardMessage', { ...to, message_id: 999 })).toBe(
    'Bad Request: message to forward not found',
  )
  expect(await refusalOf('copyMessage', { ...to, message_id: 999 })).toBe(
    'Bad Request: message to copy not found',
  )
  expect(await refusalOf('copyMessage', { ...to, from_chat_id: 77, message_id: 1 })).toBe(
    'Bad Request: chat not found',
  )
  const message_id = kept.message_id
  expect(await refusalOf('forwardMessage', { ...to, message_id })).toBe(
    "Bad Request: the message can't be forwarded",
  )
  expect(await refusalOf('copyMessage', { ...to, message_id })).toBe(
    "Bad Request: the message can't be copied",
  )
  expect(await refusalOf('copyMessages', { ...to, message_ids: [message_id] })).toBe(
    "Bad Request: messages can't be forwarded",
  )
  const unsorted = [topicless.message_id, message_id]
  expect(await refusalOf('forwardMessages', { ...to, message_ids: unsorted })).toBe(
    'Bad Request: message identifiers must be in a strictly increasing order',
  )
})

test('a list of messages is a list of at most a hundred numbers', async () => {
  const { refusalOf } = await openTwoChats()
  const send = (message_ids?: unknown) =>
    refusalOf('forwardMessages', { chat_id: GROUP, from_chat_id: 5, message_ids })

  expect(await send()).toBe('Bad Request: message identifiers are not specified')
  expect(await send([])).toBe('Bad Request: message identifiers are not specified')
  expect(await send('[')).toBe("Bad Request: can't parse message_ids JSON object")
  expect(await send({})).toBe('Bad Request: expected an Array of message identifiers')
  expect(await send([{}])).toBe('Bad Request: message identifier must be a Number')
  expect(await send(['x'])).toBe("Bad Request: can't parse message identifier as Number")
  expect(await send([0])).toBe('Bad Request: invalid message identifier specified')
  expect(await send(Array(101).fill(1))).toBe('Bad Request: too many message identifiers specified')
})
