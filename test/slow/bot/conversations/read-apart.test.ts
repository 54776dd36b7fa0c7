import { readdir, readFile } from 'node:fs/promises'
import { constants, deflateRawSync } from 'node:zlib'
import { expect, test } from 'vitest'
import {
  MEMORY_MB_MAX,
  type PackedFile,
  readApart,
} from '../../../../src/bot/conversations/files/read-apart.ts'
import { makeDocx } from '../../../bot/conversations/files/make-docx.ts'
import { makePdf } from '../../../bot/conversations/files/make-pdf.ts'

const MEGABYTE = deflateRawSync(Buffer.alloc(1e6, ' '), { finishFlush: constants.Z_FULL_FLUSH })
/** Half a gigabyte of blanks, packed as half a megabyte. */
const BLANKS = Buffer.concat([...Array<Buffer>(500).fill(MEGABYTE), deflateRawSync('')])
const ZLIB_HEADER = Buffer.from('7801', 'hex')
const [END, BEGIN] = ['</w:t></w:r></w:p>', '<w:p><w:r><w:t>']

test.each<[string, PackedFile, string]>([
  ['a PDF that unpacks without end', pdf(), 'too_heavy'],
  ['a document that says how much is in it', bomb(500e6), 'too_heavy'],
  ['a document whose headers lie', bomb(1000), 'too_heavy'],
  ['a document of 2,000,000 paragraphs', docx('<w:p><w:r/></w:p>'.repeat(2e6)), 'too_heavy'],
  ['a document nested 1,000,000 deep', docx('<w:p>'.repeat(1e6)), 'too_heavy'],
  ['a document with 1,000,000 attributes', docx(`<w:p ${attributes(1e6)}/>`), 'too_heavy'],
])('%s takes no more memory than a file may, and none of the bot’s', async (_, file, status) => {
  const before = process.memoryUsage().rss
  const peak = watchPeak()

  const found = await readApart(file, { signal: new AbortController().signal })

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
