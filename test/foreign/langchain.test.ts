import { AIMessage, HumanMessage, SystemMessage } from '@langchain/core/messages'
import { ChatOpenAI } from '@langchain/openai'
import { expect, test } from 'vitest'
import { CREDIT, startChatService } from '../service/chat/chat-fixture.ts'
import { DONE, delta, finish, sends, usage } from '../service/providers/openai-server.ts'

const WHOLE = sends(delta('При'), delta('вет'), finish(), usage(12, 5), DONE)
const MESSAGES = [
  new SystemMessage('Be brief.'),
  new HumanMessage('Hello'),
  new AIMessage('Hello!'),
  new HumanMessage({ content: [{ type: 'text', text: 'Привет' }] }),
]

async function start(model = 'alpha') {
  const { kopeck } = await startChatService(WHOLE)
  const configuration = { baseURL: `${kopeck.origin}/api/v1` }
  return { kopeck, chat: new ChatOpenAI({ model, apiKey: kopeck.apiKey, configuration }) }
}

test('LangChain: invoke() gets the text and its usage, and the account has paid it', async () => {
  const { kopeck, chat } = await start()

  const answer = await chat.invoke(MESSAGES)

  expect(answer.text).toBe('Привет')
  expect(answer.usage_metadata).toMatchObject({ input_tokens: 12, output_tokens: 5 })
  expect(await kopeck.balance()).toBe(CREDIT - 4800n)
})

test('LangChain: stream() gets each delta, and the usage at the end', async () => {
  const { kopeck, chat } = await start()

  const chunks = await Array.fromAsync(await chat.stream(MESSAGES))

  expect(chunks.map(({ text }) => text).filter((text) => text !== '')).toEqual(['При', 'вет'])
  const usages = chunks.map(({ usage_metadata }) => usage_metadata).filter(Boolean)
  expect(usages).toEqual([expect.objectContaining({ input_tokens: 12, output_tokens: 5 })])
  expect(await kopeck.balance()).toBe(CREDIT - 4800n)
})

test('LangChain: a model that is not there is reported as such, and not tried again', async () => {
  const { chat } = await start('beta')

  await expect(chat.invoke(MESSAGES)).rejects.toMatchObject({
    status: 404,
    message: expect.stringContaining('model: is not one of GET /models'),
  })
})
