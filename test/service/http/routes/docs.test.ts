import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService } from '../../service-fixture.ts'

let kopeck: TestService

beforeAll(async () => {
  kopeck = await startTestService()
})
afterAll(() => kopeck[Symbol.asyncDispose]())

test('the page needs no key, and its policy lets its own script run and nothing from elsewhere', async () => {
  const answer = await fetch(`${kopeck.origin}/api/v1/docs`)

  const page = await answer.text()
  const policy = answer.headers.get('content-security-policy')
  const script = /<script>([^<]+)<\/script>/.exec(page)?.[1] ?? ''
  expect(answer.status).toBe(200)
  expect(policy).toContain(`'sha256-${createHash('sha256').update(script).digest('base64')}'`)
  expect(policy).toContain("default-src 'none'")
  expect(page).not.toMatch(/https?:/)
})

test('what the page asks for is there', async () => {
  const url = `${kopeck.origin}/api/v1/docs`
  const page = await (await fetch(url)).text()
  const asked = [...page.matchAll(/(?:href|src)="(docs[^"]+)"|url: '([^']+)'/g)]

  const answers = await Promise.all(
    asked.map(([, asset, document]) => fetch(new URL(asset ?? document ?? '', url))),
  )

  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  expect(answers.map(({ headers }) => headers.get('content-type')?.split(';')[0])).toEqual([
    'text/css',
    expect.stringMatching(/javascript$/),
    'application/json',
  ])
})

test.each(['index.html', 'swagger-initializer.js', '..%2fpackage.json', '../package.json', ''])(
  'nothing else of the package is served: %s',
  async (path) => {
    const { status } = await fetch(`${kopeck.origin}/api/v1/docs/${path}`)

    expect(status).toBe(404)
  },
)
