import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { CHAT } from '../../service/chat/chat-fixture.ts'
import {
  DONE,
  delta,
  finish,
  sends,
  startOpenAiServer,
  usage,
} from '../../service/providers/openai-server.ts'
import { startTestService, upstreamConfig } from '../../service/service-fixture.ts'
import { CHROMIUM, launchBrowser } from './browser.ts'

async function openPage() {
  const server = createServer((_, response) => {
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end('<!doctype html><title>Chat</title>')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const browser = await launchBrowser()
  onTestFinished(async () => {
    await browser.close()
    server.close()
  })
  const page = await browser.newPage()
  await page.goto(origin)
  return { page, origin }
}

async function startService(corsOrigins: ReadonlySet<string>) {
  const upstream = await startOpenAiServer(
    sends(delta('Да'), delta(', так.'), finish(), usage(12, 5), DONE),
  )
  onTestFinished(() => upstream[Symbol.asyncDispose]())
  const config = upstreamConfig(upstream.baseUrl)
  const kopeck = await startTestService({ config, corsOrigins })
  onTestFinished(() => kopeck[Symbol.asyncDispose]())
  return { url: `${kopeck.origin}/api/v1/chat/completions`, key: kopeck.apiKey }
}

const askFromPage = async ({ url, key, chat }: { url: string; key: string; chat: object }) => {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'x-stainless-lang': 'js',
    },
    body: JSON.stringify({ ...chat, stream: true }),
  })
  const text = await response.text()
  return {
    status: response.status,
    text,
    left: response.headers.get('x-ratelimit-remaining-requests'),
    id: response.headers.get('x-request-id'),
  }
}

describe.skipIf(CHROMIUM === undefined)('a page of another origin', () => {
  // Promise: A page in a browser calls from an origin that is listed, or from another
  test('reads a stream with its limits, once its origin is listed', async () => {
    const { page, origin } = await openPage()
    const { url, key } = await startService(new Set([origin]))

    const answer = await page.evaluate(askFromPage, { url, key, chat: CHAT })

    expect(answer).toEqual({
      status: 200,
      text: expect.stringContaining(', так.'),
      left: '29',
      id: expect.stringMatching(/^[\w-]{36}$/),
    })
  })

  // Promise: A page in a browser calls from an origin that is listed, or from another
  test('is kept from it by the browser otherwise', async () => {
    const { page } = await openPage()
    const { url, key } = await startService(new Set(['https://chat.example.com']))

    const asking = page.evaluate(askFromPage, { url, key, chat: CHAT })

    await expect(asking).rejects.toThrow('Failed to fetch')
  })
})
