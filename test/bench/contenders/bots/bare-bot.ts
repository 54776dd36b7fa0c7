// The plainest streaming bot: what a developer writes in an hour, and what our bot is measured against.
// It keeps nothing over a restart, paces nothing, counts no money and answers no error.

import { run } from '@grammyjs/runner'
import { createParser } from 'eventsource-parser'
import { Bot } from 'grammy'
import { request } from 'undici'
import type { ChatChunk, ChatMessage } from '../../../../src/contract/chat.ts'

const EDIT_EVERY_MS = 1000

const { BOT_TOKEN = '', TELEGRAM_API_ROOT = '', SERVICE_URL, SERVICE_API_KEY } = process.env
const bot = new Bot(BOT_TOKEN, { client: { apiRoot: TELEGRAM_API_ROOT } })
const histories = new Map<number, ChatMessage[]>()

bot.on('message:text', async (ctx) => {
  const history = histories.get(ctx.chat.id) ?? []
  histories.set(ctx.chat.id, history)
  history.push({ role: 'user', content: ctx.message.text })

  let text = ''
  let shown = ''
  let messageId: number | undefined
  let shownAt = 0
  for await (const delta of complete(history)) {
    text += delta
    if (text === '') continue
    if (messageId === undefined) {
      messageId = (await ctx.reply(text)).message_id
    } else if (Date.now() - shownAt >= EDIT_EVERY_MS) {
      await ctx.api.editMessageText(ctx.chat.id, messageId, text)
    } else {
      continue
    }
    shown = text
    shownAt = Date.now()
  }
  if (messageId !== undefined && shown !== text) {
    await ctx.api.editMessageText(ctx.chat.id, messageId, text)
  }
  history.push({ role: 'assistant', content: text })
})

async function* complete(messages: readonly ChatMessage[]): AsyncGenerator<string, void> {
  const { statusCode, body } = await request(`${SERVICE_URL}/chats/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${SERVICE_API_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'bench-model', messages, stream: true }),
  })
  if (statusCode !== 200) throw new Error(`The service answered ${statusCode}`)
  const deltas: string[] = []
  const parser = createParser({
    onEvent: ({ data }) => {
      if (data !== '[DONE]') deltas.push(readDelta(JSON.parse(data)))
    },
  })
  const decoder = new TextDecoder()
  for await (const bytes of body) {
    parser.feed(decoder.decode(bytes, { stream: true }))
    yield* deltas.splice(0)
  }
}

function readDelta({ choices }: ChatChunk): string {
  return choices[0]?.delta.content ?? ''
}

await bot.init()
const runner = run(bot)
process.once('SIGTERM', () => void runner.stop().finally(() => process.exit(0)))
process.stdout.write(`${JSON.stringify({ msg: 'ready' })}\n`)
