import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { type PackedFile, readApart } from '../../../../src/bot/conversations/files/read-apart.ts'
import { makePdf } from './make-pdf.ts'

const OPTIONS = { signal: new AbortController().signal }
const PDF: PackedFile = { format: 'pdf', bytes: makePdf(['Hello']) }

test('what reads a file has nothing of the environment, and may write nothing', async () => {
  const program = await programOf(`
    import { writeFileSync } from 'node:fs'
    let written = 'yes'
    try { writeFileSync(import.meta.filename + '.txt', 'x') } catch ({ code }) { written = code }
    process.send('ready')
    process.once('message', ({ format }) =>
      process.send({ status: 'ok', text: [format, written, ...Object.keys(process.env)].join() }))`)

  const found = await readApart(PDF, { ...OPTIONS, program })

  expect(found).toMatchObject({
    text: expect.stringMatching(/^pdf,ERR_ACCESS_DENIED(,NODE_CHANNEL\w+)*$/),
  })
})

test.each([
  ['before it is ready', 'for (;;);'],
  ['as it reads', "process.send('ready'); process.once('message', () => { for (;;); })"],
])('one that hangs %s is ended in time', async (_, source) => {
  const program = await programOf(source)

  expect(await readApart(PDF, { ...OPTIONS, program, timeoutMs: 500 })).toEqual({
    status: 'too_heavy',
  })
  expect(await children()).toEqual([])
})

test('a stop ends it at once, with the reason of the stop', async () => {
  const program = await programOf('for (;;);')
  const reason = new Error('stopping')
  const stopping = new AbortController()

  const reading = readApart(PDF, { signal: stopping.signal, program })
  stopping.abort(reason)

  await expect(reading).rejects.toBe(reason)
  await expect(readApart(PDF, { signal: stopping.signal })).rejects.toBe(reason)
  expect(await children()).toEqual([])
})

async function children(): Promise<string[]> {
  const threads = await readdir('/proc/self/task').catch(() => [])
  const lists = threads.map((id) =>
    readFile(`/proc/self/task/${id}/children`, 'utf8').catch(() => ''),
  )
  return (await Promise.all(lists))
    .join(' ')
    .split(' ')
    .filter((id) => id !== '')
}

async function programOf(source: string): Promise<URL> {
  const folder = await mkdtemp(join(tmpdir(), 'file-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'program.mjs'), source)
  return pathToFileURL(join(folder, 'program.mjs'))
}
