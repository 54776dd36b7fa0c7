/**
 * A program that reads one file. A stranger may have made the file: it may hang, or end with all memory taken. So a
 * second thread ends the process when that takes too much time or memory: the thread that works cannot see it, and
 * only from inside the process it looks alike on every system.
 */
import { once } from 'node:events'
import { isMainThread, Worker } from 'node:worker_threads'
import { readDocx, readPdf } from './packed-text.ts'
import { MEMORY_MB_MAX, type PackedFile } from './read-apart.ts'

/** How often the second thread looks; a file that is unpacked fills some 10 MB in that time. */
const LOOK_EVERY_MS = 20

const timeoutMs = Number(process.argv[2])
await (isMainThread ? readFile() : watch())

async function readFile(): Promise<void> {
  // A stop of the bot may also reach this process. Only the bot heeds it: the file is not to blame.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
  // This process is alone when the one that asked has ended.
  process.once('disconnect', () => process.exit())
  await once(new Worker(new URL(import.meta.url), { argv: process.argv.slice(2) }), 'online')
  process.once('message', async ({ format, bytes }: PackedFile) => {
    process.send?.(await (format === 'pdf' ? readPdf(bytes) : readDocx(bytes)))
  })
  process.send?.('ready')
}

function watch(): void {
  setInterval(() => {
    const isOver = process.uptime() * 1000 > timeoutMs
    if (isOver || process.memoryUsage.rss() > MEMORY_MB_MAX * 2 ** 20) {
      process.kill(process.pid, 'SIGKILL')
    }
  }, LOOK_EVERY_MS)
}
