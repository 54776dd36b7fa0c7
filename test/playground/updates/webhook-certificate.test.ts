import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { InputFile } from 'grammy'
import { expect, onTestFinished, test } from 'vitest'
import { createManualClock } from '../../platform/time/manual-clock.ts'
import { makeSelfSigned } from '../../support/self-signed.ts'
import { openPlayground } from '../open-playground.ts'

/** A server with a certificate of its own, which takes every update. */
async function openOwnServer(commonName: string) {
  const { key, cert } = makeSelfSigned(commonName)
  const server = createServer({ key, cert }, (request, response) => {
    request.resume().on('end', () => response.end())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  return { url: `https://127.0.0.1:${port}/`, certificate: new InputFile(Buffer.from(cert)) }
}

test('a webhook is reached by the certificate that it was set with, and by no other', async () => {
  const clock = createManualClock()
  const { api, playground } = await openPlayground({ clock })
  const bot = await openOwnServer('127.0.0.1')
  const other = await openOwnServer('127.0.0.1')
  playground.userSends({ userId: 5, text: 'hello' })
  const failures: (string | undefined)[] = []

  for (const certificate of [undefined, other.certificate]) {
    const before = playground.deliveries.length
    await api.setWebhook(bot.url, certificate && { certificate })
    await playground.waitFor(({ deliveries }) => deliveries.length > before)
    failures.push((await api.getWebhookInfo()).last_error_message)
    clock.advance(1_000)
  }
  await api.setWebhook(bot.url, { certificate: bot.certificate })
  await playground.waitFor(({ deliveries }) => deliveries.at(-1)?.status === 200)

  const untrusted = 'SSL error {error:0A000086:SSL routines::certificate verify failed}'
  expect(failures).toEqual([untrusted, untrusted])
  expect(await api.getWebhookInfo()).toMatchObject({
    has_custom_certificate: true,
    pending_update_count: 0,
  })
})

test('a certificate for another name is not trusted, though it was given', async () => {
  const { api, playground } = await openPlayground()
  const bot = await openOwnServer('bot.example')
  playground.userSends({ userId: 5, text: 'hello' })

  await api.setWebhook(bot.url, { certificate: bot.certificate })
  await playground.waitFor(({ deliveries }) => deliveries.length > 0)

  expect((await api.getWebhookInfo()).last_error_message).toMatch('certificate verify failed')
})

test('a certificate of more than 3 MB is refused', async () => {
  const { api } = await openPlayground()
  const certificate = new InputFile(Buffer.alloc(3 * 1024 * 1024 + 1, 'x'))

  await expect(api.setWebhook('https://bot.example', { certificate })).rejects.toThrow(
    'Bad Request: certificate size is too big (3145729 bytes)',
  )
})
