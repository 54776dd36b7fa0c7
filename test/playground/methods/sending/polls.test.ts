import { expect, test } from 'vitest'
import { openPlayground } from '../../open-playground.ts'

test('sendPoll() shows a question with its options, and stopPoll() closes it', async () => {
  const { api, refusalOf } = await openPlayground()

  const { poll, message_id } = await api.sendPoll(5, ' Lunch? ', [{ text: 'Yes' }, 'No'])
  const closed = await api.stopPoll(5, message_id)

  expect(poll).toMatchObject({
    question: 'Lunch?',
    options: [
      { text: 'Yes', voter_count: 0 },
      { text: 'No', voter_count: 0 },
    ],
    is_anonymous: true,
    is_closed: false,
    type: 'regular',
  })
  expect(closed).toMatchObject({ id: poll.id, is_closed: true })
  expect((await api.getUpdates())[0]?.poll).toEqual(closed)
  expect(await refusalOf('stopPoll', { chat_id: 5, message_id })).toBe(
    'Bad Request: poll has already been closed',
  )
})

test('stopPoll() wants a poll of the bot', async () => {
  const { api, refusalOf } = await openPlayground()
  const { message_id } = await api.sendMessage(5, 'a')
  const poll = await api.sendPoll(5, 'Q', ['A'])
  const forwarded = await api.forwardMessage(5, 5, poll.message_id)
  const stop = (id: number) => refusalOf('stopPoll', { chat_id: 5, message_id: id })

  expect(await stop(999)).toBe('Bad Request: message with poll to stop not found')
  expect(await stop(message_id)).toBe('Bad Request: message is not a poll')
  expect(await stop(forwarded.message_id)).toBe("Bad Request: poll can't be stopped")
})

test('a poll is bounded in its question, the number of options and each of them', async () => {
  const { refusalOf } = await openPlayground()
  const send = (params: object) =>
    refusalOf('sendPoll', { chat_id: 5, question: 'Q', options: ['A'], ...params })

  expect(await send({ question: ' ' })).toBe('Bad Request: text must be non-empty')
  expect(await send({ question: 'Q'.repeat(301) })).toBe(
    'Bad Request: poll question length must not exceed 300',
  )
  expect(await send({ options: '{' })).toBe("Bad Request: can't parse options JSON object")
  expect(await send({ options: {} })).toBe('Bad Request: expected an Array of InputPollOption')
  expect(await send({ options: [5] })).toBe(
    "Bad Request: can't parse InputPollOption: Expected InputPollOption to be an Object",
  )
  expect(await send({ options: [{}] })).toBe(
    'Bad Request: can\'t parse InputPollOption: Can\'t find field "text"',
  )
  expect(await send({ options: [{ text: 'A', text_parse_mode: 'Fancy' }] })).toBe(
    "Bad Request: can't parse InputPollOption: unsupported parse_mode",
  )
  expect(await send({ options: [] })).toBe('Bad Request: poll must have at least one answer option')
  expect(await send({ options: Array(13).fill('A') })).toBe(
    "Bad Request: poll can't have more than 12 options",
  )
  expect(await send({ options: ['A', '\n'] })).toBe('Bad Request: text must be non-empty')
  expect(await send({ options: ['A'.repeat(101)] })).toBe(
    'Bad Request: poll options length must not exceed 100',
  )
  expect(await send({ type: 'survey' })).toBe('Bad Request: unsupported poll type specified')
})

test('a quiz has a right answer among its options', async () => {
  const { api, refusalOf } = await openPlayground()
  const quiz = { chat_id: 5, question: 'Q', options: ['A', 'B'], type: 'quiz' }

  const { poll } = await api.sendPoll(5, 'Q', ['A', 'B'], {
    type: 'quiz',
    correct_option_ids: [1],
    explanation: 'Because',
  })

  expect(poll).toMatchObject({ correct_option_ids: [1], explanation: 'Because', type: 'quiz' })
  expect(await refusalOf('sendPoll', quiz)).toBe('Bad Request: wrong correct option ID specified')
  expect(await refusalOf('sendPoll', { ...quiz, correct_option_id: 1 })).toBe('ok')
  expect(await refusalOf('sendPoll', { ...quiz, correct_option_id: 2 })).toBe(
    'Bad Request: wrong correct option ID specified',
  )
})
