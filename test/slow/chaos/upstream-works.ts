import type { ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { MP4 } from '../../media-files.ts'
import type { Responder } from '../../service/providers/openai-server.ts'
import { type Asked, type LocalServer, reset, sendJson, serve } from './local-server.ts'

/** Faults in the work on a video, each made once; it ends in a video unless the fault is listed below. */
export const VIDEO_FAULTS = [
  'none',
  'create-500',
  'create-503',
  'create-429',
  'create-reset',
  'create-422',
  'create-502',
  'poll-500',
  'poll-reset',
  'work-fails',
  'link-404',
  'link-reset',
] as const

/** Faults in an order of an image. A status other than 400 is answered once. */
export const IMAGE_FAULTS = [
  'none',
  'link',
  'slow',
  'status-500',
  'status-429',
  'status-400',
  'reset',
  'empty',
] as const

const FAILING: readonly string[] = [
  'create-422',
  'create-502',
  'work-fails',
  'status-400',
  'reset',
  'empty',
]

/** How a task ends whose prompt has the fault as its second word. */
export function endOf(prompt: string): 'success' | 'fail' {
  return FAILING.includes(faultOf(prompt)) ? 'fail' : 'success'
}

interface Work {
  id: number
  fault: string
  polls: number
  fetches: number
}

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** Everybody who works behind the service. */
export interface Upstream extends LocalServer {
  imagesMade: ReadonlyMap<string, number>
}

/**
 * Another service with the same interface, which honours keys, an image model behind a plain request, and a chat model.
 *
 * @param respond Plays the chat model.
 */
export async function openUpstream(respond: (body: unknown) => Responder): Promise<Upstream> {
  const works = new Map<string, Work>()
  const refusedOnce = new Set<string>()
  const imagesMade = new Map<string, number>()
  return { ...(await serve(handle)), imagesMade }

  function handle(asked: Asked, response: ServerResponse): unknown {
    if (asked.path === '/v1/chat/completions') {
      const body: unknown = JSON.parse(asked.body.toString())
      return respond(body)(response, { body, headers: asked.headers, url: asked.path })
    }
    const [, what = ''] =
      /\/(balance|task|vidgen-generate|generations|video|picture)\b/.exec(asked.path) ?? []
    const id = Number(asked.path.split('/').at(-1))
    switch (what) {
      case 'balance':
        response.setHeader('accept-idempotency-key', 'creation')
        return sendJson(response, 200, { balance_rub: 1 })
      case 'vidgen-generate':
        return create(asked, response)
      case 'task':
        return poll(asked, findWork(id), response)
      case 'video':
        return fetchVideo(findWork(id), response)
      case 'generations':
        return makeImage(asked, response)
      case 'picture':
        return response.writeHead(200, { 'content-type': 'image/png' }).end(PNG)
      default:
        return sendJson(response, 404, {})
    }
  }

  function create({ headers, body }: Asked, response: ServerResponse): unknown {
    const key = String(headers['idempotency-key'])
    const fault = faultOf(JSON.parse(body.toString()).prompt)
    const isFirst = !refusedOnce.has(key)
    refusedOnce.add(key)
    const [step, how] = fault.split('-')
    // What fails a task fails it again: the process that heard of it may not have lived to record it.
    const isAnswered = isFirst || FAILING.includes(fault)
    if (isAnswered && step === 'create' && how !== 'reset')
      return sendJson(response, Number(how), {})
    const work = works.get(key) ?? { id: works.size + 1, fault, polls: 0, fetches: 0 }
    works.set(key, work)
    // The answer is lost, the work is not.
    if (isFirst && fault === 'create-reset') return reset(response)
    return sendJson(response, 200, { task_id: work.id })
  }

  function poll({ headers }: Asked, work: Work, response: ServerResponse): unknown {
    work.polls += 1
    if (work.polls === 1 && work.fault === 'poll-500') return sendJson(response, 500, {})
    if (work.polls === 1 && work.fault === 'poll-reset') return reset(response)
    const links = [`http://${headers.host}/video/${work.id}`]
    return sendJson(
      response,
      200,
      work.fault === 'work-fails'
        ? {
            status: 'fail',
            result_urls: null,
            error: { code: 500, message: 'No video came of it.' },
          }
        : { status: 'success', result_urls: links, error: null },
    )
  }

  function fetchVideo(work: Work, response: ServerResponse): unknown {
    work.fetches += 1
    if (work.fetches === 1 && work.fault === 'link-404') return sendJson(response, 404, {})
    response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': 2000 })
    const video = Buffer.concat([MP4, Buffer.alloc(2000)]).subarray(0, 2000)
    if (work.fetches > 1 || work.fault !== 'link-reset') return response.end(video)
    return response.write(video.subarray(0, 1000), () => reset(response))
  }

  async function makeImage({ headers, body }: Asked, response: ServerResponse): Promise<void> {
    const prompt: string = JSON.parse(body.toString()).prompt
    const fault = faultOf(prompt)
    const isFirst = !refusedOnce.has(prompt)
    refusedOnce.add(prompt)
    const status = Number(/^status-(\d+)$/.exec(fault)?.[1])
    if ((isFirst || FAILING.includes(fault)) && status > 0) return sendJson(response, status, {})
    imagesMade.set(prompt, (imagesMade.get(prompt) ?? 0) + 1)
    if (fault === 'reset') return reset(response)
    if (fault === 'slow') await delay(400)
    const link = `http://${headers.host}/picture/${imagesMade.size}`
    const image = fault === 'link' ? { url: link } : { b64_json: PNG.toString('base64') }
    sendJson(response, 200, { data: fault === 'empty' ? [] : [image] })
  }

  function findWork(id: number): Work {
    const work = [...works.values()].find((each) => each.id === id)
    if (work === undefined) throw new RangeError(`There is no work ${id}`)
    return work
  }
}

function faultOf(prompt: string): string {
  return prompt.split(' ')[1] ?? ''
}
