import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { openPlayground } from '../open-playground.ts'
import { openConnection } from './raw-http.ts'

const FORM = 'application/x-www-form-urlencoded'

async function openRaw() {
  const { playground, apiRoot } = await openPlayground()
  const path = `/bot${playground.token}`
  const connection = await openConnection(apiRoot)
  return { playground, path, ...connection, head }

  function head(verb: string, url: string, ...headers: string[]): string {
    return [`${verb} ${url} HTTP/1.1`, 'host: api', ...headers, '', ''].join('\r\n')
  }
}

test('a connection takes one call after another, and several at once in order', async () => {
  const { path, send, answer, head } = await openRaw()

  send(head('GET', `${path}/getMe`))
  const first = await answer()
  send(head('GET', `${path}/getWebhookInfo`), head('POST', `${path}/nothing`, 'content-length: 0'))

  expect(first).toMatchObject({ status: 200, body: { result: { is_bot: true } } })
  expect(first.headers.get('connection')).toBe('keep-alive')
  expect(first.headers.get('content-type')).toBe('application/json')
  expect((await answer()).body.result).toMatchObject({ url: '' })
  expect(await answer()).toMatchObject({ status: 404, body: { ok: false, error_code: 404 } })
})

test('names of headers may be written in any case, values of the content type too', async () => {
  const { path, send, answer, head } = await openRaw()
  const body = 'chat_id=5&text=a+b%20%2B%ZZ'

  send(
    head(
      'POST',
      `${path}/sendMessage`,
      `CONTENT-type: Application/X-WWW-Form-URLencoded; Charset=UTF-8`,
      `Content-LENGTH:${body.length}`,
    ),
    body,
  )

  expect((await answer()).body.result).toMatchObject({ text: 'a b +%ZZ' })
})

test('a text of 4,096 letters fits in a request line', async () => {
  const { path, send, answer, head } = await openRaw()
  const text = 'ы'.repeat(4_096)

  send(head('GET', `${path}/sendMessage?chat_id=5&text=${encodeURIComponent(text)}`))

  expect((await answer()).body.result).toMatchObject({ text })
})

test('the first value of a parameter counts, that of the query before that of the body', async () => {
  const { path, send, answer, head } = await openRaw()
  const body = 'text=third&disable_notification=true'

  send(
    head(
      'POST',
      `${path}/sendMessage?chat_id=5&text=first&text=second`,
      `content-type: ${FORM}`,
      `content-length: ${body.length}`,
    ),
    body,
  )

  expect((await answer()).body.result).toMatchObject({ text: 'first' })
})

// Promise: A bot sends 60 MB
test('a client that asks before it sends is answered that it may go on, or that 50 MB are too much', async () => {
  const { path, send, answer, line, head } = await openRaw()
  const large = ['expect: 100-continue', 'content-length: 52428801']

  send(
    head(
      'POST',
      `${path}/sendMessage`,
      'Expect: 100-continue',
      `content-type: ${FORM}`,
      'content-length: 16',
    ),
  )
  expect(await line()).toBe('HTTP/1.1 100 Continue')
  send('chat_id=5&text=a')
  expect(await answer()).toMatchObject({ status: 200 })
  send(head('POST', `${path}/sendVideo`, ...large))

  const refused = await answer()
  expect(refused).toMatchObject({
    status: 413,
    body: { ok: false, error_code: 413, description: 'Request Entity Too Large' },
  })
  expect(refused.headers.get('connection')).toBe('close')
})

// Promise: A bot sends 60 MB
test('a body that comes in pieces and stays beyond 50 MiB is read and refused in JSON', async () => {
  const { path, send, answer, head } = await openRaw()
  const piece = Buffer.alloc(1024 * 1024)

  send(
    head(
      'POST',
      `${path}/sendVideo`,
      'transfer-encoding: chunked',
      'content-type: multipart/form-data; boundary=x',
    ),
  )
  for (let count = 0; count < 51; count++) send('100000\r\n', piece, '\r\n')
  send('0\r\n\r\n')

  expect(await answer()).toMatchObject({ status: 413, body: { ok: false, error_code: 413 } })
  send(head('GET', `${path}/getMe`))
  expect(await answer()).toMatchObject({ status: 200 })
})

test('a compressed body is read, one of another encoding or longer than allowed is not', async () => {
  const { path, send, answer, head } = await openRaw()
  const post = (encoding: string, body: Buffer) =>
    send(
      head(
        'POST',
        `${path}/sendMessage`,
        'content-type: application/json',
        `content-encoding: ${encoding}`,
        `content-length: ${body.length}`,
      ),
      body,
    )

  post('gzip', gzipSync('{"chat_id": 5, "text": "small"}'))
  expect((await answer()).body.result).toMatchObject({ text: 'small' })
  post('br', Buffer.from('{}'))
  expect(await answer()).toMatchObject({
    status: 415,
    body: { description: 'Unsupported Media Type: unsupported content-encoding' },
  })
  post('deflate', Buffer.from('nothing of the kind'))
  expect(await answer()).toMatchObject({ status: 400 })
  post('gzip', gzipSync(Buffer.alloc(51 * 1024 * 1024)))

  expect(await answer()).toMatchObject({ status: 413 })
})

test('a body of an unknown type is passed over, and a path with a stray % is a path', async () => {
  const { playground, path, send, answer, head } = await openRaw()

  send(head('POST', `${path}/getMe`, 'content-type: rubbish', 'content-length: 3'), 'abc')
  expect(await answer()).toMatchObject({ status: 200 })
  send(head('GET', `${path.replace(':', '%3A')}/getMe`))
  expect(await answer()).toMatchObject({ status: 200 })
  send(head('GET', `${path}/get%ZZ`))
  expect((await answer()).body.description).toBe('Not Found: method not found')
  send(head('GET', `http://api.telegram.org${path}/getMe`))

  expect((await answer()).body.description).toBe(
    'Not Found: absolute URI is specified in the Request-Line',
  )
  expect(playground.calls.map(({ method }) => method)).toEqual(['getMe', 'getMe', 'get%ZZ'])
})
