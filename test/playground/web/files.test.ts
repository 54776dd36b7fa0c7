import { readdir } from 'node:fs/promises'
import { InputFile } from 'grammy'
import { expect, test } from 'vitest'
import type { FileAnswer } from '../../../src/playground/web/api.ts'
import { makeFolder } from '../../support/make-folder.ts'
import { openKept } from '../kept-playground.ts'
import { openPlayground } from '../open-playground.ts'

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)

test('a person sends a photo with a caption, and the page shows its bytes', async () => {
  const { apiRoot, api } = await openPlayground()

  const response = await send(apiRoot, PNG, { kind: 'photo', caption: 'Look', mime: 'image/png' })
  const { messages } = (await response.json()) as FileAnswer
  const [update] = await api.getUpdates()
  const photo = messages[0]?.message.photo?.[0]
  const shown = await fetch(fileUrl(apiRoot, photo))

  expect(photo).toMatchObject({ width: 1, height: 1, file_size: PNG.length })
  expect(update?.message).toMatchObject({ caption: 'Look', photo: [{ file_id: photo?.file_id }] })
  expect(shown.headers.get('content-type')).toBe('image/png')
  expect(shown.headers.get('content-disposition')).toMatch(/^inline/)
  expect(Buffer.from(await shown.arrayBuffer())).toEqual(PNG)
})

test('a file that a browser would run is only ever saved, under every name', async () => {
  const { apiRoot, api } = await openPlayground()
  const page = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>')

  const { document } = await api.sendDocument(5, new InputFile(page, 'photo.png'))
  const shown = await fetch(fileUrl(apiRoot, document))

  expect(shown.headers.get('content-type')).toBe('application/octet-stream')
  expect(shown.headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''photo.png")
  expect(shown.headers.get('x-content-type-options')).toBe('nosniff')
})

test('a player asks for a part of a file, and gets the size of the file', async () => {
  const { apiRoot, api } = await openPlayground()
  const { document } = await api.sendDocument(5, new InputFile(Buffer.from('0123456789'), 'a.txt'))
  const url = fileUrl(apiRoot, document)

  const part = await fetch(url, { headers: { range: 'bytes=2-4' } })
  const end = await fetch(url, { headers: { range: 'bytes=8-' } })
  const beyond = await fetch(url, { headers: { range: 'bytes=10-' } })

  expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([
    206,
    'bytes 2-4/10',
    '234',
  ])
  expect(await end.text()).toBe('89')
  expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, 'bytes */10'])
  expect((await fetch(`${apiRoot}/playground/files/none`)).status).toBe(404)
})

test('a file that says it is too large is refused before it is read', async () => {
  const { apiRoot, playground } = await openPlayground()

  const response = await send(apiRoot, Buffer.alloc(64 * 1024 * 1024 + 1), { kind: 'document' })

  expect([response.status, await response.json()]).toEqual([
    413,
    { detail: 'The file is larger than 64 MiB' },
  ])
  expect(playground.transcript(5)).toHaveLength(0)
})

test('of a file that makes no message nothing is kept', async () => {
  const folder = await makeFolder()
  const { playground, apiRoot } = await openKept(folder)
  playground.addUser({ id: 5, firstName: 'Ann' })
  const bytesIn = async () =>
    (await readdir(folder, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile() && entry.parentPath.includes('-files'))
      .map(({ name }) => name)

  const noPicture = await send(apiRoot, Buffer.from('no picture'), { kind: 'photo' })
  const long = await send(apiRoot, PNG, { kind: 'photo', caption: 'a'.repeat(1_025) })
  const afterRefusals = await bytesIn()
  const sent = await send(apiRoot, PNG, { kind: 'photo' })

  expect([noPicture.status, long.status, sent.status]).toEqual([422, 400, 200])
  expect([afterRefusals, await bytesIn()]).toEqual([[], [expect.any(String)]])
})

function send(apiRoot: string, bytes: Buffer, query: Record<string, string>): Promise<Response> {
  const url = `${apiRoot}/playground/chats/5/files?${new URLSearchParams({ user_id: '5', ...query })}`
  const headers = { 'content-type': 'application/octet-stream' }
  return fetch(url, { method: 'POST', headers, body: new Uint8Array(bytes) })
}

function fileUrl(apiRoot: string, file: { file_id: string } | undefined): string {
  return `${apiRoot}/playground/files/${file?.file_id}`
}
