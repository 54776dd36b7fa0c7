import { expect, test } from 'vitest'
import { openPlayground } from '../open-playground.ts'
import { PIXEL } from './pixel.ts'
import { openConnection } from './raw-http.ts'

/**
 * Requests as clients in other languages write them, byte by byte: their headers, their ways to pass
 * parameters, their multipart bodies.
 */
async function openClient() {
  const { playground, apiRoot } = await openPlayground()
  const { send, answer, line } = await openConnection(apiRoot)
  return { playground, post, postPieces, get, line, send, answer }

  async function post(method: string, headers: string[], body: string | Buffer) {
    send(head('POST', method, [...headers, `Content-Length: ${Buffer.byteLength(body)}`]), body)
    return answer()
  }

  /** Sends a body without a length before it. */
  async function postPieces(method: string, headers: string[], pieces: (string | Buffer)[]) {
    send(head('POST', method, [...headers, 'Transfer-Encoding: chunked']))
    for (const piece of pieces) {
      send(`${Buffer.byteLength(piece).toString(16)}\r\n`, piece, '\r\n')
    }
    send('0\r\n\r\n')
    return answer()
  }

  async function get(method: string) {
    send(head('GET', method, []))
    return answer()
  }

  function head(verb: string, method: string, headers: string[]): string {
    const path = `/bot${playground.token}/${method}`
    return [`${verb} ${path} HTTP/1.1`, 'Host: 127.0.0.1', ...headers, '', ''].join('\r\n')
  }
}

/** The parts of a body with their headers. */
function multipart(boundary: string, parts: [headers: string[], value: string | Buffer][]) {
  const pieces = parts.flatMap(([headers, value]) => [
    `--${boundary}\r\n${headers.join('\r\n')}\r\n\r\n`,
    value,
    '\r\n',
  ])
  return [...pieces, `--${boundary}--\r\n`]
}

function joined(pieces: (string | Buffer)[]): Buffer {
  return Buffer.concat(pieces.map((piece) => Buffer.from(piece)))
}

const disposition = (rest: string) => `Content-Disposition: form-data; ${rest}`
const KEYBOARD = { inline_keyboard: [[{ text: 'Да', callback_data: 'yes' }]] }

test('python-telegram-bot: a form with JSON in it, files named in UTF-8, an album of attached ones', async () => {
  const { playground, post } = await openClient()
  const client = ['Accept: */*', 'Accept-Encoding: gzip, deflate', 'Connection: keep-alive']
  const form = new URLSearchParams({
    chat_id: '5',
    text: 'привет + мир',
    reply_markup: JSON.stringify(KEYBOARD),
  })
  const boundary = '5f2a1c0b9d8e7f6a5b4c3d2e1f0a9b8c'
  const media = ['a', 'b'].map((name) => ({ type: 'photo', media: `attach://attached${name}` }))

  const sent = await post(
    'sendMessage',
    [...client, 'Content-Type: application/x-www-form-urlencoded'],
    form.toString(),
  )
  await post(
    'sendMediaGroup',
    [...client, `Content-Type: multipart/form-data; boundary=${boundary}`],
    joined(
      multipart(boundary, [
        [[disposition('name="chat_id"')], '5'],
        [[disposition('name="media"')], JSON.stringify(media)],
        [[disposition('name="attacheda"; filename="а%22б.png"'), 'Content-Type: image/png'], PIXEL],
        [[disposition('name="attachedb"; filename="b.png"'), 'Content-Type: image/png'], PIXEL],
      ]),
    ),
  )

  expect(sent.body.result).toMatchObject({ text: 'привет + мир', reply_markup: KEYBOARD })
  expect(playground.transcript(5).slice(1)).toMatchObject([
    { photo: { fileName: 'а"б.png', bytes: PIXEL } },
    { photo: { fileName: 'b.png', bytes: PIXEL } },
  ])
})

// Promise: A client in another language writes its requests in its own way
test('aiogram: a form, and parts in pieces that each say what text they are', async () => {
  const { playground, post, postPieces } = await openClient()
  const boundary = '0b8a7c6d5e4f3a2b1c0d9e8f7a6b5c4d'
  const text = 'Content-Type: text/plain; charset=utf-8'

  const updates = await post(
    'getUpdates',
    ['Content-Type: application/x-www-form-urlencoded'],
    'timeout=0&allowed_updates=%5B%22message%22%5D',
  )
  await postPieces(
    'sendDocument',
    [`Content-Type: multipart/form-data; boundary=${boundary}`],
    multipart(boundary, [
      [[text, disposition('name="chat_id"')], '5'],
      [[text, disposition('name="document"')], 'attach://Xy7'],
      [[text, disposition('name="caption"')], 'отчёт'],
      [
        [
          'Content-Type: application/octet-stream',
          disposition('name="Xy7"; filename="отчёт 1.png"'),
        ],
        PIXEL,
      ],
    ]),
  )

  expect(updates.body.result).toEqual([])
  expect(playground.transcript(5)).toMatchObject([
    { caption: 'отчёт', document: { fileName: 'отчёт 1.png', mime: 'image/png', bytes: PIXEL } },
  ])
})

// Promise: A client in another language writes its requests in its own way
test('telebot in Go: every parameter a string, null for none, files first and in pieces', async () => {
  const { playground, post, postPieces } = await openClient()
  const json = ['User-Agent: Go-http-client/1.1', 'Content-Type: application/json']
  const boundary = 'd6f1'.repeat(15)

  const me = await post('getMe', json, 'null\n')
  const updates = await post(
    'getUpdates',
    json,
    '{"allowed_updates":"null","offset":"0","timeout":"0"}\n',
  )
  const params = { chat_id: '5', text: 'hello', reply_markup: JSON.stringify(KEYBOARD) }
  const sent = await post('sendMessage', json, `${JSON.stringify(params)}\n`)
  await postPieces(
    'sendPhoto',
    [`Content-Type: multipart/form-data; boundary=${boundary}`],
    multipart(boundary, [
      [
        [
          disposition('name="photo"; filename="a \\"b\\".png"'),
          'Content-Type: application/octet-stream',
        ],
        PIXEL,
      ],
      [[disposition('name="chat_id"')], '5'],
    ]),
  )

  expect(me.body.result).toMatchObject({ is_bot: true })
  expect(updates.body).toEqual({ ok: true, result: [] })
  expect(sent.body.result).toMatchObject({ text: 'hello', reply_markup: KEYBOARD })
  expect(playground.transcript(5)[1]).toMatchObject({ photo: { fileName: 'a "b".png' } })
})

test('teloxide: names of methods that begin with a capital, JSON with its own types', async () => {
  const { playground, post } = await openClient()
  const boundary = '1a2b3c4d5e6f7a8b-9c0d1e2f3a4b5c6d-7e8f9a0b1c2d3e4f-5a6b7c8d9e0f1a2b'
  const id = '0f0e0d0c-0b0a-4908-8706-050403020100'

  const sent = await post(
    'SendMessage',
    ['content-type: application/json', 'accept: */*'],
    JSON.stringify({
      chat_id: 5,
      text: 'hello',
      disable_notification: true,
      reply_markup: KEYBOARD,
    }),
  )
  await post(
    'SendPhoto',
    [`content-type: multipart/form-data; boundary=${boundary}`],
    joined(
      multipart(boundary, [
        [[disposition('name="chat_id"')], '5'],
        [[disposition('name="photo"')], `attach://${id}`],
        [[disposition(`name="${id}"; filename="a.png"`)], PIXEL],
      ]),
    ),
  )

  expect(sent.body.result).toMatchObject({ text: 'hello', reply_markup: KEYBOARD })
  expect(playground.transcript(5)[1]).toMatchObject({ photo: { fileName: 'a.png', bytes: PIXEL } })
})

test('pyTelegramBotAPI: everything in the query of a POST, files in parts without a type', async () => {
  const { playground, post } = await openClient()
  const query = new URLSearchParams({
    chat_id: '5',
    text: 'привет',
    reply_markup: JSON.stringify(KEYBOARD),
  })
  const boundary = 'a1b2c3d4e5f60718293a4b5c6d7e8f90'

  const sent = await post(`sendMessage?${query}`, ['Accept-Encoding: gzip, deflate'], '')
  await post(
    'sendVideo?chat_id=5&caption=clip&timeout=60',
    [`Content-Type: multipart/form-data; boundary=${boundary}`],
    joined(multipart(boundary, [[[disposition('name="video"; filename="clip.mp4"')], 'DATA']])),
  )

  expect(sent.body.result).toMatchObject({ text: 'привет', reply_markup: KEYBOARD })
  expect(playground.transcript(5)[1]).toMatchObject({
    caption: 'clip',
    video: { fileName: 'clip.mp4', mime: 'video/mp4', bytes: Buffer.from('DATA') },
  })
})

test('OkHttp in Java and HttpClient in .NET: lengths in the parts, quotes where others have none', async () => {
  const { playground, post } = await openClient()
  const okHttp = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'
  const net = '8e7d6c5b-4a39-4827-9615-041302f1e0d9'

  await post(
    'sendphoto',
    [`Content-Type: multipart/form-data; boundary=${okHttp}`, 'User-Agent: okhttp/4.12.0'],
    joined(
      multipart(okHttp, [
        [
          [
            disposition('name="chat_id"'),
            'Content-Type: text/plain; charset=UTF-8',
            'Content-Length: 1',
          ],
          '5',
        ],
        [
          [
            disposition('name="photo"; filename="a.png"'),
            'Content-Type: image/png',
            `Content-Length: ${PIXEL.length}`,
          ],
          PIXEL,
        ],
      ]),
    ),
  )
  await post(
    'sendPhoto',
    [`Content-Type: multipart/form-data; boundary="${net}"`],
    joined(
      multipart(net, [
        [['Content-Type: text/plain; charset=utf-8', disposition('name=chat_id')], '5'],
        [[disposition('name="photo"; filename="имя.png"')], PIXEL],
      ]),
    ),
  )

  expect(playground.transcript(5)).toMatchObject([
    { photo: { fileName: 'a.png', bytes: PIXEL } },
    { photo: { fileName: 'имя.png', bytes: PIXEL } },
  ])
})

test('curl and PHP: a query for everything, and a form that asks before it is sent', async () => {
  const { playground, get, send, line, answer } = await openClient()
  const boundary = '------------------------d74496d66958873e'
  const body = joined(
    multipart(boundary, [
      [[disposition('name="chat_id"')], '5'],
      [[disposition('name="document"; filename="a.png"'), 'Content-Type: image/png'], PIXEL],
    ]),
  )

  const sent = await get('sendMessage?chat_id=5&text=a%0Ab&disable_web_page_preview=1')
  send(
    [
      `POST /bot${playground.token}/sendDocument HTTP/1.1`,
      'Host: 127.0.0.1',
      `Content-Length: ${body.length}`,
      `Content-Type: multipart/form-data; boundary=${boundary}`,
      'Expect: 100-continue',
      '\r\n',
    ].join('\r\n'),
  )
  const goOn = await line()
  send(body)

  expect(goOn).toBe('HTTP/1.1 100 Continue')
  expect((await answer()).body.result).toMatchObject({ document: { file_name: 'a.png' } })
  expect(sent.body.result).toMatchObject({
    text: 'a\nb',
    link_preview_options: { is_disabled: true },
  })
})
