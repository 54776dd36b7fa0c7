/**
 * A thread that ends its process when that takes too much time or memory. The thread that works cannot see it, and
 * only from inside the process it looks alike on every system.
 */
import { workerData } from 'node:worker_threads'
import { MEMORY_MB_MAX } from './bounds.ts'

/** How often it looks; a file that is unpacked fills some 10 MB in that time. */
const LOOK_EVERY_MS = 20

setInterval(() => {
  const isOver = process.uptime() * 1000 > workerData.timeoutMs
  if (isOver || process.memoryUsage.rss() > MEMORY_MB_MAX * 2 ** 20) {
    process.kill(process.pid, 'SIGKILL')
  }
}, LOOK_EVERY_MS)
