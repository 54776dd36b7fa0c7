import { randomInt } from 'node:crypto'
import type { Poll, PollOption } from 'grammy/types'
import { isJsonObject, parseJson } from '../../../platform/http/json.ts'
import { readFormatted, type TextParams } from '../../content/formatted-text.ts'
import { inlineOf, readMarkup } from '../../content/markup.ts'
import { cleanText, codePoints, type EntityText } from '../../content/text.ts'
import { ApiError, badRequest } from '../../wire/envelope.ts'
import { boolOf, idOf, intOf, jsonOf, type Params, textOf, toTexts } from '../../wire/params.ts'
import type { Method } from '../method.ts'
import { deliver } from './deliver.ts'
import { toContent } from './send-cards.ts'
import { readTarget } from './target.ts'

const QUESTION_CHARS_MAX = 300
const OPTION_CHARS_MAX = 100
const EXPLANATION_CHARS_MAX = 200
const OPTIONS_MAX = 12
const OPEN_S_MAX = 2_628_000

/** Sends a poll. People cannot vote in the playground, so its counts stay at zero. */
const sendPoll: Method = (call, deps) => {
  const { params } = call
  const question = readFormatted(params, namesOf('question'))
  const options = readOptions(params)
  const type = textOf(params, 'type') || 'regular'
  if (type !== 'quiz' && type !== 'regular') throw badRequest('unsupported poll type specified')
  const explanation = readFormatted(params, namesOf('explanation'))
  const target = readTarget(params, deps.world, 'polls')
  const quiz = type === 'quiz' ? readQuiz(params, options, explanation) : undefined
  const poll = { ...makePoll(question, options, params), type, ...quiz } satisfies Poll
  return deliver(call, deps, target, () => toContent({ poll }))
}

/** Ends a poll of the bot for good and answers with its last counts. */
const stopPoll: Method = ({ params }, { world, queue }) => {
  const markup = readMarkup(params, world)
  const chat = world.accessChat(textOf(params, 'chat_id'), 'edit')
  const message = chat.messages.get(idOf(params, 'message_id'))
  if (message === undefined) throw badRequest('message with poll to stop not found')
  const { poll } = message.content.card ?? {}
  if (poll === undefined) throw badRequest('message is not a poll')
  if (message.from !== 'bot' || message.forwardOrigin) throw badRequest("poll can't be stopped")
  if (poll.is_closed) throw badRequest('poll has already been closed')
  if (markup && !inlineOf(markup)) throw badRequest('inline keyboard expected')
  const closed = { ...poll, is_closed: true }
  world.edit(message, { content: toContent({ poll: closed }), replyMarkup: markup })
  queue.enqueue({ poll: closed })
  return { result: closed }
}

function namesOf(text: string): TextParams {
  return { text, entities: `${text}_entities`, parseMode: `${text}_parse_mode` }
}

/** Each option is its text, or an object with a text of its own formatting. */
function readOptions(params: Params): EntityText[] {
  const value = jsonOf(params, 'options', "can't parse options JSON object") ?? []
  if (!Array.isArray(value)) throw badRequest('expected an Array of InputPollOption')
  return value.map(readOption)
}

function readOption(value: unknown): EntityText {
  if (typeof value === 'string') return { text: value, entities: [] }
  const complaint = (why: string) => badRequest(`can't parse InputPollOption: ${why}`)
  if (!isJsonObject(value)) throw complaint('Expected InputPollOption to be an Object')
  if (value.text === undefined) throw complaint(`Can't find field "text"`)
  try {
    return readFormatted({ texts: toTexts(value), uploads: new Map() }, namesOf('text'))
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    throw complaint(error.message.replace(/^Bad Request: /, ''))
  }
}

function makePoll(question: EntityText, options: EntityText[], params: Params): Omit<Poll, 'type'> {
  const asked = cleanPart(question)
  if (codePoints(asked.text) > QUESTION_CHARS_MAX) {
    throw badRequest(`poll question length must not exceed ${QUESTION_CHARS_MAX}`)
  }
  if (options.length === 0) throw badRequest('poll must have at least one answer option')
  if (options.length > OPTIONS_MAX) {
    throw badRequest(`poll can't have more than ${OPTIONS_MAX} options`)
  }
  const openPeriod = intOf(params, 'open_period', { min: 0, max: OPEN_S_MAX })
  const closeDate = intOf(params, 'close_date', { min: 0, max: 2 ** 31 - 1 })
  return {
    id: String(randomInt(2 ** 47)),
    question: asked.text,
    ...(asked.entities.length > 0 && { question_entities: asked.entities }),
    options: options.map(toOption),
    total_voter_count: 0,
    is_closed: boolOf(params, 'is_closed'),
    is_anonymous: textOf(params, 'is_anonymous') === '' || boolOf(params, 'is_anonymous'),
    allows_multiple_answers: boolOf(params, 'allows_multiple_answers'),
    allows_revoting: textOf(params, 'allows_revoting') === '' || boolOf(params, 'allows_revoting'),
    members_only: boolOf(params, 'members_only'),
    ...(openPeriod > 0 && { open_period: openPeriod }),
    ...(closeDate > 0 && { close_date: closeDate }),
  }
}

function toOption(option: EntityText, index: number): PollOption {
  const { text, entities } = cleanPart(option)
  if (codePoints(text) > OPTION_CHARS_MAX) {
    throw badRequest(`poll options length must not exceed ${OPTION_CHARS_MAX}`)
  }
  return {
    persistent_id: String(index),
    text,
    ...(entities.length > 0 && { text_entities: entities }),
    voter_count: 0,
  }
}

/** Keeps only custom emoji of the entities of a question or an option. */
function cleanPart(given: EntityText): EntityText {
  const { text, entities } = cleanText(given)
  if (text === '') throw badRequest('text must be non-empty')
  return { text, entities: entities.filter(({ type }) => type === 'custom_emoji') }
}

function readQuiz(params: Params, options: readonly EntityText[], given: EntityText) {
  const { text, entities } = cleanText(given)
  if (codePoints(text) > EXPLANATION_CHARS_MAX) throw badRequest('MESSAGE_TOO_LONG')
  const list = parseJson(textOf(params, 'correct_option_ids'))
  const ids: unknown[] = Array.isArray(list)
    ? list
    : [Number(textOf(params, 'correct_option_id') || -1)]
  const correct = ids.filter((id) => typeof id === 'number' && id in options) as number[]
  if (correct.length !== ids.length || correct.length === 0) {
    throw badRequest('wrong correct option ID specified')
  }
  return {
    correct_option_ids: correct,
    ...(text !== '' && { explanation: text }),
    ...(entities.length > 0 && { explanation_entities: entities }),
  }
}

export const pollMethods = { sendPoll, stopPoll }
