/** A program that reads one file. A stranger may have made the file: it may hang, or end with all memory taken. */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { programUrl } from '../../../../platform/program-url.ts'
import type { FileText } from '../file-text.ts'
import type { PackedFile } from './read-apart.ts'

// A stop of the bot may reach it, too, and is the bot's to heed: a file half read is no fault of the file.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
// This process is alone when the one that asked has ended.
process.once('disconnect', () => process.exit())
const workerData = { timeoutMs: Number(process.argv[2]) }
await once(new Worker(programUrl('./end-in-time', import.meta.url), { workerData }), 'online')
process.once('message', async (file: PackedFile) => process.send?.(await read(file)))
process.send?.('ready')

/** Reads a file with a library that is loaded only then: each takes a while to load. */
async function read({ format, bytes }: PackedFile): Promise<FileText> {
  switch (format) {
    case 'pdf':
      return (await import('./pdf-text.ts')).readPdf(bytes)
    case 'docx':
      return (await import('./docx-text.ts')).readDocx(bytes)
  }
}
