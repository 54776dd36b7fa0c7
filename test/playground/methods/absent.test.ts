import { expect, test } from 'vitest'
import { openPlayground } from '../open-playground.ts'

test('people have no profile photos, and strangers are not found', async () => {
  const { api, refusalOf } = await openPlayground()
  const photosOf = (user_id?: number) => refusalOf('getUserProfilePhotos', { user_id })

  expect(await api.getUserProfilePhotos(5)).toEqual({ total_count: 0, photos: [] })
  expect(await photosOf()).toBe('Bad Request: invalid user_id specified')
  expect(await photosOf(99)).toBe('Bad Request: user not found')
})

test('inline queries and those of Mini Apps are unknown, once their results are read', async () => {
  const { refusalOf } = await openPlayground()
  const unknown =
    'Bad Request: query is too old and response timeout expired or query ID is invalid'
  const inline = (results: unknown) =>
    refusalOf('answerInlineQuery', { inline_query_id: '1', results })
  const webApp = (result?: unknown) =>
    refusalOf('answerWebAppQuery', { web_app_query_id: '1', result })

  expect(await inline('[')).toBe("Bad Request: can't parse JSON encoded inline query results")
  expect(await inline({})).toBe('Bad Request: expected an Array of inline query results')
  expect(await inline([])).toBe(unknown)
  expect(await webApp()).toBe('Bad Request: parameter "result" is required')
  expect(await webApp('{')).toBe("Bad Request: can't parse JSON encoded web view results")
  expect(await webApp({})).toBe(unknown)
})

test('logOut() and close() are accepted, and a method that is unknown is not found', async () => {
  const { api, call } = await openPlayground()

  expect(await api.logOut()).toBe(true)
  expect(await api.close()).toBe(true)
  expect(await call('sendInvoice')).toMatchObject({
    status: 404,
    body: { ok: false, error_code: 404, description: 'Not Found: method not found' },
  })
})
