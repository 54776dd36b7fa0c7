import { readModels } from '../../contract/client/read-answers.ts'
import { isJsonObject } from '../../platform/http/json.ts'
import type { WireAnswer } from './answer.ts'
import type { Scenes } from './scenes/scenes.ts'

/** How a service does what the interface leaves open. Nothing of it is judged. */
export interface Note {
  about: string
  seen: string
}

/** Gathers what was seen on the way. It asks nothing that costs. */
export async function gatherNotes({ wire, models, prices }: Scenes): Promise<Note[]> {
  const find = (isIt: (answer: WireAnswer) => boolean) => wire.answers.find(isIt)
  const list = readModels((await models()).json) ?? []
  const families = new Set(list.flatMap(({ family }) => family ?? []))
  const balance = find(({ ask, status }) => ask.path === '/balance' && status === 200)
  const unknownTask = find(({ ask }) => /^\/task\/2000000011$/.test(ask.path))
  const unkeyed = find(
    ({ ask, apiKey }) => ask.path === '/chats/completions' && apiKey === undefined,
  )
  const long = find(({ ask }) => isJsonObject(ask.body) && ask.body.quality === '1080p')
  const limited = find(({ status }) => status === 429)
  const waitMs = limited?.retryAfterMs
  return [
    { about: 'models', seen: `${list.length} in ${families.size} families` },
    { about: 'shape of GET /chats/models', seen: describeShape((await models()).json) },
    { about: 'shape of GET /balance', seen: describeShape(balance?.json) },
    { about: 'clip prices', seen: (await prices()) === undefined ? 'not told' : 'GET /prices' },
    { about: 'an unknown task', seen: describeStatus(unknownTask) },
    { about: 'a chat without key', seen: describeStatus(unkeyed) },
    { about: '1080p with 10 s', seen: describeStatus(long) },
    {
      about: '429',
      seen: limited && (waitMs === undefined ? 'no Retry-After' : 'with Retry-After'),
    },
  ].flatMap(({ about, seen }) => (seen === undefined ? [] : [{ about, seen }]))
}

const describeStatus = (answer: WireAnswer | undefined) => answer && String(answer.status)

/** The names of the outermost fields. */
function describeShape(json: unknown): string | undefined {
  if (Array.isArray(json)) return 'a list'
  return isJsonObject(json) ? `{${Object.keys(json).join(', ')}}` : undefined
}
