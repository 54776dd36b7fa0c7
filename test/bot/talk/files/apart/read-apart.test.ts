import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { constants, deflateRawSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import { MEMORY_MB_MAX } from '../../../../../src/bot/talk/files/apart/bounds.ts'
import { type PackedFile, readApart } from '../../../../../src/bot/talk/files/apart/read-apart.ts'
import { makeDocx } from '../make-docx.ts'
import { makePdf } from '../make-pdf.ts'

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

const MEGABYTE = deflateRawSync(Buffer.alloc(1e6, ' '), { finishFlush: constants.Z_FULL_FLUSH })
/** Half a gigabyte of blanks, packed as half a megabyte. */
const BLANKS = Buffer.concat([...Array<Buffer>(500).fill(MEGABYTE), deflateRawSync('')])
const ZLIB_HEADER = Buffer.from('7801', 'hex')
const [END, BEGIN] = ['</w:t></w:r></w:p>', '<w:p><w:r><w:t>']

describe('what is made to harm takes no more memory than a file may, and none of the bot’s', () => {
  test.each<[string, PackedFile, string]>([
    ['a PDF that unpacks without end', pdf(), 'too_heavy'],
    ['a document that says how much is in it', bomb(500e6), 'too_heavy'],
    ['a document whose headers lie', bomb(1000), 'broken'],
    ['a document of 2,000,000 paragraphs', docx('<w:p><w:r/></w:p>'.repeat(2e6)), 'too_heavy'],
    ['a document nested 1,000,000 deep', docx('<w:p>'.repeat(1e6)), 'too_heavy'],
    ['a document with 1,000,000 attributes', docx(`<w:p ${attributes(1e6)}/>`), 'too_heavy'],
  ])('%s', async (_, file, status) => {
    const before = process.memoryUsage().rss
    const peak = watchPeak()

    const found = await readApart(file, OPTIONS)

    expect(found).toEqual({ status })
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 2 ** 20)
    // Looking takes a moment, in which memory goes on filling.
    expect(await peak()).toBeLessThan(MEMORY_MB_MAX * 1.5)
  })

  function pdf(): PackedFile {
    return { format: 'pdf', bytes: makePdf([{ packed: Buffer.concat([ZLIB_HEADER, BLANKS]) }]) }
  }

  function docx(markup: string): PackedFile {
    return { format: 'docx', bytes: makeDocx([END + markup + BEGIN]) }
  }

  function bomb(declaredBytes: number): PackedFile {
    const styles = { name: 'word/styles.xml', content: { packed: BLANKS, declaredBytes } }
    return { format: 'docx', bytes: makeDocx(['Hello'], [styles]) }
  }

  function attributes(count: number): string {
    return Array.from({ length: count }, (_, index) => `a${index}="b"`).join(' ')
  }
})

function watchPeak(): () => Promise<number> {
  let isOver = false
  const watched = watch()
  return () => {
    isOver = true
    return watched
  }

  async function watch(): Promise<number> {
    let peakMb = 0
    while (!isOver) {
      for (const id of await children()) {
        const status = await readFile(`/proc/${id}/status`, 'utf8').catch(() => '')
        peakMb = Math.max(peakMb, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024)
      }
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    return peakMb
  }
}

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
