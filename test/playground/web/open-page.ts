import { EventSourceParserStream } from 'eventsource-parser/stream'
import type { Message } from 'grammy/types'
import { onTestFinished } from 'vitest'
import type { HistoryAnswer, LiveEvents } from '../../../src/playground/web/api.ts'

type LiveEvent = {
  [Name in keyof LiveEvents]: { name: Name; data: LiveEvents[Name] }
}[keyof LiveEvents]

/** Follows what a page gets, as one of its people, until the test ends. */
export async function openPage(apiRoot: string, query: string) {
  const leaving = new AbortController()
  onTestFinished(() => leaving.abort())
  const response = await fetch(`${apiRoot}/playground/live?${query}`, { signal: leaving.signal })
  if (response.body === null) throw new Error('The stream has no body')
  const reader = response.body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream())
    .getReader()
  const { data: state } = (await next('state')) as { data: LiveEvents['state'] }
  return { state, next, nextEvent, leave: () => leaving.abort() }

  /** The next event of that name. What comes before it is passed over. */
  async function next<Name extends keyof LiveEvents>(
    name: Name,
  ): Promise<{ data: LiveEvents[Name] }> {
    for (;;) {
      const event = await nextEvent()
      if (event.name === name) return event as unknown as { data: LiveEvents[Name] }
    }
  }

  async function nextEvent(): Promise<LiveEvent> {
    const { value, done } = await reader.read()
    if (done) throw new Error('The stream has ended')
    return { name: value.event, data: JSON.parse(value.data) } as LiveEvent
  }
}

/** Does something as a person does it through the page. */
export function createActor(apiRoot: string) {
  return { act, refused, readChat }

  /** A person's private chat, oldest first. */
  async function readChat(userId: number): Promise<Message[]> {
    const query = `as=${userId}&before=${Number.MAX_SAFE_INTEGER}`
    const response = await fetch(`${apiRoot}/playground/chats/${userId}/history?${query}`)
    const { messages } = (await response.json()) as HistoryAnswer
    return messages.map(({ message }) => message)
  }

  async function act(path: string, body: object = {}): Promise<unknown> {
    const response = await post(path, body)
    if (response.status !== 200) throw new Error(`${path}: ${await response.text()}`)
    return response.json()
  }

  /** The status and the words of a refusal. */
  async function refused(path: string, body: object): Promise<[number, string]> {
    const response = await post(path, body)
    const { detail } = (await response.json()) as { detail: string }
    return [response.status, detail]
  }

  function post(path: string, body: object): Promise<Response> {
    return fetch(`${apiRoot}/playground${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  }
}
