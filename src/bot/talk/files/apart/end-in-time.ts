/**
 * A thread that ends its process when that takes too long or too much. Only beside the one that works can
 * it see that, and only from inside of the process everywhere alike.
 */
import { MEMORY_MB_MAX, READ_MS_MAX } from './bounds.ts'

/** How often it looks; what is unpacked fills some 10 MB in that time. */
const LOOK_EVERY_MS = 20

setInterval(() => {
  const isOver = process.uptime() * 1000 > READ_MS_MAX
  if (isOver || process.memoryUsage.rss() > MEMORY_MB_MAX * 2 ** 20) {
    process.kill(process.pid, 'SIGKILL')
  }
}, LOOK_EVERY_MS)
