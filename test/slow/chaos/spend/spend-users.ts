import type { PlaygroundMessage } from '../../../../src/playground/world/message.ts'
import type { Telegram } from '../../../support/telegram-user.ts'
import type { Random } from '../random.ts'
import { IMAGE_FAULTS, VIDEO_FAULTS } from '../upstream-works.ts'

/** A message of a run that wants an answer, or has something made. */
export interface SentMessage {
  tag: string
  userId: number
  chatId: number
  messageId: number
  kind: 'turn' | 'video' | 'image' | 'sound'
}

/** The bot's sentence where a limit is reached, in this version, in 0.1.0 and in what was before. */
export const REFUSED = / was left, | is left, | isn’t enough for this: /

const FIRST_USER = 5_000
const FIRST_GROUP = -9_000
const MEMBERS = 12
/** The share of all messages that is sent in groups. */
export const IN_GROUPS = 0.2
const ORDERS = 0.12
const LONG_MESSAGES = 0.05
const STOPS = 0.15
const RETRIES = 0.6
/** The longest wait before a button is pressed, so that it is pressed at any moment of what it ends. */
const PRESS_MS_MAX = 400
const STOP_OR_RETRY = /^(stop|retry):\d+$/
const YES = /^card:\d+:order$/

/** People who talk with the bot and have things made, alone and in groups, and press its buttons. */
export function createSpendUsers(
  { playground }: Telegram,
  { random, users, groups }: { random: Random; users: number; groups: number },
) {
  const userIds = Array.from({ length: users }, (_, index) => FIRST_USER + index)
  const groupIds = Array.from({ length: groups }, (_, index) => FIRST_GROUP - index)
  const members = new Map(groupIds.map((id) => [id, membersOf()]))
  const sent: SentMessage[] = []
  const seen = new Set<string>()
  let presses = 0
  return { sent, userIds, groupIds, begin, act, updates: () => sent.length + presses }

  function begin(): void {
    for (const id of userIds) {
      playground.addUser({ id, firstName: `User ${id}`, languageCode: 'en' })
    }
    for (const [id, those] of members) {
      playground.addGroup({ id, title: `Group ${-id}`, members: those })
    }
    playground.onChange((change) => {
      if (change.kind !== 'sent' && change.kind !== 'edited') return
      const message = findMessage(change)
      if (message?.from === 'bot') lookAtButtons(message)
    })
  }

  function act(): void {
    const isGroup = random.chance(IN_GROUPS)
    const groupId = random.pick(groupIds)
    const userId = random.pick(isGroup ? (members.get(groupId) ?? []) : userIds)
    const chatId = isGroup ? groupId : userId
    const tag = `n${Math.abs(chatId)}x${sent.length}`
    const kind = random.chance(ORDERS) ? random.pick(['video', 'image', 'sound'] as const) : 'turn'
    const text = kind === 'turn' ? questionAbout(tag, isGroup) : orderOf(kind, tag, isGroup)
    const { message_id: messageId } = playground.userSends({ userId, chatId, text })
    sent.push({ tag, userId, chatId, messageId, kind })
  }

  function questionAbout(tag: string, isGroup: boolean): string {
    const words = random.chance(LONG_MESSAGES) ? 400 : random.integer(0, 40)
    const address = isGroup ? `@${playground.me.username} ` : ''
    return `${address}${tag} tell me${' more'.repeat(words)}`
  }

  /** The second word of what is wanted is what goes wrong with it (`upstream-works.ts`). */
  function orderOf(kind: 'video' | 'image' | 'sound', tag: string, isGroup: boolean): string {
    const command = `/${kind}${isGroup ? `@${playground.me.username}` : ''}`
    const fault = random.pick(kind === 'video' ? VIDEO_FAULTS : IMAGE_FAULTS)
    return `${command} ${tag} ${random.chance(0.5) ? 'none' : fault}`
  }

  function lookAtButtons(message: PlaygroundMessage): void {
    for (const data of buttonsOf(message)) {
      if (!(STOP_OR_RETRY.test(data) || YES.test(data)) || seen.has(data)) continue
      seen.add(data)
      if (!YES.test(data) && !random.chance(data.startsWith('stop') ? STOPS : RETRIES)) continue
      setTimeout(() => press(message, data), random.integer(0, PRESS_MS_MAX)).unref()
    }
  }

  function press({ chatId, id: messageId, replyToMessageId }: PlaygroundMessage, data: string) {
    const message = findMessage({ chatId, messageId })
    if (message === undefined || !buttonsOf(message).includes(data)) return
    const asked = sent.find((one) => one.chatId === chatId && one.messageId === replyToMessageId)
    const userId = chatId > 0 ? chatId : asked?.userId
    if (userId === undefined) return
    playground.presses({ userId, chatId, messageId, data })
    presses += 1
  }

  function findMessage({ chatId, messageId }: { chatId: number; messageId: number }) {
    return playground.transcript(chatId).findLast(({ id }) => id === messageId)
  }

  function membersOf(): number[] {
    return Array.from({ length: MEMBERS }, () => random.pick(userIds))
  }
}

/** Finds the tag by which a message of a run is known in a request, a row, an answer, a task. */
export function findTag(text: string): string | undefined {
  return /n\d+x\d+/.exec(text)?.[0]
}

/** Lists the data that the buttons below a message send when they are pressed. */
export function buttonsOf({ replyMarkup }: PlaygroundMessage): string[] {
  if (replyMarkup === undefined || !('inline_keyboard' in replyMarkup)) return []
  return replyMarkup.inline_keyboard
    .flat()
    .flatMap((button) => ('callback_data' in button ? [button.callback_data] : []))
}
