import { expect, onTestFinished } from 'vitest'
import { CREDIT } from '../service/chat/chat-fixture.ts'
import { startTestService, upstreamConfig } from '../service/service-fixture.ts'
import { type Step, startStrictUpstream } from './strict-upstream.ts'

export const QUESTION = 'Сколько градусов в Твери и Ржеве вместе?'
export const ANSWER = 'Вместе −8 °C.'

const STEPS: readonly Step[] = [
  {
    calls: [
      ['weather', { city: 'Тверь' }],
      ['weather', { city: 'Ржев' }],
    ],
  },
  { text: 'Складываю.', calls: [['sum', { numbers: [-3, -5] }]] },
  { text: ANSWER },
]

/** Fields of the two tools, as JSON Schema. */
export const WEATHER = {
  name: 'weather',
  description: 'Tells the temperature of a town in °C',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string', description: 'Name of the town' } },
    required: ['city'],
    additionalProperties: false,
  },
}
export const SUM = {
  name: 'sum',
  description: 'Adds up numbers',
  parameters: {
    type: 'object',
    properties: { numbers: { type: 'array', items: { type: 'number' } } },
    required: ['numbers'],
    additionalProperties: false,
  },
}

/** The service before a strict upstream, and the two tools with what was asked of them. */
export async function startConversation(steps: readonly Step[] = STEPS) {
  const upstream = await startStrictUpstream(steps)
  onTestFinished(() => upstream[Symbol.asyncDispose]())
  const kopeck = await startTestService({ config: upstreamConfig(upstream.baseUrl) })
  onTestFinished(() => kopeck[Symbol.asyncDispose]())
  const called: unknown[][] = []
  const tools = {
    weather({ city }: { city: string }): string {
      called.push(['weather', city])
      return city === 'Тверь' ? '-3' : '-5'
    },
    sum({ numbers }: { numbers: number[] }): string {
      called.push(['sum', ...numbers])
      return String(numbers.reduce((sum, number) => sum + number, 0))
    },
  }
  return {
    upstream,
    kopeck,
    baseURL: `${kopeck.origin}/api/v1`,
    tools,
    call,
    expectPaid,
    expectTold,
  }

  function call(name: string, given: string): string {
    return name === 'sum' ? tools.sum(JSON.parse(given)) : tools.weather(JSON.parse(given))
  }

  async function expectPaid({ requests }: { requests: number }): Promise<void> {
    expect(upstream.refused).toEqual([])
    expect(upstream.bills).toHaveLength(requests)
    expect(CREDIT - (await kopeck.balance())).toBe(upstream.billedMicroRub())
  }

  async function expectTold(answer: string | null | undefined): Promise<void> {
    expect(answer).toBe(ANSWER)
    expect(called).toEqual([
      ['weather', 'Тверь'],
      ['weather', 'Ржев'],
      ['sum', -3, -5],
    ])
    expect(
      upstream.asked
        .at(-1)
        ?.messages.slice(-6)
        .map(({ role }) => role),
    ).toEqual([...['user', 'assistant', 'tool', 'tool', 'assistant', 'tool']])
    await expectPaid({ requests: 3 })
  }
}

/** The schema that two of the clients want an answer in, and an answer that has it. */
export const TOWN_ANSWER = '{"town":"Ржев","degrees":-5}'
export const TOWN = { town: 'Ржев', degrees: -5 }
