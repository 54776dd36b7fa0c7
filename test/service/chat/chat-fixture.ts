import { type Responder, startOpenAiServer } from '../providers/openai-server.ts'
import {
  startTestService,
  type TestService,
  untilTestEnds,
  upstreamConfig,
} from '../service-fixture.ts'

/** The balance of an account in the beginning. */
export const CREDIT = 1_000_000_000n

export const CHAT = {
  model: 'alpha',
  messages: [{ role: 'user', content: 'Привет' }],
  max_tokens: 100,
}

/** Starts a service in front of an upstream that answers each request with the next responder, the last one every later request. */
export async function startChatService(
  responders: Responder | Responder[],
  {
    onlyStreams = false,
    supports,
    after = [],
    ...model
  }: Parameters<typeof upstreamConfig>[1] & {
    onlyStreams?: boolean
    supports?: ('tools' | 'json_object' | 'json_schema')[]
    after?: readonly string[]
  } = {},
) {
  const upstream = await startOpenAiServer(...[responders].flat())
  untilTestEnds(upstream)
  const provider = {
    ...({ type: 'openai', base_url: upstream.baseUrl, model: 'upstream' } as const),
    ...(onlyStreams && { only_streams: true }),
    ...(supports && { supports }),
  }
  const others = after.map((base_url, index) => ({ ...provider, name: `${index}`, base_url }))
  const upstreams = others.length === 0 ? { provider } : { upstreams: [provider, ...others] }
  const config = upstreamConfig(upstream.baseUrl, { ...upstreams, ...model })
  const kopeck = await startTestService({ config })
  untilTestEnds(kopeck)
  return { upstream, kopeck, startAnother }

  async function startAnother(): Promise<TestService> {
    const other = await startTestService({ config, beside: kopeck })
    untilTestEnds(other)
    return other
  }
}
