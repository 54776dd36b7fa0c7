import type { PlaygroundChange } from '../updates/changes.ts'
import type { LiveEvents, WireAction } from './api.ts'
import {
  actionOf,
  chatsOf,
  pageOf,
  toWireBot,
  toWireChat,
  toWireMessage,
  toWirePeople,
} from './to-wire.ts'
import type { WebDeps } from './web-deps.ts'

/** Writes one event. */
export type Send = <Name extends keyof LiveEvents>(name: Name, data: LiveEvents[Name]) => void

/** Sends one page what its person sees: everything at first, then what changes. */
export function createViewerFeed(
  { userId, send }: { userId: number; send: Send },
  deps: WebDeps,
  build: string,
) {
  const { world, callbackQueries } = deps
  /** Messages that were sent, changed or deleted since the last look, by chat. */
  const touched = new Map<number, Set<number>>()
  const answered: string[] = []
  /** The state that was sent last, as JSON: people and the bot under their names, chats under their ids. */
  const sent = new Map<string, string>()
  let actions = new Map<string, number>()
  sendAll()
  return { take, look }

  function take(change: PlaygroundChange): void {
    if (change.kind === 'answered') answered.push(change.callbackQueryId)
    if (!('messageId' in change)) return
    const known = touched.get(change.chatId)
    if (known) known.add(change.messageId)
    else touched.set(change.chatId, new Set([change.messageId]))
  }

  function sendAll(): void {
    const chats = chatsOf(userId, deps).map((chat) => {
      const wire = toWireChat(chat, userId, deps)
      isNews(`chat ${chat.id}`, wire)
      return { ...wire, ...pageOf(chat, deps) }
    })
    const bot = toWireBot(languageCode(), deps)
    const people = toWirePeople(deps)
    isNews('bot', bot)
    isNews('people', people)
    const acting = visibleActions()
    actions = new Map(Array.from(acting, ([key, { until }]) => [key, until]))
    send('state', {
      build,
      bot,
      as: userId,
      people,
      chats,
      actions: [...acting.values()].map(({ wire }) => wire),
    })
  }

  /** Sends what has changed. A chat comes before its messages. */
  function look(): void {
    const people = toWirePeople(deps)
    if (isNews('people', people)) send('people', people)
    const bot = toWireBot(languageCode(), deps)
    if (isNews('bot', bot)) send('bot', bot)
    sendChats()
    sendMessages()
    sendActions()
    for (const id of answered.splice(0)) sendAnswer(id)
  }

  function sendChats(): void {
    for (const chat of chatsOf(userId, deps)) {
      const key = `chat ${chat.id}`
      const isNew = !sent.has(key)
      const wire = toWireChat(chat, userId, deps)
      if (isNews(key, wire)) send('chat', wire)
      if (!isNew) continue
      for (const message of pageOf(chat, deps).messages) {
        send('message', { chat_id: chat.id, message })
      }
      touched.delete(chat.id)
    }
  }

  function sendMessages(): void {
    for (const [chatId, messageIds] of touched) {
      const chat = world.chats.get(chatId)
      if (chat === undefined || !sent.has(`chat ${chatId}`)) continue
      const gone: number[] = []
      for (const messageId of messageIds) {
        const message = chat.messages.get(messageId)
        if (message) send('message', { chat_id: chatId, message: toWireMessage(message, world) })
        else gone.push(messageId)
      }
      if (gone.length > 0) send('deleted', { chat_id: chatId, message_ids: gone })
    }
    touched.clear()
  }

  function sendActions(): void {
    const acting = visibleActions()
    for (const [thread, { wire, until }] of acting) {
      if (actions.get(thread) !== until) send('action', wire)
    }
    for (const thread of actions.keys())
      if (!acting.has(thread)) send('action_gone', threadOf(thread))
    actions = new Map(Array.from(acting, ([thread, { until }]) => [thread, until]))
  }

  function visibleActions(): Map<string, { wire: WireAction; until: number }> {
    const all = chatsOf(userId, deps).flatMap(
      (chat): [string, { wire: WireAction; until: number }][] => {
        const wire = actionOf(chat, deps)
        const until = chat.action?.visibleUntil ?? 0
        return wire ? [[`${chat.id} ${wire.thread_id}`, { wire, until }]] : []
      },
    )
    return new Map(all)
  }

  /** Only the one who pressed hears the answer. */
  function sendAnswer(id: string): void {
    const press = callbackQueries.presses.get(id)
    if (press?.answer === undefined || press.userId !== userId) return
    const { text, showAlert, url } = press.answer
    const event: LiveEvents['answer'] = {
      callback_query_id: id,
      chat_id: press.chatId,
      message_id: press.messageId,
      text,
      show_alert: showAlert,
      url,
    }
    send('answer', event)
  }

  function isNews(key: string, value: unknown): boolean {
    const text = JSON.stringify(value)
    if (sent.get(key) === text) return false
    sent.set(key, text)
    return true
  }

  function languageCode(): string {
    return world.people.get(userId)?.user.language_code ?? ''
  }
}

export type ViewerFeed = ReturnType<typeof createViewerFeed>

function threadOf(thread: string): { chat_id: number; thread_id: number } {
  const [chatId, threadId] = thread.split(' ').map(Number)
  return { chat_id: chatId ?? 0, thread_id: threadId ?? 0 }
}
