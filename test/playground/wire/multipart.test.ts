import { expect, test } from 'vitest'
import { readMultipart } from '../../../src/playground/wire/multipart.ts'

const CONTENT_TYPE = 'multipart/form-data; boundary=----edge'

/** A body of parts that are written as they stand, headers first. */
function bodyOf(...parts: string[]): Buffer {
  return Buffer.from(`------edge\r\n${parts.join('\r\n------edge\r\n')}\r\n------edge--\r\n`)
}

test.each([
  ['without quotes, as grammY writes it', 'filename=клип раз.mp4', 'клип раз.mp4'],
  ['in quotes', 'filename="клип; раз.mp4"', 'клип; раз.mp4'],
  ['percent-encoded', 'filename="%D0%BA%D0%BB%D0%B8%D0%BF.mp4"', 'клип.mp4'],
  ['in two ways', "filename=x.mp4; filename*=UTF-8''%D0%BA.mp4", 'x.mp4'],
  ['with its path', 'filename="/home/ann/video.mp4"', 'video.mp4'],
])('readMultipart() reads a file name that is written %s', (_how, written, fileName) => {
  const body = bodyOf(
    `content-disposition:form-data;name="video";${written}\r\ncontent-type:video/mp4\r\n\r\nDATA`,
  )

  const parts = readMultipart(body, CONTENT_TYPE)

  expect(parts).toEqual([
    { name: 'video', fileName, mime: 'video/mp4', bytes: Buffer.from('DATA') },
  ])
})

test('readMultipart() distinguishes texts and files, and keeps line ends and empty parts', () => {
  const body = bodyOf(
    'Content-Disposition: form-data; name="text"\r\n\r\nодин\r\n--two\r\n\r\n',
    'Content-Disposition: form-data; name="empty"\r\n\r\n',
    'Content-Disposition: form-data; name="file"; filename=""\r\n\r\n',
    "Content-Disposition: form-data; name=star; filename*=UTF-8''a\r\n\r\n",
  )

  const parts = readMultipart(body, 'multipart/form-data; charset=utf-8; boundary="----edge"')

  expect(parts.map(({ name, fileName, bytes }) => [name, fileName, bytes.toString()])).toEqual([
    ['text', undefined, 'один\r\n--two\r\n\r\n'],
    ['empty', undefined, ''],
    ['file', '', ''],
    ['star', undefined, ''],
  ])
})

test('readMultipart() refuses a body without a boundary, and one that is cut anywhere', () => {
  const body = bodyOf('content-disposition:form-data;name="a"\r\n\r\n1')
  const read = (contentType: string) => () => readMultipart(body, contentType)

  expect(read('multipart/form-data')).toThrow('Bad Request: boundary not found')
  const odd = 'Bad Request: boundary too big or empty'
  expect(read('multipart/form-data; boundary=')).toThrow(odd)
  expect(read(`multipart/form-data; boundary=${'x'.repeat(71)}`)).toThrow(odd)
  for (let length = 0; length < body.length - '--\r\n'.length; length++) {
    expect(() => readMultipart(body.subarray(0, length), CONTENT_TYPE)).toThrow(
      'Bad Request: failed to parse the multipart body',
    )
  }
})
