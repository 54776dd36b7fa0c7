/** A thread that reads one file and ends: it may hang or fill the memory, since anybody may have made the file. */
import { parentPort, workerData } from 'node:worker_threads'
import type { FileText } from '../file-text.ts'
import type { ThreadFile } from '../read-in-thread.ts'

parentPort?.postMessage(await read(workerData))

/** Each library takes a while to load, and is loaded where it is needed. */
async function read({ kind, bytes }: ThreadFile): Promise<FileText> {
  switch (kind) {
    case 'pdf':
      return (await import('./pdf-text.ts')).readPdf(bytes)
    case 'docx':
      return (await import('./docx-text.ts')).readDocx(bytes)
  }
}
